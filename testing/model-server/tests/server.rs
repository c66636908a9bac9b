//! Scripts of the server and clients that leave, tested with a bare socket.

use llmend_model_server::{Answer, Form, Gate, ModelServer, Reply, Scenarios, Step, Turn};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn ask(server: &ModelServer, path: &str, body: &str) -> TcpStream {
    let address = server.url().replace("http://", "");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-mark: 1\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).await.unwrap();
    stream
}

/// All that comes until the connection is closed.
async fn rest(mut stream: TcpStream) -> String {
    let mut text = String::new();
    // A connection that is cut may end with an error; what came before counts.
    let _ = stream.read_to_string(&mut text).await;
    text
}

#[tokio::test]
async fn each_request_gets_its_turn_and_is_noted() {
    let server = ModelServer::scripted([
        Reply::json(429, "{}").header("retry-after", "7").into(),
        Answer::text("hello").into(),
    ]);
    let first = rest(ask(&server, "/v1/chat/completions?a=1", "one").await).await;
    assert!(first.starts_with("HTTP/1.1 429"), "{first}");
    assert!(first.contains("retry-after: 7"), "{first}");
    assert_eq!(server.turns_left(), 1);
    let second = rest(ask(&server, "/v1/chat/completions", "{}").await).await;
    assert!(second.contains("\"content\":\"hello\""), "{second}");
    let third = rest(ask(&server, "/", "").await).await;
    assert!(third.starts_with("HTTP/1.1 500"), "{third}");

    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(
        (requests[0].path.as_str(), requests[0].query.as_str()),
        ("/v1/chat/completions", "a=1")
    );
    assert_eq!((requests[0].body.as_str(), requests[0].header("x-mark")), ("one", Some("1")));
    assert_eq!(requests[0].method, "POST");
    assert!((0..3).all(|request| !server.has_left(request)));
}

#[tokio::test]
async fn an_answer_is_written_in_the_form_that_is_asked_for() {
    let server = ModelServer::answering(|seen| {
        assert!(!seen.path.is_empty());
        Answer::text("0123456789").into()
    });
    let rows = [
        ("/v1/chat/completions", "{}", "\"message\":{"),
        ("/v1/chat/completions", "{\"stream\": true}", "data: [DONE]"),
        ("/v1/responses", "{}", "\"status\":\"completed\""),
        ("/v1/responses", "{\"stream\": true}", "event: response.completed"),
        ("/v1/messages", "{}", "\"stop_reason\":\"end_turn\""),
        ("/v1/messages", "{\"stream\": true}", "event: message_stop"),
        ("/v1beta/models/m:generateContent", "{}", "\"finishReason\":\"STOP\""),
        ("/v1beta/models/m:streamGenerateContent", "{}", "data: {"),
        ("/api/chat", "{\"stream\": false}", "\"content\":\"0123456789\""),
        ("/api/chat", "{}", "\"content\":\"01234567\""),
    ];
    for (path, body, expected) in rows {
        let text = rest(ask(&server, path, body).await).await;
        assert!(text.contains(expected), "{path} {body}: {text}");
    }
}

#[tokio::test]
async fn a_gate_holds_the_rest_and_a_cut_ends_it() {
    let gate = Gate::default();
    let server = ModelServer::scripted([Reply::status(200)
        .text("first")
        .then(Step::Wait(gate.clone()))
        .text("second")
        .then(Step::Cut)
        .text("never")
        .into()]);
    let mut stream = ask(&server, "/", "").await;
    let mut seen = String::new();
    while !seen.contains("first") {
        let mut buffer = [0; 256];
        let read = stream.read(&mut buffer).await.unwrap();
        assert!(read > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    assert!(!seen.contains("second"));
    gate.open();
    let text = rest(stream).await;
    assert!(text.contains("second") && !text.contains("never"), "{text}");
    // Without the last chunk of all, whoever reads HTTP knows that something is missing.
    assert!(!text.ends_with("0\r\n\r\n"), "{text:?}");
    assert!(!server.has_left(0));
}

#[tokio::test]
async fn who_leaves_is_noticed_before_and_within_a_reply() {
    let server = ModelServer::scripted([
        Reply::hang().into(),
        Reply::status(200).text("first").then(Step::Hang).into(),
    ]);
    let stream = ask(&server, "/", "").await;
    server.arrived(1).await;
    drop(stream);
    server.left(0).await;

    let mut stream = ask(&server, "/", "").await;
    let mut head = [0; 8];
    stream.read_exact(&mut head).await.unwrap();
    drop(stream);
    server.left(1).await;
}

#[tokio::test]
async fn a_connection_can_be_cut_without_a_reply() {
    let server = ModelServer::scripted([Reply::cut().into()]);
    assert_eq!(rest(ask(&server, "/", "").await).await, "");
}

#[test]
fn errors_are_written_as_the_providers_do() {
    for form in Form::ALL {
        let Turn::Reply(reply) = Turn::from(form.error(400, "no such thing")) else {
            unreachable!()
        };
        assert!(format!("{reply:?}").contains("status: 400"), "{reply:?}");
    }
}

#[tokio::test]
async fn a_scenario_is_named_by_the_model() {
    let server = Scenarios::from_json(
        r#"{"broken": {"content": "{'a'", "calls": ["{a", "{b"], "again": "{}", "cut_off": true}}"#,
    )
    .unwrap()
    .serve();
    let tool = r#", "tools": [{"name": "f"}]"#;
    let rows = [
        ("broken/1", "", "\"content\":\"{'a'\""),
        ("broken/2", tool, "\"arguments\":\"{b\""),
        ("broken/3", &format!("{tool}, \"tool_choice\": \"none\""), "{'a'"),
        ("broken/4", r#", "functions": [{"name": "f"}]"#, "\"function_call\":{"),
        // A second time.
        ("broken/2", tool, "\"content\":\"{}\""),
        ("unknown/1", "", "HTTP/1.1 404"),
    ];
    for (model, more, expected) in rows {
        let body = format!("{{\"model\": \"{model}\"{more}}}");
        let text = rest(ask(&server, "/v1/chat/completions", &body).await).await;
        assert!(text.contains(expected), "{model}: {text}");
        assert_eq!(text.contains("length"), !expected.contains("{}") && !text.contains("404"));
    }
    assert!(Scenarios::from_json("[]").is_err());
    let mut stream = TcpStream::connect(server.url().replace("http://", "")).await.unwrap();
    stream.write_all(b"GET /asked HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
    assert!(rest(stream).await.contains("\"broken/2\":2"));
}

#[tokio::test]
async fn a_model_without_tools_writes_one_text_after_the_other() {
    let server = Scenarios::from_json(
        r#"{"text": {"turns": ["ab€cd", "two"], "piece_bytes": 3}, "old": {"turns": ["x"], "refuses_tools": true}}"#,
    )
    .unwrap()
    .serve();
    let tool = r#", "tools": [{"name": "f"}]"#;
    let after = r#", "messages": [{"role": "user"}, {"role": "assistant"}, {"role": "tool"}]"#;
    let twice = after.replace(']', r#", {"role": "assistant"}]"#);
    let rows = [
        ("text", tool, "\"content\":\"ab€cd\""),
        ("text", r#", "stream": true"#, "\"content\":\"ab€\""),
        ("text", after, "\"content\":\"two\""),
        // The last one stays.
        ("text", &twice, "\"content\":\"two\""),
        ("old", tool, "does not support tools"),
        ("old", "", "\"content\":\"x\""),
    ];
    for (model, more, expected) in rows {
        let body = format!("{{\"model\": \"{model}\"{more}}}");
        let text = rest(ask(&server, "/v1/chat/completions", &body).await).await;
        assert!(text.contains(expected), "{model}{more}: {text}");
    }
}
