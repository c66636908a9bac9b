//! `OpenAI` tool calls.
//!
//! Accepts a message with `tool_calls`, a whole response, a list of calls, a single call, and the
//! `function_call` items in the `output` of the Responses API.

use llmend_json::{Kind, Node};
use serde::Serialize;

use crate::{Plan, dialect::calls, locations::below, object::Part, read::context::Context};

const FIELDS: calls::CallFields = calls::CallFields {
    id: &["id", "call_id", "tool_call_id"],
    name: &["tool", "name"],
    arguments: &["inputs", "arguments"],
    ignored: &[&["type"], &["function"], &["index"], &["call_id"], &["status"]],
};

/// Paths to the message in a response.
const MESSAGE_PATHS: [&[&str]; 4] =
    [&["choices", "0", "message"], &["message"], &["response"], &[]];
/// Fields of a message that contain calls.
const CALLS: [&str; 3] = ["tool_calls", "function_call", "output"];

/// Returns whether `node` is a message, response or list with calls.
pub(super) fn fits(node: Node<'_>) -> bool {
    found(node).is_some_and(|(list, message)| {
        let legacy = message.and_then(|message| message.get("function_call"));
        let named = legacy.is_some_and(|call| call.get("name").is_some());
        let mut items = list.node.items();
        named || is_call(list.node) || items.any(is_call)
    })
}

fn is_call(node: Node<'_>) -> bool {
    let kind = node.get("type").and_then(Node::str);
    let function = node.get("function").filter(|function| function.get("name").is_some());
    function.is_some() || (kind == Some("function_call") && node.get("name").is_some())
}

/// Returns the calls and the message around them.
fn found(node: Node<'_>) -> Option<(Part<'_>, Option<Node<'_>>)> {
    if node.kind() == Kind::Array || is_call(node) {
        return Some((Part::item(node, String::new()), None));
    }
    MESSAGE_PATHS.iter().find_map(|tokens| {
        let (mut at, mut path) = (node, String::new());
        for token in *tokens {
            at = at.get(token).or_else(|| at.item(token.parse().ok()?))?;
            path = below(&path, token);
        }
        let calls = CALLS.iter().find_map(|name| {
            let calls = at.get(name).filter(|calls| !calls.is_null())?;
            Some(Part::item(calls, below(&path, name)))
        });
        calls.map(|calls| (calls, Some(at)))
    })
}

/// Reads the calls as a plan.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Plan {
    let Some((list, message)) = found(node) else {
        let (path, expected) = (String::new(), "message with `tool_calls`");
        context.findings.wrong_type(&path, node, expected);
        return Plan::default();
    };
    context.findings.note("", "", node.span());
    let items: Vec<Part<'_>> = match list.node.kind() {
        Kind::Array => list.items().filter(|item| !is_other(item.node)).collect(),
        _ => vec![list.clone()],
    };
    let content = message.and_then(|message| message.get("content"));
    let texts = content.into_iter().flat_map(|content| match content.kind() {
        Kind::Array => content.items().filter_map(|block| block.get("text")).collect(),
        _ => vec![content],
    });
    let notes = calls::notes(texts);
    let steps = calls::read(&list, items, &FIELDS, function, context);
    Plan { steps, notes, ..Plan::default() }
}

/// Returns the function of a call.
fn function<'v>(it: &Part<'v>) -> Option<Part<'v>> {
    let node = it.node.get("function")?;
    Some(Part { node, path: below(&it.path, "function"), canonical: String::new() })
}

/// Returns whether an item of `output` is not a call, such as a message or reasoning.
fn is_other(node: Node<'_>) -> bool {
    let kind = node.get("type").and_then(Node::str);
    kind.is_some_and(|kind| kind != "function" && kind != "function_call")
        && node.get("function").is_none()
}

/// A message with tool calls.
#[derive(Serialize)]
pub(crate) struct OpenAiMessage<'p> {
    role: &'static str,
    content: Option<&'p str>,
    tool_calls: Vec<Call<'p>>,
}

#[derive(Serialize)]
struct Call<'p> {
    id: &'p str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'p>,
}

#[derive(Serialize)]
struct Function<'p> {
    name: Option<&'p str>,
    arguments: String,
}

/// Converts a plan to its written form.
pub(crate) fn encode(plan: &Plan) -> OpenAiMessage<'_> {
    let calls = plan.steps.iter().map(|step| Call {
        id: &step.id,
        kind: "function",
        function: Function {
            name: step.tool.as_deref(),
            arguments: serde_json::to_string(&step.inputs).unwrap_or_default(),
        },
    });
    OpenAiMessage { role: "assistant", content: plan.notes.as_deref(), tool_calls: calls.collect() }
}
