//! Calls that stand as text in earlier messages.

use serde_json::{Value, json};

use super::client::{PROTOCOLS, Protocol, run};
use llmend_model_server::{Answer, ModelServer, Seen};

use crate::rig::rig_with;

const READ: &str = "[gateway.policy]\npast_calls = \"read\"";

/// Returns what the server was sent of a conversation.
async fn sent(config: &str, protocol: Protocol, messages: &Value) -> Value {
    let upstream = ModelServer::answering(|_: &Seen| Answer::text("Hi.").into());
    let rig = rig_with(config, upstream).await;
    let mut request = protocol.request(&[run()], false);
    let key = if protocol == Protocol::Responses { "input" } else { "messages" };
    request[key] = messages.clone();
    let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
    assert_eq!(got.status, 200, "{}", got.body);
    rig.seen().json()[key].clone()
}

/// Two calls as text.
const TWO: &str = "<think>\nBoth.\n</think>\n\nI do.\n\n\
    <tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>\n\
    <tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"b\", \"times\": \"2\"}}\n</tool_call>";

/// The text around them.
const AROUND: &str = "<think>\nBoth.\n</think>\n\nI do.";

const ONE: &str =
    "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";

/// The arguments of the calls, as texts.
const ARGUMENTS: [&str; 2] = [r#"{"path":"a"}"#, r#"{"path":"b","times":2}"#];

#[tokio::test]
async fn calls_of_a_chat_get_the_ids_of_their_results() {
    let user = json!({"role": "user", "content": "Go."});
    let call = |id: &str, arguments: &str| {
        json!({"id": id, "type": "function",
        "function": {"name": "run", "arguments": arguments}})
    };
    let messages = json!([user, {"role": "assistant", "content": TWO},
        {"role": "tool", "tool_call_id": "one", "content": "ran a"},
        {"role": "tool", "tool_call_id": "two", "content": "ran b"}, user]);
    let expected = json!([user,
        {"role": "assistant", "content": AROUND,
            "tool_calls": [call("one", ARGUMENTS[0]), call("two", ARGUMENTS[1])]},
        messages[2], messages[3], user]);
    assert_eq!(sent(READ, Protocol::Chat, &messages).await, expected);
    assert_eq!(sent("", Protocol::Chat, &messages).await, messages);
    let mut parts = messages.clone();
    parts[1]["content"] = json!([{"type": "text", "text": TWO}]);
    assert_eq!(sent(READ, Protocol::Chat, &parts).await, expected);
    // What may be called now says nothing of them.
    let mut request = Protocol::Chat.request(&[run()], false);
    (request["messages"], request["tool_choice"]) = (messages.clone(), json!("none"));
    let upstream = ModelServer::answering(|_: &Seen| Answer::text("Hi.").into());
    let rig = rig_with(READ, upstream).await;
    rig.chat(&request).await;
    assert_eq!(rig.seen().json()["messages"], expected);
    // Results without an id get that of the call, and a call alone leaves no content.
    let messages =
        json!([user, {"role": "assistant", "content": ONE}, {"role": "tool", "content": "ran"}]);
    let found = sent(READ, Protocol::Chat, &messages).await;
    let id = found[2]["tool_call_id"].as_str().unwrap();
    assert_eq!(
        (found[1]["tool_calls"][0]["id"].as_str(), &found[1]["content"]),
        (Some(id), &Value::Null)
    );
}

#[tokio::test]
async fn calls_of_responses_and_messages_get_the_ids_of_their_results() {
    let user = json!({"role": "user", "content": "Go."});
    let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "ran"});
    let call = |id: &str, arguments: &str| {
        json!({"type": "function_call", "call_id": id,
        "name": "run", "arguments": arguments})
    };
    let said = json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": TWO, "annotations": []}]});
    let items = json!([user, said, output("one"), output("two")]);
    let expected = json!([user, {"role": "assistant", "content": AROUND},
        call("one", ARGUMENTS[0]), call("two", ARGUMENTS[1]), output("one"), output("two")]);
    assert_eq!(sent(READ, Protocol::Responses, &items).await, expected);

    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "ran"});
    let call = |id: &str, input: &str| {
        let input: Value = serde_json::from_str(input).unwrap();
        json!({"type": "tool_use", "id": id, "name": "run", "input": input})
    };
    let results = json!({"role": "user", "content": [result("one"), result("two")]});
    for content in [json!(TWO), json!([{"type": "text", "text": TWO}])] {
        let messages = json!([user, {"role": "assistant", "content": content}, results]);
        let expected = json!([user, {"role": "assistant", "content": [
            {"type": "text", "text": AROUND}, call("one", ARGUMENTS[0]), call("two", ARGUMENTS[1])]}, results]);
        assert_eq!(sent(READ, Protocol::Messages, &messages).await, expected);
    }
}

#[tokio::test]
async fn what_no_result_follows_stays_text() {
    let user = json!({"role": "user", "content": "Go."});
    let assistant = |text: &str| json!({"role": "assistant", "content": text});
    for messages in [
        json!([user, assistant(ONE), user]),
        // One result for two calls.
        json!([user, assistant(TWO), {"role": "tool", "tool_call_id": "1", "content": "ran"}]),
        json!([user, assistant("No call."), {"role": "tool", "tool_call_id": "1", "content": "ran"}]),
        json!([{"role": "user", "content": ONE}, {"role": "tool", "tool_call_id": "1", "content": "ran"}]),
    ] {
        assert_eq!(sent(READ, Protocol::Chat, &messages).await, messages);
    }
    for protocol in PROTOCOLS {
        let messages = json!([user, assistant(ONE), user]);
        assert_eq!(sent(READ, protocol, &messages).await, messages, "{protocol:?}");
    }
}
