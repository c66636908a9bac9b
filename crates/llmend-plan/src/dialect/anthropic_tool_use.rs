//! Anthropic tool calls.
//!
//! Accepts a message with `content` blocks, a list of blocks, and a single block.

use llmend_json::{Kind, Node};
use serde::Serialize;

use crate::{Map, Plan, dialect::calls, locations::below, object::Part, read::context::Context};

const FIELDS: calls::CallFields = calls::CallFields {
    id: &["id"],
    name: &["tool", "name"],
    arguments: &["inputs", "input"],
    ignored: &[&["type"], &["cache_control"], &["caller"]],
};

/// Returns whether `node` contains a `tool_use` block.
pub(super) fn fits(node: Node<'_>) -> bool {
    is_call(node) || found(node).is_some_and(|list| list.node.items().any(is_call))
}

fn is_call(node: Node<'_>) -> bool {
    node.get("type").and_then(Node::str) == Some("tool_use")
}

/// Returns the list of blocks.
fn found(node: Node<'_>) -> Option<Part<'_>> {
    if node.kind() == Kind::Array {
        return Some(Part::item(node, String::new()));
    }
    let list = node.get("content").filter(|list| list.kind() == Kind::Array)?;
    Some(Part::item(list, below("", "content")))
}

/// Reads the calls as a plan.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Plan {
    context.findings.note("", "", node.span());
    if is_call(node) {
        let it = Part::item(node, String::new());
        let steps = calls::read(&it, vec![it.clone()], &FIELDS, |_| None, context);
        return Plan { steps, ..Plan::default() };
    }
    let Some(list) = found(node) else {
        context.findings.wrong_type("", node, "message with `tool_use` blocks");
        return Plan::default();
    };
    let texts =
        list.node.items().filter(|block| block.get("type").and_then(Node::str) == Some("text"));
    let notes = calls::notes(texts.filter_map(|block| block.get("text")));
    let items = list.items().filter(|it| is_call(it.node)).collect();
    Plan { steps: calls::read(&list, items, &FIELDS, |_| None, context), notes, ..Plan::default() }
}

/// A message with tool calls.
#[derive(Serialize)]
pub(crate) struct AnthropicMessage<'p> {
    role: &'static str,
    content: Vec<Block<'p>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'p> {
    Text { text: &'p str },
    ToolUse { id: &'p str, name: Option<&'p str>, input: &'p Map },
}

/// Converts a plan to its written form.
pub(crate) fn encode(plan: &Plan) -> AnthropicMessage<'_> {
    let notes = plan.notes.as_deref().map(|text| Block::Text { text });
    let calls = plan.steps.iter().map(|step| Block::ToolUse {
        id: &step.id,
        name: step.tool.as_deref(),
        input: &step.inputs,
    });
    AnthropicMessage { role: "assistant", content: notes.into_iter().chain(calls).collect() }
}
