//! Whole messages written as the events of a stream.

use llmend::json::Node;
use serde_json::json;

use super::response::{blocks, finish, last, slots};
use crate::answer::completion::{Trailing, hides_a_cut};
use crate::answer::slot::{Slot, SlotKind};
use crate::protocol::event::named;
use crate::splice::{quoted, with};

/// Writes the events of a message. `body` is the text that it was parsed from.
pub(crate) fn events(body: &str, message: Node<'_>) -> String {
    let begun = [("content", "[]"), ("stop_reason", "null"), ("stop_sequence", "null")];
    let mut out = event("message_start", &[("message", with(body, message, &begun))]);
    let slots = slots(message);
    if let Some(slot) = slots.first().filter(|slot| slot.key == "content") {
        let block = json!({"type": "text", "text": ""}).to_string();
        return out + &block_events(0, block, Some(slot)) + &end(body, message);
    }
    let last = last(message);
    for (index, block) in (0..).zip(blocks(message)) {
        let slot = slots.iter().find(|slot| slot.at.0 == index);
        let behind = Trailing::of(last, Some((index, 0)));
        // Pieces would make it look complete.
        let is_whole = |slot: &&Slot<'_>| {
            !(slot.is_read() && hides_a_cut(finish(message).as_ref(), behind, &slot.words()))
        };
        let slot = slot.filter(is_whole);
        let empty = |slot: &Slot<'_>| if slot.kind == SlotKind::Call { "{}" } else { "\"\"" };
        let begun = slot.map(|slot| with(body, block, &[(slot.key, empty(slot))]));
        let begun = begun.unwrap_or_else(|| block.span().of(body).to_owned());
        out += &block_events(index, begun, slot);
    }
    out + &end(body, message)
}

/// Writes the events of a block: its beginning and one piece.
fn block_events(index: u32, begun: String, slot: Option<&Slot<'_>>) -> String {
    let index = index.to_string();
    let at =
        |name: &str, key: &str, json: String| event(name, &[("index", index.clone()), (key, json)]);
    let piece = slot.map(Slot::words).filter(|words| !words.is_empty() && words != "{}");
    let piece = slot.zip(piece).map(|(slot, words)| {
        let (kind, key) = match slot.kind {
            SlotKind::Text => ("text_delta", "text"),
            SlotKind::Call => ("input_json_delta", "partial_json"),
        };
        at("content_block_delta", "delta", json!({"type": kind, key: words}).to_string())
    });
    let start = at("content_block_start", "content_block", begun);
    start + &piece.unwrap_or_default() + &event("content_block_stop", &[("index", index)])
}

/// Writes the events that end a message.
fn end(body: &str, message: Node<'_>) -> String {
    let json = |key: &str| message.get(key).map_or("null", |node| node.span().of(body));
    let [reason, sequence] = ["stop_reason", "stop_sequence"].map(json);
    let delta = format!("{{\"stop_reason\":{reason},\"stop_sequence\":{sequence}}}");
    let usage = message.get("usage").map_or("{}", |usage| usage.span().of(body));
    event("message_delta", &[("delta", delta), ("usage", usage.to_owned())])
        + &event("message_stop", &[])
}

fn event(name: &str, members: &[(&str, String)]) -> String {
    let members = members.iter().map(|(key, json)| format!(",{}:{json}", quoted(key)));
    let members: String = members.collect();
    named(name, &format!("{{\"type\":{}{members}}}", quoted(name)))
}
