//! How are tool calls read and written in the form of `OpenAI`?
//!
//! Read are a message with `tool_calls`, the answer around it, the list alone, one call alone, and
//! the `output` of the newer API with its items `function_call`.

use llmend_json::{Kind, Node};
use serde::Serialize;

use crate::{
    Plan,
    dialect::calls,
    object::{Part, below},
    read::context::Context,
};

const FIELDS: calls::Fields = calls::Fields {
    id: &["id", "call_id", "tool_call_id"],
    name: &["tool", "name"],
    arguments: &["inputs", "arguments"],
    aside: &[&["type"], &["function"], &["index"], &["call_id"], &["status"]],
};

/// Where in an answer the message may be.
const AROUND: [&[&str]; 4] = [&["choices", "0", "message"], &["message"], &["response"], &[]];
/// Where in a message the calls may be.
const CALLS: [&str; 3] = ["tool_calls", "function_call", "output"];

/// Whether `node` is a message, an answer or a list with calls.
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

/// The calls, and the message around them.
fn found(node: Node<'_>) -> Option<(Part<'_>, Option<Node<'_>>)> {
    if node.kind() == Kind::Array || is_call(node) {
        return Some((Part::item(node, String::new()), None));
    }
    AROUND.iter().find_map(|way| {
        let (mut at, mut path) = (node, String::new());
        for token in *way {
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
        let (path, expected) = (String::new(), "a message with `tool_calls`");
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

/// The part of a call that says what is called.
fn function<'v>(it: &Part<'v>) -> Option<Part<'v>> {
    let node = it.node.get("function")?;
    Some(Part { node, path: below(&it.path, "function"), canonical: String::new() })
}

/// Whether an item of an `output` is no call: a message, a thought.
fn is_other(node: Node<'_>) -> bool {
    let kind = node.get("type").and_then(Node::str);
    kind.is_some_and(|kind| kind != "function" && kind != "function_call")
        && node.get("function").is_none()
}

/// A message with calls.
#[derive(Serialize)]
pub(crate) struct Shape<'p> {
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

/// The message as it is written.
pub(crate) fn shape(plan: &Plan) -> Shape<'_> {
    let calls = plan.steps.iter().map(|step| Call {
        id: &step.id,
        kind: "function",
        function: Function {
            name: step.tool.as_deref(),
            arguments: serde_json::to_string(&step.inputs).unwrap_or_default(),
        },
    });
    Shape { role: "assistant", content: plan.notes.as_deref(), tool_calls: calls.collect() }
}
