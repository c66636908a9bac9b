//! Calls in the texts of whole answers.

use serde_json::{Value, json};

use super::{BARE, CALL, completion, saying};
use crate::rig::{Got, offers_tool, rig, rig_with, wants_city};

/// The answer of a model that says this to a request with these members.
async fn answered(text: &'static str, config: &str, more: &[(&str, Value)]) -> Got {
    let rig = rig_with(config, saying(text)).await;
    let mut request = offers_tool(false);
    for (key, value) in more {
        request[key] = value.clone();
    }
    rig.chat(&request).await
}

/// The names and arguments of the calls of the first choice.
fn calls(got: &Got) -> Vec<(String, Value)> {
    let message = &got.json()["choices"][0]["message"];
    let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    let call = |call: Value| {
        let function = &call["function"];
        let arguments = function["arguments"].as_str().unwrap();
        (function["name"].as_str().unwrap().to_owned(), serde_json::from_str(arguments).unwrap())
    };
    calls.into_iter().map(call).collect()
}

#[tokio::test]
async fn a_call_in_the_text_becomes_a_tool_call() {
    let text = "<think>\nThe file.\n</think>\n\nI run it.\n\n<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.py\", \"times\": \"2\"}}\n</tool_call>";
    let got = answered(text, "", &[]).await;
    let json = got.json();
    let choice = &json["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(choice["message"]["content"], "I run it.");
    assert_eq!(choice["message"]["reasoning_content"], "The file.");
    assert_eq!(calls(&got), [("run".to_owned(), json!({"path": "a.py", "times": 2}))]);
    let call = &choice["message"]["tool_calls"][0];
    assert_eq!(call["type"], "function");
    assert_eq!(call["id"].as_str().unwrap().len(), 9);
    let done = got.header("x-llmend-repair").unwrap();
    assert!(done.contains("call-from-text:1,hermes:1,number-from-text:1"), "{done}");
}

#[tokio::test]
async fn a_call_alone_leaves_no_content_and_two_have_two_ids() {
    let text = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"b\"}}\n</tool_call>";
    let got = answered(text, "", &[]).await;
    let message = &got.json()["choices"][0]["message"];
    assert_eq!(message["content"], Value::Null);
    assert_ne!(message["tool_calls"][0]["id"], message["tool_calls"][1]["id"]);
    assert_eq!(calls(&got).len(), 2);
}

#[tokio::test]
async fn two_answers_never_share_an_id() {
    let rig = rig_with("", saying(CALL)).await;
    let id = |got: Got| got.json()["choices"][0]["message"]["tool_calls"][0]["id"].clone();
    let (one, other) = (rig.chat(&offers_tool(false)).await, rig.chat(&offers_tool(false)).await);
    assert_ne!(id(one), id(other));
}

/// A text, a configuration, a member of the request, and the number of calls.
type Row = (&'static str, String, Option<(&'static str, Value)>, usize);

#[tokio::test]
async fn policy_and_request_decide_what_is_a_call() {
    let policy = |calls: &str| format!("[gateway.policy]\ncalls = \"{calls}\"");
    let none = ("tool_choice", json!("none"));
    let one = ("parallel_tool_calls", json!(false));
    let twice: &'static str = Box::leak(format!("{CALL}\n{CALL}").into_boxed_str());
    let rows: [Row; 11] = [
        (CALL, policy("auto"), None, 1),
        (BARE, policy("auto"), None, 1),
        (CALL, policy("marked"), None, 1),
        (BARE, policy("marked"), None, 0),
        (CALL, policy("never"), None, 0),
        (CALL, "[gateway.policy]\nlevel = \"strict\"".to_owned(), None, 0),
        (CALL, "[gateway.policy]\nrepair = \"never\"".to_owned(), None, 0),
        (CALL, String::new(), Some(none), 0),
        (twice, String::new(), None, 2),
        (twice, String::new(), Some(one), 1),
        ("No call.", String::new(), None, 0),
    ];
    for (text, config, member, expected) in rows {
        let got = answered(text, &config, member.as_slice()).await;
        assert_eq!(calls(&got).len(), expected, "{text} {config} {member:?}: {}", got.body);
        let choice = &got.json()["choices"][0];
        let finish = if expected == 0 { "stop" } else { "tool_calls" };
        assert_eq!(choice["finish_reason"], finish, "{text}");
        if expected == 0 {
            assert_eq!(choice["message"]["content"], text);
        }
    }
}

#[tokio::test]
async fn a_dropped_call_is_reported() {
    let twice: &'static str = Box::leak(format!("{CALL}\n{CALL}").into_boxed_str());
    let got = answered(twice, "", &[("parallel_tool_calls", json!(false))]).await;
    let done = got.header("x-llmend-repair").unwrap();
    assert!(done.contains("class=loss") && done.contains("dropped-call:1"), "{done}");
}

#[tokio::test]
async fn a_demanded_call_that_is_missing_is_refused() {
    let named = json!({"type": "function", "function": {"name": "run"}});
    let other = json!({"type": "function", "function": {"name": "stop"}});
    let text: &'static str = "Shall I run it?";
    for (text, choice, status) in [
        (text, json!("auto"), 200),
        (text, json!("required"), 422),
        (text, named.clone(), 422),
        (CALL, json!("required"), 200),
        (CALL, named, 200),
        (CALL, other, 422),
    ] {
        let got = answered(text, "", &[("tool_choice", choice.clone())]).await;
        assert_eq!(got.status, status, "{text} {choice}: {}", got.body);
        if status == 422 {
            assert_eq!(got.json()["error"]["code"], "calls/missing");
            assert_eq!(got.header("x-should-retry"), Some("false"));
        }
    }
}

#[tokio::test]
async fn each_choice_is_read_on_its_own() {
    let rig = rig([completion(&[CALL, "No call.", CALL], "stop")]).await;
    let mut request = offers_tool(false);
    request["n"] = json!(3);
    let choices = rig.chat(&request).await.json()["choices"].clone();
    let finishes: Vec<&str> =
        (0..3usize).map(|at| choices[at]["finish_reason"].as_str().unwrap()).collect();
    assert_eq!(finishes, ["tool_calls", "stop", "tool_calls"]);
    assert_eq!(choices[1]["message"]["content"], "No call.");
    let id = |at: usize| choices[at]["message"]["tool_calls"][0]["id"].clone();
    assert_ne!(id(0), id(2));
}

#[tokio::test]
async fn older_clients_get_a_function_call() {
    let rig = rig([completion(&[CALL], "stop")]).await;
    let mut request = offers_tool(false);
    request["functions"] = json!([request["tools"][0]["function"]]);
    request.as_object_mut().unwrap().remove("tools");
    let choice = rig.chat(&request).await.json()["choices"][0].clone();
    assert_eq!(choice["finish_reason"], "function_call");
    assert_eq!(choice["message"]["function_call"]["name"], "run");
    assert_eq!(choice["message"]["function_call"]["arguments"], r#"{"path":"a.py","times":2}"#);
}

#[tokio::test]
async fn what_was_meant_as_a_call_and_is_none_is_refused() {
    for (text, code) in [
        ("<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.", "calls/truncated"),
        (
            "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\", \"times\": \"often\"}}\n</tool_call>",
            "schema/type",
        ),
    ] {
        let got = answered(text, "", &[]).await;
        assert_eq!(got.status, 422, "{text}: {}", got.body);
        assert_eq!(got.json()["error"]["code"], code, "{}", got.body);
    }
}

#[tokio::test]
async fn a_call_that_is_missing_is_asked_for_again() {
    let reasks = "[gateway.policy]\nreasks = 1";
    let unknown = "<tool_call>\n{\"name\": \"erase\", \"arguments\": {}}\n</tool_call>";
    for (text, choice) in [("No.", json!("required")), (unknown, json!("auto"))] {
        let turns = [completion(&[text], "stop"), completion(&[CALL], "stop")];
        let rig = rig_with(reasks, llmend_model_server::ModelServer::scripted(turns)).await;
        let mut request = offers_tool(false);
        request["tool_choice"] = choice.clone();
        let got = rig.chat(&request).await;
        assert_eq!(calls(&got).len(), 1, "{}", got.body);
        assert_eq!(got.header("x-llmend-attempts"), Some("2"));
        let again: Value = serde_json::from_str(&rig.upstream.requests()[1].body).unwrap();
        assert_eq!(again["tool_choice"], choice);
        let words = again["messages"][0]["content"].as_str().unwrap();
        assert!(words.contains("Your last answer cannot be used"), "{words}");
    }
}

#[tokio::test]
async fn a_call_that_stays_missing_is_refused() {
    let reasks = "[gateway.policy]\nreasks = 2\non_truncated_call = \"reask\"";
    let cut = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.";
    let demanded = ("tool_choice", json!("required"));
    for (text, member) in [("No.", Some(demanded)), (cut, None)] {
        let got = answered(text, reasks, member.as_slice()).await;
        assert_eq!(got.status, 422, "{text}: {}", got.body);
    }
}

#[tokio::test]
async fn a_call_of_a_tool_that_is_not_offered_is_for_the_client_to_answer() {
    let unknown: &'static str = "I erase it.\n<tool_call>\n{\"name\": \"erase\", \"arguments\": {\"path\": \"a\", \"n\": \"1\"}}\n</tool_call>";
    let expected = [("erase".to_owned(), json!({"path": "a", "n": "1"}))];
    let got = answered(unknown, "", &[]).await;
    assert_eq!(calls(&got), expected, "{}", got.body);
    assert_eq!(got.json()["choices"][0]["message"]["content"], "I erase it.");
    let done = got.header("x-llmend-repair").unwrap();
    assert!(done.contains("class=guess") && done.contains("unknown-tool:1"), "{done}");
    // A model that insists on it is asked again, and then believed.
    let got = answered(unknown, "[gateway.policy]\nreasks = 2", &[]).await;
    assert_eq!(calls(&got), expected, "{}", got.body);
    assert_eq!(got.header("x-llmend-attempts"), Some("3"));
    // Another tool was demanded.
    let run = json!({"type": "function", "function": {"name": "run"}});
    let got = answered(unknown, "", &[("tool_choice", run)]).await;
    assert_eq!((got.status, got.json()["error"]["code"].as_str()), (422, Some("calls/missing")));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_asked_for_again() {
    let text = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\", \"times\": \"often\"}}\n</tool_call>";
    let config = "[gateway.policy]\nreasks = 1";
    let again = "{\"path\": \"a\", \"times\": 2}";
    for stream in [false, true] {
        let turns = [completion(&[text], "stop"), completion(&[again], "stop")];
        let rig = rig_with(config, llmend_model_server::ModelServer::scripted(turns)).await;
        let got = rig.chat(&offers_tool(stream)).await;
        assert!(got.body.contains("\\\"times\\\": 2"), "{}", got.body);
        assert!(!got.body.contains("often"), "{}", got.body);
    }
}

#[tokio::test]
async fn what_was_asked_for_decides_between_json_and_a_call() {
    let tools = offers_tool(false)["tools"].clone();
    let schema: &'static str = "{\"city\": \"Oslo\"}";
    // (text, whether the schema of the answer fits anything, number of calls)
    for (text, is_any, expected) in [
        (schema, false, 0),
        (CALL, false, 1),
        (BARE, false, 1),
        // Any JSON was asked for, and a call of an offered tool is more than any.
        (BARE, true, 1),
        (CALL, true, 1),
    ] {
        let rig = rig_with("", saying(text)).await;
        let mut request = wants_city(false);
        request["tools"] = tools.clone();
        if is_any {
            request["response_format"] = json!({"type": "json_object"});
        }
        let got = rig.chat(&request).await;
        assert_eq!(got.status, 200, "{}", got.body);
        assert_eq!(calls(&got).len(), expected, "{text} {is_any}: {}", got.body);
    }
}

#[tokio::test]
async fn an_unmarked_call_beside_those_of_the_server_is_text() {
    let answer = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant",
            "content": BARE, "tool_calls": [{"id": "x", "type": "function",
                "function": {"name": "run", "arguments": "{\"path\": \"a.py\"}"}}]}}]});
    let body = answer.to_string();
    let rig = rig([llmend_model_server::Reply::json(200, body.clone()).into()]).await;
    assert_eq!(rig.chat(&offers_tool(false)).await.body, body);
}

#[tokio::test]
async fn text_without_a_call_stays_byte_for_byte() {
    let text: &'static str = "Use `run(path=\"a.py\")`, or <b>wait</b>.\n\n";
    let rig = rig_with("", saying(text)).await;
    let got = rig.chat(&offers_tool(false)).await;
    let direct = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
            "finish_reason": "stop"}]});
    assert_eq!(got.body, direct.to_string());
    assert_eq!(got.header("x-llmend-repair"), Some("unchanged"));
}

#[tokio::test]
async fn calls_out_of_text_are_recorded_with_their_notation() {
    let config = "[gateway.recording]\nstore = \"memory\"";
    for stream in [false, true] {
        let rig = rig_with(config, saying(CALL)).await;
        rig.chat(&offers_tool(stream)).await;
        let listed = rig.get("/v1/exchanges").await.json();
        let row = &listed["exchanges"][0];
        assert_eq!(row["outcome"], "repaired", "{listed}");
        let id = row["id"].as_u64().unwrap();
        let found = rig.get(&format!("/v1/exchanges/{id}")).await;
        for word in ["\"notation\":\"hermes\"", "number-from-text"] {
            assert!(found.body.contains(word), "{word} {stream}: {}", found.body);
        }
    }
}
