//! Dialects of plans, workflows, patches and task results.

use std::{fmt, str::FromStr};

use llmend_json::UnknownChoice;
use serde::{Deserialize, Serialize};

pub(crate) mod amazon_states;
pub(crate) mod anthropic_tool_use;
pub(crate) mod anton_result;
pub(crate) mod any_notation;
pub(crate) mod arazzo;
pub(crate) mod calls;
pub(crate) mod canonical;
pub(crate) mod clickweave;
pub(crate) mod clickweave_graph;
pub(crate) mod clickweave_patch;
pub(crate) mod clickweave_steps;
pub(crate) mod detect;
pub(crate) mod gomind;
pub(crate) mod langgraph;
pub(crate) mod llmcompiler;
pub(crate) mod markdown;
pub(crate) mod mcp_tools_call;
pub(crate) mod mermaid;
pub(crate) mod n8n;
pub(crate) mod openai_tool_calls;
pub(crate) mod openmanus;
pub(crate) mod patch;
pub(crate) mod read;
pub(crate) mod workflow;

/// How a dialect is written down.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Medium {
    /// As a value, in JSON.
    Value,
    /// As plain text.
    Text,
}

/// What llmend does with a dialect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It is read and written.
    Both,
    /// It is only read.
    Read,
    /// It is only read, and is the form of another tool's workflows. They may run several successors in
    /// parallel, go in circles, and compare what is no result of a node.
    Foreign,
}

/// Defines the dialects: description, name, medium, and use.
macro_rules! dialects {
    ($($(#[doc = $doc:literal])+ $word:ident = $name:literal, $medium:ident, $use:ident;)+) => {
        /// The form in which a plan, a workflow, a patch or a task result is written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Dialect {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $word,)+
        }

        impl Dialect {
            /// All dialects.
            pub const ALL: [Self; [$($name,)+].len()] = [$(Self::$word,)+];

            /// Returns the name used by flags and configuration.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $name,)+
                }
            }

            /// Returns a description, in Markdown.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self {
                    $(Self::$word => concat!($($doc),+),)+
                }
            }

            const fn medium(self) -> Medium {
                match self {
                    $(Self::$word => Medium::$medium,)+
                }
            }

            const fn used(self) -> Use {
                match self {
                    $(Self::$word => Use::$use,)+
                }
            }
        }
    };
}

dialects! {
    /// Detects the dialect by its characteristic fields; falls back to `canonical`.
    Auto = "auto", Value, Both;
    /// llmend's own plan: requires only `steps` with an `id` each. Null counts as absent, and unknown
    /// fields become metadata.
    Canonical = "canonical", Value, Both;
    /// The plan of `OpenManus`: requires `version`, `objective` and `steps`, and all fields of a step
    /// except `depends_on` and `inputs`. Unknown fields are errors; `steps` may be empty.
    OpenManus = "openmanus", Value, Both;
    /// The routing plan of `GoMind`: steps with `step_id`, `agent_name`, `instruction`.
    GoMind = "gomind", Value, Both;
    /// llmend's own workflow: `nodes` and `edges`.
    Workflow = "workflow", Value, Both;
    /// A flat list of Clickweave's steps, each with a `step_type`.
    ClickweaveSteps = "clickweave-steps", Value, Both;
    /// Clickweave's graph: `nodes` with a `step_type` each, and `edges`.
    ClickweaveGraph = "clickweave-graph", Value, Both;
    /// llmend's own patch.
    Patch = "patch", Value, Both;
    /// Clickweave's patch: `add`, `add_nodes`, `add_edges`, `remove_node_ids`, `update`.
    ClickweavePatch = "clickweave-patch", Value, Both;
    /// The task result that `anton` asks of an agent: `status`, `changes`, `notes`.
    AntonResult = "anton-result", Value, Both;
    /// The `tool_calls` of an `OpenAI` message, or the function calls of its Responses API.
    OpenAiToolCalls = "openai-tool-calls", Value, Both;
    /// The `tool_use` blocks of an Anthropic message.
    AnthropicToolUse = "anthropic-tool-use", Value, Both;
    /// The `tools/call` requests of the Model Context Protocol.
    McpToolsCall = "mcp-tools-call", Value, Both;
    /// The text of LLMCompiler or `ReWOO`: `1. search(q="…", $1)`, `#E1 = Search[…]`.
    LlmCompiler = "llmcompiler", Text, Read;
    /// A numbered list or a checklist in Markdown.
    Markdown = "markdown", Text, Both;
    /// Tool calls in the notation of any model: `<tool_call>…</tool_call>`, `[search(q="…")]`. A
    /// call without marks around it counts only if the catalog has its tool.
    Calls = "calls", Text, Read;
    /// A Mermaid flowchart, as models and `llmend workflow draw` write it.
    Mermaid = "mermaid", Text, Foreign;
    /// A workflow that n8n exports: `nodes` with a `type` and `parameters` each, and `connections`.
    N8n = "n8n", Value, Foreign;
    /// A graph of `LangGraph` or `LangChain`, as `to_json()` writes it.
    LangGraph = "langgraph", Value, Foreign;
    /// A state machine in Amazon States Language: `StartAt` and `States`.
    AmazonStates = "amazon-states", Value, Foreign;
    /// An Arazzo description of sequences of API calls: `workflows` with `steps` each.
    Arazzo = "arazzo", Value, Foreign;
}

impl Dialect {
    /// Returns whether the dialect is plain text instead of JSON.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self.medium(), Medium::Text)
    }

    /// Returns whether documents can be written in the dialect.
    #[must_use]
    pub const fn is_written(self) -> bool {
        matches!(self.used(), Use::Both)
    }

    /// Returns whether the dialect is the form of another tool's workflows.
    pub(crate) const fn is_foreign(self) -> bool {
        matches!(self.used(), Use::Foreign)
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

#[expect(clippy::derivable_impls, reason = "the variants come from a table")]
impl Default for Dialect {
    fn default() -> Self {
        Self::Auto
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        UnknownChoice::find(name, &Self::ALL, Self::as_str)
    }
}
