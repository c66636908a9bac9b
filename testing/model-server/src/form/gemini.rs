//! Answers of Gemini.

use serde_json::{Value, json};

use super::object;
use crate::answer::Answer;
use crate::reply::Reply;

pub(super) fn whole(answer: &Answer, text: &str, finish: &Value) -> Value {
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(json!({"text": text}));
    }
    parts.extend(answer.calls.iter().map(
        |(name, arguments)| json!({"functionCall": {"name": name, "args": object(arguments)}}),
    ));
    let mut body = json!({"modelVersion": "scripted", "responseId": "r1",
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]});
    if !finish.is_null() {
        let (input, output) = answer.usage;
        body["candidates"][0]["finishReason"] = finish.clone();
        body["usageMetadata"] = json!({"promptTokenCount": input, "candidatesTokenCount": output});
    }
    body
}

pub(super) fn stream(answer: &Answer, finish: &Value) -> Reply {
    let mut reply = Reply::events("");
    for piece in &answer.pieces {
        let event = whole(&Answer::default(), piece, &Value::Null);
        reply = reply.text(format!("data: {event}\n\n"));
    }
    reply.text(format!("data: {}\n\n", whole(answer, "", finish)))
}
