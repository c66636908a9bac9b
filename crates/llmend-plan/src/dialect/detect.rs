//! Dialect detection.

use llmend_json::{Kind, Node, Span};

use crate::{
    Dialect,
    dialect::{
        anthropic_tool_use, anton_result, clickweave_patch, llmcompiler, markdown, mcp_tools_call,
        openai_tool_calls, openmanus, patch,
    },
    read::list,
};

impl Dialect {
    /// Detects a dialect that is plain text. Returns [`Dialect::Auto`] for other texts, whose JSON value
    /// determines the dialect.
    ///
    /// ```
    /// use llmend_plan::Dialect;
    ///
    /// assert_eq!(Dialect::of_text("Plan:\n1. Boil water\n2. Pour it\n"), Dialect::Markdown);
    /// assert_eq!(Dialect::of_text("Sure: {\"steps\": []}"), Dialect::Auto);
    /// ```
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let json = json_in(text);
        match () {
            () if llmcompiler::fits(text, &json) => Self::LlmCompiler,
            () if !json.is_empty() => Self::Auto,
            () if markdown::fits(text) => Self::Markdown,
            () => Self::Auto,
        }
    }
}

/// Detects the dialect of a JSON value.
pub(crate) fn detect(node: Node<'_>) -> Dialect {
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
        if let Some(found) = clickweave_patch::detect(core) {
            return found;
        }
        if anton_result::fits(core) {
            return Dialect::AntonResult;
        }
    }
    Dialect::Canonical
}

/// Detects the dialect of a JSON value that is expected to be a patch.
pub(crate) fn detect_patch(node: Node<'_>) -> Dialect {
    match detect(node) {
        Dialect::Canonical
            if node.kind() == Kind::Object
                && list_of(list::core(node, &[list::STEPS])).is_none() =>
        {
            Dialect::Patch
        }
        other => other,
    }
}

/// Returns the list of steps or nodes.
fn list_of(core: Node<'_>) -> Option<Node<'_>> {
    let names = list::STEPS.iter().chain(&["nodes"]);
    let named =
        || names.clone().find_map(|name| core.get(name)).filter(|list| list.kind() == Kind::Array);
    if core.kind() == Kind::Array { Some(core) } else { named() }
}

/// Returns whether `is` holds for one of the first items.
fn any(items: Node<'_>, is: impl Fn(Node<'_>) -> bool) -> bool {
    const INSPECTED: usize = 16;
    items.items().take(INSPECTED).any(is)
}

/// Returns the spans of JSON in `text` that may be a document, unlike a checkbox `[ ]` or a link.
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
