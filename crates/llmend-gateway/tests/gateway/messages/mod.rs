//! `/v1/messages`: the order of its events, its blocks, and its own words for everything.

mod ends;
mod repaired;

use llmend_model_server::{Reply, Turn};
use serde_json::{Value, json};

use crate::rig::{Got, Rig};

const PATH: &str = "/v1/messages";

fn wants_city(stream: bool) -> Value {
    json!({"model": "m", "stream": stream, "max_tokens": 9, "messages": [{"role": "user", "content": "A city?"}],
        "output_format": {"type": "json_schema", "schema": {"type": "object", "properties":
        {"city": {"type": "string"}}, "required": ["city"]}}})
}

fn offers_tool(stream: bool) -> Value {
    json!({"model": "m", "stream": stream, "max_tokens": 9, "messages": [{"role": "user", "content": "Run it."}],
        "tools": [{"name": "run", "input_schema": {"type": "object", "properties":
        {"path": {"type": "string"}, "times": {"type": "integer"}}}}]})
}

async fn ask(rig: &Rig, body: &Value) -> Got {
    rig.ask("POST", PATH, "anthropic-version: 2023-06-01\r\n", &body.to_string()).await
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap())
}

/// A stream of a message with these blocks: what each begins with, and its pieces.
fn stream(blocks: &[(Value, &str, &[&str])], stop: &str) -> String {
    let mut body = event(
        &json!({"type": "message_start", "message": {"id": "msg_1", "type": "message",
        "role": "assistant", "model": "m", "content": [], "stop_reason": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}),
    );
    for ((block, key, pieces), index) in blocks.iter().zip(0..) {
        body +=
            &event(&json!({"type": "content_block_start", "index": index, "content_block": block}));
        body += &event(&json!({"type": "ping"}));
        for piece in *pieces {
            let kind = if *key == "text" { "text_delta" } else { "input_json_delta" };
            let mut delta = json!({"type": kind});
            delta[*key] = json!(piece);
            body += &event(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        body += &event(&json!({"type": "content_block_stop", "index": index}));
    }
    body += &event(
        &json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 7}}),
    );
    body + &event(&json!({"type": "message_stop"}))
}

fn text() -> Value {
    json!({"type": "text", "text": ""})
}

fn tool() -> Value {
    json!({"type": "tool_use", "id": "toolu_1", "name": "run", "input": {}})
}

fn events(got: &Got) -> Vec<Value> {
    let events = got.body.split("\n\n").filter_map(|event| event.split_once("\ndata: "));
    events
        .map(|(_, data)| serde_json::from_str(data).unwrap())
        .filter(|event: &Value| event["type"] != "ping")
        .collect()
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

/// A whole message.
fn whole(content: &Value, stop: &str) -> Turn {
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": content, "stop_reason": stop, "usage": {"input_tokens": 1, "output_tokens": 7}});
    Reply::json(200, message.to_string()).into()
}

fn called(input: &Value) -> Value {
    json!({"type": "tool_use", "id": "toolu_1", "name": "run", "input": input})
}
