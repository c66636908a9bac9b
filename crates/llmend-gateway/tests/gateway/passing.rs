//! What is not to be repaired passes byte for byte, and at once.

use llmend_model_server::{Answer, Gate, ModelServer, Reply, Step, Turn};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::rig::{CHAT, DONE, chunk, events, rig, rig_with, wants_city, wants_words};

#[tokio::test]
async fn a_request_and_its_answer_pass_as_they_are() {
    let answer = "{ \"id\":\"1\",\n\"choices\": [ ], \"n\": 1.50, \"unknown\": \"\\u0041\" }\n";
    let rig = rig([Reply::json(200, answer)
        .header("openai-processing-ms", "7")
        .header("x-ratelimit-remaining-requests", "3")
        .header("x-request-id", "theirs")
        .into()])
    .await;
    let body = "{ \"model\" : \"m\", \"unknown\": 1.50, \"messages\": [] }";
    let got = rig
        .ask("POST", CHAT, "authorization: Bearer mine\r\nopenai-beta: x\r\ncookie: a=b\r\n", body)
        .await;
    assert_eq!((got.status, got.body.as_str()), (200, answer));
    assert_eq!(got.header("openai-processing-ms"), Some("7"));
    assert_eq!(got.header("x-ratelimit-remaining-requests"), Some("3"));
    assert_eq!(got.header("x-request-id"), Some("theirs"));
    assert_eq!(got.header("x-llmend-repair"), Some("passthrough"));
    assert!(got.header("x-llmend-overhead-ms").is_some());
    let seen = rig.seen();
    assert_eq!((seen.body.as_str(), seen.path.as_str()), (body, "/v1/chat/completions"));
    assert_eq!(seen.header("authorization"), Some("Bearer mine"));
    assert_eq!((seen.header("openai-beta"), seen.header("cookie")), (Some("x"), None));
}

#[tokio::test]
async fn a_valid_answer_passes_byte_for_byte() {
    let whole = "{\"id\": \"1\", \"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\n\"choices\": [{\"index\": 0, \"finish_reason\" : \"stop\", \"logprobs\": 1.50, \"message\":{\"role\":\"assistant\",\"content\": \"{ \\\"city\\\":\\u0022Oslo\\\" }\"}}]}";
    let stream = [
        chunk(&json!({"role": "assistant", "content": ""}), None),
        chunk(&json!({"content": "{ \"city\":"}), None),
        ": between\n\n".to_owned(),
        chunk(&json!({"content": "\"Oslo\" }"}), None),
        chunk(&json!({}), Some("stop")),
        DONE.to_owned(),
    ];
    let rig = rig([Reply::json(200, whole).into(), events(&stream)]).await;
    let got = rig.chat(&wants_city(false)).await;
    assert_eq!(got.body, whole);
    assert_eq!(got.header("x-llmend-repair"), Some("unchanged"));
    let got = rig.chat(&wants_city(true)).await;
    // The comment did not wait.
    let expected = stream.concat().replace(": between\n\n", "");
    assert_eq!(got.body.replace(": between\n\n", ""), expected);
}

#[tokio::test]
async fn a_stream_passes_as_it_arrives() {
    let gate = Gate::default();
    let first = chunk(&json!({"content": "a"}), None);
    let reply = Reply::events(first.clone())
        .then(Step::Wait(gate.clone()))
        .text(chunk(&json!({}), Some("stop")))
        .text(DONE);
    let rig = rig([reply.into()]).await;
    let body = wants_words(true).to_string();
    let mut stream = rig.send(&(rig.head("POST", CHAT, "", body.len()) + &body)).await;
    let mut seen = String::new();
    // The rest is held up by the gate, so that this would not end if the first piece were kept.
    while !seen.contains(&first) {
        let mut buffer = [0; 1024];
        let read = stream.read(&mut buffer).await.unwrap();
        assert!(read > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    gate.open();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.unwrap();
    assert!(rest.contains("[DONE]"), "{rest}");
}

#[tokio::test]
async fn other_deltas_pass_while_content_is_held_and_keep_alives_are_sent() {
    let gate = Gate::default();
    let reply = Reply::events(chunk(&json!({"reasoning_content": "let me see"}), None))
        .text(chunk(&json!({"content": "{'city'"}), None))
        .then(Step::Wait(gate.clone()))
        .text(chunk(&json!({"content": ": 'Oslo'}"}), None))
        .text(chunk(&json!({}), Some("stop")))
        .text(DONE);
    let server = ModelServer::scripted([reply.into()]);
    let rig = rig_with("[gateway.timers]\nkeep_alive_ms = 20", server).await;
    let body = wants_city(true).to_string();
    let mut stream = rig.send(&(rig.head("POST", CHAT, "", body.len()) + &body)).await;
    let mut seen = String::new();
    while !(seen.contains("let me see") && seen.contains(": keep-alive\n\n")) {
        let mut buffer = [0; 1024];
        let read = stream.read(&mut buffer).await.unwrap();
        assert!(read > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    assert!(!seen.contains("city"), "{seen}");
    gate.open();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.unwrap();
    assert!(rest.contains(r#"{\"city\": \"Oslo\"}"#), "{rest}");
}

#[tokio::test]
async fn other_paths_pass_with_the_clients_own_key() {
    let rig =
        rig([Reply::status(201).header("content-type", "audio/mp3").text("bytes").into()]).await;
    let got =
        rig.ask("DELETE", "/v1/files/f-1?purpose=x", "authorization: Bearer mine\r\n", "").await;
    assert_eq!((got.status, got.body.as_str()), (201, "bytes"));
    assert_eq!(got.header("content-type"), Some("audio/mp3"));
    let seen = rig.seen();
    assert_eq!(
        (seen.method.as_str(), seen.path.as_str(), seen.query.as_str()),
        ("DELETE", "/v1/files/f-1", "purpose=x")
    );
    assert_eq!(seen.header("authorization"), Some("Bearer mine"));
}

#[tokio::test]
async fn the_models_of_all_upstreams_are_listed() {
    let list = |ids: &[&str]| {
        let data: Vec<Value> = ids.iter().map(|id| json!({"id": id, "object": "model"})).collect();
        Turn::from(Reply::json(200, json!({"object": "list", "data": data}).to_string()))
    };
    let (first, second) =
        (ModelServer::scripted([list(&["a-1", "b-9"])]), ModelServer::scripted([list(&["b-1"])]));
    let text = format!(
        "[gateway.upstreams.a]\nbase_url = \"{}/v1\"\n[gateway.upstreams.b]\nbase_url = \"{}/v1\"\n\
         [[gateway.routes]]\nmodel = \"a-*\"\nupstream = \"a\"\n[[gateway.routes]]\nmodel = \"b-*\"\nupstream = \"b\"\n",
        first.url(),
        second.url()
    );
    let rig = crate::rig::rig_of(&text, first).await;
    let got = rig.get("/v1/models").await.json();
    let ids: Vec<&str> =
        got["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a-1", "b-1"]);
    let got = rig.chat(&json!({"model": "c", "messages": []})).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (404, &json!("model_not_found")));
    drop(second);
}

#[tokio::test]
async fn health_and_metrics_are_reported() {
    let rig = rig([Answer::text("```\n{'city': 'Oslo'}\n```").into()]).await;
    assert_eq!(rig.get("/healthz").await.json()["status"], "ok");
    assert_eq!(rig.get("/readyz").await.json()["status"], "ready");
    assert_eq!(rig.chat(&wants_city(false)).await.status, 200);
    let metrics = rig.get("/metrics").await.body;
    for line in [
        "llmend_parse_total{outcome=\"repaired\"} 1",
        "llmend_requests_total{endpoint=\"chat\",status=\"200\"} 1",
        "llmend_repairs_total{class=\"notation\",rule=\"single-quotes\"} 4",
        "llmend_overhead_seconds_count 1",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    assert_eq!(rig.get("/nothing").await.status, 404);
}

/// Lines such as streams have, and such as they have not.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"héllo\"}}]}".to_owned()),
        Just("data: [1, 2".to_owned()),
        Just("data:".to_owned()),
        Just(": comment".to_owned()),
        Just("event: ping".to_owned()),
        Just("id: 7".to_owned()),
        Just(String::new()),
        "[ -~é]{0,20}",
    ]
}

/// A body, its lines with any ends, that says at its end that it is complete.
fn body() -> impl Strategy<Value = String> {
    let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\r"), Just("\n\n")];
    let lines = proptest::collection::vec((line(), end), 0..20);
    lines.prop_map(|lines| {
        let lines: String = lines.into_iter().map(|(line, end)| line + end).collect();
        // An error in the middle ends what is read, and so it is not one of the lines above.
        format!("{lines}\n\n{DONE}")
    })
}

/// Sends `body` in pieces of these sizes, over and over.
fn in_pieces(body: &str, sizes: &[usize]) -> Turn {
    let mut reply = Reply::events("");
    let mut rest = body.as_bytes();
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, more) = rest.split_at((*size).min(rest.len()));
        reply = reply.then(Step::Send(piece.to_vec()));
        rest = more;
    }
    reply.into()
}

/// What comes of a request through the gateway.
fn through(path: &str, request: &Value, turn: Turn) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let body = request.to_string();
    runtime.block_on(async { rig([turn]).await.ask("POST", path, "", &body).await.body })
}

/// JSON that fits what `wants_city` wants, written in odd but valid ways.
fn city() -> impl Strategy<Value = String> {
    let days = proptest::option::of(-99_i64..99);
    ("[ -~é漢🏔]{0,30}", days, "[ \n]{0,3}", "[ \t]{0,3}").prop_map(
        |(city, days, before, between)| {
            let days = days.map(|days| format!(",{between}\"days\":{before}{days}"));
            format!(
                "{before}{{{between}\"city\"{before}:{between}{}{}}}",
                json!(city),
                days.unwrap_or_default()
            )
        },
    )
}

/// A text in pieces of these many characters, over and over.
fn pieces(text: &str, sizes: &[usize]) -> Vec<String> {
    let mut rest: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        pieces.push(rest.drain(..(*size).min(rest.len())).collect());
    }
    pieces
}

/// An event whose members have an unusual order and spacing.
fn odd_chunk(delta: &Value, finish: &Value, number: usize) -> String {
    format!(
        "data:  {{ \"object\":\"chat.completion.chunk\", \"x\": {number}.50, \"id\":\"c\",\"created\":1,\"model\":\"m\",\
         \"choices\":[{{\"finish_reason\":{finish},\"index\":0 , \"delta\":{delta}}}] }}\r\n\r\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_valid_answer_passes_byte_for_byte_though_inspected(
        city in city(),
        parts in proptest::collection::vec(1_usize..9, 1..9),
        sizes in proptest::collection::vec(1_usize..90, 1..20),
    ) {
        let mut body = String::new();
        for (number, piece) in pieces(&city, &parts).iter().enumerate() {
            body += &odd_chunk(&json!({"content": piece}), &Value::Null, number);
        }
        body += &odd_chunk(&json!({}), &json!("stop"), 0);
        body += DONE;
        prop_assert_eq!(through(CHAT, &wants_city(true), in_pieces(&body, &sizes)), body);

        let body = format!(
            "{{ \"id\":\"1\", \"object\":\"chat.completion\",\"created\":1.0,\"model\":\"m\",\n\"choices\": [ {{\"index\":0,\
             \"message\": {{\"content\":{} , \"role\":\"assistant\"}},\"finish_reason\":\"stop\"}}], \"y\":1e2}}\n",
            json!(city)
        );
        prop_assert_eq!(through(CHAT, &wants_city(false), Reply::json(200, &body).into()), body);
    }

    #[test]
    fn any_sound_call_in_blocks_passes_byte_for_byte(
        city in city(),
        parts in proptest::collection::vec(1_usize..9, 1..9),
        sizes in proptest::collection::vec(1_usize..90, 1..20),
    ) {
        let event = |data: Value| {
            format!("event: {}\r\ndata: {data}\r\n\r\n", data["type"].as_str().unwrap())
        };
        let mut body = event(json!({"type": "message_start", "message": {"id": "m", "content": [], "usage": {}}}));
        body += &event(json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "tool_use", "id": "t", "name": "go", "input": {}}}));
        for piece in pieces(&city, &parts) {
            body += &event(json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": piece}}));
        }
        body += &event(json!({"type": "content_block_stop", "index": 0}));
        body += &event(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}}));
        body += &event(json!({"type": "message_stop"}));
        let schema = wants_city(true)["response_format"]["json_schema"]["schema"].clone();
        let request = json!({"model": "m", "stream": true, "max_tokens": 9, "messages": [],
            "tools": [{"name": "go", "input_schema": schema}]});
        prop_assert_eq!(through("/v1/messages", &request, in_pieces(&body, &sizes)), body);
    }

    #[test]
    fn any_stream_passes_byte_for_byte_in_any_pieces(
        body in body(),
        sizes in proptest::collection::vec(1_usize..40, 1..20),
    ) {
        prop_assert_eq!(through(CHAT, &wants_words(true), in_pieces(&body, &sizes)), body);
    }
}
