//! In which form is the plan written?

use std::{fmt, str::FromStr};

use llmend_json::{Kind, Node, Span, UnknownName};
use serde::{Deserialize, Serialize};

use crate::{
    Document, OnBadStep, Strictness,
    read::{context::Context, list},
};

pub(crate) mod anthropic_tool_use;
pub(crate) mod anton_result;
pub(crate) mod calls;
pub(crate) mod canonical;
pub(crate) mod clickweave;
pub(crate) mod clickweave_graph;
pub(crate) mod clickweave_patch;
pub(crate) mod clickweave_steps;
pub(crate) mod gomind;
pub(crate) mod llmcompiler;
pub(crate) mod markdown;
pub(crate) mod mcp_tools_call;
pub(crate) mod openai_tool_calls;
pub(crate) mod openmanus;
pub(crate) mod patch;
pub(crate) mod workflow;

/// The form in which a plan, a workflow, a patch or a task's report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Dialect {
    /// The first dialect whose marks are there; `canonical` if there are none.
    #[default]
    Auto,
    /// llmend's own plan: `steps` with an `id` each is all that is required, null is as good as
    /// absent, and fields that it does not know become metadata.
    Canonical,
    /// The plan of `OpenManus`: `version`, `objective` and `steps` are required, of each step all
    /// fields but `depends_on` and `inputs`; unknown fields are forbidden; `steps` may be empty.
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
    /// What `anton` asks an agent to say of its task: `status`, `changes`, `notes`.
    AntonResult,
    /// The `tool_calls` of a message in the form of `OpenAI`, also as its newer API writes them.
    #[serde(rename = "openai-tool-calls")]
    OpenAiToolCalls,
    /// The blocks `tool_use` of a message in the form of Anthropic.
    AnthropicToolUse,
    /// Requests `tools/call` of the Model Context Protocol.
    McpToolsCall,
    /// The text of LLMCompiler or `ReWOO`: `1. search(q="…", $1)`, `#E1 = Search[…]`.
    #[serde(rename = "llmcompiler")]
    LlmCompiler,
    /// A numbered list or a checklist in Markdown.
    Markdown,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 15] = [
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
    ];

    /// The name that flags and configuration use.
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
        }
    }

    /// Whether it is no JSON.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::LlmCompiler | Self::Markdown)
    }

    /// The dialect that `text` is written in, if it is one that is no JSON and its marks are there;
    /// [`Dialect::Auto`] otherwise, which the value that the text holds decides.
    ///
    /// ```
    /// use llmend_plan::Dialect;
    ///
    /// assert_eq!(Dialect::of_text("Plan:\n1. Boil water\n2. Pour it\n"), Dialect::Markdown);
    /// assert_eq!(Dialect::of_text("Sure: {\"steps\": []}"), Dialect::Auto);
    /// ```
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        of_text(text)
    }

    /// What becomes of a bad step where nothing is said: Clickweave drops it.
    #[must_use]
    pub const fn on_bad_step(self) -> OnBadStep {
        match self {
            Self::ClickweaveSteps | Self::ClickweaveGraph | Self::ClickweavePatch => {
                OnBadStep::Drop
            }
            _ => OnBadStep::Fail,
        }
    }

    /// Whether it is strict where nothing is said: `OpenManus` is.
    #[must_use]
    pub const fn strictness(self) -> Strictness {
        match self {
            Self::OpenManus => Strictness::Strict,
            _ => Strictness::Lenient,
        }
    }

    /// Whether a step has a field that says which come first: a call of a tool has none.
    pub(crate) const fn declares_dependencies(self) -> bool {
        !self.is_text()
            && !matches!(self, Self::OpenAiToolCalls | Self::AnthropicToolUse | Self::McpToolsCall)
    }

    /// Whether a plan without steps is none.
    pub(crate) const fn needs_steps(self) -> bool {
        !matches!(self, Self::OpenManus)
    }

    /// Reads `text`, in a dialect that is no JSON.
    pub(crate) fn read_text(self, text: &str, context: &mut Context<'_>) -> Document {
        match self {
            Self::LlmCompiler => llmcompiler::read(text, context).into(),
            _ => markdown::read(text, context).into(),
        }
    }
}

/// The dialect that `node` is written in, as far as its marks tell.
pub(crate) fn of(node: Node<'_>) -> Dialect {
    let calls = [
        (Dialect::OpenAiToolCalls, openai_tool_calls::fits(node)),
        (Dialect::AnthropicToolUse, anthropic_tool_use::fits(node)),
        (Dialect::McpToolsCall, mcp_tools_call::fits(node)),
    ];
    if let Some((dialect, _)) = calls.into_iter().find(|(_, fits)| *fits) {
        return dialect;
    }
    let core = list::core(node, &[list::STEPS, &["nodes"]]);
    let items = list_of(core);
    let has = |name: &str| items.is_some_and(|items| any(items, |item| item.get(name).is_some()));
    if core.get("nodes").is_some() {
        return if has("step_type") { Dialect::ClickweaveGraph } else { Dialect::Workflow };
    }
    if has("step_type") {
        return Dialect::ClickweaveSteps;
    }
    if openmanus::fits(node) {
        return Dialect::OpenManus;
    }
    if core.get("original_request").is_some() || (has("step_id") && has("agent_name")) {
        return Dialect::GoMind;
    }
    if items.is_none() {
        let core = list::core(node, &patch::ALL);
        if let Some(found) = clickweave_patch::of(core) {
            return found;
        }
        if anton_result::fits(core) {
            return Dialect::AntonResult;
        }
    }
    Dialect::Canonical
}

/// The same where a patch is wanted: what has the marks of nothing else is one.
pub(crate) fn of_patch(node: Node<'_>) -> Dialect {
    match of(node) {
        Dialect::Canonical
            if node.kind() == Kind::Object
                && list_of(list::core(node, &[list::STEPS])).is_none() =>
        {
            Dialect::Patch
        }
        other => other,
    }
}

/// The list of items that the document is about.
fn list_of(core: Node<'_>) -> Option<Node<'_>> {
    let names = list::STEPS.iter().chain(&["nodes"]);
    let named =
        || names.clone().find_map(|name| core.get(name)).filter(|list| list.kind() == Kind::Array);
    if core.kind() == Kind::Array { Some(core) } else { named() }
}

/// Whether one of the first items is so; a list says in its beginning what it is one of.
fn any(items: Node<'_>, is: impl Fn(Node<'_>) -> bool) -> bool {
    const LOOKED_AT: usize = 16;
    items.items().take(LOOKED_AT).any(is)
}

/// The dialect of `text`: one that is no JSON where its marks are there, and no JSON.
pub(crate) fn of_text(text: &str) -> Dialect {
    let json = json_in(text);
    match () {
        () if llmcompiler::fits(text, &json) => Dialect::LlmCompiler,
        () if !json.is_empty() => Dialect::Auto,
        () if markdown::fits(text) => Dialect::Markdown,
        () => Dialect::Auto,
    }
}

/// Where JSON stands in `text` that may be a document: a box `[ ]` to be ticked and a link in
/// brackets are none.
fn json_in(text: &str) -> Vec<Span> {
    let found = llmend_json::extract(text, &llmend_json::Options::default());
    let spans =
        found.into_iter().flat_map(|found| found.candidates).map(|candidate| candidate.span);
    let may_be = |span: &Span| {
        let text = span.of(text).trim_start();
        text.starts_with('{')
            || text
                .strip_prefix('[')
                .is_some_and(|rest| rest.trim_start().starts_with(['{', '[', '"', '\'']))
    };
    spans.filter(may_be).collect()
}

/// Reads `node` and records what is wrong with it; then the document is not to be used.
pub(crate) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Document> {
    Some(match context.dialect {
        Dialect::OpenManus if context.strictness == Strictness::Strict => {
            openmanus::read(node, context).into()
        }
        Dialect::GoMind => gomind::read(node, context).into(),
        Dialect::Workflow => workflow::read(node, context)?.into(),
        Dialect::ClickweaveSteps => clickweave_steps::read(node, context)?.into(),
        Dialect::ClickweaveGraph => clickweave_graph::read(node, context)?.into(),
        Dialect::Patch | Dialect::ClickweavePatch => patch::read(node, context)?.into(),
        Dialect::AntonResult => anton_result::read(node, context)?.into(),
        Dialect::OpenAiToolCalls => openai_tool_calls::read(node, context).into(),
        Dialect::AnthropicToolUse => anthropic_tool_use::read(node, context).into(),
        Dialect::McpToolsCall => mcp_tools_call::read(node, context).into(),
        Dialect::LlmCompiler | Dialect::Markdown => {
            context.findings.wrong_type("", node, "text of a dialect that is no JSON");
            return None;
        }
        _ => canonical::read(node, context).into(),
    })
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
