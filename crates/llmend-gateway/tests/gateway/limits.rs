//! What is too much is refused, and says so.

use llmend_model_server::{Answer, ModelServer, Reply};
use serde_json::{Value, json};

use crate::rig::{CHAT, Got, rig, rig_with, wants_city, wants_words};

#[tokio::test]
async fn requests_that_are_too_large_or_too_deep_are_rejected() {
    let limits = "[gateway.limits]\nbody_bytes = 2000\ndepth = 10\nschema_bytes = 200";
    let rig = rig_with(limits, ModelServer::scripted([])).await;
    let large = json!({"model": "m", "messages": [{"role": "user", "content": "x".repeat(3000)}]});
    let got = rig.chat(&large).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (413, &json!("limit/bytes")));

    let deep = format!("{{\"model\":\"m\",\"messages\":{}{}}}", "[".repeat(500), "]".repeat(500));
    let got = rig.ask("POST", CHAT, "", &deep).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (400, &json!("limit/depth")));

    let mut request = wants_city(false);
    request["response_format"]["json_schema"]["schema"]["description"] = json!("x".repeat(300));
    let got = rig.chat(&request).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (400, &json!("limit/bytes")));

    for body in
        ["", "{", "[]", "{\"messages\": []}", "{\"model\": 1}", "{\"model\":\"a\",\"model\":\"b\"}"]
    {
        assert_eq!(rig.ask("POST", CHAT, "", body).await.status, 400, "{body}");
    }
    assert_eq!(rig.upstream.requests().len(), 0);
}

#[tokio::test]
async fn a_body_in_chunks_is_limited_too() {
    let rig = rig_with("[gateway.limits]\nbody_bytes = 1000", ModelServer::scripted([])).await;
    let head = format!(
        "POST {CHAT} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
        rig.address
    );
    let body = format!("7d0\r\n{}\r\n0\r\n\r\n", "x".repeat(2000));
    assert_eq!(Got::read(rig.send(&(head + &body)).await).await.status, 413);
}

#[tokio::test]
async fn a_missing_body_times_out() {
    let rig = rig_with("[gateway.timers]\nclient_ms = 40", ModelServer::scripted([])).await;
    let request = rig.head("POST", CHAT, "", 100) + "{\"model\":";
    let got = Got::read(rig.send(&request).await).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (408, &json!("timeout")));
}

#[tokio::test]
async fn answers_that_are_too_large_are_not_held() {
    let rig = rig_with(
        "[gateway.limits]\nanswer_bytes = 1000",
        ModelServer::scripted([
            Answer::text(&"x".repeat(2000)).into(),
            Answer::text(&"x".repeat(2000)).into(),
        ]),
    )
    .await;
    let got = rig.chat(&wants_city(false)).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (502, &json!("limit/bytes")));
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(got.events()[0]["error"]["code"], "limit/bytes");
}

#[tokio::test]
async fn requests_above_the_concurrency_limit_are_rejected() {
    let server = ModelServer::scripted([Reply::hang().into()]);
    let rig = rig_with("[gateway.limits]\nin_flight = 1", server).await;
    let body = wants_words(false).to_string();
    let first = rig.send(&(rig.head("POST", CHAT, "", body.len()) + &body)).await;
    rig.upstream.arrived(1).await;
    let got = rig.chat(&wants_words(false)).await;
    assert_eq!((got.status, got.header("retry-after")), (503, Some("1")));
    assert_eq!(got.json()["error"]["code"], "busy");
    assert_eq!(rig.get("/readyz").await.status, 503);
    assert_eq!(rig.get("/healthz").await.status, 200);
    drop(first);
    rig.upstream.left(0).await;
}

/// A request for a list of one of many kinds of objects, and a list in which nothing is quite of any kind.
fn much_work(items: usize) -> (Value, String) {
    let arm = |at: usize| {
        json!({
            "type": "object",
            "properties": {"z": {"const": at}, format!("p{at}"): {"type": "integer"}},
            "required": ["z", format!("p{at}")],
        })
    };
    let arms: Vec<Value> = (0..200).map(arm).collect();
    let mut request = wants_city(false);
    request["response_format"]["json_schema"]["schema"] =
        json!({"type": "array", "items": {"anyOf": arms}});
    let item = |at: usize| json!({"z": (at % 200).to_string(), format!("q{at}"): "5"});
    let items: Vec<Value> = (0..items).map(item).collect();
    (request, Value::from(items).to_string())
}

#[tokio::test]
async fn abandoned_work_keeps_its_permit_until_it_ends() {
    let settings = "[gateway.limits]\nin_flight = 1\n[gateway.timers]\nrepair_ms = 500";
    let (request, answer) = much_work(60_000);
    let rig = rig_with(settings, ModelServer::scripted([Answer::text(&answer).into()])).await;
    let got = rig.chat(&request).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (422, &json!("limit/time")));
    let got = rig.chat(&wants_words(false)).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (503, &json!("busy")));
    // It does end.
    while rig.get("/readyz").await.status != 200 {}
    assert_eq!(rig.upstream.requests().len(), 1);
}

#[tokio::test]
async fn the_work_for_one_answer_is_bounded_whatever_its_size() {
    for (steps, status, code) in
        [(100_000, 422, "limit/work"), (50_000_000, 422, "schema/required")]
    {
        // The count decides, on a slow machine too.
        let settings = format!(
            "[gateway.limits]\nrepair_work_in_all = {steps}\n[gateway.timers]\nrepair_ms = 60000"
        );
        let (request, answer) = much_work(1_000);
        let rig = rig_with(&settings, ModelServer::scripted([Answer::text(&answer).into()])).await;
        let got = rig.chat(&request).await;
        assert_eq!((got.status, &got.json()["error"]["code"]), (status, &json!(code)), "{steps}");
        assert!(got.body.len() < 25_000, "{}", got.body.len());
    }
}

#[tokio::test]
async fn a_large_schema_and_a_large_request_are_read_elsewhere_with_the_same_result() {
    let words: Vec<String> = (0..20_000).map(|at| format!("word {at}")).collect();
    for (words, padding) in [(&words[..10], 0), (&words[..], 0), (&words[..10], 100_000)] {
        let answer = Answer::text("{'w': 'Word 7',}");
        let rig = rig([answer.into()]).await;
        let mut request = wants_city(false);
        request["response_format"]["json_schema"]["schema"] =
            json!({"type": "object", "properties": {"w": {"enum": words}}, "required": ["w"]});
        request["messages"][0]["content"] = "x".repeat(padding).into();
        let got = rig.chat(&request).await;
        let content = got.json()["choices"][0]["message"]["content"].clone();
        assert_eq!((got.status, content), (200, json!(r#"{"w": "word 7"}"#)));
    }
}
