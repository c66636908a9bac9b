//! Refusals beside texts with calls, in messages of responses.

use llmend_model_server::{ModelServer, Reply, Turn};
use serde_json::{Value, json};

use super::CALL;
use super::client::{Protocol, run};
use crate::responses::{response, stream};
use crate::rig::rig_with;

const RESPONSES: Protocol = Protocol::Responses;

fn text(words: &str) -> Value {
    json!({"type": "output_text", "text": words, "annotations": []})
}

fn refusal(words: &str) -> Value {
    json!({"type": "refusal", "refusal": words})
}

/// An answer of one message with these parts, whole or in pieces of this size.
fn answer_of(parts: &[Value], size: Option<usize>) -> Turn {
    let item = json!({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
        "content": parts});
    let done = response("completed", &json!([item]));
    let Some(size) = size else { return Reply::json(200, done.to_string()).into() };
    let mut begun = item.clone();
    begun["content"] = json!([]);
    let mut events = vec![
        json!({"type": "response.created", "response": response("in_progress", &json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": begun}),
    ];
    for (at, part) in parts.iter().enumerate() {
        let event = |kind: &str, key: &str, value: Value| {
            json!({"type": format!("response.{kind}"), "item_id": "msg_1", "output_index": 0,
                "content_index": at, key: value})
        };
        let is_text = part["type"] == "output_text";
        let (kind, key) = if is_text { ("output_text", "text") } else { ("refusal", "refusal") };
        let words: Vec<char> = part[key].as_str().unwrap().chars().collect();
        let mut empty = part.clone();
        empty[key] = json!("");
        events.push(event("content_part.added", "part", empty));
        let pieces = words.chunks(size).map(|piece| piece.iter().collect::<String>());
        events.extend(pieces.map(|piece| event(&format!("{kind}.delta"), "delta", json!(piece))));
        events.push(event(&format!("{kind}.done"), key, part[key].clone()));
        events.push(event("content_part.done", "part", part.clone()));
    }
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    events.push(json!({"type": "response.completed", "response": done}));
    Reply::events(stream(&events)).into()
}

#[tokio::test]
async fn a_refusal_beside_a_text_with_calls_is_kept() {
    // (the parts, the number of calls, the text, the refusal)
    let rows = [
        (vec![text(CALL), refusal("I may not.")], 1, "", "I may not."),
        (vec![text(&format!("Sure.\n{CALL}")), refusal("I may not.")], 1, "Sure.", "I may not."),
        (vec![text(&format!("{CALL}\nBye.")), refusal("No.")], 1, "Bye.", "No."),
        (vec![text("Sure."), refusal("I may not.")], 0, "Sure.", "I may not."),
        (vec![refusal("No.")], 0, "", "No."),
        (vec![text(CALL), refusal("")], 1, "", ""),
    ];
    for (parts, calls, text, refusal) in &rows {
        for size in [None, Some(1), Some(3), Some(20), Some(1000)] {
            for config in ["", "[gateway.policy]\nreasks = 1"] {
                let upstream = ModelServer::scripted([answer_of(parts, size)]);
                let rig = rig_with(config, upstream).await;
                let request = RESPONSES.request(&[run()], size.is_some()).to_string();
                let got = rig.ask("POST", RESPONSES.path(), "", &request).await;
                let found = RESPONSES.read(&got, size.is_some());
                let case = format!("{size:?} {config} {parts:?}: {}", got.body);
                let said = (found.calls.len(), found.text.as_str(), found.refusal.as_str());
                assert_eq!(said, (*calls, *text, *refusal), "{case}");
            }
        }
    }
}

#[tokio::test]
async fn a_refusal_without_calls_passes_byte_for_byte() {
    let parts = [text("Sure."), refusal("I may not.")];
    for size in [None, Some(1), Some(20)] {
        let turns = [answer_of(&parts, size), answer_of(&parts, size)];
        let rig = rig_with("", ModelServer::scripted(turns)).await;
        let request = RESPONSES.request(&[run()], size.is_some()).to_string();
        let got = rig.ask("POST", RESPONSES.path(), "", &request).await;
        let skipped = "x-llmend-repair: no\r\n";
        let direct = rig.ask("POST", RESPONSES.path(), skipped, &request).await;
        assert_eq!(got.body, direct.body, "{size:?}");
    }
}
