//! `/v1/messages`: the order of its events, its blocks, and its own words for everything.

use llmend_model_server::{Answer, Form, Reply, Turn};
use serde_json::{Value, json};

use crate::rig::{Got, Rig, rig};

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

#[tokio::test]
async fn a_use_of_a_tool_is_repaired_in_its_place() {
    let body = stream(
        &[
            (text(), "text", &["Let me ", "see."]),
            (tool(), "partial_json", &["{path: 'x'", ", 'times': '2'}"]),
        ],
        "tool_use",
    );
    let rig = rig([Reply::events(body).into()]).await;
    let got = ask(&rig, &offers_tool(true)).await;
    let events = events(&got);
    let order = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(types(&events), order);
    assert_eq!(events[2]["delta"]["text"], "Let me ");
    assert_eq!(events[6]["delta"]["partial_json"], "{\"path\": \"x\", \"times\": 2}");
    assert_eq!(events[6]["index"], 1);
    // Pings are legal here, and pass at once.
    assert_eq!(got.body.matches("event: ping").count(), 2);
}

#[tokio::test]
async fn a_text_is_repaired_where_a_schema_is_wanted() {
    let broken = stream(&[(text(), "text", &["```\n{'city': ", "'Oslo'}\n```"])], "end_turn");
    let rig =
        rig([Reply::events(broken).into(), Reply::events(stream(&[], "end_turn")).into()]).await;
    let events = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!(events[2]["delta"]["text"], "{\"city\": \"Oslo\"}");
    assert_eq!(types(&events).len(), 6);
    // Nothing at all is no city.
    let got = ask(&rig, &wants_city(true)).await;
    assert!(got.body.contains("event: error\ndata: {\"error\":{"), "{}", got.body);
}

#[tokio::test]
async fn what_is_sound_passes_byte_for_byte() {
    let call = stream(
        &[(text(), "text", &["Hm."]), (tool(), "partial_json", &["{\"path\":", "\"x\"}"])],
        "tool_use",
    );
    let empty = stream(&[(tool(), "partial_json", &[])], "tool_use");
    let rig = rig(
        [call.clone(), empty.clone(), call.clone()].map(|body| Turn::from(Reply::events(body)))
    )
    .await;
    let without_pings = |body: &str| body.replace(&event(&json!({"type": "ping"})), "");
    // A ping does not wait, so that its place may be another.
    assert_eq!(without_pings(&ask(&rig, &offers_tool(true)).await.body), without_pings(&call));
    assert_eq!(without_pings(&ask(&rig, &offers_tool(true)).await.body), without_pings(&empty));
    let words = json!({"model": "m", "stream": true, "max_tokens": 1, "messages": []});
    assert_eq!(ask(&rig, &words).await.body, call);
}

#[tokio::test]
async fn a_use_of_a_tool_that_was_cut_off_is_refused_in_its_own_words() {
    let cut = stream(&[(tool(), "partial_json", &["{\"path\": \"/tm"])], "max_tokens");
    let rig =
        rig([Reply::events(cut).into(), Form::Anthropic.error(529, "overloaded").into()]).await;
    let events = events(&ask(&rig, &offers_tool(true)).await);
    let last = events.last().unwrap();
    assert_eq!((&last["type"], types(&events).contains(&"message_stop")), (&json!("error"), false));
    assert!(last["error"]["message"].as_str().unwrap().contains("cut off"), "{last}");
    let got = ask(&rig, &offers_tool(false)).await;
    assert_eq!((got.status, &got.json()["error"]["message"]), (529, &json!("overloaded")));
}

#[tokio::test]
async fn a_whole_message_is_repaired() {
    let rig = rig([
        Answer::call("run", "{\"path\": 7, \"times\": \"2\"}").into(),
        Answer::text("{'city': 'Oslo'}").into(),
        Answer::text("Sorry.").into(),
    ])
    .await;
    let got = ask(&rig, &offers_tool(false)).await.json();
    assert_eq!(got["content"][0]["input"], json!({"path": "7", "times": 2}), "{got}");
    assert_eq!(got["stop_reason"], "tool_use");
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["content"][0]["text"], "{\"city\": \"Oslo\"}");
    let got = ask(&rig, &wants_city(false)).await;
    assert_eq!((got.status, &got.json()["type"]), (422, &json!("error")));
    assert!(got.json()["error"]["message"].as_str().unwrap().contains("holds no JSON"));
}

#[tokio::test]
async fn a_stream_that_is_cut_anywhere_ends_with_an_error() {
    let whole = stream(&[(tool(), "partial_json", &["{\"path\":\"x\"}"])], "tool_use");
    let end = whole.find("event: message_delta").unwrap();
    let cuts: Vec<usize> = (0..end).step_by(61).collect();
    let rig = rig(cuts.iter().map(|&at| Turn::from(Reply::events(&whole[..at])))).await;
    for at in cuts {
        let got = ask(&rig, &offers_tool(true)).await;
        assert!(
            got.body.ends_with("\n\n") && got.body.contains("event: error\ndata: {"),
            "{at}: {}",
            got.body
        );
    }
}

#[tokio::test]
async fn what_a_block_begins_with_is_repaired_with_the_rest_of_it() {
    let begun = json!({"type": "text", "text": "{'city':"});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "run", "input": {"path": 5}});
    let sound = json!({"type": "tool_use", "id": "toolu_1", "name": "run", "input": {"path": "x"}});
    let sound = stream(&[(sound, "partial_json", &[])], "tool_use");
    let rig = rig([
        Reply::events(stream(&[(begun, "text", &[" 'Oslo'}"])], "end_turn")).into(),
        Reply::events(stream(&[(call, "partial_json", &[])], "tool_use")).into(),
        Reply::events(sound.clone()).into(),
    ])
    .await;
    let got = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!(got[1]["content_block"]["text"], "");
    assert_eq!(got[2]["delta"]["text"], "{\"city\": \"Oslo\"}");
    let got = events(&ask(&rig, &offers_tool(true)).await);
    assert_eq!(got[1]["content_block"]["input"], json!({}));
    let input = got[2]["delta"]["partial_json"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(input).unwrap(), json!({"path": "5"}));
    let without_pings = |body: &str| body.replace(&event(&json!({"type": "ping"})), "");
    assert_eq!(without_pings(&ask(&rig, &offers_tool(true)).await.body), without_pings(&sound));
}

#[tokio::test]
async fn a_turn_that_pauses_passes_as_it_came() {
    let whole = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": "Let me look."}], "stop_reason": "pause_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1}});
    let whole = whole.to_string();
    let pieces = stream(&[(text(), "text", &["Let me look."])], "pause_turn");
    let rig =
        rig([Reply::json(200, whole.clone()).into(), Reply::events(pieces.clone()).into()]).await;
    assert_eq!(ask(&rig, &wants_city(false)).await.body, whole);
    let without_pings = |body: &str| body.replace(&event(&json!({"type": "ping"})), "");
    assert_eq!(without_pings(&ask(&rig, &wants_city(true)).await.body), without_pings(&pieces));
}
