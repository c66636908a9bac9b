//! The ends of responses: their status, its details and the last event.

use llmend_model_server::{ModelServer, Reply, Turn};
use serde_json::{Value, json};

use super::{
    ask, call, call_stream, events, message, offers_tool, response, stream, text_stream, types,
    wants_city, whole,
};
use crate::rig::{rig, rig_with};

#[tokio::test]
async fn a_truncated_text_is_incomplete_and_half_a_call_is_refused() {
    let rig = rig([
        Reply::events(text_stream(&["{\"city\": \"Osl"], "incomplete")).into(),
        // Cut off inside of a word, whatever the provider says.
        Reply::events(text_stream(&["{\"city\": \"Osl"], "completed")).into(),
        Reply::events(call_stream("{\"path\": \"x")).into(),
    ])
    .await;
    for _ in 0..2 {
        let events = events(&ask(&rig, &wants_city(true)).await);
        let last = events.last().unwrap();
        assert_eq!(last["type"], "response.incomplete");
        assert_eq!(last["response"]["status"], "incomplete");
        assert_eq!(last["response"]["incomplete_details"]["reason"], "max_output_tokens");
        assert_eq!(last["response"]["output"][0]["content"][0]["text"], "{\"city\": \"Osl\"}");
    }
    let got = ask(&rig, &offers_tool(true)).await;
    assert!(
        got.body.contains("\"code\":\"truncated\"") && !got.body.contains("completed\""),
        "{}",
        got.body
    );
}

#[tokio::test]
async fn a_truncated_stream_ends_with_an_error() {
    let whole = text_stream(&["{\"city\":\"Oslo\"}"], "completed");
    let cuts: Vec<usize> = (0..whole.trim_end().len()).step_by(97).collect();
    let rig = rig(cuts.iter().map(|&at| Turn::from(Reply::events(&whole[..at])))).await;
    for at in cuts {
        let got = ask(&rig, &wants_city(true)).await;
        assert!(got.body.contains("event: error\ndata: {"), "{at}: {}", got.body);
        assert!(!got.body.contains("response.completed"), "{at}");
    }
}

#[tokio::test]
async fn a_pending_response_passes_unchanged() {
    let bodies = ["queued", "in_progress", "cancelled"]
        .map(|status| response(status, &json!([])).to_string());
    let canceled = stream(&[
        json!({"type": "response.created", "response": response("in_progress", &json!([]))}),
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "{'ci"}),
        json!({"type": "response.cancelled", "response": response("cancelled", &json!([]))}),
    ]);
    let turns = bodies.iter().map(|body| Turn::from(Reply::json(200, body.clone())));
    let rig = rig(turns.chain([Reply::events(canceled.clone()).into()])).await;
    for body in &bodies {
        let got = ask(&rig, &wants_city(false)).await;
        assert_eq!((got.status, &got.body), (200, body));
    }
    assert_eq!(ask(&rig, &wants_city(true)).await.body, canceled);
}

#[tokio::test]
async fn events_after_the_end_are_refused() {
    let end =
        || json!({"type": "response.completed", "response": response("completed", &json!([]))});
    let added = json!({"type": "response.output_item.added", "output_index": 0, "item": call("")});
    let piece = json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{'path': 5"});
    let again = json!({"type": "response.completed", "response": response("completed", &json!([call("{'path': 5")]))});
    let aside = json!({"type": "response.never_heard_of"});
    let rig = rig([
        stream(&[end(), aside]),
        stream(&[end(), added]),
        stream(&[end(), piece]),
        stream(&[end(), again]),
    ]
    .map(|body| Turn::from(Reply::events(body))))
    .await;
    let got = ask(&rig, &offers_tool(true)).await;
    assert_eq!(types(&events(&got)), ["completed", "never_heard_of"]);
    for _ in 0..3 {
        let got = ask(&rig, &offers_tool(true)).await;
        assert!(got.body.contains("event: error") && !got.body.contains("'path'"), "{}", got.body);
    }
}

#[tokio::test]
async fn an_uninspected_half_call_is_not_reported_as_complete() {
    let custom = json!({"type": "custom_tool_call", "id": "z", "call_id": "zz", "name": "sh", "input": "rm -rf /home/me/tm"});
    let reasoning = json!({"type": "reasoning", "id": "rs", "summary": []});
    for behind in [custom, reasoning] {
        let output = json!([call("{\"town\": 5}"), behind]);
        let again = || whole("completed", &json!([message("{\"path\": \"x\"}")]));
        let pieces = stream(&[
            json!({"type": "response.output_item.done", "output_index": 0, "item": output[0]}),
            json!({"type": "response.output_item.added", "output_index": 1, "item": output[1]}),
            json!({"type": "response.incomplete", "response": response("incomplete", &json!([]))}),
        ]);
        let upstream = ModelServer::scripted([
            whole("incomplete", &output),
            again(),
            Reply::events(pieces).into(),
            again(),
        ]);
        let rig = rig_with("[gateway.policy]\nreasks = 1", upstream).await;
        let got = ask(&rig, &offers_tool(false)).await.json();
        assert_eq!(got["status"], "incomplete", "{got}");
        assert_eq!(got["incomplete_details"]["reason"], "max_output_tokens");
        assert_eq!(got["output"][0]["arguments"], "{\"path\": \"x\"}");
        let events = events(&ask(&rig, &offers_tool(true)).await);
        assert_eq!(events.last().unwrap()["type"], "response.incomplete");
    }
}

#[tokio::test]
async fn unknown_reasons_are_kept() {
    let mut first = response("incomplete", &json!([message("{\"days\": 3}")]));
    first["incomplete_details"]["reason"] = json!("compaction");
    let again = whole("completed", &json!([message("{\"city\": \"Oslo\"}")]));
    let upstream = ModelServer::scripted([Reply::json(200, first.to_string()).into(), again]);
    let rig = rig_with("[gateway.policy]\nreasks = 1", upstream).await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(
        (&got["status"], &got["incomplete_details"]),
        (&first["status"], &first["incomplete_details"])
    );
}

#[tokio::test]
async fn an_incomplete_item_is_truncated() {
    let unfinished = |mut item: Value| {
        item["status"] = json!("incomplete");
        json!([item])
    };
    let sound = unfinished(call("{\"path\": \"/tm\"}"));
    let pieces = stream(&[
        json!({"type": "response.output_item.added", "output_index": 0, "item": call("")}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"path\": \"/tm\"}"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": sound[0]}),
        json!({"type": "response.completed", "response": response("completed", &json!([]))}),
    ]);
    let object = json!({"path": "/tm"});
    let mut read = call("");
    read["arguments"] = object;
    let rig = rig([
        whole("completed", &sound),
        Reply::events(pieces).into(),
        // Read before it was cut off.
        whole("incomplete", &json!([read])),
        // Open, and complete as a whole.
        whole("completed", &unfinished(message("{\"city\": \"Oslo\""))),
        whole("completed", &json!([message("{\"city\": \"Oslo\"")])),
    ])
    .await;
    for is_stream in [false, true, false] {
        let got = ask(&rig, &offers_tool(is_stream)).await;
        assert!(got.body.contains("\"code\":\"truncated\""), "{}", got.body);
        assert_eq!(got.status, if is_stream { 200 } else { 422 });
    }
    for status in ["incomplete", "completed"] {
        let got = ask(&rig, &wants_city(false)).await.json();
        assert_eq!(got["status"], status, "{got}");
        assert_eq!(got["output"][0]["content"][0]["text"], "{\"city\": \"Oslo\"}");
    }
}

#[tokio::test]
async fn the_worst_reported_status_holds() {
    let details = json!({"reason": "max_output_tokens"});
    // (name of the last event, status, details, expected name or error)
    let rows = [
        ("completed", json!("completed"), Value::Null, Ok("completed")),
        ("completed", json!("in_progress"), Value::Null, Ok("completed")),
        ("completed", Value::Null, Value::Null, Ok("completed")),
        ("completed", json!("incomplete"), Value::Null, Ok("incomplete")),
        ("completed", json!("completed"), details.clone(), Ok("incomplete")),
        ("incomplete", json!("completed"), Value::Null, Ok("incomplete")),
        ("incomplete", json!("in_progress"), Value::Null, Ok("incomplete")),
        ("completed", json!("failed"), Value::Null, Err("contradicts its status")),
        ("incomplete", json!("cancelled"), Value::Null, Err("contradicts its status")),
    ];
    for (name, status, details, expected) in rows {
        let mut last = response("completed", &json!([message("{\"city\": \"Oslo\"")]));
        (last["status"], last["incomplete_details"]) = (status.clone(), details);
        let end = json!({"type": format!("response.{name}"), "response": last});
        let rig = rig([Reply::events(stream(&[end])).into()]).await;
        let got = ask(&rig, &wants_city(true)).await;
        let last = events(&got).pop().unwrap();
        match expected {
            Ok(expected) => {
                assert_eq!(last["type"], format!("response.{expected}"), "{name} {status}");
                let text = &last["response"]["output"][0]["content"][0]["text"];
                assert_eq!(text, "{\"city\": \"Oslo\"}");
            }
            Err(why) => assert!(last["message"].as_str().unwrap().contains(why), "{last}"),
        }
    }
    let mut failed = response("completed", &json!([message("{'city': 'Oslo'}")]));
    failed["error"] = json!({"code": "server_error", "message": "out of order"});
    let end = json!({"type": "response.completed", "response": failed});
    let whole = response("completed", &json!([message("{\"city\": \"Oslo\"")]));
    let mut contradicted = whole.clone();
    contradicted["incomplete_details"] = details;
    let rig = rig([
        Reply::events(stream(&[end])).into(),
        Reply::json(200, contradicted.to_string()).into(),
        Reply::json(200, whole.to_string()).into(),
    ])
    .await;
    let got = ask(&rig, &wants_city(true)).await;
    assert_eq!((types(&events(&got)), got.body.contains("out of order")), (vec!["error"], true));
    for status in ["incomplete", "completed"] {
        assert_eq!(ask(&rig, &wants_city(false)).await.json()["status"], status);
    }
}
