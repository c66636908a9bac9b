//! What could not be repaired is asked for again, within the budgets.

use llmend_model_server::{Answer, ModelServer, Reply, Step, Turn};
use serde_json::{Value, json};

use crate::rig::{DONE, Rig, chunk, events, offers_tool, rig_with, wants_city};

async fn asking(policy: &str, turns: impl IntoIterator<Item = Turn>) -> Rig {
    rig_with(&format!("[gateway.policy]\n{policy}"), ModelServer::scripted(turns)).await
}

/// What the user said last in the request of this number.
fn said(rig: &Rig, request: usize) -> String {
    let body = rig.upstream.requests()[request].json();
    let last = body["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["role"], "user");
    last["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_invalid_part_is_retried_alone() {
    let turns = || {
        [
            Answer::text("{\"city\": \"Oslo\", \"days\": \"a few\"}").into(),
            Answer::text("{\"days\": 3}").usage(20, 5).into(),
        ]
    };
    let rig = asking("reasks = 2", turns().into_iter().chain(turns())).await;
    let got = rig.chat(&wants_city(false)).await;
    let answer = got.json();
    let content = answer["choices"][0]["message"]["content"].as_str().unwrap();
    let value: Value = serde_json::from_str(content).unwrap();
    assert_eq!(value, json!({"city": "Oslo", "days": 3}));
    assert_eq!(got.header("x-llmend-attempts"), Some("2"));
    // 11 and 7 of the first answer.
    assert_eq!(
        answer["usage"],
        json!({"prompt_tokens": 31, "completion_tokens": 12, "total_tokens": 43})
    );
    let words = said(&rig, 1);
    assert!(words.starts_with("A city?\n\n") && words.contains("days"), "{words}");
    let again = rig.upstream.requests()[1].json();
    assert!(again["response_format"]["json_schema"]["schema"].is_object(), "{again}");

    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(serde_json::from_str::<Value>(&got.content()).unwrap(), value);
    assert_eq!(got.finishes(), ["stop"]);
    assert_eq!(rig.upstream.requests()[3].json().get("stream"), None);
}

#[tokio::test]
async fn a_call_is_retried_as_text() {
    let turns = [
        Answer::call("run", "{\"times\": 2}").into(),
        Answer::text("{\"path\": \"x\", \"times\": 2}").into(),
    ];
    let rig = asking("reasks = 1", turns).await;
    let answer = rig.chat(&offers_tool(false)).await.json();
    let call = &answer["choices"][0]["message"]["tool_calls"][0]["function"];
    let arguments: Value = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
    assert_eq!((&call["name"], arguments), (&json!("run"), json!({"path": "x", "times": 2})));
    let again = rig.upstream.requests()[1].json();
    assert_eq!((&again["tool_choice"], again["tools"].is_array()), (&json!("none"), true));
    assert!(said(&rig, 1).contains("You called the tool `run`"));
}

#[tokio::test]
async fn half_a_call_is_retried_if_the_policy_allows_it() {
    let cut = Answer::call("run", "{\"path\": \"/tm").cut_off();
    let turns = [
        cut.clone().into(),
        Answer::text("p/x\"}").into(),
        cut.into(),
        Answer::text("{\"path\": \"/tmp/x\"}").into(),
    ];
    let rig = asking("reasks = 1\non_truncated_call = \"reask\"", turns).await;
    for _ in 0..2 {
        let got = rig.chat(&offers_tool(true)).await;
        let events = got.events();
        let call =
            events.iter().find_map(|event| event["choices"][0]["delta"].get("tool_calls")).unwrap();
        let arguments = call[0]["function"]["arguments"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(arguments).unwrap(), json!({"path": "/tmp/x"}));
        // Complete, and said to be so.
        assert_eq!(got.finishes(), ["tool_calls"]);
    }
}

#[tokio::test]
async fn a_truncated_text_is_complete_after_a_retry() {
    let turns = [Answer::text("{\"city\": \"Osl").cut_off().into(), Answer::text("o\"}").into()];
    let rig = asking("reasks = 1\non_truncation = \"reask\"", turns).await;
    let answer = rig.chat(&wants_city(false)).await.json();
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert_eq!(answer["choices"][0]["message"]["content"], "{\"city\": \"Oslo\"}");
}

#[tokio::test]
async fn the_refusal_after_the_last_attempt_has_all_details() {
    let no = || Answer::text("I would rather not.").into();
    let other = Answer::text("Nor now.").into();
    let rig = asking("reasks = 2", [no(), other, no(), no()]).await;
    let got = rig.chat(&wants_city(false)).await;
    let error = got.json()["error"].clone();
    assert_eq!((got.status, &error["type"]), (422, &json!("repair_error")));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("contains no JSON") && message.contains("asked 3 times"), "{message}");
    assert_eq!(got.header("x-llmend-attempts"), Some("3"));
    assert_eq!(rig.upstream.requests().len(), 3);
}

#[tokio::test]
async fn without_retries_or_tokens_there_is_no_retry() {
    let bad = || Answer::text("Sorry.").into();
    let rig = asking("reasks = 0", [bad()]).await;
    assert_eq!(rig.chat(&wants_city(false)).await.status, 422);
    assert_eq!(rig.upstream.requests().len(), 1);
    let rig = asking("reasks = 2\nreask_tokens = 20", [bad()]).await;
    let got = rig.chat(&wants_city(false)).await;
    assert_eq!(got.status, 422);
    assert!(
        got.json()["error"]["message"].as_str().unwrap().contains("token budget exhausted"),
        "{got:?}"
    );
    assert_eq!(rig.upstream.requests().len(), 1);
}

#[tokio::test]
async fn an_upstream_that_fails_meanwhile_leaves_the_first_refusal() {
    let turns = [
        Answer::text("Sorry.").into(),
        Reply::json(500, "{\"error\": {\"message\": \"secret inside\"}}").into(),
        Answer::text("Sorry.").into(),
        Reply::events("").then(Step::Cut).into(),
    ];
    let rig = asking("reasks = 1", turns).await;
    for _ in 0..2 {
        let got = rig.chat(&wants_city(false)).await;
        assert_eq!((got.status, &got.json()["error"]["code"]), (422, &json!("extract/no-json")));
        assert!(!got.body.contains("secret"), "{got:?}");
    }
}

#[tokio::test]
async fn retries_are_counted() {
    let turns = [Answer::text("Sorry.").into(), Answer::text("{\"city\": \"Oslo\"}").into()];
    let rig = asking("reasks = 1", turns).await;
    assert_eq!(rig.chat(&wants_city(false)).await.status, 200);
    let metrics = rig.get("/metrics").await.body;
    for line in [
        "llmend_parse_total{outcome=\"reasked\"} 1",
        "llmend_attempts_total{kind=\"no-json\",strategy=\"first\"} 1",
        "llmend_attempts_total{kind=\"ok\",strategy=\"full\"} 1",
        "llmend_tokens_total{attempt=\"2\"} 18",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
}

/// A whole answer with these choices.
fn choices(choices: &Value) -> Turn {
    let body = json!({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices});
    Reply::json(200, body.to_string()).into()
}

#[tokio::test]
async fn truncation_is_reported_though_another_choice_is_retried() {
    let choice = |index, content| {
        json!({"index": index, "finish_reason": "stop",
            "message": {"role": "assistant", "content": content}})
    };
    let first = choices(&json!([choice(0, "{\"city\": \"Osl"), choice(1, "{\"days\": 3}")]));
    let rig = asking("reasks = 1", [first, Answer::text("{\"city\": \"Bergen\"}").into()]).await;
    let mut request = wants_city(false);
    request["n"] = json!(2);
    let got = rig.chat(&request).await.json();
    assert_eq!(got["choices"][0]["message"]["content"], "{\"city\": \"Osl\"}");
    assert_eq!(got["choices"][0]["finish_reason"], "length");
    assert_eq!(got["choices"][1]["finish_reason"], "stop");
}

#[tokio::test]
async fn half_a_call_is_reported_though_the_call_before_it_is_retried() {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "run", "arguments": arguments}});
    let calls = [call("a", "{\"times\": 2}"), call("b", "{\"path\": \"/tm")];
    let first = choices(&json!([{"index": 0, "finish_reason": "length",
        "message": {"role": "assistant", "content": null, "tool_calls": calls}}]));
    let turns = [first, Answer::text("{\"path\": \"x\", \"times\": 2}").into()];
    let rig = asking("reasks = 1\non_truncated_call = \"allow\"", turns).await;
    let got = rig.chat(&offers_tool(false)).await.json();
    assert_eq!(got["choices"][0]["finish_reason"], "length", "{got}");
}

#[tokio::test]
async fn an_uninspected_half_call_is_not_reported_as_complete() {
    let function = json!({"id": "a", "type": "function",
        "function": {"name": "run", "arguments": "{\"times\": 2}"}});
    let custom = json!({"id": "b", "type": "custom", "custom": {"name": "sh", "input": "rm -rf /home/me/tm"}});
    let first = || {
        let message =
            json!({"role": "assistant", "content": null, "tool_calls": [function, custom]});
        choices(&json!([{"index": 0, "finish_reason": "length", "message": message}]))
    };
    let again = || Answer::text("{\"path\": \"x\"}").into();
    let rig = asking("reasks = 1", [first(), again(), first(), again()]).await;
    let got = rig.chat(&offers_tool(false)).await.json();
    assert_eq!(got["choices"][0]["finish_reason"], "length", "{got}");
    let got = rig.chat(&offers_tool(true)).await;
    assert_eq!(got.finishes(), ["length"], "{}", got.body);
}

#[tokio::test]
async fn a_limit_reached_after_a_whole_call_stays_reported() {
    let turns = [
        Answer::call("run", "{\"times\": 2}").cut_off().into(),
        Answer::text("{\"path\": \"x\"}").into(),
    ];
    let rig = asking("reasks = 1", turns).await;
    let got = rig.chat(&offers_tool(false)).await.json();
    assert_eq!(got["choices"][0]["finish_reason"], "length", "{got}");
}

#[tokio::test]
async fn the_answer_to_a_retry_may_be_a_stream() {
    let first = || Turn::from(Answer::text("Sorry."));
    let pieces = |finish| {
        events(&[
            chunk(&json!({"content": "{'city': "}), None),
            chunk(&json!({"content": "'Oslo'}"}), Some(finish)),
            DONE.to_owned(),
        ])
    };
    let half = events(&[chunk(&json!({"content": "{\"city\": \"Oslo\""}), Some("length"))]);
    let torn = events(&[chunk(&json!({"content": "{\"city\": \"Oslo\"}"}), None)]);
    let untold = Reply::json(
        200,
        format!("{}{DONE}", chunk(&json!({"content": "{\"city\": \"Oslo\"}"}), Some("stop"))),
    );
    let turns = [first(), pieces("stop"), first(), untold.into(), first(), half, first(), torn];
    let rig = asking("reasks = 1", turns).await;
    for _ in 0..2 {
        let got = rig.chat(&wants_city(false)).await;
        assert_eq!(got.status, 200, "{}", got.body);
        let message = &got.json()["choices"][0]["message"];
        assert_eq!(message["content"], "{\"city\": \"Oslo\"}");
    }
    for _ in 0..2 {
        let got = rig.chat(&wants_city(false)).await;
        assert_eq!(got.status, 422, "{}", got.body);
    }
}

#[tokio::test]
async fn json_beside_a_refusal_is_no_answer() {
    let refusing = json!([{"index": 0, "finish_reason": "stop", "message": {"role": "assistant",
        "content": "{\"city\": \"Oslo\"}", "refusal": "I would rather not."}}]);
    let turns = [Answer::text("Sorry.").into(), choices(&refusing)];
    let rig = asking("reasks = 1", turns).await;
    let got = rig.chat(&wants_city(false)).await;
    assert_eq!(got.status, 422, "{}", got.body);
    let message = got.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("I would rather not."), "{message}");
}
