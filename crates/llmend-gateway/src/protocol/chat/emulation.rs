//! Requests for chat completions written without tools.

use llmend::json::Node;

use crate::emulation::conversation::Conversation;
use crate::emulation::{Emulation, PastCall, without_tools};
use crate::splice::text;

/// The members by which messages of the assistant call.
const CALLS: &[&str] = &["tool_calls", "function_call"];

/// The members of a request that are about tools.
const ABOUT_TOOLS: &[&str] =
    &["tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"];

/// Writes a request without tools. `None` if it is one.
pub(super) fn emulate(body: &str, root: Node<'_>, emulation: &Emulation) -> Option<String> {
    let mut conversation = Conversation::new(body, emulation, ["text", "text"]);
    let mut messages = root.get("messages")?.items().peekable();
    if let Some(prompt) = emulation.prompt() {
        let is_system =
            |first: &Node<'_>| matches!(text(*first, "role"), Some("system" | "developer"));
        conversation.instruct(messages.next_if(is_system), prompt);
    }
    for message in messages {
        if let Some("tool" | "function") = text(message, "role") {
            let (id, name) = (text(message, "tool_call_id"), text(message, "name"));
            conversation.result(id, name, message.get("content"));
            continue;
        }
        conversation.message(message, CALLS);
        for call in message.get("tool_calls").map(Node::items).into_iter().flatten() {
            let (name, past) = past_call(call);
            conversation.call(text(call, "id"), name, past);
        }
        if let Some(function) = message.get("function_call").filter(|call| !call.is_null()) {
            let (name, arguments) = (text(function, "name"), function.get("arguments"));
            conversation.call(None, name, PastCall::new(name, arguments));
        }
    }
    let messages = conversation.finish().map(|json| ("messages", json));
    let is_offered =
        |tool: Node<'_>| ["function", "custom"].into_iter().any(|key| tool.get(key).is_some());
    without_tools(body, root, ABOUT_TOOLS, is_offered, messages.into_iter())
}

/// Returns the name of an earlier call, and the call.
fn past_call(call: Node<'_>) -> (Option<&str>, PastCall) {
    if let Some(custom) = call.get("custom") {
        let name = text(custom, "name");
        return (name, PastCall::of_text(name, text(custom, "input").unwrap_or_default()));
    }
    let function = call.get("function");
    let name = function.and_then(|function| text(function, "name"));
    (name, PastCall::new(name, function.and_then(|function| function.get("arguments"))))
}
