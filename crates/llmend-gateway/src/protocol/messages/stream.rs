//! What do the events of a message say, and what do they say of one that was repaired?

use llmend::json::Node;
use serde_json::json;

use super::response::{HasCalls, block_seat, finish, says_anything, seats, stop_reason};
use crate::answer::slot::{At, Manner, Seat, Slot};
use crate::splice::{Splice, quoted, text};
use crate::stream::typed::gathered::{Gathered, Sight};
use crate::stream::typed::rewrite::{Anew, Retold, Use};
use crate::stream::typed::{Event, named};

fn index(root: Node<'_>) -> u32 {
    root.get("index").and_then(|index| index.number()?.parse().ok()).unwrap_or(0)
}

/// Where an event tells of a text or of a call.
fn event_seat(root: Node<'_>) -> Option<Seat<'_>> {
    match text(root, "type")? {
        "content_block_start" => block_seat(root.get("content_block")?, index(root), Manner::Opens),
        "content_block_delta" => {
            let delta = root.get("delta")?;
            let (slot, key) = match text(delta, "type")? {
                "text_delta" => (Slot::Text, "text"),
                "input_json_delta" => (Slot::Call, "partial_json"),
                _ => return None,
            };
            Some(Seat::of(slot, (index(root), 0), Manner::Grows, delta, key))
        }
        _ => None,
    }
}

/// What an event of a stream says.
pub(crate) fn event(root: Node<'_>, gathered: &mut Gathered, sight: Sight) -> Event {
    let seat = event_seat(root);
    if seat.is_some_and(|seat| gathered.has_another(seat.slot, seat.at)) {
        return Event::Misplaced("it is no piece of what its block is");
    }
    match text(root, "type").unwrap_or_default() {
        "message_start" => {
            let begun = root.get("message").map(seats).unwrap_or_default();
            let is_said = |seat: &Seat<'_>| sight.sees(seat.slot) && !seat.words().is_empty();
            if begun.iter().any(is_said) {
                return Event::Misplaced(
                    "it says some of the answer before there is a block for it",
                );
            }
        }
        "content_block_start" => {
            let item = index(root);
            if gathered.begins_again(item, seat.map(|seat| seat.slot), sight) {
                return Event::Misplaced("two of its blocks have one number");
            }
            gathered.number((item, 0));
            // The uses of the provider's own tools come in pieces of JSON too.
            if seat.is_none() {
                gathered.let_pass(item);
            }
            if root.get("content_block").is_some_and(says_anything) {
                gathered.count((item, 0));
            }
        }
        "content_block_delta" if root.get("delta").is_some_and(says_anything) => {
            gathered.count((index(root), 0));
        }
        "message_delta" => {
            if let Some(finish) = root.get("delta").and_then(finish) {
                gathered.finish_with(Some(finish));
                return Event::Finish;
            }
        }
        "message_stop" if gathered.finish().is_some() => return Event::End,
        "error" => {
            let error = root.get("error").and_then(|error| text(error, "message"));
            return Event::Error(error.unwrap_or("the upstream told of an error").to_owned());
        }
        "ping" => return Event::Aside,
        _ => {}
    }
    gathered.take(seat.as_slice()).map_or(Event::Other, Event::Piece)
}

/// An event that waited, with what was made of the answer; nothing if it has nothing to say any more.
pub(crate) fn retold(data: &str, root: Node<'_>, retold: &mut Retold<'_>) -> Option<Anew> {
    let name = text(root, "type").unwrap_or_default();
    let mut splice = Splice::new(data);
    if retold.retell(event_seat(root).as_slice(), &mut splice) == Use::Spent {
        return None;
    }
    let mut before = String::new();
    match name {
        "content_block_stop" => before = untold((index(root), 0), retold),
        "message_delta" => {
            before = added_block(retold);
            retold.added = None;
            let told = root.get("delta").and_then(|delta| delta.get("stop_reason"));
            let calls = HasCalls::of(retold.gathered.of(Slot::Call).count());
            if let Some(told) = told
                && let Some(word) = stop_reason(told.str().unwrap_or_default(), calls, retold.ends)
            {
                splice.replace(told, quoted(word));
            }
            if let Some(report) = retold.report {
                splice.members(root, &[], &[("llmend", report.to_string())]);
            }
            add_input(root, retold, &mut splice);
        }
        _ => {}
    }
    Some(Anew { before, name: name.to_owned(), data: retold.with_usage(&splice.finish()) })
}

/// The piece of a block that had none, and has something to say now.
fn untold(at: At, retold: &mut Retold<'_>) -> String {
    let kinds =
        [(Slot::Text, "text_delta", "text"), (Slot::Call, "input_json_delta", "partial_json")];
    let piece = kinds.into_iter().find_map(|(slot, kind, key)| {
        let delta = json!({"type": kind, key: retold.untold(slot, at)?});
        Some(json!({"type": "content_block_delta", "index": at.0, "delta": delta}))
    });
    piece.map(|piece| named("content_block_delta", &piece.to_string())).unwrap_or_default()
}

/// The events of a text for a message that has none.
fn added_block(retold: &Retold<'_>) -> String {
    let Some(words) = retold.added else { return String::new() };
    let index = retold.gathered.items();
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

/// What all attempts read, if the event tells only of what they wrote: the first of them was told before.
fn add_input(root: Node<'_>, retold: &Retold<'_>, splice: &mut Splice<'_>) {
    let usage = root.get("usage").filter(|usage| !usage.is_empty());
    let usage = usage.filter(|usage| usage.get("input_tokens").is_none());
    if let (Some(usage), Some(first), 1..) = (usage, retold.used.input, retold.usage.input) {
        splice.members(usage, &[], &[("input_tokens", first.to_string())]);
    }
}
