//! Whole responses written as the events of a stream.

use llmend::json::Node;

use super::response::{finish, is_call, item_slots, items, last, parts};
use crate::answer::completion::{Trailing, hides_a_cut};
use crate::answer::slot::{Extent, SlotKind};
use crate::protocol::event::named;
use crate::splice::{quoted, text, with};

/// Writes the events of a response that has ended. `body` is the text that it was parsed from.
pub(crate) fn events(body: &str, response: Node<'_>) -> Option<String> {
    let end = match text(response, "status")? {
        "completed" => "response.completed",
        "incomplete" => "response.incomplete",
        "failed" => "response.failed",
        "cancelled" => "response.cancelled",
        _ => return None,
    };
    let begun = [
        ("output", "[]"),
        ("status", "\"in_progress\""),
        ("incomplete_details", "null"),
        ("error", "null"),
        ("output_text", "null"),
        ("usage", "null"),
    ];
    let mut events = EventText { body, out: String::new(), number: 0 };
    events.event("response.created", &[("response", with(body, response, &begun))]);
    let (finish, last) = (finish(response, None), last(response).map(|(item, _)| item));
    for (at, item) in items(response) {
        let behind = Trailing::of(last, Some(at));
        events.item(at, item, |arguments| hides_a_cut(finish.as_ref(), behind, arguments));
    }
    events.event(end, &[("response", response.span().of(body).to_owned())]);
    Some(events.out)
}

/// The events written so far.
struct EventText<'b> {
    body: &'b str,
    out: String,
    /// The number of the next event.
    number: u32,
}

impl EventText<'_> {
    fn event(&mut self, name: &str, members: &[(&str, String)]) {
        let members = members.iter().map(|(key, json)| format!(",{}:{json}", quoted(key)));
        let members: String = members.collect();
        let (kind, number) = (quoted(name), self.number);
        let data = format!("{{\"type\":{kind},\"sequence_number\":{number}{members}}}");
        self.out += &named(name, &data);
        self.number += 1;
    }

    /// `hides` says whether a call with these arguments may be cut off unseen.
    fn item(&mut self, at: u32, item: Node<'_>, hides: impl Fn(&str) -> bool) {
        let index = ("output_index", at.to_string());
        let begun = [("status", "\"in_progress\""), ("content", "[]"), ("arguments", "\"\"")];
        let is_opened = is_call(item) || text(item, "type") == Some("message");
        let begun = with(self.body, item, if is_opened { &begun } else { &[] });
        self.event("response.output_item.added", &[index.clone(), ("item", begun)]);
        let id = text(item, "id").map(|id| ("item_id", quoted(id)));
        let place: Vec<_> = id.into_iter().chain([index.clone()]).collect();
        for slot in item_slots(item, at, Extent::Whole) {
            // Pieces would make it look complete.
            let is_in_pieces =
                slot.kind == SlotKind::Call && !(slot.is_read() && hides(&slot.words()));
            if is_in_pieces {
                let words = quoted(&slot.words());
                self.grown(&place, "response.function_call_arguments", "arguments", &words);
            }
        }
        if text(item, "type") == Some("message") {
            for (number, part) in (0_u32..).zip(parts(item)) {
                let number = [("content_index", number.to_string())];
                self.part(&[&place[..], &number].concat(), part);
            }
        }
        let whole = item.span().of(self.body).to_owned();
        self.event("response.output_item.done", &[index, ("item", whole)]);
    }

    fn part(&mut self, place: &[(&str, String)], part: Node<'_>) {
        let known = [("text", "response.output_text"), ("refusal", "response.refusal")];
        let known = known.into_iter().find_map(|(key, name)| Some((key, name, part.get(key)?)));
        let of_part = |json: String| [place, &[("part", json)]].concat();
        let empty = known.map(|(key, ..)| (key, "\"\""));
        let begun = with(self.body, part, empty.as_slice());
        self.event("response.content_part.added", &of_part(begun));
        if let Some((key, name, node)) = known {
            self.grown(place, name, key, node.span().of(self.body));
        }
        let whole = part.span().of(self.body).to_owned();
        self.event("response.content_part.done", &of_part(whole));
    }

    /// Writes a text or a call as one piece, and repeats it at its end. `words` is JSON.
    fn grown(&mut self, place: &[(&str, String)], name: &str, key: &str, words: &str) {
        let with = |key| [place, &[(key, words.to_owned())]].concat();
        if words != "\"\"" {
            self.event(&format!("{name}.delta"), &with("delta"));
        }
        self.event(&format!("{name}.done"), &with(key));
    }
}
