//! The events of responses, read and rewritten.

use llmend::json::Node;
use serde_json::{Value, json};

use super::Responses;
use super::response::{
    self as answer, ADDED, End, ResponseChanges, copy, finish, is_besides, is_other_call,
    item_refusal, item_slots, items, last, message, other_call, part_slot, rank, refusal,
    rewrite_response, slots, status, together,
};
use crate::answer::slot::{Extent, Slot, SlotKind};
use crate::error::Failure;
use crate::protocol::event::named;
use crate::protocol::items::assembly::{Assembly, Inspected};
use crate::protocol::items::rewrite::{EventRewriter, RewrittenEvent, Use};
use crate::protocol::items::{ItemEvent, ItemEvents};
use crate::splice::{Splice, quoted, text};
use crate::stream::frame;

/// Writes the event with which a stream fails. Clients look for the text in different places.
pub(crate) fn error_event(failure: &Failure, number: u64) -> String {
    let mut event = failure.openai_event();
    if let Some(event) = event.as_object_mut() {
        event.insert("type".to_owned(), json!("error"));
        event.insert("message".to_owned(), json!(failure.message));
        event.insert("code".to_owned(), json!(failure.code));
        event.insert("param".to_owned(), json!(failure.param));
        event.insert("sequence_number".to_owned(), json!(number));
    }
    named("error", &event.to_string())
}

fn number(root: Node<'_>, key: &str) -> Option<u32> {
    root.get(key).and_then(|number| number.number()?.parse().ok())
}

/// Returns the id of the item that an event is about.
fn id(root: Node<'_>) -> Option<&str> {
    let id = text(root, "item_id").or_else(|| text(root.get("item")?, "id"));
    id.filter(|id| !id.is_empty())
}

/// Returns the number of the item that an event is about. Servers that send ids omit it.
fn item_number(root: Node<'_>, assembly: &Assembly) -> Option<u32> {
    number(root, "output_index").or_else(|| assembly.number_of(id(root)?))
}

/// Returns the slots of an event about an item. The last event is read as a whole response.
fn event_slots(root: Node<'_>, item: u32) -> Vec<Slot<'_>> {
    let at = (item, number(root, "content_index").unwrap_or(0));
    let text_slot = |extent, key| vec![Slot::of(SlotKind::Text, at, extent, root, key)];
    let call_slot = |extent, key| vec![Slot::of(SlotKind::Call, (item, 0), extent, root, key)];
    let of_part = |extent| {
        let part = root.get("part").and_then(|part| part_slot(part, at, extent));
        part.into_iter().collect()
    };
    let of_item = |extent| root.get("item").map(|known| item_slots(known, item, extent));
    match text(root, "type").unwrap_or_default() {
        "response.output_item.added" => {
            let slots = of_item(Extent::Begins).unwrap_or_default();
            // Messages begin empty, but for servers that send all of the text at once.
            let begins = |slot: &Slot<'_>| slot.kind == SlotKind::Call || !slot.words().is_empty();
            slots.into_iter().filter(begins).collect()
        }
        "response.content_part.added" => of_part(Extent::Begins),
        "response.output_text.delta" => text_slot(Extent::Grows, "delta"),
        "response.output_text.done" => text_slot(Extent::Whole, "text"),
        "response.content_part.done" => of_part(Extent::Whole),
        "response.function_call_arguments.delta" => call_slot(Extent::Grows, "delta"),
        "response.function_call_arguments.done" => call_slot(Extent::Whole, "arguments"),
        "response.output_item.done" => of_item(Extent::Whole).unwrap_or_default(),
        _ => Vec::new(),
    }
}

impl ItemEvents for Responses {
    fn event(&self, root: Node<'_>, assembly: &mut Assembly, inspected: Inspected) -> ItemEvent {
        if let (None, Some(id)) = (item_number(root, assembly), id(root)) {
            assembly.name(id, assembly.items());
        }
        let known = item_number(root, assembly);
        if let Some(at) = known {
            let part = (at, number(root, "content_index").unwrap_or(0));
            if has_content(root) {
                assembly.count(part);
            } else {
                assembly.number(part);
            }
            if let Some(id) = id(root) {
                assembly.name(id, at);
            }
        }
        let at = known.unwrap_or(0);
        let name = text(root, "type").unwrap_or_default();
        if let Some(end) = End::from_event(name) {
            return root
                .get("response")
                .map_or(ItemEvent::End, |response| take_end(response, end, assembly, inspected));
        }
        match name {
            "response.output_item.added" | "response.output_item.done" => {
                if let Some(item) = root.get("item") {
                    assembly.rank(at, rank(item));
                    if is_besides(item) {
                        assembly.let_pass(at);
                    } else {
                        assembly.inspect(at);
                    }
                    if let Some(name) = other_call(item) {
                        assembly.note_other_call(at, name);
                    }
                    assembly.refuse_all(&item_refusal(item));
                }
            }
            "response.refusal.delta" => assembly.refuse(text(root, "delta").unwrap_or_default()),
            "response.refusal.done" => {
                assembly.refuse_all(text(root, "refusal").unwrap_or_default());
            }
            "response.failed" | "error" => return ItemEvent::Error,
            _ => {}
        }
        // A call of something other than a function is not rewritten, and waits as any other does.
        if is_of_other_call(root) {
            return ItemEvent::Slot(SlotKind::Call);
        }
        assembly.take(&event_slots(root, at)).map_or(ItemEvent::Other, ItemEvent::Slot)
    }

    fn checked<'v>(&self, root: Node<'v>) -> Option<(u32, Option<&'v str>)> {
        let begins = text(root, "type") == Some("response.output_item.added");
        let item = root.get("item").filter(|_| begins);
        Some((number(root, "output_index")?, item.and_then(|item| text(item, "name"))))
    }

    fn is_head(&self, root: Node<'_>) -> bool {
        let says =
            |node: Node<'_>, key: &str| text(node, key).is_some_and(|words| !words.is_empty());
        match text(root, "type").unwrap_or_default() {
            "response.created" | "response.queued" | "response.in_progress" => true,
            "response.output_item.added" | "response.output_item.done" => {
                root.get("item").is_some_and(|item| {
                    let is_wordy = matches!(text(item, "type"), Some("message" | "reasoning"));
                    let mut parts = item.get("content").map(Node::items).into_iter().flatten();
                    is_wordy && !parts.any(|part| says(part, "text"))
                })
            }
            "response.content_part.added" | "response.content_part.done" => {
                !root.get("part").is_some_and(|part| says(part, "text"))
            }
            "response.output_text.delta" => !says(root, "delta"),
            "response.output_text.done" => !says(root, "text"),
            _ => false,
        }
    }

    fn rewrite(
        &self,
        data: &str,
        root: Node<'_>,
        rewriter: &mut EventRewriter<'_>,
    ) -> Option<RewrittenEvent> {
        let mut splice = Splice::new(data);
        let mut name = text(root, "type").unwrap_or_default().to_owned();
        rewriter.count_from(frame::number(root).unwrap_or(0));
        let mut before = String::new();
        if let (Some(end), Some(response)) = (End::from_event(&name), root.get("response")) {
            let status = status(response, Some(end), rewriter.ends);
            if let Some(status) = status {
                name = format!("response.{status}");
                splice.replace(root.get("type")?, quoted(&name));
            }
            before = added_message(rewriter);
            let EventRewriter { parts, texts, added, report, assembly, .. } = rewriter;
            let together = together(&assembly.texts(), parts, texts, *added);
            let changes =
                ResponseChanges { parts, status, texts, added: *added, together, report: *report };
            rewrite_response(response, &changes, &mut splice);
        } else {
            let item = item_number(root, rewriter.assembly).unwrap_or(0);
            if rewriter.rewrite(&event_slots(root, item), &mut splice) == Use::Spent {
                return None;
            }
        }
        if let Some(number) = root.get("sequence_number") {
            splice.replace(number, rewriter.next_number().to_string());
        }
        Some(RewrittenEvent { before, name, data: rewriter.with_usage(&splice.finish()) })
    }
}

/// Whether an event contains anything besides its slots.
fn has_content(root: Node<'_>) -> bool {
    match text(root, "type").unwrap_or_default() {
        "response.output_item.added" | "response.output_item.done" => {
            root.get("item").is_some_and(answer::has_content)
        }
        "response.content_part.added" | "response.content_part.done" => {
            root.get("part").is_some_and(|part| text(part, "text").is_none())
        }
        "response.output_text.delta" | "response.output_text.done" => false,
        _ => true,
    }
}

/// Whether an event is about a call that is not inspected and that the client has to answer.
fn is_of_other_call(root: Node<'_>) -> bool {
    let kind = text(root, "type").unwrap_or_default();
    kind.starts_with("response.custom_tool_call_input.")
        || root.get("item").is_some_and(is_other_call)
}

/// Reads the response in the last event.
fn take_end(
    response: Node<'_>,
    end: End,
    assembly: &mut Assembly,
    inspected: Inspected,
) -> ItemEvent {
    if let Some(failure) = Failure::of_error_object(response) {
        return ItemEvent::Failed(failure);
    }
    if text(response, "status").is_some_and(|status| end.is_denied_by(status)) {
        return ItemEvent::Misplaced("the name of its last event contradicts its status");
    }
    // The numbers of the events may differ.
    let is_noted = assembly.has_other_calls();
    for (at, item) in items(response) {
        assembly.number((at, 0));
        if let Some(name) = other_call(item).filter(|_| !is_noted) {
            assembly.note_other_call(at, name);
        }
    }
    assembly.finish_with(finish(response, Some(end)));
    let slots: Vec<Slot<'_>> =
        slots(response).into_iter().filter(|slot| !assembly.is_checked(slot.at.0)).collect();
    if let Some(last) = last(response) {
        assembly.end_with(crate::answer::slot::completion(&slots, Some(last), None).behind);
    }
    assembly.compare(&slots, &refusal(response), inspected);
    if let Some(copy) = copy(response) {
        assembly.copy(copy.str().unwrap_or_default());
    }
    ItemEvent::End
}

/// Writes the events of a message for a response without any.
fn added_message(rewriter: &mut EventRewriter<'_>) -> String {
    let Some(words) = rewriter.added else { return String::new() };
    let item = rewriter.assembly.items();
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
        event["sequence_number"] = json!(rewriter.next_number());
        named(name, &event.to_string())
    });
    numbered.concat()
}
