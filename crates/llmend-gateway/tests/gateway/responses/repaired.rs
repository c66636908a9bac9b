//! Texts and arguments of responses, repaired in all of their events.

use llmend_model_server::{Reply, Turn};
use serde_json::{Value, json};

use super::{
    ask, call, call_stream, events, message, offers_tool, response, stream, text_stream, types,
    wants_city, whole,
};
use crate::rig::rig;

#[tokio::test]
async fn a_text_is_repaired_in_all_of_its_events() {
    let rig = rig([Reply::events(text_stream(
        &["```json\n{'ci", "ty': 'Oslo', 'days': ", "'3'}\n```"],
        "completed",
    ))
    .into()])
    .await;
    let got = ask(&rig, &wants_city(true)).await;
    let events = events(&got);
    let order = [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(types(&events), order);
    let text = "{\"city\": \"Oslo\", \"days\": 3}";
    assert_eq!(events[4]["delta"], text);
    assert_eq!(events[5]["text"], text);
    assert_eq!(events[6]["part"]["text"], text);
    assert_eq!(events[7]["item"]["content"][0]["text"], text);
    assert_eq!(events[8]["response"]["output"][0]["content"][0]["text"], text);
    assert!(!got.body.contains("[DONE]"));
}

#[tokio::test]
async fn arguments_are_repaired_in_all_of_their_events() {
    let rig = rig([Reply::events(call_stream("{path: 'x'}")).into()]).await;
    let events = events(&ask(&rig, &offers_tool(true)).await);
    let order = [
        "created",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(types(&events), order);
    let arguments = "{\"path\": \"x\"}";
    assert_eq!(events[2]["delta"], arguments);
    assert_eq!(events[3]["arguments"], arguments);
    assert_eq!(events[4]["item"]["arguments"], arguments);
    assert_eq!(events[5]["response"]["output"][0]["arguments"], arguments);
}

#[tokio::test]
async fn valid_responses_pass_byte_for_byte() {
    let text = text_stream(&["{\"city\":", "\"Oslo\"}"], "completed");
    let call = call_stream("{\"path\": \"x\"}");
    let rig =
        rig([text.clone(), call.clone(), text.clone()].map(|body| Turn::from(Reply::events(body))))
            .await;
    assert_eq!(ask(&rig, &wants_city(true)).await.body, text);
    assert_eq!(ask(&rig, &offers_tool(true)).await.body, call);
    let words = json!({"model": "m", "stream": true, "input": "Hello."});
    assert_eq!(ask(&rig, &words).await.body, text);
}

#[tokio::test]
async fn whole_responses_are_repaired_or_refused() {
    let whole =
        |output: Value| Turn::from(Reply::json(200, response("completed", &output).to_string()));
    let rig = rig([
        whole(json!([message("{'city': 'Oslo'}")])),
        whole(json!([call("{path: 'x'}")])),
        whole(json!([message("Sorry.")])),
        Reply::json(200, "{\"error\": {\"message\": \"no\"}}").into(),
    ])
    .await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["output"][0]["content"][0]["text"], "{\"city\": \"Oslo\"}");
    let got = ask(&rig, &offers_tool(false)).await.json();
    assert_eq!(got["output"][0]["arguments"], "{\"path\": \"x\"}");
    let got = ask(&rig, &wants_city(false)).await;
    assert_eq!((got.status, &got.json()["error"]["param"]), (422, &json!("output_text")));
    assert_eq!(ask(&rig, &wants_city(false)).await.status, 502);
}

#[tokio::test]
async fn the_history_is_repaired() {
    let rig = rig([Reply::json(200, response("completed", &json!([])).to_string()).into()]).await;
    let mut request = offers_tool(false);
    request["input"] = json!([call("{path: 'x'}"), {"type": "function_call_output", "call_id": "call_1", "output": "{'y'}"}]);
    ask(&rig, &request).await;
    let seen = rig.seen().json();
    assert_eq!(seen["input"][0]["arguments"], "{\"path\": \"x\"}");
    assert_eq!(seen["input"][1]["output"], "{'y'}");
}

#[tokio::test]
async fn a_refusal_within_a_stream_asks_clients_not_to_retry() {
    let stream = text_stream(&["I would rather not."], "completed");
    let rig = rig([Reply::events(stream).into()]).await;
    let got = ask(&rig, &wants_city(true)).await;
    let data = got.body.split("event: error\ndata: ").nth(1).unwrap();
    let error: Value = serde_json::from_str(data).unwrap();
    assert_eq!((&error["type"], &error["code"]), (&json!("error"), &json!("extract/no-json")));
    // A status in place of a code: text, which the schemas of clients demand.
    assert_eq!(error["error"]["code"], "422");
    assert_eq!(error["message"], error["error"]["message"]);
}

/// A call that comes in its last event only.
fn done_stream(arguments: &str, item: &str, output: &Value) -> String {
    stream(&[
        json!({"type": "response.created", "response": response("in_progress", &json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": call("")}),
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": arguments}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": call(item)}),
        json!({"type": "response.completed", "response": response("completed", output)}),
    ])
}

#[tokio::test]
async fn content_in_the_last_event_only_is_inspected() {
    let (sound, broken, other) = ("{\"path\": \"x\"}", "{path: 'x'}", "{\"path\": \"y\"}");
    let all = json!([call(sound)]);
    let rig = rig([
        done_stream(sound, sound, &json!([])),
        done_stream(sound, sound, &all),
        // The item says nothing, and so says nothing else.
        done_stream(sound, "", &all),
        done_stream(broken, broken, &json!([])),
        done_stream(broken, "", &json!([call(broken)])),
        done_stream(sound, other, &json!([])),
        done_stream(sound, sound, &json!([call(other)])),
    ]
    .map(|body| Turn::from(Reply::events(body))))
    .await;
    for body in [
        done_stream(sound, sound, &json!([])),
        done_stream(sound, sound, &all),
        done_stream(sound, "", &all),
    ] {
        assert_eq!(ask(&rig, &offers_tool(true)).await.body, body);
    }
    for output in [json!([]), all] {
        let events = events(&ask(&rig, &offers_tool(true)).await);
        assert_eq!(types(&events).len(), 5);
        assert_eq!(events[2]["arguments"], sound);
        assert_eq!(events[3]["item"]["arguments"], sound);
        assert_eq!(events[4]["response"]["output"], output);
    }
    for _ in 0..2 {
        let got = ask(&rig, &offers_tool(true)).await.body;
        assert!(got.contains("contradict each other") && !got.contains("completed\""), "{got}");
    }
}

#[tokio::test]
async fn variants_of_other_servers_are_inspected() {
    let (broken, sound) = ("{'city': 'Oslo'}", "{\"city\": \"Oslo\"}");
    let of_part = |text: &str| json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}]});
    let of_words = |text: &str| json!({"type": "message", "role": "assistant", "content": text});
    let untyped = json!({"call_id": "call_1", "name": "run", "arguments": "{path: 'x'}"});
    let rig = rig([
        whole("completed", &json!([of_part(broken)])),
        whole("completed", &json!([of_words(broken)])),
        whole("completed", &json!([untyped])),
        whole("completed", &json!([of_words("Sorry.")])),
    ])
    .await;
    for expected in [of_part(sound), of_words(sound)] {
        let got = ask(&rig, &wants_city(false)).await.json();
        assert_eq!(got["output"], json!([expected]));
    }
    let got = ask(&rig, &offers_tool(false)).await.json();
    assert_eq!(got["output"][0]["arguments"], "{\"path\": \"x\"}");
    assert_eq!(ask(&rig, &wants_city(false)).await.status, 422);
}

#[tokio::test]
async fn events_have_to_agree_to_the_last_digit() {
    let (one, other) =
        ("{\"path\": 12345678901234567890123}", "{\"path\": 12345678901234567890124}");
    let mut events =
        vec![json!({"type": "response.output_item.added", "output_index": 0, "item": call("")})];
    events.push(
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": one}),
    );
    events
        .push(json!({"type": "response.output_item.done", "output_index": 0, "item": call(other)}));
    events
        .push(json!({"type": "response.completed", "response": response("completed", &json!([]))}));
    let rig = rig([Reply::events(stream(&events)).into()]).await;
    let got = ask(&rig, &offers_tool(true)).await;
    assert!(got.body.contains("contradict each other"), "{}", got.body);
}

#[tokio::test]
async fn a_whole_response_is_delivered_as_the_requested_stream() {
    let thought = json!({"type": "reasoning", "id": "rs", "summary": []});
    let mut read = call("");
    read["arguments"] = json!({"path": 5});
    let rig = rig([
        whole("completed", &json!([thought, message("{'city': 'Oslo'}")])),
        whole("completed", &json!([call("{path: 'x'}")])),
        whole("completed", &json!([read])),
        whole("incomplete", &json!([read])),
        whole("queued", &json!([])),
    ])
    .await;
    let got = ask(&rig, &wants_city(true)).await;
    assert_eq!(got.header("content-type"), Some("text/event-stream"));
    let received = events(&got);
    let order = [
        "created",
        "output_item.added",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(types(&received), order);
    let created = &received[0]["response"];
    assert_eq!(
        (&created["status"], &created["output"], &created["usage"]),
        (&json!("in_progress"), &json!([]), &Value::Null)
    );
    assert_eq!((&received[1]["item"], &received[3]["item"]["content"]), (&thought, &json!([])));
    assert_eq!(
        (&received[5]["delta"], &received[5]["item_id"]),
        (&json!("{\"city\": \"Oslo\"}"), &json!("msg"))
    );
    assert_eq!(received[9]["response"]["output"][1], message("{\"city\": \"Oslo\"}"));

    let received = events(&ask(&rig, &offers_tool(true)).await);
    assert_eq!(
        types(&received)[1..4],
        ["output_item.added", "function_call_arguments.delta", "function_call_arguments.done"]
    );
    assert_eq!(received[2]["delta"], "{\"path\": \"x\"}");
    let received = events(&ask(&rig, &offers_tool(true)).await);
    assert_eq!(received[2]["delta"], "{\"path\":\"5\"}");
    assert_eq!(received[4]["item"]["arguments"], "{\"path\":\"5\"}");
    // What was read before it was cut off is so in its events, too.
    let got = ask(&rig, &offers_tool(true)).await.body;
    assert!(got.contains("was cut off") && !got.contains("output_item"), "{got}");
    // Its events are still to come.
    assert_eq!(ask(&rig, &wants_city(true)).await.status, 502);
}
