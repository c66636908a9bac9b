//! Where does a request for a chat completion say what it wants?

use llmend::json::Node;

use crate::request::{Usage, Wanted, WantedContent};

/// What a request wants.
pub(crate) fn wanted(root: Node<'_>) -> Wanted<'_> {
    let is_told =
        root.get("stream_options").and_then(|options| options.get("include_usage")?.bool());
    Wanted {
        content: content(root),
        tools: tools(root).chain(functions(root)).collect(),
        history: history(root),
        choices: root.get("n").and_then(|n| n.number()?.parse().ok()),
        usage: Some(if is_told == Some(true) { Usage::Told } else { Usage::Kept }),
    }
}

fn content(root: Node<'_>) -> WantedContent<'_> {
    let Some(format) = root.get("response_format") else { return WantedContent::Words };
    match format.get("type").and_then(Node::str) {
        Some("json_object") => WantedContent::Json,
        Some("json_schema") => {
            let schema = format.get("json_schema").and_then(|named| named.get("schema"));
            schema.map_or(WantedContent::Json, WantedContent::Schema)
        }
        _ => WantedContent::Words,
    }
}

type Tool<'v> = (&'v str, Option<Node<'v>>);

fn tools(root: Node<'_>) -> impl Iterator<Item = Tool<'_>> {
    let tools = root.get("tools").map(Node::items).into_iter().flatten();
    tools.filter_map(|tool| named(tool.get("function")?))
}

/// What tools were called before there were others than functions.
fn functions(root: Node<'_>) -> impl Iterator<Item = Tool<'_>> {
    root.get("functions").map(Node::items).into_iter().flatten().filter_map(named)
}

fn named(function: Node<'_>) -> Option<Tool<'_>> {
    Some((function.get("name")?.str()?, function.get("parameters")))
}

fn history(root: Node<'_>) -> Vec<Node<'_>> {
    let messages = root.get("messages").map(Node::items).into_iter().flatten();
    let mut history = Vec::new();
    for message in messages {
        let calls = message.get("tool_calls").map(Node::items).into_iter().flatten();
        let functions = calls.filter_map(|call| call.get("function"));
        let functions = functions.chain(message.get("function_call"));
        history.extend(functions.filter_map(|function| function.get("arguments")));
    }
    history
}
