//! How is a message that came whole told as a stream?

use llmend::json::Node;
use serde_json::json;

use super::response::{blocks, finish, last, seats};
use crate::answer::slot::{Seat, Slot, hides_a_cut};
use crate::repair::evaluate::Behind;
use crate::splice::{quoted, with};
use crate::stream::typed::named;

/// The events of a message. `body` is the text that it was read from.
pub(crate) fn events(body: &str, message: Node<'_>) -> String {
    let begun = [("content", "[]"), ("stop_reason", "null"), ("stop_sequence", "null")];
    let mut told = event("message_start", &[("message", with(body, message, &begun))]);
    let seats = seats(message);
    if let Some(seat) = seats.first().filter(|seat| seat.key == "content") {
        let block = json!({"type": "text", "text": ""}).to_string();
        return told + &told_block(0, block, Some(seat)) + &end(body, message);
    }
    let last = last(message);
    for (index, block) in (0..).zip(blocks(message)) {
        let seat = seats.iter().find(|seat| seat.at.0 == index);
        let behind = Behind::of(last, Some((index, 0)));
        // Pieces would be as good as whole, and it is not.
        let is_whole = |seat: &&Seat<'_>| {
            !(seat.is_read() && hides_a_cut(finish(message).as_ref(), behind, &seat.words()))
        };
        let seat = seat.filter(is_whole);
        let empty = |seat: &Seat<'_>| if seat.slot == Slot::Call { "{}" } else { "\"\"" };
        let begun = seat.map(|seat| with(body, block, &[(seat.key, empty(seat))]));
        let begun = begun.unwrap_or_else(|| block.span().of(body).to_owned());
        told += &told_block(index, begun, seat);
    }
    told + &end(body, message)
}

/// The events of a block, from what it begins with; all else is one piece.
fn told_block(index: u32, begun: String, seat: Option<&Seat<'_>>) -> String {
    let index = index.to_string();
    let at =
        |name: &str, key: &str, json: String| event(name, &[("index", index.clone()), (key, json)]);
    let piece = seat.map(Seat::words).filter(|words| !words.is_empty() && words != "{}");
    let piece = seat.zip(piece).map(|(seat, words)| {
        let (kind, key) = match seat.slot {
            Slot::Text => ("text_delta", "text"),
            Slot::Call => ("input_json_delta", "partial_json"),
        };
        at("content_block_delta", "delta", json!({"type": kind, key: words}).to_string())
    });
    let start = at("content_block_start", "content_block", begun);
    start + &piece.unwrap_or_default() + &event("content_block_stop", &[("index", index)])
}

/// The events with which a message ends.
fn end(body: &str, message: Node<'_>) -> String {
    let told = |key: &str| message.get(key).map_or("null", |node| node.span().of(body));
    let [reason, sequence] = ["stop_reason", "stop_sequence"].map(told);
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
