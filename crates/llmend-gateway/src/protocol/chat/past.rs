//! Calls that stand as text in earlier messages, as the calls of the protocol.

use llmend::json::Node;
use serde_json::json;

use super::calls::tool_call;
use crate::calls::CallReading;
use crate::calls::ids::{Alphabet, CallIds};
use crate::calls::past::{PastReader, PastTextCall, text_of_assistant};
use crate::splice::{Splice, text};

/// Writes calls in place of texts that results follow. `None` if there are none.
pub(super) fn structured(body: &str, root: Node<'_>, reading: &CallReading) -> Option<String> {
    let messages: Vec<Node<'_>> = root.get("messages")?.items().collect();
    let mut splice = Splice::new(body);
    let ids = CallIds::new("past", Alphabet::Graphic);
    // Results of functions and of custom tools are the same.
    let mut reader = PastReader { reading, ids, key: "tool_call_id", input_of: |_| None };
    let is_result = |message: &Node<'_>| text(*message, "role") == Some("tool");
    for (at, message) in messages.iter().enumerate() {
        let Some(words) = text_alone(*message) else { continue };
        let rest = messages.iter().skip(at + 1).copied();
        let results: Vec<_> = rest.take_while(is_result).collect();
        let Some(past) = reader.read(&words, &results, &mut splice) else { continue };
        let call = |PastTextCall { id, name, input, arguments }: &PastTextCall| {
            tool_call(id, name, *input, arguments)
        };
        let calls: Vec<_> = past.calls.iter().map(call).collect();
        let content = json!(Some(past.text).filter(|text| !text.is_empty())).to_string();
        let with = [("content", content), ("tool_calls", json!(calls).to_string())];
        splice.members(*message, &[], &with);
    }
    splice.changed()
}

/// Returns what a message of the assistant says, if it has no calls of its own.
fn text_alone(message: Node<'_>) -> Option<String> {
    let calls = ["tool_calls", "function_call"].map(|key| message.get(key));
    let has_calls = calls.into_iter().flatten().any(|calls| !calls.is_null() && !calls.is_empty());
    text_of_assistant(message).filter(|_| !has_calls)
}
