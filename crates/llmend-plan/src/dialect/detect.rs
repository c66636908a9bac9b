//! Dialect detection.

use llmend_json::{Kind, Node, Span};

use crate::{
    Dialect,
    dialect::{
        amazon_states, anthropic_tool_use, anton_result, arazzo, clickweave_patch, langgraph,
        llmcompiler, markdown, mcp_tools_call, mermaid, n8n, openai_tool_calls, openmanus, patch,
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
        if let Some(chart) = mermaid::find(text) {
            // Brackets in a flowchart are shapes; beside it, JSON may be the plan.
            let beside = json.iter().filter(|it| it.end <= chart.start || it.start >= chart.end);
            let is_plan = beside.map(|it| it.of(text)).any(is_document);
            return if is_plan { Self::Auto } else { Self::Mermaid };
        }
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
    if let Some(dialect) = foreign(node) {
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

/// Detects the form of another tool.
fn foreign(node: Node<'_>) -> Option<Dialect> {
    let fits = |marks, fits: fn(Node<'_>) -> bool| fits(list::core(node, &[marks]));
    let forms = [
        (Dialect::AmazonStates, fits(amazon_states::MARKS, amazon_states::fits)),
        (Dialect::Arazzo, fits(arazzo::MARKS, arazzo::fits)),
        (Dialect::N8n, fits(n8n::MARKS, n8n::fits)),
        (Dialect::LangGraph, fits(langgraph::MARKS, langgraph::fits)),
    ];
    forms.into_iter().find_map(|(dialect, fits)| fits.then_some(dialect))
}

/// Returns whether a text is the JSON of a document.
fn is_document(json: &str) -> bool {
    llmend_json::parse(json).is_ok_and(|parsed| {
        let root = parsed.value.root();
        detect(root) != Dialect::Canonical || list_of(list::core(root, &[list::STEPS])).is_some()
    })
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
