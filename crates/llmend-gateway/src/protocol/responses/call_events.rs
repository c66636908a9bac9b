//! Calls out of the texts of streamed responses.

use llmend::json::Node;
use serde_json::{Value, json};

use super::calls::{
    call, call_item_id, message, native_call, nth_id, output_part, output_text, reasoning,
    reasoning_part, refusal_part,
};
use super::response::{
    End, copy, finish, is_besides, is_call, is_other_call, item_refusal, items, refusal,
};
use crate::answer::from_text::FromText;
use crate::calls::native::NativeCall;
use crate::calls::tool_input::ToolInput;
use crate::protocol::event::named;
use crate::protocol::items::form::{Arrived, BEHIND, ItemForm, NewItem, NewKind, Replaced};
use crate::splice::{Splice, quoted, text};
use crate::stream::frame;

/// The items of a response.
#[derive(Debug)]
pub(super) struct Items;

fn event(name: &str, data: Value) -> String {
    let mut data = data;
    data["type"] = name.into();
    named(name, &data.to_string())
}

/// Returns the id of an item.
fn id_of(item: &NewItem) -> String {
    let origin = item.origin.as_deref().unwrap_or("msg");
    match &item.kind {
        NewKind::Text | NewKind::Refusal if item.number > 1 => nth_id(origin, item.number),
        NewKind::Text | NewKind::Refusal => origin.to_owned(),
        NewKind::Reasoning => format!("rs_{origin}"),
        NewKind::Call { id, input, .. } => call_item_id(id, *input),
    }
}

/// Returns an item as it is when complete.
fn whole(item: &NewItem) -> Value {
    let id = id_of(item);
    match &item.kind {
        NewKind::Text => message(&id, &output_part(&item.text)),
        NewKind::Refusal => message(&id, &refusal_part(&item.text)),
        NewKind::Reasoning => reasoning(&id, &item.text),
        NewKind::Call { id, name, input } => call(id, name, *input, &item.text),
    }
}

/// Returns the part in which an item has its text. A call has none.
fn content_part(kind: &NewKind, text: &str) -> Option<Value> {
    match kind {
        NewKind::Text => Some(output_part(text)),
        NewKind::Refusal => Some(refusal_part(text)),
        NewKind::Reasoning => Some(reasoning_part(text)),
        NewKind::Call { .. } => None,
    }
}

/// Returns the member of a call that grows, and the event with a piece of it.
const fn call_words(input: ToolInput) -> (&'static str, &'static str) {
    match input {
        ToolInput::Arguments => ("arguments", "response.function_call_arguments.delta"),
        ToolInput::Text => ("input", "response.custom_tool_call_input.delta"),
    }
}

/// Whether the content of an item is empty.
fn is_silent(content: Node<'_>) -> bool {
    content.is_null() || content.is_empty() || content.str() == Some("")
}

impl ItemForm for Items {
    fn arrived(&self, root: Node<'_>) -> Arrived {
        let number = |key: &str| root.get(key).and_then(|number| number.number()?.parse().ok());
        let Some(item) = number("output_index") else {
            let name = text(root, "type").unwrap_or_default();
            return match End::from_event(name).zip(root.get("response")) {
                Some((end, response)) => Arrived::End(finish(response, Some(end))),
                None => Arrived::Aside,
            };
        };
        let known = root.get("item");
        let is_message = known.is_some_and(|item| !is_besides(item) && !is_call(item));
        let is_call = known.is_some_and(|item| is_call(item) || is_other_call(item));
        let part = root.get("part").and_then(|part| text(part, "type"));
        let is_text = part == Some("output_text");
        let words = root.get("part").and_then(|part| text(part, "text"));
        let begun = known.and_then(|item| item.get("content"));
        let is_empty = words.is_none_or(str::is_empty) && begun.is_none_or(is_silent);
        match text(root, "type").unwrap_or_default() {
            "response.output_item.added" if is_message => Arrived::Opens { item, is_empty },
            "response.output_item.added" => Arrived::Other { item, opens: true, is_call },
            "response.content_part.added" if is_text => Arrived::Opens { item, is_empty },
            "response.refusal.delta" | "response.refusal.done" => {
                let piece = text(root, "delta").or_else(|| text(root, "refusal"));
                let (piece, is_whole) = (piece.unwrap_or_default(), root.get("delta").is_none());
                Arrived::Refusal { item, piece: piece.to_owned(), is_whole }
            }
            "response.content_part.added" | "response.content_part.done"
                if part == Some("refusal") =>
            {
                Arrived::Refusal { item, piece: String::new(), is_whole: false }
            }
            "response.output_text.delta" => {
                let piece = text(root, "delta").unwrap_or_default().to_owned();
                Arrived::Text { item, piece }
            }
            "response.output_text.done" => Arrived::Closes { item, is_last: false },
            "response.content_part.done" if is_text => Arrived::Closes { item, is_last: false },
            "response.output_item.done" if is_message => Arrived::Closes { item, is_last: true },
            _ => Arrived::Other { item, opens: false, is_call: false },
        }
    }

    fn id<'v>(&self, root: Node<'v>) -> Option<&'v str> {
        text(root, "item_id").or_else(|| text(root.get("item")?, "id"))
    }

    fn reasoning<'v>(&self, root: Node<'v>) -> Option<&'v str> {
        let is_piece = text(root, "type") == Some("response.reasoning_text.delta");
        text(root, "delta").filter(|_| is_piece)
    }

    fn refuses(&self, root: Node<'_>) -> bool {
        let kind = text(root, "type").unwrap_or_default();
        let words = ["delta", "refusal"].into_iter().find_map(|key| text(root, key));
        let is_refusal = kind.starts_with("response.refusal.");
        is_refusal && words.is_some_and(|words| !words.is_empty())
            || root.get("item").is_some_and(|item| !item_refusal(item).is_empty())
            || root.get("response").is_some_and(|response| !refusal(response).is_empty())
    }

    fn note_call(&self, root: Node<'_>, call: &mut NativeCall) {
        // The last event of an item has all of it.
        let is_done = text(root, "type") == Some("response.output_item.done");
        if let Some(known) = root.get("item").filter(|_| is_done).and_then(native_call) {
            *call = known;
        }
    }

    fn open(&self, item: &NewItem) -> Vec<String> {
        let mut begun = whole(item);
        begun["status"] = "in_progress".into();
        match item.kind {
            NewKind::Text | NewKind::Refusal | NewKind::Reasoning => begun["content"] = json!([]),
            NewKind::Call { input, .. } => begun[call_words(input).0] = "".into(),
        }
        let added = json!({"output_index": item.index, "item": begun});
        let mut events = vec![event("response.output_item.added", added)];
        if let Some(part) = content_part(&item.kind, "") {
            let part = json!({"item_id": id_of(item), "output_index": item.index,
                "content_index": 0, "part": part});
            events.push(event("response.content_part.added", part));
        }
        events
    }

    fn grow(&self, item: &NewItem, piece: &str) -> Vec<String> {
        let mut delta = json!({"item_id": id_of(item), "output_index": item.index, "delta": piece});
        let name = match item.kind {
            NewKind::Text => "response.output_text.delta",
            NewKind::Refusal => "response.refusal.delta",
            NewKind::Reasoning => "response.reasoning_text.delta",
            NewKind::Call { input, .. } => call_words(input).1,
        };
        if !matches!(item.kind, NewKind::Call { .. }) {
            delta["content_index"] = 0.into();
        }
        if item.kind == NewKind::Text {
            delta["logprobs"] = json!([]);
        }
        vec![event(name, delta)]
    }

    fn close(&self, item: &NewItem) -> Vec<String> {
        let (id, index, words) = (id_of(item), item.index, item.text.as_str());
        let place = json!({"item_id": id, "output_index": index});
        let with = |more: Value| {
            let mut data = place.clone();
            for (key, value) in more.as_object().into_iter().flatten() {
                data[key] = value.clone();
            }
            data
        };
        let mut events = match &item.kind {
            NewKind::Text => vec![event(
                "response.output_text.done",
                with(json!({"content_index": 0, "text": words, "logprobs": []})),
            )],
            NewKind::Refusal => vec![event(
                "response.refusal.done",
                with(json!({"content_index": 0, "refusal": words})),
            )],
            NewKind::Reasoning => vec![event(
                "response.reasoning_text.done",
                with(json!({"content_index": 0, "text": words})),
            )],
            NewKind::Call { name, input: ToolInput::Arguments, .. } => vec![event(
                "response.function_call_arguments.done",
                with(json!({"name": name, "arguments": words})),
            )],
            NewKind::Call { input: ToolInput::Text, .. } => {
                vec![event("response.custom_tool_call_input.done", with(json!({"input": words})))]
            }
        };
        if let Some(part) = content_part(&item.kind, words) {
            let part = json!({"content_index": 0, "part": part});
            events.push(event("response.content_part.done", with(part)));
        }
        let done = json!({"output_index": index, "item": whole(item)});
        events.push(event("response.output_item.done", done));
        events
    }

    fn renumbered(
        &self,
        data: &str,
        root: Node<'_>,
        item: Option<u32>,
        number: Option<u64>,
    ) -> String {
        let mut splice = Splice::new(data);
        let number = number.map(|number| ("sequence_number", number.to_string()));
        let mut with: Vec<_> = number.into_iter().collect();
        with.extend(item.map(|item| ("output_index", item.to_string())));
        splice.members(root, &[], &with);
        named(text(root, "type").unwrap_or_default(), &splice.finish())
    }

    fn number(&self, root: Node<'_>) -> Option<u64> {
        frame::number(root)
    }

    fn ended(&self, data: &str, root: Node<'_>, _found: &FromText, written: &[Replaced]) -> String {
        let mut splice = Splice::new(data);
        let response = root.get("response");
        let output = response.and_then(|response| response.get("output"));
        if let (Some(response), Some(output)) = (response, output.filter(|list| !list.is_empty())) {
            let new = |(at, item): (u32, Node<'_>)| match written.iter().find(|one| one.item == at)
            {
                Some(one) => one.by.iter().map(|item| whole(item).to_string()).collect(),
                None => vec![item.span().of(data).to_owned()],
            };
            let behind = written.iter().filter(|one| one.item == BEHIND);
            let behind = behind.flat_map(|one| &one.by).map(|item| whole(item).to_string());
            let all: Vec<String> = items(response).flat_map(new).chain(behind).collect();
            if let Some(copy) = copy(response) {
                let texts: String = all.iter().filter_map(|item| output_text(item)).collect();
                splice.replace(copy, quoted(&texts));
            }
            splice.replace(output, format!("[{}]", all.join(",")));
        }
        named(text(root, "type").unwrap_or_default(), &splice.finish())
    }
}
