//! `/v1/messages`: the order of its events, its blocks, and its own words for everything.

use llmend_model_server::{Answer, Form, ModelServer, Reply, Turn};
use serde_json::{Value, json};

use crate::rig::{Got, Rig, rig, rig_with};

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
async fn a_tool_use_is_repaired_in_place() {
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
async fn a_text_with_a_schema_is_repaired() {
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
async fn valid_messages_pass_byte_for_byte() {
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
async fn a_truncated_tool_use_is_refused_in_the_form_of_the_protocol() {
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
    assert!(got.json()["error"]["message"].as_str().unwrap().contains("contains no JSON"));
}

#[tokio::test]
async fn a_truncated_stream_ends_with_an_error() {
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
async fn the_start_of_a_block_is_repaired_with_its_pieces() {
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
async fn a_paused_turn_passes_unchanged() {
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

#[tokio::test]
async fn one_of_several_texts_is_repaired_and_the_others_stay() {
    let whole = |second: &str| {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [
            {"type": "text", "text": "Is it {Oslo}?"}, {"type": "text", "text": second}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}})
    };
    let pieces = |second: &[&str]| {
        stream(&[(text(), "text", &["Is it {Oslo}?"]), (text(), "text", second)], "end_turn")
    };
    let (sound, broken) = ("{\"city\": \"Oslo\"}", "{'city': 'Oslo'}");
    let rig = rig([
        Reply::json(200, whole(sound).to_string()).into(),
        Reply::json(200, whole(broken).to_string()).into(),
        Reply::events(pieces(&["{\"city\":", " \"Oslo\"}"])).into(),
        Reply::events(pieces(&[broken])).into(),
    ])
    .await;
    for _ in 0..2 {
        assert_eq!(ask(&rig, &wants_city(false)).await.json(), whole(sound));
    }
    let without_pings = |body: &str| body.replace(&event(&json!({"type": "ping"})), "");
    for expected in [pieces(&["{\"city\":", " \"Oslo\"}"]), pieces(&[sound])] {
        let got = ask(&rig, &wants_city(true)).await.body;
        assert_eq!(without_pings(&got), without_pings(&expected));
    }
}

#[tokio::test]
async fn the_pieces_of_the_providers_own_tools_are_no_call() {
    let search =
        json!({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}});
    let blocks: [(Value, &str, &[&str]); 2] = [
        (search, "partial_json", &["{\"query\":", "\"Oslo\"}"]),
        (text(), "text", &["{'city': 'Oslo'}"]),
    ];
    let rig = rig([Reply::events(stream(&blocks, "end_turn")).into()]).await;
    let mut request = wants_city(true);
    request["tools"] = offers_tool(true)["tools"].clone();
    let events = events(&ask(&rig, &request).await);
    assert_eq!(events[2]["delta"]["partial_json"], "{\"query\":");
    assert_eq!(events[6]["delta"]["text"], "{\"city\": \"Oslo\"}");
}

#[tokio::test]
async fn a_retried_text_gets_a_new_block_if_there_is_none() {
    let sound = "{\"city\": \"Oslo\"}";
    let thought = json!({"type": "thinking", "thinking": "", "signature": ""});
    let message = |block: &Value| {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [block],
            "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 7}})
        .to_string()
    };
    let again = message(&json!({"type": "text", "text": sound}));
    let upstream = ModelServer::scripted([
        Turn::from(Reply::json(200, message(&thought))),
        Reply::json(200, again.clone()).into(),
        Reply::events(stream(&[(thought.clone(), "", &[])], "end_turn")).into(),
        Reply::json(200, again).into(),
    ]);
    let rig = rig_with("[gateway.policy]\nreasks = 1", upstream).await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["content"], json!([thought, {"type": "text", "text": sound}]));
    let events = events(&ask(&rig, &wants_city(true)).await);
    let order = types(&events);
    assert_eq!(order[3..6], ["content_block_start", "content_block_delta", "content_block_stop"]);
    assert_eq!((&events[4]["delta"]["text"], &events[4]["index"]), (&json!(sound), &json!(1)));
    // The start of the message reports the input of the first request, which is not all.
    assert_eq!(events[6]["usage"], got["usage"]);
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

#[tokio::test]
async fn events_after_the_end_are_inspected_or_refused() {
    let sound = [(tool(), "partial_json", ["{\"path\": \"x\"}"].as_slice())];
    let broken = [(tool(), "partial_json", ["{'path': 5"].as_slice())];
    let end = |stop: &str| {
        event(
            &json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 9}}),
        )
    };
    let stop = event(&json!({"type": "message_stop"}));
    let body = |blocks: &[(Value, &str, &[&str])]| {
        let all = stream(blocks, "tool_use");
        let at = all.find("event: message_delta").unwrap();
        (all[..at].to_owned(), all[at..].to_owned())
    };
    // The same block once more, under the next number.
    let next = |body: &str| {
        let at = body.find("event: content_block_start").unwrap();
        body[at..].replace("\"index\":0", "\"index\":1")
    };
    let ((head, sound_end), (broken_head, _)) = (body(&sound), body(&broken));
    let more = next(&broken_head).replace("'path': 5", "'path': 'y'}");
    let rig = rig([
        // Behind the reason to stop, and before the mark of the end: it is judged with the rest.
        format!("{head}{}{more}{stop}", end("tool_use")),
        format!("{head}{}{more}{}{stop}", end("tool_use"), end("tool_use")),
        // Half of it.
        format!("{head}{}{}{}{stop}", end("tool_use"), next(&broken_head), end("tool_use")),
        // Behind the mark of the end.
        format!("{head}{sound_end}{}", next(&broken_head)),
        format!("{head}{sound_end}{}", end("max_tokens")),
    ]
    .map(|body| Turn::from(Reply::events(body))))
    .await;
    for _ in 0..2 {
        let got = ask(&rig, &offers_tool(true)).await;
        assert!(got.body.contains(r#""partial_json":"{\"path\": \"y\"}""#), "{}", got.body);
        assert_eq!(events(&got).last().unwrap()["type"], "message_stop");
    }
    for _ in 0..3 {
        let got = ask(&rig, &offers_tool(true)).await;
        assert_eq!(events(&got).last().unwrap()["type"], "error", "{}", got.body);
        assert!(!got.body.contains("'path'") && !got.body.contains("max_tokens"), "{}", got.body);
    }
}

#[tokio::test]
async fn the_last_stop_reason_holds() {
    let (open, shut) = ("{\"city\": \"Oslo\"", "{\"city\": \"Oslo\"}");
    let ended = |words: &str, last: &str| {
        let all = stream(&[(text(), "text", &[words])], "end_turn");
        let again = event(
            &json!({"type": "message_delta", "delta": {"stop_reason": last}, "usage": {"output_tokens": 9}}),
        );
        Turn::from(Reply::events(
            all.replace("event: message_stop", &format!("{again}event: message_stop")),
        ))
    };
    let rig = rig_with(
        "[gateway.policy]\non_truncation = \"refuse\"",
        ModelServer::scripted([
            ended(open, "end_turn"),
            ended(open, "max_tokens"),
            ended(shut, "end_turn"),
        ]),
    )
    .await;
    let got = ask(&rig, &wants_city(true)).await;
    assert!(got.body.contains(r#""text":"{\"city\": \"Oslo\"}""#), "{}", got.body);
    let got = ask(&rig, &wants_city(true)).await;
    assert_eq!(events(&got).last().unwrap()["type"], "error", "{}", got.body);
    let got = ask(&rig, &wants_city(true)).await;
    assert_eq!(types(&events(&got))[4..], ["message_delta", "message_delta", "message_stop"]);
}

#[tokio::test]
async fn a_stream_without_message_stop_is_delivered() {
    let body = stream(&[(text(), "text", &["{'city': 'Oslo'}"])], "end_turn");
    let body = body.split("event: message_stop").next().unwrap();
    let rig = rig([Reply::events(body).into(), Reply::events(body).into()]).await;
    let got = ask(&rig, &wants_city(true)).await;
    assert_eq!(events(&got)[2]["delta"]["text"], "{\"city\": \"Oslo\"}");
    assert_eq!(events(&got).last().unwrap()["type"], "message_stop");
    // Also where nothing is inspected.
    let words = json!({"model": "m", "stream": true, "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hello."}]});
    let got = ask(&rig, &words).await;
    assert_eq!(
        got.body,
        format!("{body}event: message_stop\ndata: {{\"type\":\"message_stop\"}}\n\n")
    );
}

#[tokio::test]
async fn a_parsed_input_can_be_truncated() {
    let cut = called(&json!({"path": "/tm"}));
    let words = json!({"type": "text", "text": "And so"});
    let at_once = stream(&[(cut.clone(), "partial_json", &[])], "max_tokens");
    let nothing = stream(&[(tool(), "partial_json", &[])], "max_tokens");
    let unknown = stream(&[(tool(), "partial_json", &[])], "error");
    let blank = json!({"type": "text", "text": " "});
    let thought = json!({"type": "thinking", "thinking": "", "signature": ""});
    let blanks: [(Value, &str, &[&str]); 2] =
        [(thought.clone(), "text", &[]), (text(), "text", &[" "])];
    let before_blanks = [&[(cut.clone(), "partial_json", &[][..])], &blanks[..]].concat();
    let rig = rig([
        Reply::events(unknown).into(),
        whole(&json!([cut]), "never heard of"),
        whole(&json!([cut]), "max_tokens"),
        // What says nothing stands behind nothing.
        whole(&json!([cut, blank, thought]), "max_tokens"),
        Reply::events(stream(&before_blanks, "max_tokens")).into(),
        whole(&json!([called(&json!({}))]), "max_tokens"),
        Reply::events(at_once).into(),
        Reply::events(nothing).into(),
        // It is whole, and the words behind it are not.
        whole(&json!([cut, words]), "max_tokens"),
        whole(&json!([cut]), "tool_use"),
    ])
    .await;
    for is_stream in [true, false, false, false, true, false, true, true] {
        let got = ask(&rig, &offers_tool(is_stream)).await;
        assert!(got.body.contains("was cut off"), "{}", got.body);
        assert_eq!(got.status, if is_stream { 200 } else { 422 });
    }
    for stop in ["max_tokens", "tool_use"] {
        let got = ask(&rig, &offers_tool(false)).await.json();
        assert_eq!((&got["content"][0], &got["stop_reason"]), (&cut, &json!(stop)));
    }
}

#[tokio::test]
async fn a_truncated_input_is_retried_or_reported() {
    let cut = whole(&json!([called(&json!({"path": "/tm"}))]), "max_tokens");
    let again = whole(&json!([{"type": "text", "text": "{\"path\": \"/tmp/x\"}"}]), "end_turn");
    let policy = "[gateway.policy]\nreasks = 1\non_truncated_call = \"reask\"";
    let rig = rig_with(policy, ModelServer::scripted([cut.clone(), again])).await;
    let got = ask(&rig, &offers_tool(false)).await.json();
    assert_eq!(got["content"][0]["input"], json!({"path": "/tmp/x"}), "{got}");
    assert_eq!(got["stop_reason"], "tool_use");

    let policy = "[gateway.policy]\non_truncated_call = \"allow\"";
    let rig = rig_with(policy, ModelServer::scripted([cut])).await;
    let got = ask(&rig, &offers_tool(false)).await.json();
    assert_eq!(got["content"][0]["input"], json!({"path": "/tm"}));
    assert_eq!(got["stop_reason"], "max_tokens");
}

#[tokio::test]
async fn truncation_after_a_retried_call_is_reported() {
    let bad = called(&json!({"times": "many"}));
    let content = json!([bad, {"type": "text", "text": "and so I wi"}]);
    let again = || whole(&json!([{"type": "text", "text": "{\"times\": 2}"}]), "end_turn");
    let pieces =
        stream(&[(bad, "partial_json", &[]), (text(), "text", &["and so I wi"])], "max_tokens");
    let upstream = ModelServer::scripted([
        whole(&content, "max_tokens"),
        again(),
        Reply::events(pieces).into(),
        again(),
    ]);
    let rig = rig_with("[gateway.policy]\nreasks = 1", upstream).await;
    let got = ask(&rig, &offers_tool(false)).await.json();
    assert_eq!(
        (&got["content"][0]["input"], &got["stop_reason"]),
        (&json!({"times": 2}), &json!("max_tokens"))
    );
    let events = events(&ask(&rig, &offers_tool(true)).await);
    let end = events.iter().find(|event| event["type"] == "message_delta").unwrap();
    assert_eq!(end["delta"]["stop_reason"], "max_tokens");
}

#[tokio::test]
async fn a_delta_of_the_wrong_kind_is_refused() {
    let begun = |content: &Value| {
        let all = stream(&[], "end_turn");
        Turn::from(Reply::events(all.replacen(
            "\"content\":[]",
            &format!("\"content\":{content}"),
            1,
        )))
    };
    let mixed = stream(&[(text(), "partial_json", &["{'path': 5}"])], "end_turn");
    let rig = rig([
        Reply::events(mixed).into(),
        begun(&json!([called(&json!({"path": 5}))])),
        begun(&json!([{"type": "text", "text": "{'city': 5}"}])),
    ])
    .await;
    let got = ask(&rig, &wants_city(true)).await;
    assert_eq!(events(&got).last().unwrap()["type"], "error", "{}", got.body);
    for request in [offers_tool(true), wants_city(true)] {
        let got = ask(&rig, &request).await;
        assert_eq!(types(&events(&got)), ["error"], "{}", got.body);
    }
}

#[tokio::test]
async fn two_blocks_with_one_index_are_refused_if_inspected() {
    let thought = json!({"type": "thinking", "thinking": "", "signature": ""});
    let search =
        json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}});
    let unnumbered = |body: &str| {
        let all = body.split(',').filter(|member| !member.starts_with("\"index\":"));
        all.collect::<Vec<_>>().join(",").replace("\"index\":1", "\"index\":0")
    };
    let call: (Value, &str, &[&str]) = (tool(), "partial_json", &["{'path': 5}"]);
    let all_of = |first: &Value| [(first.clone(), "text", &[][..]), call.clone()];
    let streams = [
        stream(&all_of(&thought), "tool_use").replace("\"index\":1", "\"index\":0"),
        stream(&all_of(&search), "tool_use").replace("\"index\":1", "\"index\":0"),
        unnumbered(&stream(&all_of(&thought), "tool_use")),
    ];
    for body in streams {
        let rig =
            rig([Reply::events(body.clone()).into(), Reply::events(body.clone()).into()]).await;
        let got = ask(&rig, &offers_tool(true)).await;
        assert_eq!(events(&got).last().unwrap()["type"], "error", "{}", got.body);
        assert!(!got.body.contains("{'path"), "{}", got.body);
        // Where calls are not inspected, this does not matter.
        let got = ask(&rig, &wants_city(true)).await;
        assert!(!got.body.contains("one number"), "{}", got.body);
    }
}

#[tokio::test]
async fn a_string_as_content_is_repaired() {
    let rig =
        rig([whole(&json!("{'city': 'Oslo'}"), "end_turn"), whole(&json!("Sorry."), "end_turn")])
            .await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["content"], "{\"city\": \"Oslo\"}");
    assert_eq!(ask(&rig, &wants_city(false)).await.status, 422);
}

#[tokio::test]
async fn a_whole_message_is_delivered_as_the_requested_stream() {
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "s"});
    let content = json!([thought, {"type": "text", "text": "So:"}, called(&json!({"path": 5}))]);
    let half = Reply::json(
        200,
        r#"{"type":"message","content":[{"type":"text","text":"{'city':'\ud83d'}"}]}"#,
    );
    let rig = rig([
        whole(&content, "end_turn"),
        whole(&json!([called(&json!({"path": "/tm"}))]), "max_tokens"),
        whole(&json!("{'city': 'Oslo'}"), "end_turn"),
        half.into(),
    ])
    .await;
    let got = ask(&rig, &offers_tool(true)).await;
    assert_eq!(got.header("content-type"), Some("text/event-stream"));
    let received = events(&got);
    let order = [
        "message_start",
        "content_block_start",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(types(&received), order);
    assert_eq!(
        (&received[0]["message"]["content"], &received[1]["content_block"]),
        (&json!([]), &thought)
    );
    assert_eq!((&received[4]["delta"]["text"], &received[4]["index"]), (&json!("So:"), &json!(1)));
    assert_eq!(received[6]["content_block"], called(&json!({})));
    assert_eq!(received[7]["delta"]["partial_json"], "{\"path\":\"5\"}");
    assert_eq!(received[9]["delta"]["stop_reason"], "tool_use");
    // What was read before it was cut off is so in its events, too.
    let received = events(&ask(&rig, &offers_tool(true)).await);
    assert_eq!(types(&received), ["message_start", "error"]);
    let received = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!(received[2]["delta"]["text"], "{\"city\": \"Oslo\"}");
    // Half of a character cannot be written anew.
    assert_eq!(ask(&rig, &wants_city(true)).await.status, 502);
}
