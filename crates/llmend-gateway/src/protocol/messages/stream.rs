//! The events of messages, read and rewritten.

use llmend::json::Node;
use llmend_models::sse::FinishReason;
use serde_json::json;

use super::response::{HasCalls, block_slot, finish, has_content, slots, stop_reason};
use crate::answer::completion::Finish;
use crate::answer::slot::{Extent, Position, Slot, SlotKind};
use crate::splice::{Splice, quoted, text};

use super::Messages;
use crate::protocol::event::named;
use crate::protocol::items::assembly::{Assembly, Inspected};
use crate::protocol::items::rewrite::{EventRewriter, RewrittenEvent, Use};
use crate::protocol::items::{ItemEvent, ItemEvents};

fn index(root: Node<'_>) -> u32 {
    root.get("index").and_then(|index| index.number()?.parse().ok()).unwrap_or(0)
}

/// Returns the slot of an event.
fn event_slot(root: Node<'_>) -> Option<Slot<'_>> {
    match text(root, "type")? {
        "content_block_start" => block_slot(root.get("content_block")?, index(root), Extent::Opens),
        "content_block_delta" => {
            let delta = root.get("delta")?;
            let (kind, key) = match text(delta, "type")? {
                "text_delta" => (SlotKind::Text, "text"),
                "input_json_delta" => (SlotKind::Call, "partial_json"),
                _ => return None,
            };
            Some(Slot::of(kind, (index(root), 0), Extent::Grows, delta, key))
        }
        _ => None,
    }
}

impl ItemEvents for Messages {
    fn event(&self, root: Node<'_>, assembly: &mut Assembly, inspected: Inspected) -> ItemEvent {
        let slot = event_slot(root);
        if slot.is_some_and(|slot| assembly.has_another(slot.kind, slot.at)) {
            return ItemEvent::Misplaced("its delta does not match the type of its block");
        }
        match text(root, "type").unwrap_or_default() {
            "message_start" => {
                let begun = root.get("message").map(slots).unwrap_or_default();
                let is_said =
                    |slot: &Slot<'_>| inspected.includes(slot.kind) && !slot.words().is_empty();
                if begun.iter().any(is_said) {
                    return ItemEvent::Misplaced("it contains content before the first block");
                }
            }
            "content_block_start" => {
                let item = index(root);
                if assembly.begins_again(item, slot.map(|slot| slot.kind), inspected) {
                    return ItemEvent::Misplaced("two blocks have the same index");
                }
                assembly.number((item, 0));
                // Calls of the provider's own tools come in pieces of JSON too.
                if slot.is_none() {
                    assembly.let_pass(item);
                }
                if root.get("content_block").is_some_and(has_content) {
                    assembly.count((item, 0));
                }
            }
            "content_block_delta" if root.get("delta").is_some_and(has_content) => {
                assembly.count((index(root), 0));
            }
            "message_delta" => {
                if let Some(finish) = root.get("delta").and_then(finish) {
                    assembly.finish_with(Some(finish));
                    return ItemEvent::Finish;
                }
            }
            "message_stop" if assembly.finish().is_some() => return ItemEvent::EndMark,
            "error" => {
                return ItemEvent::Error;
            }
            "ping" => return ItemEvent::Aside,
            _ => {}
        }
        assembly.take(slot.as_slice()).map_or(ItemEvent::Other, ItemEvent::Slot)
    }

    fn is_head(&self, root: Node<'_>) -> bool {
        match text(root, "type").unwrap_or_default() {
            "message_start" | "content_block_stop" | "ping" => true,
            "content_block_start" => {
                root.get("content_block").is_some_and(|block| !has_content(block))
            }
            _ => false,
        }
    }

    fn rewrite(
        &self,
        data: &str,
        root: Node<'_>,
        rewriter: &mut EventRewriter<'_>,
    ) -> Option<RewrittenEvent> {
        let name = text(root, "type").unwrap_or_default();
        let mut splice = Splice::new(data);
        if rewriter.rewrite(event_slot(root).as_slice(), &mut splice) == Use::Spent {
            return None;
        }
        let mut before = String::new();
        match name {
            "content_block_stop" => before = unwritten((index(root), 0), rewriter),
            "message_delta" => {
                before = added_block(rewriter);
                rewriter.added = None;
                let reason = root.get("delta").and_then(|delta| delta.get("stop_reason"));
                let calls = HasCalls::of(rewriter.assembly.of(SlotKind::Call).count());
                if let Some(reason) = reason
                    && let Some(word) =
                        stop_reason(reason.str().unwrap_or_default(), calls, rewriter.ends)
                {
                    splice.replace(reason, quoted(word));
                }
                if let Some(report) = rewriter.report {
                    splice.members(root, &[], &[("llmend", report.to_string())]);
                }
                add_input(root, rewriter, &mut splice);
            }
            _ => {}
        }
        Some(RewrittenEvent {
            before,
            name: name.to_owned(),
            data: rewriter.with_usage(&splice.finish()),
        })
    }

    fn checked<'v>(&self, root: Node<'v>) -> Option<(u32, Option<&'v str>)> {
        Some((index(root), root.get("content_block").and_then(|block| text(block, "name"))))
    }

    fn hides_calls(&self, finish: &Finish) -> bool {
        finish.reason == FinishReason::Stop
    }
}

/// Writes the piece of a block that came without any and has content now.
fn unwritten(at: Position, rewriter: &mut EventRewriter<'_>) -> String {
    let kinds = [
        (SlotKind::Text, "text_delta", "text"),
        (SlotKind::Call, "input_json_delta", "partial_json"),
    ];
    let piece = kinds.into_iter().find_map(|(kind, name, key)| {
        let delta = json!({"type": name, key: rewriter.unwritten(kind, at)?});
        Some(json!({"type": "content_block_delta", "index": at.0, "delta": delta}))
    });
    piece.map(|piece| named("content_block_delta", &piece.to_string())).unwrap_or_default()
}

/// Writes the events of a text for a message without any.
fn added_block(rewriter: &EventRewriter<'_>) -> String {
    let Some(words) = rewriter.added else { return String::new() };
    let index = rewriter.assembly.items();
    let events = [
        json!({"type": "content_block_start", "index": index,
            "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": index,
            "delta": {"type": "text_delta", "text": words}}),
        json!({"type": "content_block_stop", "index": index}),
    ];
    let named =
        events.map(|event| named(event["type"].as_str().unwrap_or_default(), &event.to_string()));
    named.concat()
}

/// Adds the input tokens to an event that reports only output tokens, since the first input count
/// was sent before.
fn add_input(root: Node<'_>, rewriter: &EventRewriter<'_>, splice: &mut Splice<'_>) {
    let usage = root.get("usage").filter(|usage| !usage.is_empty());
    let usage = usage.filter(|usage| usage.get("input_tokens").is_none());
    if let (Some(usage), Some(first), 1..) = (usage, rewriter.used.input, rewriter.usage.input) {
        splice.members(usage, &[], &[("input_tokens", first.to_string())]);
    }
}
