//! `/v1/responses`: the order of its events, its numbers, and its last event with all of it.

mod ends;
mod items;
mod repaired;

use llmend_model_server::{Reply, Turn};
use serde_json::{Value, json};

use crate::rig::{Got, Rig};

const PATH: &str = "/v1/responses";

fn wants_city(stream: bool) -> Value {
    json!({"model": "m", "stream": stream, "input": "A city?", "text": {"format": {"type": "json_schema",
        "name": "city", "schema": {"type": "object", "properties": {"city": {"type": "string"},
        "days": {"type": "integer"}}, "required": ["city"]}}}})
}

fn offers_tool(stream: bool) -> Value {
    json!({"model": "m", "stream": stream, "input": "Run it.", "tools": [{"type": "function", "name": "run",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}]})
}

async fn ask(rig: &Rig, body: &Value) -> Got {
    rig.ask("POST", PATH, "", &body.to_string()).await
}

pub(crate) fn message(text: &str) -> Value {
    json!({"id": "msg", "type": "message", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn call(arguments: &str) -> Value {
    json!({"id": "fc", "type": "function_call", "call_id": "call_1", "name": "run", "arguments": arguments,
        "status": "completed"})
}

pub(crate) fn response(status: &str, output: &Value) -> Value {
    let details =
        if status == "incomplete" { json!({"reason": "max_output_tokens"}) } else { Value::Null };
    json!({"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": status,
        "incomplete_details": details, "output": output, "usage": {"input_tokens": 1, "output_tokens": 2}})
}

/// The events of a response, numbered.
pub(crate) fn stream(events: &[Value]) -> String {
    let numbered = events.iter().zip(0..).map(|(event, number)| {
        let mut event = event.clone();
        event["sequence_number"] = json!(number);
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
    });
    numbered.collect::<Vec<_>>().concat()
}

pub(crate) fn text_stream(pieces: &[&str], status: &str) -> String {
    let text = pieces.concat();
    let at = |kind: &str, mut event: Value| {
        event["type"] = json!(kind);
        event["output_index"] = json!(0);
        event["content_index"] = json!(0);
        event["item_id"] = json!("msg");
        event
    };
    let mut events = vec![
        json!({"type": "response.created", "response": response("in_progress", &json!([]))}),
        json!({"type": "response.in_progress", "response": response("in_progress", &json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"id": "msg", "type": "message", "content": []}}),
        at("response.content_part.added", json!({"part": {"type": "output_text", "text": ""}})),
    ];
    events.extend(
        pieces.iter().map(|piece| at("response.output_text.delta", json!({"delta": piece}))),
    );
    events.extend([
        at("response.output_text.done", json!({"text": text})),
        at("response.content_part.done", json!({"part": {"type": "output_text", "text": text}})),
        json!({"type": "response.output_item.done", "output_index": 0, "item": message(&text)}),
        json!({"type": format!("response.{status}"), "response": response(status, &json!([message(&text)]))}),
    ]);
    stream(&events)
}

fn call_stream(arguments: &str) -> String {
    stream(&[
        json!({"type": "response.created", "response": response("in_progress", &json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": call("")}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": &arguments[..4]}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": &arguments[4..]}),
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": arguments}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": call(arguments)}),
        json!({"type": "response.completed", "response": response("completed", &json!([call(arguments)]))}),
    ])
}

/// The events that came, which have to be named and numbered without a gap.
fn events(got: &Got) -> Vec<Value> {
    let mut found = Vec::new();
    for event in got.body.split("\n\n").filter(|event| !event.is_empty()) {
        let (name, data) = event.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(name.strip_prefix("event: "), data["type"].as_str(), "{event}");
        assert_eq!(data["sequence_number"], found.len(), "{event}");
        found.push(data);
    }
    found
}

fn types(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap().trim_start_matches("response."))
        .collect()
}

fn whole(status: &str, output: &Value) -> Turn {
    Reply::json(200, response(status, output).to_string()).into()
}
