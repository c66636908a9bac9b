//! What is done to a response? (`OpenAI`, `/v1/responses`.)
//!
//! Its output is a list of items: messages with parts of text, and calls. A stream tells of each item and
//! each part as it begins, grows and ends, under numbers without a gap, and has all of it once more in its
//! last event.

use llmend::json::Node;
use llmend_models::sse::FinishReason;
use serde_json::json;

use crate::decide::{Part, call_json, content_json};
use crate::failure::Failure;
use crate::request::{Wanted, WantedContent};
use crate::settle::{Ends, Finish, Written};
use crate::splice::{Splice, quoted, text};
use crate::typed::{Event, Retold, Slot, Typed};

/// What a request wants.
pub(crate) fn wanted(root: Node<'_>) -> Wanted<'_> {
    let format = root.get("text").and_then(|text| text.get("format"));
    let content = match format.and_then(|format| format.get("type")?.str()) {
        Some("json_object") => WantedContent::Json,
        Some("json_schema") => {
            let schema = format.and_then(|format| format.get("schema"));
            schema.map_or(WantedContent::Json, WantedContent::Schema)
        }
        _ => WantedContent::Words,
    };
    let items = |key: &str| root.get(key).map(Node::items).into_iter().flatten();
    let is_function = |item: &Node<'_>| text(*item, "type") == Some("function");
    let is_call = |item: &Node<'_>| text(*item, "type") == Some("function_call");
    Wanted {
        content,
        tools: items("tools")
            .filter(is_function)
            .filter_map(|tool| Some((text(tool, "name")?, tool.get("parameters"))))
            .collect(),
        history: items("input").filter(is_call).filter_map(|call| call.get("arguments")).collect(),
        choices: None,
        usage: None,
    }
}

/// The items of a response, with their places in its output.
fn items(response: Node<'_>) -> impl Iterator<Item = (u32, Node<'_>)> {
    (0..).zip(response.get("output").map(Node::items).into_iter().flatten())
}

/// The parts of text of an item, with their places in its content.
fn texts(item: Node<'_>) -> impl Iterator<Item = (u32, Node<'_>)> {
    let parts = item.get("content").map(Node::items).into_iter().flatten();
    (0..).zip(parts).filter(|(_, part)| text(*part, "type") == Some("output_text"))
}

fn is_call(item: Node<'_>) -> bool {
    text(item, "type") == Some("function_call")
}

/// What a whole response says.
pub(crate) fn written(response: Node<'_>) -> Written {
    let mut written = Written { finish: finish(response), ..Written::default() };
    for (_, item) in items(response) {
        if is_call(item) {
            let arguments = item.get("arguments").map(as_text).unwrap_or_default();
            written.calls.push((text(item, "name").unwrap_or_default().to_owned(), arguments));
        }
        written.content.extend(texts(item).filter_map(|(_, part)| text(part, "text")));
        let parts = item.get("content").map(Node::items).into_iter().flatten();
        written.refusal.extend(parts.filter_map(|part| text(part, "refusal")));
    }
    written
}

fn as_text(node: Node<'_>) -> String {
    node.str().map_or_else(|| node.to_string(), str::to_owned)
}

/// Why a response goes no further.
fn finish(response: Node<'_>) -> Option<Finish> {
    let status = text(response, "status")?;
    let details = response.get("incomplete_details").and_then(|details| text(details, "reason"));
    let word = if status == "incomplete" { details.unwrap_or("max_output_tokens") } else { status };
    Some(Finish { reason: FinishReason::from_word(word), word: word.to_owned() })
}

/// A whole response with what was made of its parts.
pub(crate) fn rewritten(
    body: &str,
    response: Node<'_>,
    parts: &[Part],
    ends: &Ends,
    report: Option<&serde_json::Value>,
) -> String {
    let mut splice = Splice::new(body);
    rewrite_response(response, parts, ends, report, &mut splice);
    splice.finish().into_owned()
}

fn rewrite_response(
    response: Node<'_>,
    parts: &[Part],
    ends: &Ends,
    report: Option<&serde_json::Value>,
    splice: &mut Splice<'_>,
) {
    let mut told = Told::default();
    for (_, item) in items(response) {
        rewrite_item(item, parts, &mut told, splice);
    }
    let mut without = Vec::new();
    let mut with: Vec<(&str, String)> = Vec::new();
    if let Some(status) = status(response, ends) {
        without.extend(["status", "incomplete_details"]);
        let is_cut = status == "incomplete";
        let details = if is_cut { json!({"reason": "max_output_tokens"}) } else { json!(null) };
        with.push(("status", quoted(status)));
        with.push(("incomplete_details", details.to_string()));
    }
    with.extend(report.map(|report| ("llmend", report.to_string())));
    if !with.is_empty() {
        splice.members(response, &without, &with);
    }
}

/// The status of a response, if it has to be another than the one that was told.
fn status(response: Node<'_>, ends: &Ends) -> Option<&'static str> {
    match text(response, "status") {
        Some("incomplete") if ends.cut_off.is_empty() && !ends.completed.is_empty() => {
            Some("completed")
        }
        Some("incomplete") => None,
        _ if !ends.cut_off.is_empty() => Some("incomplete"),
        _ => None,
    }
}

/// How much of an answer was written: several parts of text are one answer, which stands in the first.
#[derive(Debug, Default)]
struct Told {
    texts: usize,
    calls: usize,
}

fn rewrite_item(item: Node<'_>, parts: &[Part], told: &mut Told, splice: &mut Splice<'_>) {
    if is_call(item) {
        let json = call_json(parts, 0, told.calls);
        told.calls += 1;
        match (item.get("arguments"), json) {
            (Some(arguments), Some(json)) => splice.replace(arguments, quoted(json)),
            (Some(arguments), None) if arguments.str().is_none() => {
                splice.replace(arguments, quoted(&arguments.to_string()));
            }
            _ => {}
        }
    }
    for (_, part) in texts(item) {
        rewrite_text(part, parts, told, splice);
    }
}

fn rewrite_text(part: Node<'_>, parts: &[Part], told: &mut Told, splice: &mut Splice<'_>) {
    if let (Some(node), Some(json)) = (part.get("text"), content_json(parts, 0)) {
        splice.replace(node, quoted(if told.texts == 0 { json } else { "" }));
    }
    told.texts += 1;
}

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
    format!("event: error\ndata: {event}\n\n")
}

/// Which slot an event of a stream is about.
fn slot(root: Node<'_>, kind: Slot) -> (Slot, u32, u32) {
    let number = |key: &str| root.get(key).and_then(|number| number.number()?.parse().ok());
    (kind, number("output_index").unwrap_or(0), number("content_index").unwrap_or(0))
}

/// What an event of a stream says.
pub(crate) fn event(root: Node<'_>, typed: &mut Typed) -> Event {
    match text(root, "type").unwrap_or_default() {
        "response.output_text.delta" => {
            let (kind, item, part) = slot(root, Slot::Text);
            typed.add(kind, (item, part), text(root, "delta").unwrap_or_default());
            Event::Piece(Slot::Text)
        }
        "response.output_item.added" => {
            let Some(item) = root.get("item").filter(|item| is_call(*item)) else {
                return Event::Other;
            };
            let (kind, at, _) = slot(root, Slot::Call);
            typed.begin(kind, (at, 0), text(item, "name").unwrap_or_default());
            Event::Piece(Slot::Call)
        }
        "response.function_call_arguments.delta" => {
            let (kind, item, _) = slot(root, Slot::Call);
            typed.add(kind, (item, 0), text(root, "delta").unwrap_or_default());
            Event::Piece(Slot::Call)
        }
        "response.refusal.delta" => {
            typed.refuse(text(root, "delta").unwrap_or_default());
            Event::Other
        }
        "response.completed" | "response.incomplete" | "response.cancelled" => {
            if let Some(response) = root.get("response") {
                typed.finish_with(finish(response));
                typed.whole(written(response));
            }
            Event::End
        }
        "response.failed" => {
            let error = root.get("response").and_then(|response| response.get("error"));
            let message = error.and_then(|error| text(error, "message"));
            Event::Error(message.unwrap_or("the response failed").to_owned())
        }
        "error" => {
            let message = text(root, "message");
            Event::Error(message.unwrap_or("the upstream told of an error").to_owned())
        }
        _ => Event::Other,
    }
}

/// An event that waited, with what was made of the answer; nothing if it has nothing to say any more.
pub(crate) fn retold(data: &str, root: Node<'_>, retold: &mut Retold<'_>) -> Option<String> {
    let mut splice = Splice::new(data);
    let mut name = text(root, "type").unwrap_or_default().to_owned();
    match name.as_str() {
        "response.output_text.delta" => {
            let (kind, item, part) = slot(root, Slot::Text);
            if let Some(json) = retold.text(kind, (item, part)) {
                splice.replace(root.get("delta")?, quoted(json?));
            }
        }
        "response.function_call_arguments.delta" => {
            let (kind, item, _) = slot(root, Slot::Call);
            if let Some(json) = retold.text(kind, (item, 0)) {
                splice.replace(root.get("delta")?, quoted(json?));
            }
        }
        "response.output_text.done" => {
            let (kind, item, part) = slot(root, Slot::Text);
            if let (Some(node), Some(json)) = (root.get("text"), retold.whole(kind, (item, part))) {
                splice.replace(node, quoted(json));
            }
        }
        "response.content_part.done" => {
            let (kind, item, part) = slot(root, Slot::Text);
            let node = root.get("part").and_then(|part| part.get("text"));
            if let (Some(node), Some(json)) = (node, retold.whole(kind, (item, part))) {
                splice.replace(node, quoted(json));
            }
        }
        "response.function_call_arguments.done" => {
            let (kind, item, _) = slot(root, Slot::Call);
            if let (Some(node), Some(json)) = (root.get("arguments"), retold.whole(kind, (item, 0)))
            {
                splice.replace(node, quoted(json));
            }
        }
        "response.output_item.done" => retell_item(root, retold, &mut splice),
        "response.completed" | "response.incomplete" => {
            let response = root.get("response")?;
            if let Some(status) = status(response, retold.ends) {
                name = format!("response.{status}");
                splice.replace(root.get("type")?, quoted(&name));
            }
            rewrite_response(response, retold.parts, retold.ends, retold.report, &mut splice);
        }
        _ => {}
    }
    if let Some(number) = root.get("sequence_number") {
        let told = number.number().and_then(|number| number.parse().ok()).unwrap_or(0);
        splice.replace(number, retold.next_number(told).to_string());
    }
    let data = retold.with_usage(&splice.finish()).replace(['\r', '\n'], " ");
    Some(format!("event: {name}\ndata: {data}\n\n"))
}

fn retell_item(root: Node<'_>, retold: &Retold<'_>, splice: &mut Splice<'_>) {
    let Some(item) = root.get("item") else { return };
    let (_, at, _) = slot(root, Slot::Call);
    if let (Some(node), Some(json)) = (item.get("arguments"), retold.whole(Slot::Call, (at, 0))) {
        splice.replace(node, quoted(json));
    }
    for (number, part) in texts(item) {
        if let (Some(node), Some(json)) = (part.get("text"), retold.whole(Slot::Text, (at, number)))
        {
            splice.replace(node, quoted(json));
        }
    }
}
