//! Calls that stand as text in earlier messages, as the calls of the protocol.

use llmend::json::Node;

use crate::calls::CallReading;
use crate::calls::ids::{Alphabet, CallIds};
use crate::calls::past::{PastReader, PastTextCall, text_of_assistant};
use crate::calls::tool_input::ToolInput;
use crate::emulation::conversation::text_part;
use crate::splice::{Splice, quoted, text};

/// Writes calls in place of texts that results follow. `None` if there are none.
pub(super) fn structured(body: &str, root: Node<'_>, reading: &CallReading) -> Option<String> {
    let messages: Vec<Node<'_>> = root.get("messages")?.items().collect();
    let mut splice = Splice::new(body);
    let ids = CallIds::new("past", Alphabet::Word);
    let mut reader =
        PastReader { reading, ids, key: "tool_use_id", input_of: |_| Some(ToolInput::Arguments) };
    for pair in messages.windows(2) {
        let [message, next] = pair else { continue };
        let Some(words) = text_of_assistant(*message) else { continue };
        let blocks = next.get("content").map(Node::items).into_iter().flatten();
        let results: Vec<_> =
            blocks.filter(|block| text(*block, "type") == Some("tool_result")).collect();
        let Some(past) = reader.read(&words, &results, &mut splice) else { continue };
        // The arguments keep the digits of their numbers.
        let call = |PastTextCall { id, name, arguments, .. }: &PastTextCall| {
            let (id, name) = (quoted(id), quoted(name));
            format!("{{\"type\":\"tool_use\",\"id\":{id},\"name\":{name},\"input\":{arguments}}}")
        };
        let before = (!past.text.is_empty()).then(|| text_part("text", &past.text));
        let new: Vec<String> = before.into_iter().chain(past.calls.iter().map(call)).collect();
        splice.members(*message, &[], &[("content", format!("[{}]", new.join(",")))]);
    }
    splice.changed()
}
