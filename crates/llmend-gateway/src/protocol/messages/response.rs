//! Whole messages, read and rewritten.

use llmend::json::{Kind, Node};
use llmend_models::sse::FinishReason;
use serde_json::json;

use crate::answer::completion::{Completion, Finish, FinishChanges};
use crate::answer::slot::{
    Encoding, Extent, Position, Slot, SlotKind, calls, completion as slot_completion,
    rewrite_slots, texts,
};
use crate::answer::text_parts::{added, replaced};
use crate::protocol::ResponseRewrite;
use crate::splice::{Splice, quoted, text};

/// Returns the slots of a message. Some servers write one text in place of the blocks.
pub(super) fn slots(message: Node<'_>) -> Vec<Slot<'_>> {
    if message.get("content").is_some_and(|content| content.kind() == Kind::String) {
        return vec![Slot::of(SlotKind::Text, (0, 0), Extent::Whole, message, "content")];
    }
    let blocks = blocks(message);
    (0..).zip(blocks).filter_map(|(at, block)| block_slot(block, at, Extent::Whole)).collect()
}

/// Returns the blocks of a message.
pub(super) fn blocks(message: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    message.get("content").map(Node::items).into_iter().flatten()
}

/// Returns the slot of a block that is a text or a call.
pub(super) fn block_slot(block: Node<'_>, at: u32, extent: Extent) -> Option<Slot<'_>> {
    let (kind, encoding, key) = match text(block, "type")? {
        "text" => (SlotKind::Text, Encoding::Text, "text"),
        "tool_use" => (SlotKind::Call, Encoding::Json, "input"),
        _ => return None,
    };
    let name = text(block, "name").unwrap_or_default();
    Some(Slot { encoding, name, ..Slot::of(kind, (at, 0), extent, block, key) })
}

/// Whether a block, or a piece of one, is not empty. A thought without words counts if it is
/// signed.
pub(super) fn has_content(block: Node<'_>) -> bool {
    let keys: &[&str] = match text(block, "type") {
        Some("text" | "text_delta") => &["text"],
        Some("thinking" | "thinking_delta" | "signature_delta") => &["thinking", "signature"],
        _ => return true,
    };
    keys.iter().any(|key| text(block, key).is_some_and(|words| !words.trim().is_empty()))
}

/// Returns the position of the last block that is not empty.
pub(super) fn last(message: Node<'_>) -> Option<Position> {
    let filled = (0..).zip(blocks(message)).filter(|(_, block)| has_content(*block));
    filled.last().map(|(at, _)| (at, 0))
}

/// Reads what the model wrote in a whole message.
pub(super) fn completion(message: Node<'_>) -> Completion {
    slot_completion(&slots(message), last(message), finish(message))
}

/// Returns why a message ends.
pub(super) fn finish(holder: Node<'_>) -> Option<Finish> {
    text(holder, "stop_reason").map(Finish::of)
}

/// Returns the new stop reason, if it has to change.
pub(super) fn stop_reason(
    reason: &str,
    has_calls: HasCalls,
    ends: &FinishChanges,
) -> Option<&'static str> {
    let reason = FinishReason::from_word(reason);
    match (reason, has_calls) {
        (FinishReason::Length, _) if !ends.cut_off.is_empty() => None,
        (FinishReason::Length, HasCalls::Yes) if !ends.completed.is_empty() => Some("tool_use"),
        (FinishReason::Length, HasCalls::No) if !ends.completed.is_empty() => Some("end_turn"),
        (FinishReason::Length, _) => None,
        _ if !ends.cut_off.is_empty() => Some("max_tokens"),
        (FinishReason::Stop, HasCalls::Yes) => Some("tool_use"),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HasCalls {
    Yes,
    No,
}

impl HasCalls {
    pub(super) const fn of(calls: usize) -> Self {
        if calls > 0 { Self::Yes } else { Self::No }
    }
}

/// Writes a message with its repaired parts.
pub(super) fn rewrite(rewrite: &ResponseRewrite<'_>) -> String {
    let ResponseRewrite { body, value, parts, finish: ends, report, .. } = *rewrite;
    let message = value.root();
    let mut splice = Splice::new(body);
    let slots = slots(message);
    let texts = texts(&slots);
    rewrite_slots(&slots, &replaced(&texts, parts), parts, &mut splice);
    if let (Some(words), Some(content)) = (added(&texts, parts), message.get("content")) {
        splice.append(content, json!({"type": "text", "text": words}).to_string());
    }
    if let Some(reason) = message.get("stop_reason") {
        let calls = HasCalls::of(calls(&slots).len());
        if let Some(word) = stop_reason(reason.str().unwrap_or_default(), calls, ends) {
            splice.replace(reason, quoted(word));
        }
    }
    if let Some(report) = report {
        splice.members(message, &[], &[("llmend", report.to_string())]);
    }
    splice.finish().into_owned()
}
