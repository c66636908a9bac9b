//! What is done to a message? (Anthropic, `/v1/messages`.)
//!
//! Its content is a list of blocks: texts, and uses of tools whose input is an object. A stream tells of
//! each block as it begins, grows and ends, its input as pieces of JSON.

use llmend::json::Node;
use llmend_models::sse::FinishReason;

use crate::decide::{Part, call_json, content_json};
use crate::request::{Wanted, WantedContent};
use crate::settle::{Ends, Finish, Written};
use crate::splice::{Splice, quoted, text};
use crate::typed::{Event, Retold, Slot, Typed};

/// What a request wants. Its earlier calls are objects, and so need no repair.
pub(crate) fn wanted(root: Node<'_>) -> Wanted<'_> {
    let config = root.get("output_config").and_then(|config| config.get("format"));
    let format = config.or_else(|| root.get("output_format"));
    let schema = format.filter(|format| text(*format, "type") == Some("json_schema"));
    let schema = schema.and_then(|format| format.get("schema"));
    let tools = root.get("tools").map(Node::items).into_iter().flatten();
    Wanted {
        content: schema.map_or(WantedContent::Words, WantedContent::Schema),
        // A tool of the provider's own has no schema, and its input is none of ours.
        tools: tools
            .filter(|tool| tool.get("input_schema").is_some())
            .filter_map(|tool| Some((text(tool, "name")?, tool.get("input_schema"))))
            .collect(),
        ..Wanted::default()
    }
}

fn blocks(message: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    message.get("content").map(Node::items).into_iter().flatten()
}

/// What a whole message says.
pub(crate) fn written(message: Node<'_>) -> Written {
    let mut written = Written { finish: finish(message), ..Written::default() };
    for block in blocks(message) {
        match text(block, "type") {
            Some("text") => written.content.push_str(text(block, "text").unwrap_or_default()),
            Some("tool_use") => {
                let input = block.get("input").map(as_text).unwrap_or_default();
                written.calls.push((text(block, "name").unwrap_or_default().to_owned(), input));
            }
            _ => {}
        }
    }
    written
}

/// The input as text, also where a server that imitates the form sends text.
fn as_text(node: Node<'_>) -> String {
    node.str().map_or_else(|| node.to_string(), str::to_owned)
}

fn finish(holder: Node<'_>) -> Option<Finish> {
    let word = text(holder, "stop_reason")?;
    Some(Finish { reason: FinishReason::from_word(word), word: word.to_owned() })
}

/// The word for why a message ends, if it has to be another than the one that was told.
fn stop_reason(told: &str, has_calls: HasCalls, ends: &Ends) -> Option<&'static str> {
    let reason = FinishReason::from_word(told);
    match (reason, has_calls) {
        (FinishReason::Length, _) if !ends.cut_off.is_empty() => None,
        (FinishReason::Length, HasCalls::Yes) if !ends.completed.is_empty() => Some("tool_use"),
        (FinishReason::Length, HasCalls::No) if !ends.completed.is_empty() => Some("end_turn"),
        (FinishReason::Length, _) => None,
        _ if !ends.cut_off.is_empty() => Some("max_tokens"),
        (FinishReason::Stop, HasCalls::Yes) => Some("tool_use"),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HasCalls {
    Yes,
    No,
}

impl HasCalls {
    const fn of(calls: usize) -> Self {
        if calls > 0 { Self::Yes } else { Self::No }
    }
}

/// A whole message with what was made of its parts.
pub(crate) fn rewritten(
    body: &str,
    message: Node<'_>,
    parts: &[Part],
    ends: &Ends,
    report: Option<&serde_json::Value>,
) -> String {
    let mut splice = Splice::new(body);
    let (mut texts, mut calls) = (0, 0);
    for block in blocks(message) {
        match text(block, "type") {
            Some("text") => {
                if let (Some(node), Some(json)) = (block.get("text"), content_json(parts, 0)) {
                    // Several blocks of text are one answer, which stands in the first.
                    splice.replace(node, quoted(if texts == 0 { json } else { "" }));
                }
                texts += 1;
            }
            Some("tool_use") => {
                let json = call_json(parts, 0, calls);
                calls += 1;
                match (block.get("input"), json) {
                    (Some(input), Some(json)) => splice.replace(input, json),
                    // Text that is JSON, where an object has to stand.
                    (Some(input), None) if input.str().is_some() => {
                        splice.replace(input, as_text(input));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    if let Some(told) = message.get("stop_reason") {
        let word = stop_reason(told.str().unwrap_or_default(), HasCalls::of(calls), ends);
        if let Some(word) = word {
            splice.replace(told, quoted(word));
        }
    }
    if let Some(report) = report {
        splice.members(message, &[], &[("llmend", report.to_string())]);
    }
    splice.finish().into_owned()
}

fn index(root: Node<'_>) -> u32 {
    root.get("index").and_then(|index| index.number()?.parse().ok()).unwrap_or(0)
}

/// What an event of a stream says.
pub(crate) fn event(root: Node<'_>, typed: &mut Typed) -> Event {
    match text(root, "type").unwrap_or_default() {
        "content_block_start" => {
            let Some(block) = root.get("content_block") else { return Event::Other };
            match text(block, "type") {
                Some("tool_use") => {
                    let at = (index(root), 0);
                    typed.begin(Slot::Call, at, text(block, "name").unwrap_or_default());
                    if let Some(input) = block.get("input").filter(|input| !input.is_empty()) {
                        typed.begin_with(at, as_text(input));
                    }
                    Event::Piece(Slot::Call)
                }
                Some("text") => {
                    typed.begin(Slot::Text, (index(root), 0), "");
                    typed.add(
                        Slot::Text,
                        (index(root), 0),
                        text(block, "text").unwrap_or_default(),
                    );
                    Event::Piece(Slot::Text)
                }
                _ => Event::Other,
            }
        }
        "content_block_delta" => {
            let Some(delta) = root.get("delta") else { return Event::Other };
            match text(delta, "type") {
                Some("text_delta") => {
                    typed.add(
                        Slot::Text,
                        (index(root), 0),
                        text(delta, "text").unwrap_or_default(),
                    );
                    Event::Piece(Slot::Text)
                }
                Some("input_json_delta") => {
                    let piece = text(delta, "partial_json").unwrap_or_default();
                    typed.add(Slot::Call, (index(root), 0), piece);
                    Event::Piece(Slot::Call)
                }
                _ => Event::Other,
            }
        }
        "message_delta" => match root.get("delta").and_then(finish) {
            Some(finish) => {
                typed.finish_with(Some(finish));
                typed.name_empty("{}");
                Event::End
            }
            None => Event::Other,
        },
        "error" => {
            let error = root.get("error").and_then(|error| text(error, "message"));
            Event::Error(error.unwrap_or("the upstream told of an error").to_owned())
        }
        "ping" => Event::Aside,
        _ => Event::Other,
    }
}

/// An event that waited, with what was made of the answer; nothing if it has nothing to say any more.
pub(crate) fn retold(data: &str, root: Node<'_>, retold: &mut Retold<'_>) -> Option<String> {
    let name = text(root, "type").unwrap_or_default().to_owned();
    let at = (index(root), 0);
    let mut splice = Splice::new(data);
    let mut before = String::new();
    match name.as_str() {
        "content_block_start" => retell_start(root, at, retold, &mut splice),
        "content_block_delta" => {
            let delta = root.get("delta")?;
            let (kind, key) = match text(delta, "type") {
                Some("text_delta") => (Slot::Text, "text"),
                Some("input_json_delta") => (Slot::Call, "partial_json"),
                _ => return Some(event_of(&name, data)),
            };
            if let Some(json) = retold.text(kind, at) {
                splice.replace(delta.get(key)?, quoted(json?));
            }
        }
        // A block that had no piece at all, and has something to say now.
        "content_block_stop" => {
            for (kind, of, key) in [
                (Slot::Text, "text_delta", "text"),
                (Slot::Call, "input_json_delta", "partial_json"),
            ] {
                if let Some(Some(json)) = retold.text(kind, at) {
                    let delta = serde_json::json!({"type": "content_block_delta", "index": at.0,
                        "delta": {"type": of, key: json}});
                    before = event_of("content_block_delta", &delta.to_string());
                }
            }
        }
        "message_delta" => {
            let told = root.get("delta").and_then(|delta| delta.get("stop_reason"));
            let calls = HasCalls::of(retold.calls());
            if let Some(told) = told
                && let Some(word) = stop_reason(told.str().unwrap_or_default(), calls, retold.ends)
            {
                splice.replace(told, quoted(word));
            }
            if let Some(report) = retold.report {
                splice.members(root, &[], &[("llmend", report.to_string())]);
            }
        }
        _ => {}
    }
    let data = retold.with_usage(&splice.finish());
    Some(before + &event_of(&name, &data))
}

/// What a block begins with is part of what was judged, and so it goes where that is told anew.
fn retell_start(root: Node<'_>, at: (u32, u32), retold: &Retold<'_>, splice: &mut Splice<'_>) {
    let block = root.get("content_block");
    for (kind, key, nothing) in [(Slot::Text, "text", "\"\""), (Slot::Call, "input", "{}")] {
        let node = block.and_then(|block| block.get(key));
        if let (Some(node), Some(_)) = (node, retold.whole(kind, at)) {
            splice.replace(node, nothing);
        }
    }
}

fn event_of(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {}\n\n", data.replace(['\r', '\n'], " "))
}
