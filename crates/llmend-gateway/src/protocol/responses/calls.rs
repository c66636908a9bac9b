//! Calls out of the texts of whole responses.

use llmend::json::{Node, Value};
use serde_json::{Value as Json, json};

use super::response::{
    copy, finish, is_call, is_custom_call, is_other_call, item_slots, items, parts, refusal,
};
use crate::answer::from_text::Converted;
use crate::answer::slot::{Extent, SlotKind};
use crate::calls::context::ConvertContext;
use crate::calls::native::NativeCall;
use crate::calls::reader::{ChoiceReader, Output, TextEnd};
use crate::calls::segment::{Segment, segments};
use crate::calls::tool_input::{ToolInput, as_arguments};
use crate::splice::{Splice, quoted, text, with};

/// Reads the calls in the texts of a response.
pub(super) fn convert(body: &str, value: &Value<'_>, context: &ConvertContext<'_>) -> Converted {
    let response = value.root();
    let Some(mut reader) = ChoiceReader::of(context.request, &context.ids) else {
        return Converted::default();
    };
    let mut splice = Splice::new(body);
    let has_native = items(response).any(|(_, item)| is_native(item));
    // Text beside a call or a refusal is not the JSON that was asked for, and stays as it is.
    let is_beside = has_native || !refusal(response).is_empty();
    if is_beside && context.request.content.is_some() {
        return Converted::default();
    }
    reader.beside(items(response).filter_map(|(_, item)| native_call(item)).collect(), context);
    let is_written = write_output(body, response, &mut reader, context, &mut splice);
    let found = reader.found().clone();
    if found.is_silent() {
        return Converted::default();
    }
    let body = is_written.then(|| splice.finish().into_owned());
    Converted { body, found: vec![(0, found)] }
}

/// Whether an item is a call that the server found itself.
fn is_native(item: Node<'_>) -> bool {
    is_call(item) || is_other_call(item)
}

/// Returns the call of a tool of the client that an item is.
pub(super) fn native_call(item: Node<'_>) -> Option<NativeCall> {
    let word = |key: &str| text(item, key).unwrap_or_default();
    let arguments = match () {
        () if is_call(item) => word("arguments").to_owned(),
        () if is_custom_call(item) => as_arguments(word("input")),
        () => return None,
    };
    Some(NativeCall { id: String::new(), name: word("name").to_owned(), arguments })
}

/// Reads the calls in the texts of a response, up to the first call that the server found itself,
/// and writes the output anew if there are any. Returns whether it did.
fn write_output(
    body: &str,
    response: Node<'_>,
    reader: &mut ChoiceReader,
    context: &ConvertContext<'_>,
    splice: &mut Splice<'_>,
) -> bool {
    let first_native = items(response).position(|(_, item)| is_native(item));
    let (finish, count) = (finish(response, None), items(response).count());
    let mut written = Vec::new();
    let mut is_blank = first_native.is_none();
    for (at, item) in items(response) {
        if first_native.is_some_and(|first| at as usize >= first) {
            written.push(item.span().of(body).to_owned());
            continue;
        }
        let end = match first_native {
            Some(first) if at as usize + 1 == first => TextEnd::BeforeCall,
            _ if at as usize + 1 == count => TextEnd::of(finish.as_ref()),
            _ => TextEnd::Complete,
        };
        let said = said(item, at);
        is_blank &= said.iter().all(|(words, _)| words.trim().is_empty());
        let parts = read_said(&said, end, reader, context);
        if is_as_said(&parts, &said) {
            written.push(item.span().of(body).to_owned());
        } else if parts.is_empty() {
            // Nothing but marks was found.
            written.extend(write(body, item, &[Segment::Text(String::new())]));
        } else {
            written.extend(write(body, item, &parts));
        }
    }
    let is_complete = finish.is_none_or(|finish| finish.is_complete());
    if is_blank && is_complete && context.request.content.is_none() {
        let thoughts = items(response).filter_map(|(_, item)| reasoning_in(item)).last();
        let outputs = reader.read_reasoning(&thoughts.unwrap_or_default());
        written.extend(write(body, response, &segments(&outputs)));
    }
    let output = response.get("output").filter(|_| !reader.found().is_nothing());
    let Some(output) = output else { return false };
    splice.replace(output, format!("[{}]", written.join(",")));
    if let Some(copy) = copy(response) {
        let texts = written.iter().filter_map(|item| output_text(item)).collect::<String>();
        splice.replace(copy, quoted(&texts));
    }
    true
}

/// What words of a message are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Text,
    Refusal,
}

/// Returns the words of a message in order.
fn said(item: Node<'_>, at: u32) -> Vec<(String, Said)> {
    let texts = item_slots(item, at, Extent::Whole).into_iter();
    let texts = texts.filter(|slot| slot.kind == SlotKind::Text);
    let texts = texts.map(|slot| (slot.at.1, slot.words(), Said::Text));
    let refusal = |(at, part)| Some((at, text(part, "refusal")?.to_owned(), Said::Refusal));
    let mut all: Vec<_> = (0..).zip(parts(item)).filter_map(refusal).chain(texts).collect();
    all.sort_by_key(|(at, ..)| *at);
    all.into_iter().map(|(_, words, said)| (words, said)).collect()
}

/// Reads the calls in the words of a message, of which only texts hold some.
fn read_said(
    said: &[(String, Said)],
    end: TextEnd,
    reader: &mut ChoiceReader,
    context: &ConvertContext<'_>,
) -> Vec<Segment> {
    let mut all = Vec::new();
    let mut outputs = Vec::new();
    for ((words, kind), left) in said.iter().zip((0..said.len()).rev()) {
        if *kind == Said::Refusal {
            all.append(&mut segments(&std::mem::take(&mut outputs)));
            all.extend((!words.is_empty()).then(|| Segment::Refusal(words.clone())));
            continue;
        }
        let end = if left == 0 { end } else { TextEnd::Complete };
        let read = reader.read_for(words, end, context);
        outputs.extend(read.unwrap_or_else(|| vec![Output::Text(words.clone())]));
    }
    all.append(&mut segments(&outputs));
    all
}

/// Whether nothing but the words of a message was found in it.
fn is_as_said(parts: &[Segment], said: &[(String, Said)]) -> bool {
    let texts = parts.iter().map(|part| match part {
        Segment::Text(text) => Some(text.as_str()),
        Segment::Refusal(_) => Some(""),
        Segment::Reasoning(_) | Segment::Call { .. } => None,
    });
    let original = said.iter().filter(|(_, kind)| *kind == Said::Text);
    let original: String = original.map(|(words, _)| words.as_str()).collect();
    texts.collect::<Option<String>>().is_some_and(|texts| texts == original)
}

/// Returns the text of an item that is reasoning.
fn reasoning_in(item: Node<'_>) -> Option<String> {
    let parts = item.get("content").filter(|_| text(item, "type") == Some("reasoning"))?;
    Some(parts.items().filter_map(|part| text(part, "text")).collect())
}

/// Returns the text of a written item.
pub(super) fn output_text(item: &str) -> Option<String> {
    let item: Json = serde_json::from_str(item).ok()?;
    let parts = item.get("content")?.as_array()?;
    Some(parts.iter().filter_map(|part| part.get("text")?.as_str()).collect())
}

/// Writes the items in the place of one. The first text or refusal stays in the original item.
fn write(body: &str, item: Node<'_>, parts: &[Segment]) -> Vec<String> {
    let id = item.get("id").and_then(Node::str).unwrap_or("msg");
    let mut texts = 0;
    let mut written = Vec::new();
    for part in parts {
        written.push(match part {
            Segment::Text(words) | Segment::Refusal(words) => {
                texts += 1;
                let is_text = matches!(part, Segment::Text(_));
                let part = if is_text { output_part(words) } else { refusal_part(words) };
                if texts == 1 {
                    with(body, item, &[("content", &json!([part]).to_string())])
                } else {
                    message(&nth_id(id, texts), &part).to_string()
                }
            }
            Segment::Reasoning(text) => reasoning(&format!("rs_{id}"), text).to_string(),
            Segment::Call { id, name, input, arguments } => {
                call(id, name, *input, arguments).to_string()
            }
        });
    }
    written
}

/// Returns the id of a message in the place of another one.
pub(super) fn nth_id(id: &str, number: usize) -> String {
    format!("{id}_{number}")
}

pub(super) fn output_part(text: &str) -> Json {
    json!({"type": "output_text", "text": text, "annotations": []})
}

pub(super) fn refusal_part(words: &str) -> Json {
    json!({"type": "refusal", "refusal": words})
}

pub(super) fn reasoning_part(text: &str) -> Json {
    json!({"type": "reasoning_text", "text": text})
}

/// Returns a message of one part.
pub(super) fn message(id: &str, part: &Json) -> Json {
    json!({"id": id, "type": "message", "role": "assistant", "status": "completed",
        "content": [part]})
}

pub(super) fn reasoning(id: &str, text: &str) -> Json {
    json!({"id": id, "type": "reasoning", "summary": [],
        "content": [reasoning_part(text)]})
}

/// Returns the id of the item of a call.
pub(super) fn call_item_id(id: &str, input: ToolInput) -> String {
    match input {
        ToolInput::Arguments => format!("fc_{id}"),
        ToolInput::Text => format!("ctc_{id}"),
    }
}

/// Returns the item of a call, with its arguments or the text that its tool takes.
pub(super) fn call(id: &str, name: &str, input: ToolInput, passed: &str) -> Json {
    let item_id = call_item_id(id, input);
    match input {
        ToolInput::Arguments => json!({"id": item_id, "type": "function_call",
            "status": "completed", "call_id": id, "name": name, "arguments": passed}),
        ToolInput::Text => json!({"id": item_id, "type": "custom_tool_call",
            "status": "completed", "call_id": id, "name": name, "input": passed}),
    }
}
