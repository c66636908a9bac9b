//! Calls in the texts of streams.

use llmend_model_server::{Gate, ModelServer, Reply, Step, Turn};
use serde_json::{Value, json};

use super::{BARE, CALL};
use crate::rig::{DONE, Got, chunk, events, offers_tool, rig, rig_with, wants_city};

/// A stream of these pieces of text.
fn pieces(pieces: &[&str]) -> Turn {
    let mut all = vec![chunk(&json!({"role": "assistant", "content": ""}), None)];
    all.extend(pieces.iter().map(|piece| chunk(&json!({ "content": piece }), None)));
    all.extend([chunk(&json!({}), Some("stop")), DONE.to_owned()]);
    events(&all)
}

/// A text in pieces of this many bytes or a little more.
fn cut(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = size.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

/// What a client assembles of the first choice.
#[derive(Debug, Default, PartialEq)]
struct Assembled {
    content: String,
    reasoning: String,
    /// Id, name and arguments.
    calls: Vec<(String, String, String)>,
    finish: Vec<String>,
    error: Option<String>,
}

fn assembled(got: &Got) -> Assembled {
    let mut all = Assembled { finish: got.finishes(), ..Assembled::default() };
    for event in got.events() {
        if let Some(code) = event["error"]["reason"].as_str() {
            all.error = Some(code.to_owned());
        }
        let delta = &event["choices"][0]["delta"];
        all.content.push_str(delta["content"].as_str().unwrap_or_default());
        all.reasoning.push_str(delta["reasoning_content"].as_str().unwrap_or_default());
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let at = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
            if all.calls.len() <= at {
                all.calls.resize_with(at + 1, Default::default);
            }
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            all.calls[at].0 += &text(&call["id"]);
            all.calls[at].1 += &text(&call["function"]["name"]);
            all.calls[at].2 += &text(&call["function"]["arguments"]);
        }
    }
    all
}

#[tokio::test]
async fn pieces_of_any_size_give_the_call() {
    let text = format!("<think>\nThe file.\n</think>\n\nI run it.\n\n{CALL}");
    for config in ["", "[gateway.policy]\nreasks = 1"] {
        for size in [1, 3, 20, 1000] {
            let rig = rig_with(config, ModelServer::scripted([pieces(&cut(&text, size))])).await;
            let all = assembled(&rig.chat(&offers_tool(true)).await);
            assert_eq!(all.content, "I run it.", "{size}");
            assert_eq!(all.reasoning, "The file.", "{size}");
            assert_eq!(all.finish, ["tool_calls"], "{size}");
            assert_eq!(all.calls.len(), 1, "{size} {all:?}");
            let (id, name, arguments) = &all.calls[0];
            assert_eq!((id.len(), name.as_str()), (9, "run"), "{size} {config}");
            assert_eq!(arguments, r#"{"path":"a.py","times":2}"#, "{size}");
        }
    }
}

#[tokio::test]
async fn prose_flows_and_the_name_comes_before_the_arguments() {
    let (name, rest) = (Gate::default(), Gate::default());
    let piece = |text: &str| chunk(&json!({ "content": text }), None);
    let reply = Reply::events("")
        .text(piece("I run <it"))
        .text(piece("> now. "))
        .text(piece("\n<tool_call>\n{\"name\": \"run\", \"argu"))
        .then(Step::Wait(name.clone()))
        .text(piece("ments\": {\"path\": \"a\"}}\n</tool_call>"))
        .then(Step::Wait(rest.clone()))
        .text(chunk(&json!({}), Some("stop")))
        .text(DONE);
    let rig = rig([reply.into()]).await;
    let request = offers_tool(true).to_string();
    let head = rig.head("POST", crate::rig::CHAT, "", request.len());
    let mut stream = rig.send(&(head + &request)).await;
    let seen = super::read_until(&mut stream, "\"name\":\"run\"").await;
    assert!(seen.contains("I run ") && !seen.contains("tool_call>"), "{seen}");
    name.open();
    let seen = super::read_until(&mut stream, "path").await;
    assert!(!seen.contains("finish_reason\":\"tool_calls"), "{seen}");
    rest.open();
    super::read_until(&mut stream, "[DONE]").await;
}

#[tokio::test]
async fn text_without_a_call_passes_byte_for_byte() {
    let text = "Use `run(path=\"a.py\")`, or <b>wait</b>.\n\nThen 1 < 2.\n";
    for size in [1, 3, 20] {
        let cut = cut(text, size);
        let rig = rig([pieces(&cut)]).await;
        let got = rig.chat(&offers_tool(true)).await;
        let all = assembled(&got);
        assert_eq!((all.content.as_str(), all.finish), (text, vec!["stop".to_owned()]));
        assert!(all.calls.is_empty());
    }
    // What holds nothing back is not written anew.
    let plain = ["Plain words ", "and more words", " in three pieces."];
    let rig = rig([pieces(&plain)]).await;
    let mut expected = chunk(&json!({"role": "assistant", "content": ""}), None);
    expected.extend(plain.map(|piece| chunk(&json!({ "content": piece }), None)));
    expected += &(chunk(&json!({}), Some("stop")) + DONE);
    assert_eq!(rig.chat(&offers_tool(true)).await.body, expected);
}

#[tokio::test]
async fn what_was_said_of_a_call_is_never_taken_back() {
    for (text, code) in [
        ("<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.", "calls/truncated"),
        (
            "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\", \"times\": \"often\"}}\n</tool_call>",
            "schema/type",
        ),
    ] {
        for size in [1, 1000] {
            let rig = rig([pieces(&cut(text, size))]).await;
            let got = rig.chat(&offers_tool(true)).await;
            let all = assembled(&got);
            assert_eq!(all.error.as_deref(), Some(code), "{}", got.body);
            assert!(all.finish.is_empty() && !got.body.contains("[DONE]"), "{}", got.body);
        }
    }
}

#[tokio::test]
async fn an_unmarked_call_is_told_when_the_text_ends() {
    for size in [1, 1000] {
        let rig = rig([pieces(&cut(BARE, size))]).await;
        let all = assembled(&rig.chat(&offers_tool(true)).await);
        assert_eq!((all.content.as_str(), all.calls.len()), ("", 1));
    }
    // A stream that breaks off has no end.
    let rig = rig([events(&[chunk(&json!({"content": BARE}), None)])]).await;
    let got = rig.chat(&offers_tool(true)).await;
    assert!(assembled(&got).calls.is_empty(), "{}", got.body);
    assert!(got.body.contains("stream/unexpected-end"), "{}", got.body);
}

#[tokio::test]
async fn a_demanded_call_that_is_missing_ends_the_stream_with_an_error() {
    for (text, is_refused) in [("No.", true), (CALL, false)] {
        let rig = rig([pieces(&[text])]).await;
        let mut request = offers_tool(true);
        request["tool_choice"] = json!("required");
        let all = assembled(&rig.chat(&request).await);
        let code = is_refused.then_some("calls/missing");
        assert_eq!(all.error.as_deref(), code, "{text}");
    }
}

#[tokio::test]
async fn only_one_call_is_told_where_one_is_allowed() {
    let text = format!("{CALL}\n{CALL}\nDone.");
    let rig = rig([pieces(&cut(&text, 3))]).await;
    let mut request = offers_tool(true);
    request["parallel_tool_calls"] = json!(false);
    let all = assembled(&rig.chat(&request).await);
    assert_eq!((all.calls.len(), all.content.as_str()), (1, "Done."));
}

#[tokio::test]
async fn choices_are_read_apart() {
    let piece = |index: u32, text: &str, finish: Value| {
        let chunk = json!({"id": "c-1", "object": "chat.completion.chunk", "created": 1,
            "model": "m", "choices": [{"index": index, "delta": {"content": text},
                "finish_reason": finish}]});
        format!("data: {chunk}\n\n")
    };
    let (one, two) = CALL.split_at(20);
    let rig = rig([events(&[
        piece(0, one, Value::Null),
        piece(1, one, Value::Null),
        piece(0, two, Value::Null),
        piece(1, "{}", json!("stop")),
        piece(0, "", json!("stop")),
        DONE.to_owned(),
    ])])
    .await;
    let mut request = offers_tool(true);
    request["n"] = json!(2);
    let got = rig.chat(&request).await;
    // The second choice is cut off within its call.
    assert!(got.body.contains("calls/truncated"), "{}", got.body);
    assert!(got.body.contains("\\\"times\\\":2"), "{}", got.body);
}

#[tokio::test]
async fn older_clients_get_pieces_of_a_function_call() {
    let rig = rig([pieces(&cut(CALL, 3))]).await;
    let mut request = offers_tool(true);
    request["functions"] = json!([request["tools"][0]["function"]]);
    request.as_object_mut().unwrap().remove("tools");
    let got = rig.chat(&request).await;
    let events = got.events();
    let function = |key: &str| -> String {
        let parts = events.iter().map(|event| &event["choices"][0]["delta"]["function_call"][key]);
        parts.filter_map(Value::as_str).collect()
    };
    assert_eq!(function("name"), "run");
    assert_eq!(function("arguments"), r#"{"path":"a.py","times":2}"#);
    assert_eq!(got.finishes(), ["function_call"]);
}

#[tokio::test]
async fn what_was_asked_for_decides_between_json_and_a_call() {
    let tools = offers_tool(false)["tools"].clone();
    // (text, number of calls, content)
    for (text, calls, content) in [
        ("{\"city\": \"Oslo\"}", 0, "{\"city\": \"Oslo\"}"),
        ("{'city': 'Oslo'}", 0, "{\"city\": \"Oslo\"}"),
        (CALL, 1, ""),
        (BARE, 1, ""),
    ] {
        for size in [1, 1000] {
            let rig = rig([pieces(&cut(text, size))]).await;
            let mut request = wants_city(true);
            request["tools"] = tools.clone();
            let got = rig.chat(&request).await;
            let all = assembled(&got);
            assert_eq!((all.calls.len(), all.content.as_str()), (calls, content), "{}", got.body);
            assert_eq!(all.finish, [if calls > 0 { "tool_calls" } else { "stop" }]);
        }
    }
}

#[tokio::test]
async fn calls_of_the_server_keep_their_order() {
    let own = json!({"tool_calls": [{"index": 0, "id": "x", "type": "function",
        "function": {"name": "run", "arguments": "{\"path\": \"b.py\"}"}}]});
    let all = [
        chunk(&json!({"role": "assistant", "content": CALL}), None),
        chunk(&own, None),
        chunk(&json!({"content": "Words <tool_call> of no meaning."}), None),
        chunk(&json!({}), Some("tool_calls")),
        DONE.to_owned(),
    ];
    let rig = rig([events(&all)]).await;
    let all = assembled(&rig.chat(&offers_tool(true)).await);
    let arguments: Vec<&str> = all.calls.iter().map(|call| call.2.as_str()).collect();
    assert_eq!(arguments, [r#"{"path":"a.py","times":2}"#, r#"{"path": "b.py"}"#]);
    assert_eq!(all.content, "Words <tool_call> of no meaning.");
}

#[tokio::test]
async fn a_whole_answer_to_a_stream_request_is_converted_too() {
    let rig = rig([super::completion(&[CALL], "stop")]).await;
    let all = assembled(&rig.chat(&offers_tool(true)).await);
    assert_eq!((all.calls.len(), all.content.as_str()), (1, ""));
    assert_eq!(all.finish, ["tool_calls"]);
}
