//! Answers of Ollama.

use serde_json::{Value, json};

use super::object;
use crate::answer::Answer;
use crate::reply::Reply;

pub(super) fn whole(answer: &Answer, text: &str, finish: &Value) -> Value {
    let mut body = json!({"model": "scripted", "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text}, "done": !finish.is_null()});
    let calls: Vec<Value> = answer
        .calls
        .iter()
        .map(
            |(name, arguments)| json!({"function": {"name": name, "arguments": object(arguments)}}),
        )
        .collect();
    if !calls.is_empty() {
        body["message"]["tool_calls"] = json!(calls);
    }
    if !finish.is_null() {
        let (input, output) = answer.usage;
        body["done_reason"] = finish.clone();
        body["prompt_eval_count"] = json!(input);
        body["eval_count"] = json!(output);
    }
    body
}

pub(super) fn stream(answer: &Answer, finish: &Value) -> Reply {
    let mut reply = Reply::status(200).header("content-type", "application/x-ndjson");
    for piece in &answer.pieces {
        let line = whole(&Answer::default(), piece, &Value::Null);
        reply = reply.text(format!("{line}\n"));
    }
    reply.text(format!("{}\n", whole(answer, "", finish)))
}
