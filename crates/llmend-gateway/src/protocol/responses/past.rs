//! Calls that stand as text in earlier messages, as the calls of the protocol.

use llmend::json::{Kind, Node};
use serde_json::{Value, json};

use crate::calls::CallReading;
use crate::calls::ids::{Alphabet, CallIds};
use crate::calls::past::{PastReader, PastTextCall, text_of_assistant};
use crate::calls::tool_input::ToolInput;
use crate::splice::{Splice, text};

/// Writes calls in place of texts that results follow. `None` if there are none.
pub(super) fn structured(body: &str, root: Node<'_>, reading: &CallReading) -> Option<String> {
    let input = root.get("input").filter(|input| input.kind() == Kind::Array)?;
    let items: Vec<Node<'_>> = input.items().collect();
    let mut splice = Splice::new(body);
    let ids = CallIds::new("past", Alphabet::Graphic);
    let mut reader = PastReader { reading, ids, key: "call_id", input_of: taken };
    let is_result = |item: &Node<'_>| taken(*item).is_some();
    for (at, item) in items.iter().enumerate() {
        let is_message = matches!(text(*item, "type"), None | Some("message"));
        let before = text_of_assistant(*item).filter(|_| is_message);
        let Some(words) = before else { continue };
        let rest = items.iter().skip(at + 1).copied();
        let results: Vec<_> = rest.take_while(is_result).collect();
        let Some(past) = reader.read(&words, &results, &mut splice) else { continue };
        let message = json!({"role": "assistant", "content": past.text});
        let message = Some(message).filter(|_| !past.text.is_empty());
        let new = message.into_iter().chain(past.calls.iter().map(written));
        let new: Vec<String> = new.map(|item| item.to_string()).collect();
        splice.replace(*item, new.join(","));
    }
    splice.changed()
}

/// Returns what the tool takes whose result an item is.
fn taken(item: Node<'_>) -> Option<ToolInput> {
    match text(item, "type")? {
        "function_call_output" => Some(ToolInput::Arguments),
        "custom_tool_call_output" => Some(ToolInput::Text),
        _ => None,
    }
}

fn written(call: &PastTextCall) -> Value {
    let PastTextCall { id, name, input, arguments } = call;
    match input {
        ToolInput::Arguments => json!({"type": "function_call", "call_id": id, "name": name,
            "arguments": arguments}),
        ToolInput::Text => json!({"type": "custom_tool_call", "call_id": id, "name": name,
            "input": arguments}),
    }
}
