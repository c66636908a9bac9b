//! The ends of messages: stop reasons, and inputs that are cut off.

use llmend_model_server::{Form, ModelServer, Reply, Turn};
use serde_json::{Value, json};

use super::{
    ask, called, event, events, offers_tool, stream, text, tool, types, wants_city, whole,
};
use crate::rig::{rig, rig_with};

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
