//! Dialects of plans, workflows, patches and task results.

use std::{fmt, str::FromStr};

use llmend_json::UnknownName;
use serde::{Deserialize, Serialize};

pub(crate) mod anthropic_tool_use;
pub(crate) mod anton_result;
pub(crate) mod any_notation;
pub(crate) mod calls;
pub(crate) mod canonical;
pub(crate) mod clickweave;
pub(crate) mod clickweave_graph;
pub(crate) mod clickweave_patch;
pub(crate) mod clickweave_steps;
pub(crate) mod detect;
pub(crate) mod gomind;
pub(crate) mod llmcompiler;
pub(crate) mod markdown;
pub(crate) mod mcp_tools_call;
pub(crate) mod openai_tool_calls;
pub(crate) mod openmanus;
pub(crate) mod patch;
pub(crate) mod read;
pub(crate) mod workflow;

/// The form in which a plan, a workflow, a patch or a task result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Dialect {
    /// Detects the dialect by its characteristic fields; falls back to `canonical`.
    #[default]
    Auto,
    /// llmend's own plan: requires only `steps` with an `id` each. Null counts as absent, and unknown
    /// fields become metadata.
    Canonical,
    /// The plan of `OpenManus`: requires `version`, `objective` and `steps`, and all fields of a step
    /// except `depends_on` and `inputs`. Unknown fields are errors; `steps` may be empty.
    #[serde(rename = "openmanus")]
    OpenManus,
    /// The routing plan of `GoMind`: steps with `step_id`, `agent_name`, `instruction`.
    #[serde(rename = "gomind")]
    GoMind,
    /// llmend's own workflow: `nodes` and `edges`.
    Workflow,
    /// A flat list of Clickweave's steps, each with a `step_type`.
    ClickweaveSteps,
    /// Clickweave's graph: `nodes` with a `step_type` each, and `edges`.
    ClickweaveGraph,
    /// llmend's own patch.
    Patch,
    /// Clickweave's patch: `add`, `add_nodes`, `add_edges`, `remove_node_ids`, `update`.
    ClickweavePatch,
    /// The task result that `anton` asks of an agent: `status`, `changes`, `notes`.
    AntonResult,
    /// The `tool_calls` of an `OpenAI` message, or the function calls of its Responses API.
    #[serde(rename = "openai-tool-calls")]
    OpenAiToolCalls,
    /// The `tool_use` blocks of an Anthropic message.
    AnthropicToolUse,
    /// The `tools/call` requests of the Model Context Protocol.
    McpToolsCall,
    /// The text of LLMCompiler or `ReWOO`: `1. search(q="…", $1)`, `#E1 = Search[…]`.
    #[serde(rename = "llmcompiler")]
    LlmCompiler,
    /// A numbered list or a checklist in Markdown.
    Markdown,
    /// Tool calls in the notation of any model: `<tool_call>…</tool_call>`, `[search(q="…")]`. A
    /// call without marks around it counts only if the catalog has its tool.
    Calls,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 16] = [
        Self::Auto,
        Self::Canonical,
        Self::OpenManus,
        Self::GoMind,
        Self::Workflow,
        Self::ClickweaveSteps,
        Self::ClickweaveGraph,
        Self::Patch,
        Self::ClickweavePatch,
        Self::AntonResult,
        Self::OpenAiToolCalls,
        Self::AnthropicToolUse,
        Self::McpToolsCall,
        Self::LlmCompiler,
        Self::Markdown,
        Self::Calls,
    ];

    /// Returns the name used by flags and configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Canonical => "canonical",
            Self::OpenManus => "openmanus",
            Self::GoMind => "gomind",
            Self::Workflow => "workflow",
            Self::ClickweaveSteps => "clickweave-steps",
            Self::ClickweaveGraph => "clickweave-graph",
            Self::Patch => "patch",
            Self::ClickweavePatch => "clickweave-patch",
            Self::AntonResult => "anton-result",
            Self::OpenAiToolCalls => "openai-tool-calls",
            Self::AnthropicToolUse => "anthropic-tool-use",
            Self::McpToolsCall => "mcp-tools-call",
            Self::LlmCompiler => "llmcompiler",
            Self::Markdown => "markdown",
            Self::Calls => "calls",
        }
    }

    /// Returns whether the dialect is plain text instead of JSON.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::LlmCompiler | Self::Markdown | Self::Calls)
    }

    /// Returns the names of the fields on the paths to values that local findings are about
    /// ([`listing::is_local`](crate::listing::is_local)).
    #[must_use]
    pub const fn field_names(self) -> &'static [&'static str] {
        match self {
            Self::Canonical | Self::OpenManus => {
                &["steps", "id", "tool", "inputs", "metadata", "capability"]
            }
            Self::GoMind => {
                &["steps", "step_id", "agent_name", "metadata", "parameters", "capability"]
            }
            Self::Workflow => &[
                "nodes",
                "edges",
                "id",
                "type",
                "tool",
                "arguments",
                "metadata",
                "capability",
                "condition",
                "operator",
                "output",
            ],
            Self::ClickweaveSteps => {
                &["steps", "id", "step_type", "tool_name", "arguments", "condition", "operator"]
            }
            Self::ClickweaveGraph => &[
                "nodes",
                "edges",
                "id",
                "step_type",
                "tool_name",
                "arguments",
                "condition",
                "operator",
                "output",
            ],
            Self::OpenAiToolCalls | Self::AnthropicToolUse | Self::McpToolsCall => {
                &["id", "type", "arguments"]
            }
            _ => &[],
        }
    }

    /// Returns the names of the field that holds a step's tool.
    #[must_use]
    pub const fn tool_names(self) -> &'static [&'static str] {
        match self {
            Self::Canonical => &["tool", "tool_name"],
            Self::OpenManus | Self::Workflow => &["tool"],
            Self::GoMind => &["agent_name"],
            Self::ClickweaveSteps | Self::ClickweaveGraph => &["tool_name"],
            Self::OpenAiToolCalls | Self::AnthropicToolUse | Self::McpToolsCall => &["name"],
            _ => &[],
        }
    }

    /// Returns whether steps have a field for dependencies. Tool calls have none.
    pub(crate) const fn declares_dependencies(self) -> bool {
        !self.is_text()
            && !matches!(self, Self::OpenAiToolCalls | Self::AnthropicToolUse | Self::McpToolsCall)
    }

    /// Returns whether a plan must have steps.
    pub(crate) const fn needs_steps(self) -> bool {
        !matches!(self, Self::OpenManus)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.as_str() == name)
            .ok_or_else(|| UnknownName(name.to_owned()))
    }
}
