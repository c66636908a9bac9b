//! Responses of several items.

use llmend_model_server::{ModelServer, Reply, Turn};
use serde_json::{Value, json};

use super::{
    ask, call, events, message, offers_tool, response, stream, text_stream, wants_city, whole,
};
use crate::rig::{rig, rig_with};

/// A response of two messages, of which the first is said to be on the way to the answer.
fn two_messages(first: &str, second: &str) -> Value {
    let (mut before, mut answer) = (message(first), message(second));
    before["phase"] = json!("commentary");
    answer["phase"] = json!("final_answer");
    json!([before, answer])
}

fn two_message_stream(first: &str, second: &str) -> String {
    let output = two_messages(first, second);
    let mut events = Vec::new();
    for (item, number) in output.as_array().unwrap().iter().zip(0..) {
        let mut begun = item.clone();
        begun["content"] = json!([]);
        let at = json!({"output_index": number, "content_index": 0});
        let with = |kind: &str, key: &str, value: &Value| {
            let mut event = at.clone();
            event["type"] = json!(kind);
            event[key] = value.clone();
            event
        };
        let part = &item["content"][0];
        events.extend([
            with("response.output_item.added", "item", &begun),
            with("response.output_text.delta", "delta", &part["text"]),
            with("response.output_text.done", "text", &part["text"]),
            with("response.output_item.done", "item", item),
        ]);
    }
    events.push(json!({"type": "response.completed", "response": response("completed", &output)}));
    stream(&events)
}

#[tokio::test]
async fn one_of_several_messages_is_repaired_and_the_others_stay() {
    let (sound, broken) = ("{\"city\": \"Oslo\"}", "{'city': 'Oslo'}");
    let words = "Is it {Oslo}?";
    let whole = |second: &str| response("completed", &two_messages(words, second)).to_string();
    let rig = rig([
        Reply::json(200, whole(sound)).into(),
        Reply::json(200, whole(broken)).into(),
        Reply::events(two_message_stream(words, sound)).into(),
        Reply::events(two_message_stream(words, broken)).into(),
    ])
    .await;
    for _ in 0..2 {
        let got: Value = ask(&rig, &wants_city(false)).await.json();
        assert_eq!(got["output"], two_messages(words, sound));
    }
    for _ in 0..2 {
        let got = ask(&rig, &wants_city(true)).await.body;
        assert_eq!(got, two_message_stream(words, sound));
    }
}

#[tokio::test]
async fn text_beside_a_custom_tool_call_is_no_answer() {
    let custom = json!({"id": "ctc", "type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "{'"});
    let output = json!([message("Let me see."), custom]);
    let whole = response("completed", &output).to_string();
    let pieces = stream(&[
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Let me see."}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": custom}),
        json!({"type": "response.custom_tool_call_input.delta", "output_index": 1, "delta": "{'"}),
        json!({"type": "response.completed", "response": response("completed", &output)}),
    ]);
    let rig =
        rig([Reply::json(200, whole.clone()).into(), Reply::events(pieces.clone()).into()]).await;
    for (is_stream, expected) in [(false, whole), (true, pieces)] {
        let mut request = wants_city(is_stream);
        request["tools"] = json!([{"type": "custom", "name": "sql"}]);
        assert_eq!(ask(&rig, &request).await.body, expected);
    }
}

#[tokio::test]
async fn a_retried_text_gets_a_new_message_if_there_is_none() {
    let sound = "{\"city\": \"Oslo\"}";
    let thought = json!({"id": "rs", "type": "reasoning", "summary": []});
    let nothing = response("completed", &json!([thought]));
    let again = response("completed", &json!([message(sound)])).to_string();
    let pieces = stream(&[
        json!({"type": "response.output_item.done", "output_index": 0, "item": thought}),
        json!({"type": "response.completed", "response": nothing}),
    ]);
    let upstream = ModelServer::scripted([
        Turn::from(Reply::json(200, nothing.to_string())),
        Reply::json(200, again.clone()).into(),
        Reply::events(pieces).into(),
        Reply::json(200, again).into(),
    ]);
    let rig = rig_with("[gateway.policy]\nreasks = 1", upstream).await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["output"][0], thought);
    assert_eq!(got["output"][1]["content"][0]["text"], sound);
    let events = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!(events[3]["delta"], sound);
    assert_eq!(events[3]["output_index"], 1);
    assert_eq!(events.last().unwrap()["response"]["output"], got["output"]);
    assert_eq!(events.last().unwrap()["response"]["usage"], got["usage"]);
}

#[tokio::test]
async fn texts_of_other_items_are_not_the_answer() {
    let draft = json!({"type": "reasoning", "id": "rs", "content": [{"type": "text", "text": "{\"city\": \"Rome\"}"}]});
    let part = json!({"type": "text", "text": "{\"city\": \"Rome\"}"});
    let (broken, sound) = (message("{'city': 'Oslo'}"), message("{\"city\": \"Oslo\"}"));
    let item = |name: &str, at: u32, item: &Value| json!({"type": format!("response.output_item.{name}"), "output_index": at, "item": item});
    let all = json!([draft, broken]);
    let sent = stream(&[
        item("added", 0, &json!({"type": "reasoning", "id": "rs", "content": []})),
        json!({"type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": part}),
        item("done", 0, &draft),
        item("done", 1, &broken),
        json!({"type": "response.completed", "response": response("completed", &all)}),
    ]);
    // Two items under one number: the last of them counts.
    let collided = stream(&[
        item("added", 0, &draft),
        item("done", 0, &broken),
        json!({"type": "response.completed", "response": response("completed", &json!([]))}),
    ]);
    let rig = rig([
        whole("completed", &all),
        Reply::events(sent).into(),
        Reply::events(collided).into(),
        whole("completed", &json!([sound, broken])),
    ])
    .await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["output"], json!([draft, sound]));
    let got = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!((&got[1]["part"], &got[2]["item"], &got[3]["item"]), (&part, &draft, &sound));
    assert_eq!(got[4]["response"]["output"], json!([draft, sound]));
    let got = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!((&got[0]["item"], &got[1]["item"]), (&draft, &sound));
    // Of two messages a sound draft is not the answer.
    assert_eq!(ask(&rig, &wants_city(false)).await.json()["output"], json!([sound, sound]));
}

#[tokio::test]
async fn output_text_equals_the_text() {
    let with_copy = |text: &str, copy: &str| {
        let mut whole = response("completed", &json!([message("So:"), message(text)]));
        whole["output_text"] = json!(copy);
        whole
    };
    let pieces = |response: Value| {
        Turn::from(Reply::events(stream(&[
            json!({"type": "response.completed", "response": response}),
        ])))
    };
    let (broken, sound) = ("{'city': 'Oslo'}", "{\"city\": \"Oslo\"}");
    let both = "So:{\"city\": \"Oslo\"}";
    let sent = [
        with_copy(broken, "So:{'city': 'Oslo'}"),
        with_copy(sound, "{'city': 5}"),
        with_copy(sound, both),
    ];
    let turns = sent
        .iter()
        .flat_map(|item| [Reply::json(200, item.to_string()).into(), pieces(item.clone())]);
    let rig = rig(turns).await;
    for _ in 0..3 {
        let got = ask(&rig, &wants_city(false)).await.json();
        assert_eq!(got, with_copy(sound, both));
        let events = events(&ask(&rig, &wants_city(true)).await);
        assert_eq!(events[0]["response"], got);
    }
}

#[tokio::test]
async fn items_without_an_index_are_distinguished_by_id() {
    let named = |name: &str, arguments: &str| {
        let mut item = call(arguments);
        item["id"] = json!(name);
        item
    };
    let (broken, sound) = ("{path: 'x'}", "{\"path\": \"x\"}");
    let piece = |name: &str, words: &str| json!({"type": "response.function_call_arguments.delta", "item_id": name, "delta": words});
    let events_of = |name: &str| {
        [
            json!({"type": "response.output_item.added", "item": named(name, "")}),
            piece(name, &broken[..4]),
            piece(name, &broken[4..]),
            json!({"type": "response.output_item.done", "item": named(name, broken)}),
        ]
    };
    let output = |text: &str| json!([named("a", text), named("b", text)]);
    let end =
        json!({"type": "response.completed", "response": response("completed", &output(broken))});
    let [first, second] = [events_of("a"), events_of("b")];
    let rig =
        rig([Reply::events(stream(&[&first[..], &second[..], &[end]].concat())).into()]).await;
    let events = events(&ask(&rig, &offers_tool(true)).await);
    for (at, name) in [(1, "a"), (4, "b")] {
        assert_eq!((&events[at]["item_id"], &events[at]["delta"]), (&json!(name), &json!(sound)));
        assert_eq!(events[at + 1]["item"]["arguments"], sound);
    }
    assert_eq!(events.last().unwrap()["response"]["output"], output(sound));
}

#[tokio::test]
async fn the_answer_to_a_retry_may_be_a_stream() {
    let again = text_stream(&["{\"city\":", " \"Oslo\"}"], "completed");
    let turns = [whole("completed", &json!([message("Sorry.")])), Reply::events(again).into()];
    let rig = rig_with("[gateway.policy]\nreasks = 1", ModelServer::scripted(turns)).await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["output"][0]["content"][0]["text"], "{\"city\": \"Oslo\"}");
}
