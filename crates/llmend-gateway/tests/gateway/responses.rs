//! `/v1/responses`: the order of its events, its numbers, and its last event with all of it.

use llmend_model_server::{Reply, Turn};
use serde_json::{Value, json};

use crate::rig::{Got, Rig, rig};

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
fn stream(events: &[Value]) -> String {
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

#[tokio::test]
async fn a_text_is_repaired_in_all_of_its_events() {
    let rig = rig([Reply::events(text_stream(
        &["```json\n{'ci", "ty': 'Oslo', 'days': ", "'3'}\n```"],
        "completed",
    ))
    .into()])
    .await;
    let got = ask(&rig, &wants_city(true)).await;
    let events = events(&got);
    let order = [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(types(&events), order);
    let text = "{\"city\": \"Oslo\", \"days\": 3}";
    assert_eq!(events[4]["delta"], text);
    assert_eq!(events[5]["text"], text);
    assert_eq!(events[6]["part"]["text"], text);
    assert_eq!(events[7]["item"]["content"][0]["text"], text);
    assert_eq!(events[8]["response"]["output"][0]["content"][0]["text"], text);
    assert!(!got.body.contains("[DONE]"));
}

#[tokio::test]
async fn arguments_are_repaired_in_all_of_their_events() {
    let rig = rig([Reply::events(call_stream("{path: 'x'}")).into()]).await;
    let events = events(&ask(&rig, &offers_tool(true)).await);
    let order = [
        "created",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(types(&events), order);
    let arguments = "{\"path\": \"x\"}";
    assert_eq!(events[2]["delta"], arguments);
    assert_eq!(events[3]["arguments"], arguments);
    assert_eq!(events[4]["item"]["arguments"], arguments);
    assert_eq!(events[5]["response"]["output"][0]["arguments"], arguments);
}

#[tokio::test]
async fn what_is_sound_passes_byte_for_byte() {
    let text = text_stream(&["{\"city\":", "\"Oslo\"}"], "completed");
    let call = call_stream("{\"path\": \"x\"}");
    let rig =
        rig([text.clone(), call.clone(), text.clone()].map(|body| Turn::from(Reply::events(body))))
            .await;
    assert_eq!(ask(&rig, &wants_city(true)).await.body, text);
    assert_eq!(ask(&rig, &offers_tool(true)).await.body, call);
    let words = json!({"model": "m", "stream": true, "input": "Hello."});
    assert_eq!(ask(&rig, &words).await.body, text);
}

#[tokio::test]
async fn what_is_cut_off_is_incomplete_and_half_a_call_is_refused() {
    let rig = rig([
        Reply::events(text_stream(&["{\"city\": \"Osl"], "incomplete")).into(),
        // Cut off inside of a word, whatever the provider says.
        Reply::events(text_stream(&["{\"city\": \"Osl"], "completed")).into(),
        Reply::events(call_stream("{\"path\": \"x")).into(),
    ])
    .await;
    for _ in 0..2 {
        let events = events(&ask(&rig, &wants_city(true)).await);
        let last = events.last().unwrap();
        assert_eq!(last["type"], "response.incomplete");
        assert_eq!(last["response"]["status"], "incomplete");
        assert_eq!(last["response"]["incomplete_details"]["reason"], "max_output_tokens");
        assert_eq!(last["response"]["output"][0]["content"][0]["text"], "{\"city\": \"Osl\"}");
    }
    let got = ask(&rig, &offers_tool(true)).await;
    assert!(
        got.body.contains("\"code\":\"truncated\"") && !got.body.contains("completed\""),
        "{}",
        got.body
    );
}

#[tokio::test]
async fn a_whole_response_is_repaired_and_refused_as_a_completion_is() {
    let whole =
        |output: Value| Turn::from(Reply::json(200, response("completed", &output).to_string()));
    let rig = rig([
        whole(json!([message("{'city': 'Oslo'}")])),
        whole(json!([call("{path: 'x'}")])),
        whole(json!([message("Sorry.")])),
        Reply::json(200, "{\"error\": {\"message\": \"no\"}}").into(),
    ])
    .await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["output"][0]["content"][0]["text"], "{\"city\": \"Oslo\"}");
    let got = ask(&rig, &offers_tool(false)).await.json();
    assert_eq!(got["output"][0]["arguments"], "{\"path\": \"x\"}");
    let got = ask(&rig, &wants_city(false)).await;
    assert_eq!((got.status, &got.json()["error"]["param"]), (422, &json!("output_text")));
    assert_eq!(ask(&rig, &wants_city(false)).await.status, 502);
}

#[tokio::test]
async fn a_stream_that_is_cut_anywhere_ends_with_an_error() {
    let whole = text_stream(&["{\"city\":\"Oslo\"}"], "completed");
    let cuts: Vec<usize> = (0..whole.trim_end().len()).step_by(97).collect();
    let rig = rig(cuts.iter().map(|&at| Turn::from(Reply::events(&whole[..at])))).await;
    for at in cuts {
        let got = ask(&rig, &wants_city(true)).await;
        assert!(got.body.contains("event: error\ndata: {"), "{at}: {}", got.body);
        assert!(!got.body.contains("response.completed"), "{at}");
    }
}

#[tokio::test]
async fn the_history_is_repaired() {
    let rig = rig([Reply::json(200, response("completed", &json!([])).to_string()).into()]).await;
    let mut request = offers_tool(false);
    request["input"] = json!([call("{path: 'x'}"), {"type": "function_call_output", "call_id": "call_1", "output": "{'y'}"}]);
    ask(&rig, &request).await;
    let seen = rig.seen().json();
    assert_eq!(seen["input"][0]["arguments"], "{\"path\": \"x\"}");
    assert_eq!(seen["input"][1]["output"], "{'y'}");
}

#[tokio::test]
async fn a_refusal_within_a_stream_says_that_it_is_no_use_to_ask_again() {
    let stream = text_stream(&["I would rather not."], "completed");
    let rig = rig([Reply::events(stream).into()]).await;
    let got = ask(&rig, &wants_city(true)).await;
    let data = got.body.split("event: error\ndata: ").nth(1).unwrap();
    let error: Value = serde_json::from_str(data).unwrap();
    assert_eq!((&error["type"], &error["code"]), (&json!("error"), &json!("extract/no-json")));
    // A status in place of a code: text, which the schemas of clients demand.
    assert_eq!(error["error"]["code"], "422");
    assert_eq!(error["message"], error["error"]["message"]);
}

#[tokio::test]
async fn a_response_that_is_not_there_yet_passes_as_it_came() {
    let bodies = ["queued", "in_progress", "cancelled"]
        .map(|status| response(status, &json!([])).to_string());
    let cancelled = stream(&[
        json!({"type": "response.created", "response": response("in_progress", &json!([]))}),
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "{'ci"}),
        json!({"type": "response.cancelled", "response": response("cancelled", &json!([]))}),
    ]);
    let turns = bodies.iter().map(|body| Turn::from(Reply::json(200, body.clone())));
    let rig = rig(turns.chain([Reply::events(cancelled.clone()).into()])).await;
    for body in &bodies {
        let got = ask(&rig, &wants_city(false)).await;
        assert_eq!((got.status, &got.body), (200, body));
    }
    assert_eq!(ask(&rig, &wants_city(true)).await.body, cancelled);
}
