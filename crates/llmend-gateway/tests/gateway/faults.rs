//! Faults of an upstream that the gateway has to survive: one test each.

use llmend_model_server::{Answer, ModelServer, Reply, Step, Turn};
use serde_json::json;

use crate::rig::{
    DONE, chunk, events, offers_tool, rig, rig_of, rig_with, wants_city, wants_words,
};

const SHORT: &str =
    "[gateway.timers]\nfirst_byte_ms = 40\nidle_ms = 60\nkeep_alive_ms = 10\ntotal_ms = 5000";

#[tokio::test]
async fn refused() {
    // A port that nobody listens on any more.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let text = format!("[gateway.upstreams.gone]\nbase_url = \"http://{address}/v1\"");
    let rig = rig_of(&text, ModelServer::scripted([])).await;
    let got = rig.chat(&wants_city(false)).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (502, &json!("unreachable")));
    let message = got.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("`gone`") && !message.contains(&address.to_string()), "{message}");
}

#[tokio::test]
async fn a_slow_head() {
    let rig = rig_with(SHORT, ModelServer::scripted([Reply::hang().into()])).await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!((got.status, &got.json()["error"]["type"]), (504, &json!("upstream_timeout")));
    rig.upstream.left(0).await;
}

#[tokio::test]
async fn silence_within_an_answer() {
    let hanging = |first: String| Turn::from(Reply::events(first).then(Step::Hang));
    let first = chunk(&json!({"content": "a"}), None);
    let server = ModelServer::scripted([hanging(first.clone()), hanging(first.clone())]);
    let rig = rig_with(SHORT, server).await;
    let got = rig.chat(&wants_words(true)).await;
    assert!(got.body.starts_with(&first), "{}", got.body);
    assert_eq!(got.events()[1]["error"]["type"], "upstream_timeout");
    // Comments keep the client's connection alive, and not the upstream's.
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(got.events()[0]["error"]["type"], "upstream_timeout");
}

#[tokio::test]
async fn busy_with_the_time_to_wait() {
    let body = "{\"error\": {\"message\": \"slow down\", \"type\": \"rate_limit\"}}";
    let rig = rig([Reply::json(429, body)
        .header("retry-after", "7")
        .header("retry-after-ms", "7000")
        .into()])
    .await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!((got.status, got.body.as_str()), (429, body));
    assert_eq!(
        (got.header("retry-after"), got.header("retry-after-ms")),
        (Some("7"), Some("7000"))
    );
}

#[tokio::test]
async fn an_error_with_json_in_its_body() {
    let theirs =
        "{\"error\": {\"message\": \"Failed to parse input at pos 3: {'a': 1}\", \"code\": 500}}";
    let rig = rig([
        Reply::json(500, theirs).into(),
        Reply::json(500, "{\"error\":\"no such model\"}").into(),
    ])
    .await;
    assert_eq!(rig.chat(&wants_city(false)).await.body, theirs);
    let got = rig.chat(&wants_city(false)).await;
    assert_eq!((got.status, &got.json()["error"]["message"]), (500, &json!("no such model")));
}

#[tokio::test]
async fn a_page_in_place_of_an_error() {
    let page =
        "<html><head><title>502 Bad Gateway</title></head><body><script>x</script></body></html>";
    let rig = rig([
        Reply::status(502).header("content-type", "text/html").text(page).into(),
        Reply::status(200).header("content-type", "text/html").text(page).into(),
    ])
    .await;
    let got = rig.chat(&wants_city(false)).await;
    assert_eq!((got.status, got.header("content-type")), (502, Some("application/json")));
    let message = got.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("502 Bad Gateway") && !message.contains('<'), "{message}");
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!((got.status, &got.json()["error"]["type"]), (502, &json!("upstream_error")));
}

#[tokio::test]
async fn an_error_object_with_status_200() {
    let body = "{\"error\": {\"message\": \"quota\", \"code\": 402}}";
    let rig = rig([Reply::json(200, body).into(), Reply::json(200, body).into()]).await;
    for stream in [false, true] {
        let got = rig.chat(&wants_city(stream)).await;
        assert_eq!((got.status, &got.json()["error"]["message"]), (402, &json!("quota")));
    }
}

#[tokio::test]
async fn a_truncated_stream_never_counts_as_complete() {
    let whole =
        [chunk(&json!({"content": "{\"city\": \"Oslo\"}"}), None), chunk(&json!({}), Some("stop"))]
            .concat();
    let complete = whole.trim_end().len();
    let cuts: Vec<usize> = (0..complete).step_by(11).collect();
    let turns = cuts.iter().map(|&at| Turn::from(Reply::events(&whole[..at])));
    let rig = rig(turns).await;
    for at in cuts {
        let got = rig.chat(&wants_city(true)).await;
        let last = got.events().pop().unwrap();
        assert!(last["error"]["message"].is_string(), "{at}: {last}");
        assert_eq!(got.finishes(), [""; 0], "{at}");
    }
}

#[tokio::test]
async fn characters_and_line_ends_in_two_reads() {
    let text = "{'city': 'Tromsø 🏔'}";
    let body =
        [chunk(&json!({"content": text}), None), chunk(&json!({}), Some("stop")), DONE.to_owned()]
            .concat();
    let body = body.replace('\n', "\r\n");
    let mut reply = Reply::events("");
    for byte in body.as_bytes() {
        reply = reply.then(Step::Send(vec![*byte]));
    }
    let rig = rig([reply.into()]).await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(got.content(), "{\"city\": \"Tromsø 🏔\"}");
    assert_eq!(got.finishes(), ["stop"]);
}

#[tokio::test]
async fn data_over_several_lines() {
    let event = "data: {\"choices\": [{\"index\": 0,\ndata: \"delta\": {\"content\": \"{'city': 'Oslo'}\"},\ndata: \"finish_reason\": \"stop\"}]}\n\n";
    let rig = rig([events(&[event.to_owned(), DONE.to_owned()])]).await;
    assert_eq!(rig.chat(&wants_city(true)).await.content(), "{\"city\": \"Oslo\"}");
}

#[tokio::test]
async fn a_byte_order_mark() {
    let first = format!("\u{feff}{}", chunk(&json!({"content": "{\"city\":\"Oslo\"}"}), None));
    let rig = rig([events(&[first, chunk(&json!({}), Some("stop")), DONE.to_owned()])]).await;
    let got = rig.chat(&wants_city(true)).await;
    // Valid, and written anew all the same: a client that keeps the mark would not find the first event.
    assert!(!got.body.contains('\u{feff}'), "{}", got.body);
    assert_eq!(
        (got.content().as_str(), got.finishes()),
        ("{\"city\":\"Oslo\"}", vec!["stop".to_owned()])
    );
}

#[tokio::test]
async fn no_index_no_id_and_no_end() {
    let rig = rig([events(&[
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"run\",\"arguments\":\"{path: 'x'}\"}}]}}]}\n\n"
            .to_owned(),
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"run\",\"arguments\":\"{path: 'y'}\"}}]}}]}\n\n"
            .to_owned(),
        DONE.to_owned(),
    ])])
    .await;
    let got = rig.chat(&offers_tool(true)).await;
    let events = got.events();
    let calls: Vec<_> = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["tool_calls"].as_array())
        .flatten()
        .collect();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert_ne!(calls[0]["id"], calls[1]["id"]);
    assert_eq!((&calls[0]["index"], &calls[1]["index"]), (&json!(0), &json!(1)));
    assert_eq!(calls[1]["function"]["arguments"], "{\"path\": \"y\"}");
    assert_eq!(got.finishes(), ["tool_calls"]);
}

#[tokio::test]
async fn a_usage_that_is_null() {
    let finish = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n";
    let usage = "data: {\"choices\":[],\"usage\":null}\n\n";
    let rig = rig([events(&[
        chunk(&json!({"content": "{'city': 'Oslo'}"}), None),
        finish.to_owned(),
        usage.to_owned(),
        DONE.to_owned(),
    ])])
    .await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(
        (got.content().as_str(), got.finishes()),
        ("{\"city\": \"Oslo\"}", vec!["stop".to_owned()])
    );
}

#[tokio::test]
async fn a_line_without_end() {
    let line =
        |size: usize| Turn::from(Reply::events("data: ").text("x".repeat(size)).then(Step::Hang));
    let server = ModelServer::scripted([line(200_000)]);
    let rig = rig_with("[gateway.limits]\nanswer_bytes = 100000", server).await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(got.events()[0]["error"]["code"], "limit/bytes");
    rig.upstream.left(0).await;
}

#[tokio::test]
async fn white_space_without_end() {
    // Models with a grammar are known to write it until their limit.
    let blank = |_| chunk(&json!({"content": " \n\t".repeat(100)}), None);
    let mut pieces: Vec<String> = vec![chunk(&json!({"content": "{\"city\": \"Oslo\""}), None)];
    pieces.extend((0..50).map(blank));
    pieces.push(chunk(&json!({}), Some("length")));
    let endless = Reply::events(pieces.concat()).into();
    let rig = rig([endless, Reply::json(200, format!("{}{{}}", " ".repeat(100_000))).into()]).await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(got.finishes(), ["length"]);
    let content: serde_json::Value = serde_json::from_str(&got.content()).unwrap();
    assert_eq!(content, json!({"city": "Oslo"}));
    assert_eq!(rig.chat(&wants_city(false)).await.status, 502);
}

#[tokio::test]
async fn endless_white_space_is_not_awaited() {
    let mut reply = Reply::events(chunk(&json!({"content": "{\"city\": \"Oslo\""}), None));
    for _ in 0..200 {
        reply = reply.text(chunk(&json!({"content": " \n".repeat(200)}), None));
    }
    let server = ModelServer::scripted([reply.then(Step::Hang).into()]);
    let rig = rig_with("[gateway.limits]\nanswer_bytes = 50000", server).await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(got.events()[0]["error"]["code"], "limit/bytes");
    rig.upstream.left(0).await;
}

#[tokio::test]
async fn an_unreadable_event_ends_the_answer() {
    let rig = rig([
        events(&[
            chunk(&json!({"content": "{\"city\": "}), None),
            "data: {\"cho\n\n".to_owned(),
            DONE.to_owned(),
        ]),
        Reply::events("").then(Step::Send(b"data: \xFF\n\n".to_vec())).into(),
    ])
    .await;
    for _ in 0..2 {
        assert_eq!(
            rig.chat(&wants_city(true)).await.events()[0]["error"]["code"],
            "stream/malformed"
        );
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = ModelServer::scripted([Answer::text("stolen").into()]);
    let to = format!("{}/v1/chat/completions", elsewhere.url());
    let rig = rig([Reply::status(307).header("location", &to).into()]).await;
    let got = rig.chat(&wants_words(false)).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (502, &json!("redirect")));
    assert_eq!((got.header("location"), elsewhere.requests().len()), (None, 0));
}

#[tokio::test]
async fn an_unrequested_compression() {
    let zipped = Reply::json(200, "\u{1f}garbage").header("content-encoding", "gzip");
    let rig = rig([zipped.clone().into(), zipped.into()]).await;
    for request in [wants_words(false), wants_city(true)] {
        let got = rig.chat(&request).await;
        assert_eq!((got.status, &got.json()["error"]["code"]), (502, &json!("encoded")));
    }
    assert_eq!(rig.upstream.requests()[0].header("accept-encoding"), None);
}
