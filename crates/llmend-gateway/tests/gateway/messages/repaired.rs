//! Blocks of messages, repaired in their places.

use llmend_model_server::{Answer, ModelServer, Reply, Turn};
use serde_json::{Value, json};

use super::{
    ask, called, event, events, offers_tool, stream, text, tool, types, wants_city, whole,
};
use crate::rig::{rig, rig_with};

#[tokio::test]
async fn a_tool_use_is_repaired_in_place() {
    let body = stream(
        &[
            (text(), "text", &["Let me ", "see."]),
            (tool(), "partial_json", &["{path: 'x'", ", 'times': '2'}"]),
        ],
        "tool_use",
    );
    let rig = rig([Reply::events(body).into()]).await;
    let got = ask(&rig, &offers_tool(true)).await;
    let events = events(&got);
    let order = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(types(&events), order);
    assert_eq!(events[2]["delta"]["text"], "Let me ");
    assert_eq!(events[6]["delta"]["partial_json"], "{\"path\": \"x\", \"times\": 2}");
    assert_eq!(events[6]["index"], 1);
    // Pings are legal here, and pass at once.
    assert_eq!(got.body.matches("event: ping").count(), 2);
}

#[tokio::test]
async fn a_text_with_a_schema_is_repaired() {
    let broken = stream(&[(text(), "text", &["```\n{'city': ", "'Oslo'}\n```"])], "end_turn");
    let rig =
        rig([Reply::events(broken).into(), Reply::events(stream(&[], "end_turn")).into()]).await;
    let events = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!(events[2]["delta"]["text"], "{\"city\": \"Oslo\"}");
    assert_eq!(types(&events).len(), 6);
    // Nothing at all is no city.
    let got = ask(&rig, &wants_city(true)).await;
    assert!(got.body.contains("event: error\ndata: {\"error\":{"), "{}", got.body);
}

#[tokio::test]
async fn valid_messages_pass_byte_for_byte() {
    let call = stream(
        &[(text(), "text", &["Hm."]), (tool(), "partial_json", &["{\"path\":", "\"x\"}"])],
        "tool_use",
    );
    let empty = stream(&[(tool(), "partial_json", &[])], "tool_use");
    let rig = rig(
        [call.clone(), empty.clone(), call.clone()].map(|body| Turn::from(Reply::events(body)))
    )
    .await;
    let without_pings = |body: &str| body.replace(&event(&json!({"type": "ping"})), "");
    // A ping does not wait, so that its place may be another.
    assert_eq!(without_pings(&ask(&rig, &offers_tool(true)).await.body), without_pings(&call));
    assert_eq!(without_pings(&ask(&rig, &offers_tool(true)).await.body), without_pings(&empty));
    let words = json!({"model": "m", "stream": true, "max_tokens": 1, "messages": []});
    assert_eq!(ask(&rig, &words).await.body, call);
}

#[tokio::test]
async fn a_whole_message_is_repaired() {
    let rig = rig([
        Answer::call("run", "{\"path\": 7, \"times\": \"2\"}").into(),
        Answer::text("{'city': 'Oslo'}").into(),
        Answer::text("Sorry.").into(),
    ])
    .await;
    let got = ask(&rig, &offers_tool(false)).await.json();
    assert_eq!(got["content"][0]["input"], json!({"path": "7", "times": 2}), "{got}");
    assert_eq!(got["stop_reason"], "tool_use");
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["content"][0]["text"], "{\"city\": \"Oslo\"}");
    let got = ask(&rig, &wants_city(false)).await;
    assert_eq!((got.status, &got.json()["type"]), (422, &json!("error")));
    assert!(got.json()["error"]["message"].as_str().unwrap().contains("contains no JSON"));
}

#[tokio::test]
async fn the_start_of_a_block_is_repaired_with_its_pieces() {
    let begun = json!({"type": "text", "text": "{'city':"});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "run", "input": {"path": 5}});
    let sound = json!({"type": "tool_use", "id": "toolu_1", "name": "run", "input": {"path": "x"}});
    let sound = stream(&[(sound, "partial_json", &[])], "tool_use");
    let rig = rig([
        Reply::events(stream(&[(begun, "text", &[" 'Oslo'}"])], "end_turn")).into(),
        Reply::events(stream(&[(call, "partial_json", &[])], "tool_use")).into(),
        Reply::events(sound.clone()).into(),
    ])
    .await;
    let got = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!(got[1]["content_block"]["text"], "");
    assert_eq!(got[2]["delta"]["text"], "{\"city\": \"Oslo\"}");
    let got = events(&ask(&rig, &offers_tool(true)).await);
    assert_eq!(got[1]["content_block"]["input"], json!({}));
    let input = got[2]["delta"]["partial_json"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(input).unwrap(), json!({"path": "5"}));
    let without_pings = |body: &str| body.replace(&event(&json!({"type": "ping"})), "");
    assert_eq!(without_pings(&ask(&rig, &offers_tool(true)).await.body), without_pings(&sound));
}

#[tokio::test]
async fn one_of_several_texts_is_repaired_and_the_others_stay() {
    let whole = |second: &str| {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [
            {"type": "text", "text": "Is it {Oslo}?"}, {"type": "text", "text": second}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}})
    };
    let pieces = |second: &[&str]| {
        stream(&[(text(), "text", &["Is it {Oslo}?"]), (text(), "text", second)], "end_turn")
    };
    let (sound, broken) = ("{\"city\": \"Oslo\"}", "{'city': 'Oslo'}");
    let rig = rig([
        Reply::json(200, whole(sound).to_string()).into(),
        Reply::json(200, whole(broken).to_string()).into(),
        Reply::events(pieces(&["{\"city\":", " \"Oslo\"}"])).into(),
        Reply::events(pieces(&[broken])).into(),
    ])
    .await;
    for _ in 0..2 {
        assert_eq!(ask(&rig, &wants_city(false)).await.json(), whole(sound));
    }
    let without_pings = |body: &str| body.replace(&event(&json!({"type": "ping"})), "");
    for expected in [pieces(&["{\"city\":", " \"Oslo\"}"]), pieces(&[sound])] {
        let got = ask(&rig, &wants_city(true)).await.body;
        assert_eq!(without_pings(&got), without_pings(&expected));
    }
}

#[tokio::test]
async fn the_pieces_of_the_providers_own_tools_are_no_call() {
    let search =
        json!({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}});
    let blocks: [(Value, &str, &[&str]); 2] = [
        (search, "partial_json", &["{\"query\":", "\"Oslo\"}"]),
        (text(), "text", &["{'city': 'Oslo'}"]),
    ];
    let rig = rig([Reply::events(stream(&blocks, "end_turn")).into()]).await;
    let mut request = wants_city(true);
    request["tools"] = offers_tool(true)["tools"].clone();
    let events = events(&ask(&rig, &request).await);
    assert_eq!(events[2]["delta"]["partial_json"], "{\"query\":");
    assert_eq!(events[6]["delta"]["text"], "{\"city\": \"Oslo\"}");
}

#[tokio::test]
async fn a_retried_text_gets_a_new_block_if_there_is_none() {
    let sound = "{\"city\": \"Oslo\"}";
    let thought = json!({"type": "thinking", "thinking": "", "signature": ""});
    let message = |block: &Value| {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [block],
            "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 7}})
        .to_string()
    };
    let again = message(&json!({"type": "text", "text": sound}));
    let upstream = ModelServer::scripted([
        Turn::from(Reply::json(200, message(&thought))),
        Reply::json(200, again.clone()).into(),
        Reply::events(stream(&[(thought.clone(), "", &[])], "end_turn")).into(),
        Reply::json(200, again).into(),
    ]);
    let rig = rig_with("[gateway.policy]\nreasks = 1", upstream).await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["content"], json!([thought, {"type": "text", "text": sound}]));
    let events = events(&ask(&rig, &wants_city(true)).await);
    let order = types(&events);
    assert_eq!(order[3..6], ["content_block_start", "content_block_delta", "content_block_stop"]);
    assert_eq!((&events[4]["delta"]["text"], &events[4]["index"]), (&json!(sound), &json!(1)));
    // The start of the message reports the input of the first request, which is not all.
    assert_eq!(events[6]["usage"], got["usage"]);
}

#[tokio::test]
async fn a_delta_of_the_wrong_kind_is_refused() {
    let begun = |content: &Value| {
        let all = stream(&[], "end_turn");
        Turn::from(Reply::events(all.replacen(
            "\"content\":[]",
            &format!("\"content\":{content}"),
            1,
        )))
    };
    let mixed = stream(&[(text(), "partial_json", &["{'path': 5}"])], "end_turn");
    let rig = rig([
        Reply::events(mixed).into(),
        begun(&json!([called(&json!({"path": 5}))])),
        begun(&json!([{"type": "text", "text": "{'city': 5}"}])),
    ])
    .await;
    let got = ask(&rig, &wants_city(true)).await;
    assert_eq!(events(&got).last().unwrap()["type"], "error", "{}", got.body);
    for request in [offers_tool(true), wants_city(true)] {
        let got = ask(&rig, &request).await;
        assert_eq!(types(&events(&got)), ["error"], "{}", got.body);
    }
}

#[tokio::test]
async fn two_blocks_with_one_index_are_refused_if_inspected() {
    let thought = json!({"type": "thinking", "thinking": "", "signature": ""});
    let search =
        json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}});
    let unnumbered = |body: &str| {
        let all = body.split(',').filter(|member| !member.starts_with("\"index\":"));
        all.collect::<Vec<_>>().join(",").replace("\"index\":1", "\"index\":0")
    };
    let call: (Value, &str, &[&str]) = (tool(), "partial_json", &["{'path': 5}"]);
    let all_of = |first: &Value| [(first.clone(), "text", &[][..]), call.clone()];
    let streams = [
        stream(&all_of(&thought), "tool_use").replace("\"index\":1", "\"index\":0"),
        stream(&all_of(&search), "tool_use").replace("\"index\":1", "\"index\":0"),
        unnumbered(&stream(&all_of(&thought), "tool_use")),
    ];
    for body in streams {
        let rig =
            rig([Reply::events(body.clone()).into(), Reply::events(body.clone()).into()]).await;
        let got = ask(&rig, &offers_tool(true)).await;
        assert_eq!(events(&got).last().unwrap()["type"], "error", "{}", got.body);
        assert!(!got.body.contains("{'path"), "{}", got.body);
        // Where calls are not inspected, this does not matter.
        let got = ask(&rig, &wants_city(true)).await;
        assert!(!got.body.contains("one number"), "{}", got.body);
    }
}

#[tokio::test]
async fn a_string_as_content_is_repaired() {
    let rig =
        rig([whole(&json!("{'city': 'Oslo'}"), "end_turn"), whole(&json!("Sorry."), "end_turn")])
            .await;
    let got = ask(&rig, &wants_city(false)).await.json();
    assert_eq!(got["content"], "{\"city\": \"Oslo\"}");
    assert_eq!(ask(&rig, &wants_city(false)).await.status, 422);
}

#[tokio::test]
async fn a_whole_message_is_delivered_as_the_requested_stream() {
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "s"});
    let content = json!([thought, {"type": "text", "text": "So:"}, called(&json!({"path": 5}))]);
    let half = Reply::json(
        200,
        r#"{"type":"message","content":[{"type":"text","text":"{'city':'\ud83d'}"}]}"#,
    );
    let rig = rig([
        whole(&content, "end_turn"),
        whole(&json!([called(&json!({"path": "/tm"}))]), "max_tokens"),
        whole(&json!("{'city': 'Oslo'}"), "end_turn"),
        half.into(),
    ])
    .await;
    let got = ask(&rig, &offers_tool(true)).await;
    assert_eq!(got.header("content-type"), Some("text/event-stream"));
    let received = events(&got);
    let order = [
        "message_start",
        "content_block_start",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(types(&received), order);
    assert_eq!(
        (&received[0]["message"]["content"], &received[1]["content_block"]),
        (&json!([]), &thought)
    );
    assert_eq!((&received[4]["delta"]["text"], &received[4]["index"]), (&json!("So:"), &json!(1)));
    assert_eq!(received[6]["content_block"], called(&json!({})));
    assert_eq!(received[7]["delta"]["partial_json"], "{\"path\":\"5\"}");
    assert_eq!(received[9]["delta"]["stop_reason"], "tool_use");
    // What was read before it was cut off is so in its events, too.
    let received = events(&ask(&rig, &offers_tool(true)).await);
    assert_eq!(types(&received), ["message_start", "error"]);
    let received = events(&ask(&rig, &wants_city(true)).await);
    assert_eq!(received[2]["delta"]["text"], "{\"city\": \"Oslo\"}");
    // Half of a character cannot be written anew.
    assert_eq!(ask(&rig, &wants_city(true)).await.status, 502);
}
