//! `/v1/responses`: the order of its events, its numbers, and its last event with all of it.

use llmend_model_server::{ModelServer, Reply, Turn};
use serde_json::{Value, json};

use crate::rig::{Got, Rig, rig, rig_with};

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
async fn valid_responses_pass_byte_for_byte() {
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
async fn a_truncated_text_is_incomplete_and_half_a_call_is_refused() {
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
async fn whole_responses_are_repaired_or_refused() {
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
async fn a_truncated_stream_ends_with_an_error() {
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
async fn a_refusal_within_a_stream_asks_clients_not_to_retry() {
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
async fn a_pending_response_passes_unchanged() {
    let bodies = ["queued", "in_progress", "cancelled"]
        .map(|status| response(status, &json!([])).to_string());
    let canceled = stream(&[
        json!({"type": "response.created", "response": response("in_progress", &json!([]))}),
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "{'ci"}),
        json!({"type": "response.cancelled", "response": response("cancelled", &json!([]))}),
    ]);
    let turns = bodies.iter().map(|body| Turn::from(Reply::json(200, body.clone())));
    let rig = rig(turns.chain([Reply::events(canceled.clone()).into()])).await;
    for body in &bodies {
        let got = ask(&rig, &wants_city(false)).await;
        assert_eq!((got.status, &got.body), (200, body));
    }
    assert_eq!(ask(&rig, &wants_city(true)).await.body, canceled);
}

/// A call that comes in its last event only.
fn done_stream(arguments: &str, item: &str, output: &Value) -> String {
    stream(&[
        json!({"type": "response.created", "response": response("in_progress", &json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": call("")}),
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": arguments}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": call(item)}),
        json!({"type": "response.completed", "response": response("completed", output)}),
    ])
}

#[tokio::test]
async fn content_in_the_last_event_only_is_inspected() {
    let (sound, broken, other) = ("{\"path\": \"x\"}", "{path: 'x'}", "{\"path\": \"y\"}");
    let all = json!([call(sound)]);
    let rig = rig([
        done_stream(sound, sound, &json!([])),
        done_stream(sound, sound, &all),
        // The item says nothing, and so says nothing else.
        done_stream(sound, "", &all),
        done_stream(broken, broken, &json!([])),
        done_stream(broken, "", &json!([call(broken)])),
        done_stream(sound, other, &json!([])),
        done_stream(sound, sound, &json!([call(other)])),
    ]
    .map(|body| Turn::from(Reply::events(body))))
    .await;
    for body in [
        done_stream(sound, sound, &json!([])),
        done_stream(sound, sound, &all),
        done_stream(sound, "", &all),
    ] {
        assert_eq!(ask(&rig, &offers_tool(true)).await.body, body);
    }
    for output in [json!([]), all] {
        let events = events(&ask(&rig, &offers_tool(true)).await);
        assert_eq!(types(&events).len(), 5);
        assert_eq!(events[2]["arguments"], sound);
        assert_eq!(events[3]["item"]["arguments"], sound);
        assert_eq!(events[4]["response"]["output"], output);
    }
    for _ in 0..2 {
        let got = ask(&rig, &offers_tool(true)).await.body;
        assert!(got.contains("contradict each other") && !got.contains("completed\""), "{got}");
    }
}

/// A response of two messages, of which the first is said to be on the way to the answer.
fn two_messages(first: &str, second: &str) -> Value {
    let (mut before, mut answer) = (message(first), message(second));
    before["phase"] = json!("commentary");
    answer["phase"] = json!("final_answer");
    json!([before, answer])
}

fn two_message_stream(first: &str, second: &str) -> String {
    let output = two_messages(first, second);
    let mut events = Vec::new();
    for (item, number) in output.as_array().unwrap().iter().zip(0..) {
        let mut begun = item.clone();
        begun["content"] = json!([]);
        let at = json!({"output_index": number, "content_index": 0});
        let with = |kind: &str, key: &str, value: &Value| {
            let mut event = at.clone();
            event["type"] = json!(kind);
            event[key] = value.clone();
            event
        };
        let part = &item["content"][0];
        events.extend([
            with("response.output_item.added", "item", &begun),
            with("response.output_text.delta", "delta", &part["text"]),
            with("response.output_text.done", "text", &part["text"]),
            with("response.output_item.done", "item", item),
        ]);
    }
    events.push(json!({"type": "response.completed", "response": response("completed", &output)}));
    stream(&events)
}

#[tokio::test]
async fn one_of_several_messages_is_repaired_and_the_others_stay() {
    let (sound, broken) = ("{\"city\": \"Oslo\"}", "{'city': 'Oslo'}");
    let words = "Is it {Oslo}?";
    let whole = |second: &str| response("completed", &two_messages(words, second)).to_string();
    let rig = rig([
        Reply::json(200, whole(sound)).into(),
        Reply::json(200, whole(broken)).into(),
        Reply::events(two_message_stream(words, sound)).into(),
        Reply::events(two_message_stream(words, broken)).into(),
    ])
    .await;
    for _ in 0..2 {
        let got: Value = ask(&rig, &wants_city(false)).await.json();
        assert_eq!(got["output"], two_messages(words, sound));
    }
    for _ in 0..2 {
        let got = ask(&rig, &wants_city(true)).await.body;
        assert_eq!(got, two_message_stream(words, sound));
    }
}

#[tokio::test]
async fn text_beside_a_custom_tool_call_is_no_answer() {
    let custom = json!({"id": "ctc", "type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "{'"});
    let output = json!([message("Let me see."), custom]);
    let whole = response("completed", &output).to_string();
    let pieces = stream(&[
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Let me see."}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": custom}),
        json!({"type": "response.custom_tool_call_input.delta", "output_index": 1, "delta": "{'"}),
        json!({"type": "response.completed", "response": response("completed", &output)}),
    ]);
    let rig =
        rig([Reply::json(200, whole.clone()).into(), Reply::events(pieces.clone()).into()]).await;
    assert_eq!(ask(&rig, &wants_city(false)).await.body, whole);
    assert_eq!(ask(&rig, &wants_city(true)).await.body, pieces);
}

#[tokio::test]
async fn a_retried_text_gets_a_new_message_if_there_is_none() {
    let sound = "{\"city\": \"Oslo\"}";
    let thought = json!({"id": "rs", "type": "reasoning", "summary": []});
    let nothing = response("completed", &json!([thought]));
    let again = response("completed", &json!([message(sound)])).to_string();
    let pieces = stream(&[
        json!({"type": "response.output_item.done", "output_index": 0, "item": thought}),
        json!({"type": "response.completed", "response": nothing}),
    ]);
    let upstream = ModelServer::scripted([
        Turn::from(Reply::json(200, nothing.to_string())),
        Reply::json(200, again.clone()).into(),
        Reply::events(pieces).into(),
        Reply::json(200, again).into(),
    ]);
    let rig = rig_with("[gateway.policy]\nreasks = 1", upstream).await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["output"][0], thought);
    assert_eq!(got["output"][1]["content"][0]["text"], sound);
    let events = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!(events[3]["delta"], sound);
    assert_eq!(events[3]["output_index"], 1);
    assert_eq!(events.last().unwrap()["response"]["output"], got["output"]);
    assert_eq!(events.last().unwrap()["response"]["usage"], got["usage"]);
}

fn whole(status: &str, output: &Value) -> Turn {
    Reply::json(200, response(status, output).to_string()).into()
}

#[tokio::test]
async fn events_after_the_end_are_refused() {
    let end =
        || json!({"type": "response.completed", "response": response("completed", &json!([]))});
    let added = json!({"type": "response.output_item.added", "output_index": 0, "item": call("")});
    let piece = json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{'path': 5"});
    let again = json!({"type": "response.completed", "response": response("completed", &json!([call("{'path': 5")]))});
    let aside = json!({"type": "response.never_heard_of"});
    let rig = rig([
        stream(&[end(), aside]),
        stream(&[end(), added]),
        stream(&[end(), piece]),
        stream(&[end(), again]),
    ]
    .map(|body| Turn::from(Reply::events(body))))
    .await;
    let got = ask(&rig, &offers_tool(true)).await;
    assert_eq!(types(&events(&got)), ["completed", "never_heard_of"]);
    for _ in 0..3 {
        let got = ask(&rig, &offers_tool(true)).await;
        assert!(got.body.contains("event: error") && !got.body.contains("'path'"), "{}", got.body);
    }
}

#[tokio::test]
async fn an_uninspected_half_call_is_not_reported_as_complete() {
    let custom = json!({"type": "custom_tool_call", "id": "z", "call_id": "zz", "name": "sh", "input": "rm -rf /home/me/tm"});
    let reasoning = json!({"type": "reasoning", "id": "rs", "summary": []});
    for behind in [custom, reasoning] {
        let output = json!([call("{\"town\": 5}"), behind]);
        let again = || whole("completed", &json!([message("{\"path\": \"x\"}")]));
        let pieces = stream(&[
            json!({"type": "response.output_item.done", "output_index": 0, "item": output[0]}),
            json!({"type": "response.output_item.added", "output_index": 1, "item": output[1]}),
            json!({"type": "response.incomplete", "response": response("incomplete", &json!([]))}),
        ]);
        let upstream = ModelServer::scripted([
            whole("incomplete", &output),
            again(),
            Reply::events(pieces).into(),
            again(),
        ]);
        let rig = rig_with("[gateway.policy]\nreasks = 1", upstream).await;
        let got = ask(&rig, &offers_tool(false)).await.json();
        assert_eq!(got["status"], "incomplete", "{got}");
        assert_eq!(got["incomplete_details"]["reason"], "max_output_tokens");
        assert_eq!(got["output"][0]["arguments"], "{\"path\": \"x\"}");
        let events = events(&ask(&rig, &offers_tool(true)).await);
        assert_eq!(events.last().unwrap()["type"], "response.incomplete");
    }
}

#[tokio::test]
async fn unknown_reasons_are_kept() {
    let mut first = response("incomplete", &json!([message("{\"days\": 3}")]));
    first["incomplete_details"]["reason"] = json!("compaction");
    let again = whole("completed", &json!([message("{\"city\": \"Oslo\"}")]));
    let upstream = ModelServer::scripted([Reply::json(200, first.to_string()).into(), again]);
    let rig = rig_with("[gateway.policy]\nreasks = 1", upstream).await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(
        (&got["status"], &got["incomplete_details"]),
        (&first["status"], &first["incomplete_details"])
    );
}

#[tokio::test]
async fn an_incomplete_item_is_truncated() {
    let unfinished = |mut item: Value| {
        item["status"] = json!("incomplete");
        json!([item])
    };
    let sound = unfinished(call("{\"path\": \"/tm\"}"));
    let pieces = stream(&[
        json!({"type": "response.output_item.added", "output_index": 0, "item": call("")}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"path\": \"/tm\"}"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": sound[0]}),
        json!({"type": "response.completed", "response": response("completed", &json!([]))}),
    ]);
    let object = json!({"path": "/tm"});
    let mut read = call("");
    read["arguments"] = object;
    let rig = rig([
        whole("completed", &sound),
        Reply::events(pieces).into(),
        // Read before it was cut off.
        whole("incomplete", &json!([read])),
        // Open, and complete as a whole.
        whole("completed", &unfinished(message("{\"city\": \"Oslo\""))),
        whole("completed", &json!([message("{\"city\": \"Oslo\"")])),
    ])
    .await;
    for is_stream in [false, true, false] {
        let got = ask(&rig, &offers_tool(is_stream)).await;
        assert!(got.body.contains("\"code\":\"truncated\""), "{}", got.body);
        assert_eq!(got.status, if is_stream { 200 } else { 422 });
    }
    for status in ["incomplete", "completed"] {
        let got = ask(&rig, &wants_city(false)).await.json();
        assert_eq!(got["status"], status, "{got}");
        assert_eq!(got["output"][0]["content"][0]["text"], "{\"city\": \"Oslo\"}");
    }
}

#[tokio::test]
async fn the_worst_reported_status_holds() {
    let details = json!({"reason": "max_output_tokens"});
    // (name of the last event, status, details, expected name or error)
    let rows = [
        ("completed", json!("completed"), Value::Null, Ok("completed")),
        ("completed", json!("in_progress"), Value::Null, Ok("completed")),
        ("completed", Value::Null, Value::Null, Ok("completed")),
        ("completed", json!("incomplete"), Value::Null, Ok("incomplete")),
        ("completed", json!("completed"), details.clone(), Ok("incomplete")),
        ("incomplete", json!("completed"), Value::Null, Ok("incomplete")),
        ("incomplete", json!("in_progress"), Value::Null, Ok("incomplete")),
        ("completed", json!("failed"), Value::Null, Err("contradicts its status")),
        ("incomplete", json!("cancelled"), Value::Null, Err("contradicts its status")),
    ];
    for (name, status, details, expected) in rows {
        let mut last = response("completed", &json!([message("{\"city\": \"Oslo\"")]));
        (last["status"], last["incomplete_details"]) = (status.clone(), details);
        let end = json!({"type": format!("response.{name}"), "response": last});
        let rig = rig([Reply::events(stream(&[end])).into()]).await;
        let got = ask(&rig, &wants_city(true)).await;
        let last = events(&got).pop().unwrap();
        match expected {
            Ok(expected) => {
                assert_eq!(last["type"], format!("response.{expected}"), "{name} {status}");
                let text = &last["response"]["output"][0]["content"][0]["text"];
                assert_eq!(text, "{\"city\": \"Oslo\"}");
            }
            Err(why) => assert!(last["message"].as_str().unwrap().contains(why), "{last}"),
        }
    }
    let mut failed = response("completed", &json!([message("{'city': 'Oslo'}")]));
    failed["error"] = json!({"code": "server_error", "message": "out of order"});
    let end = json!({"type": "response.completed", "response": failed});
    let whole = response("completed", &json!([message("{\"city\": \"Oslo\"")]));
    let mut contradicted = whole.clone();
    contradicted["incomplete_details"] = details;
    let rig = rig([
        Reply::events(stream(&[end])).into(),
        Reply::json(200, contradicted.to_string()).into(),
        Reply::json(200, whole.to_string()).into(),
    ])
    .await;
    let got = ask(&rig, &wants_city(true)).await;
    assert_eq!((types(&events(&got)), got.body.contains("out of order")), (vec!["error"], true));
    for status in ["incomplete", "completed"] {
        assert_eq!(ask(&rig, &wants_city(false)).await.json()["status"], status);
    }
}

#[tokio::test]
async fn texts_of_other_items_are_not_the_answer() {
    let draft = json!({"type": "reasoning", "id": "rs", "content": [{"type": "text", "text": "{\"city\": \"Rome\"}"}]});
    let part = json!({"type": "text", "text": "{\"city\": \"Rome\"}"});
    let (broken, sound) = (message("{'city': 'Oslo'}"), message("{\"city\": \"Oslo\"}"));
    let item = |name: &str, at: u32, item: &Value| json!({"type": format!("response.output_item.{name}"), "output_index": at, "item": item});
    let all = json!([draft, broken]);
    let sent = stream(&[
        item("added", 0, &json!({"type": "reasoning", "id": "rs", "content": []})),
        json!({"type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": part}),
        item("done", 0, &draft),
        item("done", 1, &broken),
        json!({"type": "response.completed", "response": response("completed", &all)}),
    ]);
    // Two items under one number: the last of them counts.
    let collided = stream(&[
        item("added", 0, &draft),
        item("done", 0, &broken),
        json!({"type": "response.completed", "response": response("completed", &json!([]))}),
    ]);
    let rig = rig([
        whole("completed", &all),
        Reply::events(sent).into(),
        Reply::events(collided).into(),
        whole("completed", &json!([sound, broken])),
    ])
    .await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["output"], json!([draft, sound]));
    let got = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!((&got[1]["part"], &got[2]["item"], &got[3]["item"]), (&part, &draft, &sound));
    assert_eq!(got[4]["response"]["output"], json!([draft, sound]));
    let got = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!((&got[0]["item"], &got[1]["item"]), (&draft, &sound));
    // Of two messages a sound draft is not the answer.
    assert_eq!(ask(&rig, &wants_city(false)).await.json()["output"], json!([sound, sound]));
}

#[tokio::test]
async fn output_text_equals_the_text() {
    let with_copy = |text: &str, copy: &str| {
        let mut whole = response("completed", &json!([message("So:"), message(text)]));
        whole["output_text"] = json!(copy);
        whole
    };
    let pieces = |response: Value| {
        Turn::from(Reply::events(stream(&[
            json!({"type": "response.completed", "response": response}),
        ])))
    };
    let (broken, sound) = ("{'city': 'Oslo'}", "{\"city\": \"Oslo\"}");
    let both = "So:{\"city\": \"Oslo\"}";
    let sent = [
        with_copy(broken, "So:{'city': 'Oslo'}"),
        with_copy(sound, "{'city': 5}"),
        with_copy(sound, both),
    ];
    let turns = sent
        .iter()
        .flat_map(|item| [Reply::json(200, item.to_string()).into(), pieces(item.clone())]);
    let rig = rig(turns).await;
    for _ in 0..3 {
        let got = ask(&rig, &wants_city(false)).await.json();
        assert_eq!(got, with_copy(sound, both));
        let events = events(&ask(&rig, &wants_city(true)).await);
        assert_eq!(events[0]["response"], got);
    }
}

#[tokio::test]
async fn variants_of_other_servers_are_inspected() {
    let (broken, sound) = ("{'city': 'Oslo'}", "{\"city\": \"Oslo\"}");
    let of_part = |text: &str| json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}]});
    let of_words = |text: &str| json!({"type": "message", "role": "assistant", "content": text});
    let untyped = json!({"call_id": "call_1", "name": "run", "arguments": "{path: 'x'}"});
    let rig = rig([
        whole("completed", &json!([of_part(broken)])),
        whole("completed", &json!([of_words(broken)])),
        whole("completed", &json!([untyped])),
        whole("completed", &json!([of_words("Sorry.")])),
    ])
    .await;
    for expected in [of_part(sound), of_words(sound)] {
        let got = ask(&rig, &wants_city(false)).await.json();
        assert_eq!(got["output"], json!([expected]));
    }
    let got = ask(&rig, &offers_tool(false)).await.json();
    assert_eq!(got["output"][0]["arguments"], "{\"path\": \"x\"}");
    assert_eq!(ask(&rig, &wants_city(false)).await.status, 422);
}

#[tokio::test]
async fn items_without_an_index_are_distinguished_by_id() {
    let named = |name: &str, arguments: &str| {
        let mut item = call(arguments);
        item["id"] = json!(name);
        item
    };
    let (broken, sound) = ("{path: 'x'}", "{\"path\": \"x\"}");
    let piece = |name: &str, words: &str| json!({"type": "response.function_call_arguments.delta", "item_id": name, "delta": words});
    let events_of = |name: &str| {
        [
            json!({"type": "response.output_item.added", "item": named(name, "")}),
            piece(name, &broken[..4]),
            piece(name, &broken[4..]),
            json!({"type": "response.output_item.done", "item": named(name, broken)}),
        ]
    };
    let output = |text: &str| json!([named("a", text), named("b", text)]);
    let end =
        json!({"type": "response.completed", "response": response("completed", &output(broken))});
    let [first, second] = [events_of("a"), events_of("b")];
    let rig =
        rig([Reply::events(stream(&[&first[..], &second[..], &[end]].concat())).into()]).await;
    let events = events(&ask(&rig, &offers_tool(true)).await);
    for (at, name) in [(1, "a"), (4, "b")] {
        assert_eq!((&events[at]["item_id"], &events[at]["delta"]), (&json!(name), &json!(sound)));
        assert_eq!(events[at + 1]["item"]["arguments"], sound);
    }
    assert_eq!(events.last().unwrap()["response"]["output"], output(sound));
}

#[tokio::test]
async fn events_have_to_agree_to_the_last_digit() {
    let (one, other) =
        ("{\"path\": 12345678901234567890123}", "{\"path\": 12345678901234567890124}");
    let mut events =
        vec![json!({"type": "response.output_item.added", "output_index": 0, "item": call("")})];
    events.push(
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": one}),
    );
    events
        .push(json!({"type": "response.output_item.done", "output_index": 0, "item": call(other)}));
    events
        .push(json!({"type": "response.completed", "response": response("completed", &json!([]))}));
    let rig = rig([Reply::events(stream(&events)).into()]).await;
    let got = ask(&rig, &offers_tool(true)).await;
    assert!(got.body.contains("contradict each other"), "{}", got.body);
}

#[tokio::test]
async fn the_answer_to_a_retry_may_be_a_stream() {
    let again = text_stream(&["{\"city\":", " \"Oslo\"}"], "completed");
    let turns = [whole("completed", &json!([message("Sorry.")])), Reply::events(again).into()];
    let rig = rig_with("[gateway.policy]\nreasks = 1", ModelServer::scripted(turns)).await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["output"][0]["content"][0]["text"], "{\"city\": \"Oslo\"}");
}

#[tokio::test]
async fn a_whole_response_is_delivered_as_the_requested_stream() {
    let thought = json!({"type": "reasoning", "id": "rs", "summary": []});
    let mut read = call("");
    read["arguments"] = json!({"path": 5});
    let rig = rig([
        whole("completed", &json!([thought, message("{'city': 'Oslo'}")])),
        whole("completed", &json!([call("{path: 'x'}")])),
        whole("completed", &json!([read])),
        whole("incomplete", &json!([read])),
        whole("queued", &json!([])),
    ])
    .await;
    let got = ask(&rig, &wants_city(true)).await;
    assert_eq!(got.header("content-type"), Some("text/event-stream"));
    let received = events(&got);
    let order = [
        "created",
        "output_item.added",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(types(&received), order);
    let created = &received[0]["response"];
    assert_eq!(
        (&created["status"], &created["output"], &created["usage"]),
        (&json!("in_progress"), &json!([]), &Value::Null)
    );
    assert_eq!((&received[1]["item"], &received[3]["item"]["content"]), (&thought, &json!([])));
    assert_eq!(
        (&received[5]["delta"], &received[5]["item_id"]),
        (&json!("{\"city\": \"Oslo\"}"), &json!("msg"))
    );
    assert_eq!(received[9]["response"]["output"][1], message("{\"city\": \"Oslo\"}"));

    let received = events(&ask(&rig, &offers_tool(true)).await);
    assert_eq!(
        types(&received)[1..4],
        ["output_item.added", "function_call_arguments.delta", "function_call_arguments.done"]
    );
    assert_eq!(received[2]["delta"], "{\"path\": \"x\"}");
    let received = events(&ask(&rig, &offers_tool(true)).await);
    assert_eq!(received[2]["delta"], "{\"path\":\"5\"}");
    assert_eq!(received[4]["item"]["arguments"], "{\"path\":\"5\"}");
    // What was read before it was cut off is so in its events, too.
    let got = ask(&rig, &offers_tool(true)).await.body;
    assert!(got.contains("was cut off") && !got.contains("output_item"), "{got}");
    // Its events are still to come.
    assert_eq!(ask(&rig, &wants_city(true)).await.status, 502);
}
