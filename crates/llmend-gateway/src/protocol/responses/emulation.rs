//! Requests for responses written without tools.

use llmend::json::{Kind, Node};

use crate::emulation::conversation::{Conversation, with_text};
use crate::emulation::{Emulation, PastCall, without_tools};
use crate::splice::text;

/// The members of a request that are about tools.
const ABOUT_TOOLS: &[&str] = &["tools", "tool_choice", "parallel_tool_calls"];

/// Writes a request without tools. `None` if it is one.
pub(super) fn emulate(body: &str, root: Node<'_>, emulation: &Emulation) -> Option<String> {
    let mut conversation = Conversation::new(body, emulation, ["output_text", "input_text"]);
    let items = root.get("input").filter(|input| input.kind() == Kind::Array);
    for item in items.map(Node::items).into_iter().flatten() {
        match text(item, "type") {
            Some("function_call") => {
                let (id, name) = (text(item, "call_id"), text(item, "name"));
                conversation.call(id, name, PastCall::new(name, item.get("arguments")));
            }
            Some("custom_tool_call") => {
                let (id, name) = (text(item, "call_id"), text(item, "name"));
                let input = text(item, "input").unwrap_or_default();
                conversation.call(id, name, PastCall::of_text(name, input));
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                conversation.result(text(item, "call_id"), None, item.get("output"));
            }
            _ => conversation.message(item, &[]),
        }
    }
    let input = conversation.finish().map(|json| ("input", json));
    let instructions = emulation.prompt().map(|prompt| {
        let known = root.get("instructions");
        ("instructions", with_text(body, known, prompt, "input_text"))
    });
    let is_offered = |tool: Node<'_>| matches!(text(tool, "type"), Some("function" | "custom"));
    without_tools(body, root, ABOUT_TOOLS, is_offered, input.into_iter().chain(instructions))
}
