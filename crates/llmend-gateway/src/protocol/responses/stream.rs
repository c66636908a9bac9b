//! What do the events of a response say, and what do they say of one that was repaired?

use llmend::json::Node;
use serde_json::{Value, json};

use super::response::{
    self as answer, ADDED, End, Made, copy, finish, is_besides, is_other_call, item_refusal,
    item_seats, items, last, message, part_seat, rank, refusal, rewrite_response, seats, status,
    together,
};
use crate::answer::slot::{Manner, Seat, Slot};
use crate::error::Failure;
use crate::splice::{Splice, quoted, text};
use crate::stream::typed::gathered::{Gathered, Sight};
use crate::stream::typed::rewrite::{Anew, Retold, Use};
use crate::stream::typed::{Event, named};

/// The event with which a stream fails. Clients look for the text in different places.
pub(crate) fn error_event(failure: &Failure) -> String {
    let mut event = failure.openai_event();
    if let Some(event) = event.as_object_mut() {
        event.insert("type".to_owned(), json!("error"));
        event.insert("message".to_owned(), json!(failure.message));
        event.insert("code".to_owned(), json!(failure.code));
        event.insert("param".to_owned(), json!(failure.param));
        event.insert("sequence_number".to_owned(), json!(0));
    }
    named("error", &event.to_string())
}

fn number(root: Node<'_>, key: &str) -> Option<u32> {
    root.get(key).and_then(|number| number.number()?.parse().ok())
}

/// What an event calls the item that it is about.
fn id(root: Node<'_>) -> Option<&str> {
    let id = text(root, "item_id").or_else(|| text(root.get("item")?, "id"));
    id.filter(|id| !id.is_empty())
}

/// The number of the item that an event is about, where it is about one. Servers leave it out that give ids.
fn item_number(root: Node<'_>, gathered: &Gathered) -> Option<u32> {
    number(root, "output_index").or_else(|| gathered.number_of(id(root)?))
}

/// Where an event about the item of this number tells of texts and calls. That of the end is read as a whole
/// response.
fn event_seats(root: Node<'_>, item: u32) -> Vec<Seat<'_>> {
    let at = (item, number(root, "content_index").unwrap_or(0));
    let text_seat = |manner, key| vec![Seat::of(Slot::Text, at, manner, root, key)];
    let call_seat = |manner, key| vec![Seat::of(Slot::Call, (item, 0), manner, root, key)];
    let of_part = |manner| {
        let part = root.get("part").and_then(|part| part_seat(part, at, manner));
        part.into_iter().collect()
    };
    let of_item = |manner| root.get("item").map(|known| item_seats(known, item, manner));
    match text(root, "type").unwrap_or_default() {
        "response.output_item.added" => {
            let seats = of_item(Manner::Begins).unwrap_or_default();
            // A message begins without any text, but for servers that tell all of it at once.
            let begins = |seat: &Seat<'_>| seat.slot == Slot::Call || !seat.words().is_empty();
            seats.into_iter().filter(begins).collect()
        }
        "response.content_part.added" => of_part(Manner::Begins),
        "response.output_text.delta" => text_seat(Manner::Grows, "delta"),
        "response.output_text.done" => text_seat(Manner::Says, "text"),
        "response.content_part.done" => of_part(Manner::Says),
        "response.function_call_arguments.delta" => call_seat(Manner::Grows, "delta"),
        "response.function_call_arguments.done" => call_seat(Manner::Says, "arguments"),
        "response.output_item.done" => of_item(Manner::Says).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// What an event of a stream says.
pub(crate) fn event(root: Node<'_>, gathered: &mut Gathered, sight: Sight) -> Event {
    if let (None, Some(id)) = (item_number(root, gathered), id(root)) {
        gathered.name(id, gathered.items());
    }
    let known = item_number(root, gathered);
    if let Some(at) = known {
        let part = (at, number(root, "content_index").unwrap_or(0));
        if says_anything(root) {
            gathered.count(part);
        } else {
            gathered.number(part);
        }
        if let Some(id) = id(root) {
            gathered.name(id, at);
        }
    }
    let at = known.unwrap_or(0);
    let name = text(root, "type").unwrap_or_default();
    if let Some(end) = End::from_event(name) {
        return root
            .get("response")
            .map_or(Event::End, |response| take_end(response, end, gathered, sight));
    }
    match name {
        "response.output_item.added" | "response.output_item.done" => {
            if let Some(item) = root.get("item") {
                gathered.rank(at, rank(item));
                if is_besides(item) {
                    gathered.let_pass(at);
                } else {
                    gathered.look_at(at);
                }
                if is_other_call(item) {
                    gathered.call_besides(at);
                }
                gathered.refuse_all(&item_refusal(item));
            }
        }
        "response.refusal.delta" => gathered.refuse(text(root, "delta").unwrap_or_default()),
        "response.refusal.done" => gathered.refuse_all(text(root, "refusal").unwrap_or_default()),
        "response.failed" => {
            let error = root.get("response").and_then(|response| response.get("error"));
            let message = error.and_then(|error| text(error, "message"));
            return Event::Error(message.unwrap_or("the response failed").to_owned());
        }
        "error" => {
            let message = text(root, "message");
            return Event::Error(message.unwrap_or("the upstream told of an error").to_owned());
        }
        _ => {}
    }
    gathered.take(&event_seats(root, at)).map_or(Event::Other, Event::Piece)
}

/// Whether an event says anything that is not counted with the texts and calls that it tells of.
fn says_anything(root: Node<'_>) -> bool {
    match text(root, "type").unwrap_or_default() {
        "response.output_item.added" | "response.output_item.done" => {
            root.get("item").is_some_and(answer::says_anything)
        }
        "response.content_part.added" | "response.content_part.done" => {
            root.get("part").is_some_and(|part| text(part, "text").is_none())
        }
        "response.output_text.delta" | "response.output_text.done" => false,
        _ => true,
    }
}

/// Takes in the response as its last event has it.
fn take_end(response: Node<'_>, end: End, gathered: &mut Gathered, sight: Sight) -> Event {
    if let Some(failure) = Failure::of_error_object(response) {
        return Event::Failed(failure);
    }
    if text(response, "status").is_some_and(|status| end.is_denied_by(status)) {
        return Event::Misplaced("its last event is called otherwise than its status says");
    }
    for (at, item) in items(response) {
        gathered.number((at, 0));
        // The numbers of the events may be others, where they told of it.
        if is_other_call(item) && !gathered.has_calls_besides() {
            gathered.call_besides(at);
        }
    }
    gathered.finish_with(finish(response, Some(end)));
    let seats = seats(response);
    if let Some(last) = last(response) {
        gathered.end_with(crate::answer::slot::written(&seats, Some(last), None).behind);
    }
    gathered.hold_against(&seats, &refusal(response), sight);
    if let Some(copy) = copy(response) {
        gathered.copy(copy.str().unwrap_or_default());
    }
    Event::End
}

/// An event that waited, with what was made of the answer; nothing if it has nothing to say any more.
pub(crate) fn retold(data: &str, root: Node<'_>, retold: &mut Retold<'_>) -> Option<Anew> {
    let mut splice = Splice::new(data);
    let mut name = text(root, "type").unwrap_or_default().to_owned();
    let sequence = root.get("sequence_number");
    let told = sequence.and_then(|number| number.number()?.parse().ok()).unwrap_or(0);
    retold.count_from(told);
    let mut before = String::new();
    if let (Some(end), Some(response)) = (End::from_event(&name), root.get("response")) {
        let status = status(response, Some(end), retold.ends);
        if let Some(status) = status {
            name = format!("response.{status}");
            splice.replace(root.get("type")?, quoted(&name));
        }
        before = added_message(retold);
        let Retold { parts, texts, added, report, gathered, .. } = retold;
        let together = together(&gathered.texts(), parts, texts, *added);
        let made = Made { parts, status, texts, added: *added, together, report: *report };
        rewrite_response(response, &made, &mut splice);
    } else {
        let item = item_number(root, retold.gathered).unwrap_or(0);
        if retold.retell(&event_seats(root, item), &mut splice) == Use::Spent {
            return None;
        }
    }
    if let Some(number) = sequence {
        splice.replace(number, retold.next_number().to_string());
    }
    Some(Anew { before, name, data: retold.with_usage(&splice.finish()) })
}

/// The events of a message for a response that has none.
fn added_message(retold: &mut Retold<'_>) -> String {
    let Some(words) = retold.added else { return String::new() };
    let item = retold.gathered.items();
    let part = |words: &str| json!({"type": "output_text", "text": words, "annotations": []});
    let mut begun = message("");
    begun["status"] = json!("in_progress");
    begun["content"] = json!([]);
    let of_part = |mut event: Value| {
        event["item_id"] = json!(ADDED);
        event["content_index"] = json!(0);
        event
    };
    let events = [
        ("response.output_item.added", json!({"item": begun})),
        ("response.content_part.added", of_part(json!({"part": part("")}))),
        ("response.output_text.delta", of_part(json!({"delta": words, "logprobs": []}))),
        ("response.output_text.done", of_part(json!({"text": words, "logprobs": []}))),
        ("response.content_part.done", of_part(json!({"part": part(words)}))),
        ("response.output_item.done", json!({"item": message(words)})),
    ];
    let numbered = events.map(|(name, mut event)| {
        event["type"] = json!(name);
        event["output_index"] = json!(item);
        event["sequence_number"] = json!(retold.next_number());
        named(name, &event.to_string())
    });
    numbered.concat()
}
