//! What upstreams do wrong around calls and streams.

use llmend_model_server::{ModelServer, Reply};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::rig::{CHAT, DONE, chunk, events, offers_tool, rig, rig_with, wants_words};

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
async fn a_stream_without_the_mark_of_its_end_gets_one() {
    let pieces = [chunk(&json!({"content": "Words."}), None), chunk(&json!({}), Some("stop"))];
    let with_mark = [pieces.to_vec(), vec![DONE.to_owned()]].concat();
    let rig = rig([events(&pieces), events(&with_mark)]).await;
    for _ in 0..2 {
        let got = rig.chat(&offers_tool(true)).await;
        assert_eq!(got.body.matches("[DONE]").count(), 1, "{}", got.body);
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
