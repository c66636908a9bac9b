//! Calls of custom tools of chat completions beside calls that the server found, in requests for models
//! without tools, and in earlier messages.

use llmend_model_server::{Answer, ModelServer, Reply, Turn};
use serde_json::{Value, json};

use super::CALL;
use super::client::{Protocol, asked};
use super::custom::{CONFIGS, QUERY, SIZES, call, offering, queried, ran};
use crate::rig::{DONE, chunk, events, rig_with};

const CHAT: Protocol = Protocol::Chat;

/// A call that the server found.
fn native(input: &str) -> Value {
    json!({"id": "c1", "type": "custom", "custom": {"name": "sql", "input": input}})
}

/// An answer with a text and a call of the custom tool that the server found, whole or in pieces of
/// this size.
fn with_native(text: &str, size: Option<usize>) -> Turn {
    let Some(size) = size else {
        let message = json!({"role": "assistant", "content": text, "tool_calls": [native(QUERY)]});
        let choice = json!({"index": 0, "message": message, "finish_reason": "tool_calls"});
        let whole = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [choice]});
        return Reply::json(200, whole.to_string()).into();
    };
    let pieces = |text: &str| -> Vec<String> {
        let all: Vec<char> = text.chars().collect();
        all.chunks(size).map(|piece| piece.iter().collect()).collect()
    };
    let mut all = vec![chunk(&json!({"role": "assistant", "content": ""}), None)];
    all.extend(pieces(text).iter().map(|piece| chunk(&json!({ "content": piece }), None)));
    let mut begun = native("");
    begun["index"] = json!(0);
    all.push(chunk(&json!({"tool_calls": [begun]}), None));
    all.extend(pieces(QUERY).iter().map(|piece| {
        chunk(&json!({"tool_calls": [{"index": 0, "custom": {"input": piece}}]}), None)
    }));
    all.extend([chunk(&json!({}), Some("tool_calls")), DONE.to_owned()]);
    events(&all)
}

#[tokio::test]
async fn a_call_that_the_server_found_passes_or_is_sent_once() {
    let other = call().replace("from c", "from d");
    let of_other = ("sql".to_owned(), json!(QUERY.replace("from c", "from d")));
    // (text, the calls)
    let rows = [
        ("Sure.".to_owned(), vec![queried()]),
        (call(), vec![queried()]),
        (other, vec![of_other, queried()]),
        (CALL.to_owned(), vec![ran(), queried()]),
    ];
    for (text, calls) in &rows {
        for (config, size) in CONFIGS.into_iter().flat_map(|one| SIZES.map(|size| (one, size))) {
            let rig = rig_with(config, ModelServer::scripted([with_native(text, size)])).await;
            let got = rig.chat(&offering(CHAT, size.is_some())).await;
            let found = CHAT.read(&got, size.is_some());
            let case = format!("{config} {size:?} {text}: {}", got.body);
            assert_eq!((&found.calls, found.end.as_str()), (calls, "tool_calls"), "{case}");
        }
    }
}

#[tokio::test]
async fn an_error_names_the_place_of_a_call_among_all() {
    let unfit = "<tool_call>\n{\"name\": \"sql\", \"arguments\": {\"query\": \"a\"}}\n</tool_call>";
    // (text, the place)
    for (text, place) in [
        (format!("{CALL}\n{unfit}"), "tool_calls[1].custom.input"),
        (format!("{}\n{}", call(), CALL.replace("path", "paths")), "tool_calls[1].function"),
    ] {
        for size in SIZES {
            let answer = Answer::text(&text).pieces_of(size.unwrap_or(9));
            let (_rig, got) = asked(CHAT, "", answer, &offering(CHAT, size.is_some())).await;
            assert!(got.body.contains(place), "{size:?} {text}: {}", got.body);
        }
    }
}

/// A conversation with an earlier call.
fn conversation(said: &Value) -> Value {
    json!([{"role": "user", "content": "Ask."}, said,
        {"role": "tool", "tool_call_id": "c1", "content": "1"}])
}

#[tokio::test]
async fn a_custom_tool_is_emulated_with_its_format_and_its_history() {
    let config = "[gateway.policy]\nemulate_tools = \"hermes\"";
    let mut request = offering(CHAT, false);
    let said = json!({"role": "assistant", "content": null, "tool_calls": [native("select 1")]});
    request["messages"] = conversation(&said);
    let (rig, got) = asked(CHAT, config, Answer::text(&call()), &request).await;
    assert_eq!(CHAT.read(&got, false).calls, [queried()], "{}", got.body);
    let seen = rig.seen().json();
    assert!(seen.get("tools").is_none(), "{seen}");
    let prompt = seen["messages"][0]["content"].as_str().unwrap();
    let has_tool = prompt.contains("{\"name\": \"sql\"") && prompt.contains("start: /select .+/s");
    assert!(has_tool, "{prompt}");
    let said = seen["messages"][2]["content"].as_str().unwrap();
    assert!(said.starts_with("<tool_call>") && said.contains("select 1"), "{seen}");
}

#[tokio::test]
async fn an_earlier_call_as_text_becomes_one_of_the_custom_tool() {
    let config = "[gateway.policy]\npast_calls = \"read\"";
    let mut request = offering(CHAT, false);
    request["messages"] = conversation(&json!({"role": "assistant", "content": call()}));
    let (rig, _got) = asked(CHAT, config, Answer::text("Done."), &request).await;
    let expected = json!({"role": "assistant", "content": null, "tool_calls": [native(QUERY)]});
    assert_eq!(rig.seen().json()["messages"][1], expected);
}
