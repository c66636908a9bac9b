//! What upstreams do wrong around calls and streams.

use llmend_model_server::{Answer, Form, ModelServer, Reply};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{PROTOCOLS, Protocol, asked, run};
use crate::rig::{
    CHAT, DONE, UPSTREAM_KEY, chunk, events, offers_tool, rig, rig_of, rig_with, wants_words,
};

fn failing() -> ModelServer {
    let message = "Failed to parse input at pos 0: <tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}";
    let body = json!({"error": {"code": 500, "message": message, "type": "server_error"}});
    ModelServer::answering(move |_| Reply::json(500, body.to_string()).into())
}

#[tokio::test]
async fn calls_in_an_error_about_calls_are_read_if_the_policy_allows() {
    let read = "[gateway.policy]\nfailed_calls = \"read\"";
    let got = rig_with("", failing()).await.chat(&offers_tool(false)).await;
    assert_eq!(got.status, 500);
    let got = rig_with(read, failing()).await.chat(&offers_tool(false)).await;
    assert_eq!(got.status, 200, "{}", got.body);
    let call = &got.json()["choices"][0]["message"]["tool_calls"][0]["function"];
    assert_eq!(call["arguments"], r#"{"path":"a"}"#);
    let got = rig_with(read, failing()).await.chat(&offers_tool(true)).await;
    assert_eq!(got.finishes(), ["tool_calls"], "{}", got.body);
    // Without tools there are no calls.
    let got = rig_with(read, failing()).await.chat(&wants_words(false)).await;
    assert_eq!(got.status, 500);
}

#[tokio::test]
async fn they_are_read_in_every_protocol() {
    let read = "[gateway.policy]\nfailed_calls = \"read\"";
    for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        let rig = rig_with(read, failing()).await;
        let request = protocol.request(&[run()], stream).to_string();
        let got = rig.ask("POST", protocol.path(), "", &request).await;
        assert_eq!(got.status, 200, "{protocol:?} {stream}: {}", got.body);
        let found = protocol.read(&got, stream);
        let call = ("run".to_owned(), json!({"path": "a"}));
        assert_eq!(found.calls, [call], "{protocol:?} {stream}: {}", got.body);
        assert_eq!(found.text, "");
    }
}

#[tokio::test]
async fn they_are_read_in_the_first_event_of_a_stream_and_in_the_words_of_each_server() {
    let read = "[gateway.policy]\nfailed_calls = \"read\"";
    let marked = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
    for (message, calls) in [
        (format!("Failed to parse input at pos 7: {marked}"), 1),
        (format!("Error in extracting tool call from response: {marked}"), 1),
        ("error parsing tool call: raw='{\"path\": \"a\",}', err=invalid".to_owned(), 1),
        ("error parsing tool call: raw='{\"city\": \"a\",}', err=invalid".to_owned(), 0),
        ("out of memory".to_owned(), 0),
    ] {
        let error = json!({"error": {"message": message, "code": 500}});
        let whole = Reply::json(500, error.to_string());
        let event = Reply::events(format!("data: {error}\n\n"));
        for (reply, stream) in [(whole.clone(), false), (whole, true), (event, true)] {
            let rig = rig_with(read, ModelServer::scripted([reply.into()])).await;
            let request = Protocol::Chat.request(&[run()], stream);
            let got = rig.chat(&request).await;
            let found = Protocol::Chat.read(&got, stream);
            let expected = vec![("run".to_owned(), json!({"path": "a"})); calls];
            assert_eq!(found.calls, expected, "{stream} {message}: {}", got.body);
            assert_eq!(found.is_error, calls == 0, "{stream} {message}: {}", got.body);
        }
    }
}

#[tokio::test]
async fn a_stream_without_the_mark_of_its_end_gets_one() {
    let pieces = [chunk(&json!({"content": "Words."}), None), chunk(&json!({}), Some("stop"))];
    let with_mark = [pieces.to_vec(), vec![DONE.to_owned()]].concat();
    for request in [offers_tool(true), wants_words(true)] {
        let rig = rig([events(&pieces), events(&with_mark)]).await;
        for _ in 0..2 {
            let got = rig.chat(&request).await;
            assert_eq!(got.body, with_mark.concat());
        }
    }
}

#[tokio::test]
async fn a_request_without_a_body_needs_no_type() {
    let rig = rig([Reply::json(200, "{\"deleted\": true}").into()]).await;
    let head = format!(
        "DELETE /v1/files/x HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
        rig.address
    );
    let got = crate::rig::Got::read(rig.send(&head).await).await;
    assert_eq!((got.status, got.json()), (200, json!({"deleted": true})));
}

#[tokio::test]
async fn a_body_that_is_announced_as_too_large_is_refused_at_once() {
    let rig = rig_with("[gateway.limits]\nbody_bytes = 1000", ModelServer::scripted([])).await;
    for expect in ["", "expect: 100-continue\r\n"] {
        // No byte of the body is sent.
        let head = format!(
            "POST {CHAT} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
            content-length: 1001\r\n{expect}\r\n",
            rig.address
        );
        let mut stream = TcpStream::connect(rig.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut piece = [0; 64];
        let count = stream.read(&mut piece).await.unwrap();
        let answer = String::from_utf8_lossy(&piece[..count]).into_owned();
        assert!(answer.starts_with("HTTP/1.1 413"), "{expect}{answer}");
    }
}

#[tokio::test]
async fn the_path_of_a_deployment_has_the_protocol_of_its_route() {
    let route = "[[gateway.routes]]\npath = \"/openai/deployments/*/chat/completions\"\n\
        protocol = \"chat\"\nupstream = \"main\"";
    let turn = || super::completion(&[super::CALL], "stop");
    let rig = rig_with(route, ModelServer::scripted([turn(), turn()])).await;
    let mut request = offers_tool(false);
    request.as_object_mut().unwrap().remove("model");
    for prefix in ["", "/v1"] {
        let path = format!("{prefix}/openai/deployments/m-1/chat/completions");
        let query = format!("{path}?api-version=1");
        let got = rig.ask("POST", &query, "", &request.to_string()).await;
        let choice = &got.json()["choices"][0];
        assert_eq!(choice["finish_reason"], "tool_calls", "{}", got.body);
    }
    let paths: Vec<String> = rig.upstream.requests().into_iter().map(|seen| seen.path).collect();
    assert_eq!(paths, ["/v1/openai/deployments/m-1/chat/completions"; 2]);
    let got = rig.ask("POST", "/openai/deployments/m-1/embeddings", "", "{}").await;
    assert_eq!(got.status, 404, "{}", got.body);
}

#[tokio::test]
async fn the_path_of_a_route_may_begin_with_v1_and_has_one_spelling() {
    let route = "[[gateway.routes]]\npath = \"/v1/openai/deployments/*/chat/completions\"\n\
        protocol = \"chat\"\nupstream = \"main\"";
    let upstream = ModelServer::answering(|_| super::completion(&[super::CALL], "stop"));
    let rig = rig_with(route, upstream).await;
    let body = offers_tool(false).to_string();
    // (path, status)
    for (path, status) in [
        ("/v1/openai/deployments/m/chat/completions", 200),
        ("/openai/deployments/m/chat/completions/", 200),
        ("/openai/deployments//chat/completions", 404),
        ("/v1/openai/deployments//chat/completions", 404),
        ("/v1/openai/deployments/m/n/chat/completions", 404),
        ("/v1/openai/deployments/m/embeddings", 200),
        ("/v1/openai/deployments/m//chat/completions", 404),
        ("/v1/openai//deployments/m/chat/completions", 404),
        ("/v1/openai/deployments/m/chat/Completions", 404),
        ("/v1/v1/openai/deployments/m/chat/completions", 404),
    ] {
        let got = rig.ask("POST", path, "", &body).await;
        assert_eq!(got.status, status, "{path}: {}", got.body);
        let is_read = got.body.contains("tool_calls");
        assert_eq!(is_read, status == 200 && !path.ends_with("embeddings"), "{path}: {}", got.body);
    }
}

#[tokio::test]
async fn a_deployment_gets_its_key_where_azure_looks_for_it() {
    let upstream = ModelServer::answering(|_| super::completion(&["Hi."], "stop"));
    let config = format!(
        "[gateway.upstreams.main]\nbase_url = \"{}\"\napi_key_env = \"UPSTREAM_KEY\"\n\
        [[gateway.routes]]\npath = \"/openai/deployments/*/chat/completions\"\n\
        protocol = \"chat\"\nupstream = \"main\"",
        upstream.url()
    );
    let rig = rig_of(&config, upstream).await;
    for path in ["/openai/deployments/m-1/chat/completions", CHAT] {
        rig.ask("POST", path, "", &wants_words(false).to_string()).await;
    }
    let headers = ["api-key", "authorization", "x-api-key"];
    let keys = rig.upstream.requests();
    let keys = keys.iter().map(|seen| headers.map(|name| seen.header(name).map(str::to_owned)));
    let bearer = Some(format!("Bearer {UPSTREAM_KEY}"));
    let expected = [[Some(UPSTREAM_KEY.to_owned()), None, None], [None, bearer, None]];
    assert_eq!(keys.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_content_in_parts_is_read() {
    let parts = |texts: &[&str]| -> serde_json::Value {
        texts.iter().map(|text| json!({"type": "text", "text": text})).collect()
    };
    let (one, two) = super::CALL.split_at(20);
    for content in [parts(&[super::CALL]), parts(&["I run it.\n", super::CALL]), parts(&[one, two])]
    {
        let answer = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": content},
                "finish_reason": "stop"}]});
        let whole = Reply::json(200, answer.to_string()).into();
        let stream = events(&[
            chunk(&json!({"role": "assistant", "content": content}), None),
            chunk(&json!({}), Some("stop")),
            DONE.to_owned(),
        ]);
        let rig = rig([whole, stream]).await;
        for is_stream in [false, true] {
            let got = rig.chat(&offers_tool(is_stream)).await;
            let found = PROTOCOLS[0].read(&got, is_stream);
            let call = ("run".to_owned(), json!({"path": "a.py", "times": 2}));
            assert_eq!(found.calls, [call], "{content} {is_stream}: {}", got.body);
            assert!(!got.body.contains("tool_call>"), "{content} {is_stream}: {}", got.body);
            assert_eq!(found.end, "tool_calls", "{content} {is_stream}");
        }
    }
    // What holds no call stays as it is.
    let words = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": parts(&["No", " call."])},
            "finish_reason": "stop"}]})
    .to_string();
    let rig = rig([Reply::json(200, words.clone()).into()]).await;
    assert_eq!(rig.chat(&offers_tool(false)).await.body, words);
}

#[tokio::test]
async fn calls_in_errors_of_any_wording_are_read_where_they_are_the_models() {
    let call = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
    let said = |message: String| json!({"error": {"message": message, "type": "server_error"}});
    // (the body of the error, its status, whether the call is read)
    let rows = [
        (said(format!("Failed to parse input at pos 0: {call}")), 500, true),
        (said(format!("The model produced output that could not be parsed: {call}")), 500, true),
        (said(format!("Unable to parse the tool call in {call}\n")), 502, true),
        (
            json!({"error": {"message": "Failed to call a function.", "type": "invalid_request_error",
                "code": "tool_use_failed", "failed_generation": call}}),
            400,
            true,
        ),
        (json!({"detail": "could not parse tool calls", "raw_output": call}), 500, true),
        (json!({"error": format!("error parsing tool call: raw='{call}', err=eof")}), 500, true),
        // What the client sent is no answer.
        (said(format!("Failed to parse messages[2].content: {call}")), 400, false),
        (said(format!("Failed to parse the prompt: {call}")), 500, false),
        (json!({"error": {"message": "bad request", "input": call}}), 400, false),
        (json!({"error": {"message": "bad request"}, "messages": [{"content": call}]}), 400, false),
        (said(format!("out of memory at {call}")), 500, false),
        // No mark says that it is a call.
        (said("could not be parsed: {\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}".to_owned()), 500, false),
        (said("could not be parsed: <tool_call>{\"name\": \"other\", \"arguments\": {}}</tool_call>".to_owned()), 500, false),
    ];
    let read = "[gateway.policy]\nfailed_calls = \"read\"";
    for (body, status, is_read) in rows {
        let reply = Reply::json(status, body.to_string());
        let rig = rig_with(read, ModelServer::answering(move |_| reply.clone().into())).await;
        let got = rig.chat(&offers_tool(false)).await;
        assert_eq!(got.status == 200, is_read, "{body}: {}", got.body);
        let found = PROTOCOLS[0].read(&got, false);
        assert_eq!(found.calls.len(), usize::from(is_read), "{body}: {}", got.body);
        assert_eq!((found.text.as_str(), found.is_error), ("", !is_read), "{body}: {}", got.body);
    }
}

#[tokio::test]
async fn an_error_of_words_alone_is_read_and_is_no_page() {
    let call = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
    let parsed = format!("Failed to parse input at pos 0: {call}");
    let read = "[gateway.policy]\nfailed_calls = \"read\"";
    // (the body of the error, whether the call is read, what the message says)
    let rows = [
        (parsed.clone(), true, ""),
        (format!("error parsing tool call: raw='{call}', err=eof"), true, ""),
        (call.to_owned(), false, "<tool_call>"),
        ("Failed to parse the prompt: <tool_call>".to_owned(), false, "Failed to parse"),
        ("<b>busy</b>".to_owned(), false, "<b>busy</b>"),
        ("<html><title>Bad Gateway</title></html>".to_owned(), false, "a page: Bad Gateway"),
    ];
    for (body, is_read, says) in rows {
        for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)])
        {
            let reply = Reply::status(500).header("content-type", "text/plain").text(body.clone());
            let rig = rig_with(read, ModelServer::answering(move |_| reply.clone().into())).await;
            let request = protocol.request(&[run()], stream).to_string();
            let got = rig.ask("POST", protocol.path(), "", &request).await;
            let found = protocol.read(&got, stream);
            let case = format!("{protocol:?} {stream} {body}: {}", got.body);
            assert_eq!(found.calls.len(), usize::from(is_read), "{case}");
            if !is_read {
                let error = got.json();
                let message = error["error"]["message"].as_str().unwrap();
                assert!(message.contains(says), "{case}");
                assert_eq!(message.contains("a page"), says.contains("a page"), "{case}");
            }
        }
    }
}

#[tokio::test]
async fn an_error_in_a_stream_of_responses_has_the_next_number() {
    let cut = "I run it.\n<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a";
    for (text, config) in [
        (cut, ""),
        (cut, "[gateway.policy]\non_truncated_call = \"reask\"\nreasks = 0"),
        ("Words. <tool_call>\nrun the file\n</tool_call>", ""),
    ] {
        for size in [1, 3, 20, 1000] {
            let answer = Answer::text(text).pieces_of(size);
            let request = Protocol::Responses.request(&[run()], true);
            let (_rig, got) = asked(Protocol::Responses, config, answer, &request).await;
            numbered_to_the_error(&got.body);
        }
    }
    // Where nothing is inspected, and the upstream ends too early.
    let reply = Answer::text("Some words.").stream(Form::Responses).first_steps(5);
    let rig = rig([reply.into()]).await;
    let request = json!({"model": "m", "stream": true, "input": "Hello."}).to_string();
    let got = rig.ask("POST", Protocol::Responses.path(), "", &request).await;
    numbered_to_the_error(&got.body);
}

/// Checks that the events are numbered from 0, and that the last one is an error.
fn numbered_to_the_error(body: &str) {
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    let all: Vec<serde_json::Value> =
        data.map(|data| serde_json::from_str(data).unwrap()).collect();
    for (number, event) in all.iter().enumerate() {
        assert_eq!(event["sequence_number"], json!(number), "{body}");
    }
    assert_eq!(all.last().unwrap()["type"], "error", "{body}");
}
