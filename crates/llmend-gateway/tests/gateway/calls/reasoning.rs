//! Calls in a member for reasoning, where servers leave them that take another model's reasoning
//! apart.

use llmend_model_server::{Answer, ModelServer, Reply, Turn};
use serde_json::{Value, json};

use super::client::{PROTOCOLS, Protocol, asked, run};
use super::{BARE, CALL};
use crate::rig::{DONE, chunk, events, rig_with};

const MEMORY: &str = "[gateway.recording]\nstore = \"memory\"";

/// An answer with reasoning and content, whole or in pieces of this size.
fn answer(key: &str, reasoning: &str, content: &str, end: &str, size: Option<usize>) -> Turn {
    let Some(size) = size else {
        let message = json!({"role": "assistant", key: reasoning, "content": content});
        let choice = json!({"index": 0, "message": message, "finish_reason": end});
        let whole = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [choice]});
        return Reply::json(200, whole.to_string()).into();
    };
    let mut all = vec![chunk(&json!({"role": "assistant", "content": ""}), None)];
    for (key, text) in [(key, reasoning), ("content", content)] {
        let pieces = text.as_bytes().chunks(size).map(|piece| String::from_utf8_lossy(piece));
        all.extend(pieces.map(|piece| chunk(&json!({ key: piece }), None)));
    }
    all.extend([chunk(&json!({}), Some(end)), DONE.to_owned()]);
    events(&all)
}

#[tokio::test]
async fn a_marked_call_with_which_reasoning_ends_is_a_call_if_there_is_nothing_else() {
    let called = ("run".to_owned(), json!({"path": "a.py", "times": 2}));
    let unfit =
        "Run it.\n<tool_call>\n{\"name\": \"run\", \"arguments\": {\"times\": 7}}\n</tool_call>";
    let plan = format!("The user wants it run.\n{CALL}");
    let mistral = "So.\n[TOOL_CALLS]run[ARGS]{\"path\": \"a.py\", \"times\": 2}".to_owned();
    let twice = format!("{plan}\n{CALL}\n");
    let draft = format!("Maybe {CALL}\nThe file is the other one.\n{CALL}");
    // (reasoning, content, why it ends, the number of calls)
    let rows = [
        (plan.clone(), "", "stop", 1),
        (plan.clone(), "", "tool_calls", 1),
        (plan.clone(), "\n\n", "stop", 1),
        (mistral, "", "stop", 1),
        (twice, "", "stop", 2),
        (draft, "", "stop", 1),
        // The reasoning only mentions it.
        (plan.clone(), "It is done.", "stop", 0),
        (format!("{plan}\nBut not yet."), "", "stop", 0),
        (format!("I must not write {CALL}"), "", "stop", 0),
        (format!("So.\n{BARE}"), "", "stop", 0),
        (unfit.to_owned(), "", "stop", 0),
        (plan, "", "length", 0),
    ];
    for key in ["reasoning_content", "reasoning", "thinking"] {
        for (reasoning, content, end, calls) in &rows {
            for (size, config) in [None, Some(1), Some(3), Some(20)]
                .into_iter()
                .flat_map(|size| ["", "[gateway.policy]\nreasks = 1"].map(|more| (size, more)))
            {
                let turn = answer(key, reasoning, content, end, size);
                let config = format!("{config}\n{MEMORY}");
                let rig = rig_with(&config, ModelServer::scripted([turn])).await;
                let got = rig.chat(&Protocol::Chat.request(&[run()], size.is_some())).await;
                let found = Protocol::Chat.read(&got, size.is_some());
                let case = format!("{key} {size:?} {end} {reasoning}: {}", got.body);
                assert_eq!(found.calls, vec![called.clone(); *calls], "{case}");
                assert_eq!(found.text.trim(), content.trim(), "{case}");
                assert_eq!(found.end, if *calls > 0 { "tool_calls" } else { *end }, "{case}");
                // The reasoning stays as the server has it.
                let shown = json!({ key: reasoning }).to_string();
                assert!(size.is_some() || got.body.contains(&shown[1..shown.len() - 1]), "{case}");
                let listed = rig.get("/v1/exchanges").await.json();
                let id = &listed["exchanges"][0]["id"];
                let journal = rig.get(&format!("/v1/exchanges/{id}")).await.body;
                assert_eq!(journal.contains("calls/in-reasoning"), *calls > 0, "{case} {journal}");
            }
        }
    }
}

fn named(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
}

/// A message with a thought, whole or in pieces of this size.
fn message(thought: &str, size: Option<usize>) -> Turn {
    let whole = |content: Value| {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": content, "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1}})
    };
    let Some(size) = size else {
        let block = json!({"type": "thinking", "thinking": thought, "signature": ""});
        return Reply::json(200, whole(json!([block])).to_string()).into();
    };
    let block = json!({"type": "thinking", "thinking": "", "signature": ""});
    let mut all = vec![
        json!({"type": "message_start", "message": whole(json!([]))}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
    ];
    all.extend(thought.as_bytes().chunks(size).map(|piece| {
        let piece = String::from_utf8_lossy(piece);
        json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "thinking_delta", "thinking": piece}})
    }));
    all.extend([
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ]);
    events(&all.iter().map(named).collect::<Vec<_>>())
}

/// A response with reasoning, whole or in pieces of this size.
fn response(thought: &str, size: Option<usize>) -> Turn {
    let item = json!({"id": "rs_1", "type": "reasoning", "summary": [],
        "content": [{"type": "reasoning_text", "text": thought}]});
    let whole = |status: &str, output: Value| {
        json!({"id": "resp_1", "object": "response", "created_at": 1, "status": status,
            "model": "m", "output": output})
    };
    let done = whole("completed", json!([item]));
    let Some(size) = size else { return Reply::json(200, done.to_string()).into() };
    let place = |name: &str, more: Value| {
        let mut event = json!({"type": name, "item_id": "rs_1", "output_index": 0});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let begun = json!({"id": "rs_1", "type": "reasoning", "summary": [], "content": []});
    let mut all = vec![
        json!({"type": "response.created", "response": whole("in_progress", json!([]))}),
        place("response.output_item.added", json!({"item": begun})),
        place(
            "response.content_part.added",
            json!({"content_index": 0,
            "part": {"type": "reasoning_text", "text": ""}}),
        ),
    ];
    all.extend(thought.as_bytes().chunks(size).map(|piece| {
        let piece = String::from_utf8_lossy(piece);
        place("response.reasoning_text.delta", json!({"content_index": 0, "delta": piece}))
    }));
    all.extend([
        place("response.reasoning_text.done", json!({"content_index": 0, "text": thought})),
        place("response.output_item.done", json!({"item": item})),
        json!({"type": "response.completed", "response": done}),
    ]);
    for (number, event) in all.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events(&all.iter().map(named).collect::<Vec<_>>())
}

#[tokio::test]
async fn reasoning_in_an_item_of_its_own_may_end_with_a_call() {
    let called = ("run".to_owned(), json!({"path": "a.py", "times": 2}));
    let plan = format!("The user wants it run.\n{CALL}");
    let rows = [(plan.clone(), 1), (format!("{plan}\n{CALL}"), 2), (format!("{plan}\nNo."), 0)];
    for (reasoning, calls) in &rows {
        for (protocol, size, config) in [Protocol::Messages, Protocol::Responses]
            .into_iter()
            .flat_map(|one| [None, Some(1), Some(3), Some(20)].map(|size| (one, size)))
            .flat_map(|(one, size)| {
                ["", "[gateway.policy]\nreasks = 1"].map(|more| (one, size, more))
            })
        {
            let turn = match protocol {
                Protocol::Messages => message(reasoning, size),
                _ => response(reasoning, size),
            };
            let rig = rig_with(config, ModelServer::scripted([turn])).await;
            let request = protocol.request(&[run()], size.is_some()).to_string();
            let got = rig.ask("POST", protocol.path(), "", &request).await;
            let found = protocol.read(&got, size.is_some());
            let case = format!("{protocol:?} {size:?} {config} {reasoning}: {}", got.body);
            assert_eq!(found.calls, vec![called.clone(); *calls], "{case}");
            assert_eq!(found.end, protocol.end(*calls > 0), "{case}");
            assert_eq!(
                (found.text.as_str(), found.reasoning.as_str()),
                ("", &**reasoning),
                "{case}"
            );
        }
    }
}

#[tokio::test]
async fn a_guess_in_the_reasoning_is_named_where_a_call_is_demanded() {
    let thought = format!("I should call {CALL}");
    for size in [None, Some(1), Some(20)] {
        let turn = answer("reasoning_content", &thought, "", "stop", size);
        let rig = rig_with("", ModelServer::scripted([turn])).await;
        let mut request = Protocol::Chat.request(&[run()], size.is_some());
        request["tool_choice"] = json!("required");
        let got = rig.chat(&request).await;
        let expected = "found none that is certain: a call of `run` in the reasoning is not taken \
            for one: the words before the call may say that it is not made";
        assert!(got.body.contains(expected), "{size:?}: {}", got.body);
    }
}

#[tokio::test]
async fn a_call_before_the_end_of_reasoning_counts_where_nothing_follows() {
    let called = ("run".to_owned(), json!({"path": "a.py", "times": 2}));
    // (text, the text that is left beside the call)
    for (text, left) in [
        (format!("<think>I run it.\n{CALL}</think>"), ""),
        (format!("I run it.\n{CALL}</think>"), "I run it."),
        (format!("I run it.\n{CALL}\n</think>\n"), "I run it."),
    ] {
        for (protocol, size) in
            PROTOCOLS.into_iter().flat_map(|one| [None, Some(1), Some(20)].map(|size| (one, size)))
        {
            let reply = Answer::text(&text).pieces_of(size.unwrap_or(9));
            let request = protocol.request(&[run()], size.is_some());
            let (rig, got) = asked(protocol, MEMORY, reply, &request).await;
            let found = protocol.read(&got, size.is_some());
            let case = format!("{protocol:?} {size:?} {text}: {}", got.body);
            assert_eq!(
                (&found.calls[..], found.text.trim()),
                (&[called.clone()][..], left),
                "{case}"
            );
            assert_eq!(found.end, protocol.end(true), "{case}");
            let listed = rig.get("/v1/exchanges").await.json();
            let id = &listed["exchanges"][0]["id"];
            let journal = rig.get(&format!("/v1/exchanges/{id}")).await.body;
            assert!(journal.contains("calls/in-reasoning"), "{case} {journal}");
        }
    }
}

#[tokio::test]
async fn a_draft_before_the_end_of_reasoning_is_no_call_where_text_follows() {
    let called = ("run".to_owned(), json!({"path": "b.py"}));
    let real =
        "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"b.py\"}}\n</tool_call>";
    let waits = "[gateway.policy]\nreasks = 1";
    // (text, what is left of it behind the reasoning, the number of calls)
    for (text, left, calls) in [
        (format!("I look.\n{CALL}\n</think>\nThe file is a.py."), "The file is a.py.", 0),
        (format!("{CALL}</think>\n\nThe file is a.py."), "The file is a.py.", 0),
        (format!("{CALL}\n{CALL}\n</think>\n\nThe file is a.py."), "The file is a.py.", 0),
        (format!("So.\n{BARE}\n</think>\nThe file is a.py."), "The file is a.py.", 0),
        (format!("I look.\n{CALL}\n</think>\n\n{real}"), "", 1),
        (format!("I look.\n{CALL}\n</think>\n\nI run the other.\n{real}"), "I run the other.", 1),
        // What is open may be taken back.
        (format!("<think>\nI look.\n{CALL}\n</think>\nThe file is a.py."), "The file is a.py.", 0),
    ] {
        for (protocol, size, config) in PROTOCOLS
            .into_iter()
            .flat_map(|one| [None, Some(1), Some(3), Some(20)].map(|size| (one, size)))
            .flat_map(|(one, size)| ["", waits].map(|more| (one, size, more)))
        {
            let config_and_store = format!("{config}\n{MEMORY}");
            let reply = Answer::text(&text).pieces_of(size.unwrap_or(9));
            let request = protocol.request(&[run()], size.is_some());
            let (rig, got) = asked(protocol, &config_and_store, reply, &request).await;
            let found = protocol.read(&got, size.is_some());
            let case = format!("{protocol:?} {size:?} {config} {text}: {}", got.body);
            let is_marked = text.contains("<tool_call>");
            let is_sent = size.is_some() && config.is_empty() && is_marked;
            if is_sent && !text.starts_with("<think>") {
                // It was sent as a call, and cannot be taken back.
                assert!(found.is_error && got.body.contains("took back a call"), "{case}");
                continue;
            }
            assert_eq!(found.calls, vec![called.clone(); calls], "{case}");
            assert_eq!(found.end, protocol.end(calls > 0), "{case}");
            assert!(found.text.trim().ends_with(left), "{case}");
            assert!(!found.text.contains("tool_call>"), "{case}");
            if size.is_none() {
                assert_eq!(found.text.trim(), left, "{case}");
            }
            // A draft in reasoning that shows its beginning stays in it.
            if is_marked && !text.starts_with("<think>") {
                let listed = rig.get("/v1/exchanges").await.json();
                let id = &listed["exchanges"][0]["id"];
                let journal = rig.get(&format!("/v1/exchanges/{id}")).await.body;
                assert!(journal.contains("calls/draft"), "{case} {journal}");
            }
        }
    }
}
