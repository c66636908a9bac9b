//! Calls of custom tools that the server found, in answers that are refused: nothing of them is sent.

use llmend_model_server::{Answer, ModelServer, Turn};
use serde_json::{Value, json};

use super::CALL;
use super::client::{Protocol, asked, run};
use super::custom::{
    ITEM, QUERY, RESPONSES, SIZES, answer_of, call, native, queried, ran, request,
};
use crate::responses::message;
use crate::rig::{DONE, Got, Rig, chunk, events, rig_with};

const REASKS: &str = "[gateway.policy]\nreasks = 1";
const WAITS: &str = "[gateway.policy]\non_truncated_call = \"allow\"";
const MEMORY: &str = "[gateway.recording]\nstore = \"memory\"";

/// A function call that the server found.
fn function(arguments: &str) -> Value {
    json!({"id": "fc_1", "type": "function_call", "status": "completed", "call_id": "f1",
        "name": "run", "arguments": arguments})
}

async fn ask(rig: &Rig, request: &Value) -> Got {
    rig.ask("POST", RESPONSES.path(), "", &request.to_string()).await
}

/// The member `param` of the error in an answer.
fn param(got: &Got) -> Value {
    let lines = got.body.lines().filter_map(|line| line.strip_prefix("data: "));
    let mut values = lines.chain([got.body.as_str()]).filter_map(|data| {
        let value: Value = serde_json::from_str(data).ok()?;
        value["error"].is_object().then(|| value["error"]["param"].clone())
    });
    values.next().unwrap_or_else(|| panic!("no error: {}", got.body))
}

#[tokio::test]
async fn a_custom_call_waits_for_the_calls_behind_it() {
    for size in SIZES {
        let both = || answer_of(&[native(QUERY), function("{\"times\": 1}")], size);
        for config in ["", WAITS] {
            let rig = rig_with(config, ModelServer::scripted([both()])).await;
            let got = ask(&rig, &request(size.is_some())).await;
            let case = format!("{size:?} {config}: {}", got.body);
            assert!(RESPONSES.read(&got, size.is_some()).is_error, "{case}");
            assert!(!got.body.contains(ITEM) && !got.body.contains("select"), "{case}");
            assert_eq!(param(&got), "function_call[0].arguments", "{case}");
        }
        let turns = [both(), Answer::text("{\"path\": \"a.py\", \"times\": 2}").into()];
        let rig = rig_with(REASKS, ModelServer::scripted(turns)).await;
        let found = RESPONSES.read(&ask(&rig, &request(size.is_some())).await, size.is_some());
        assert_eq!(found.calls, [queried(), ran()], "{size:?}");
    }
}

#[tokio::test]
async fn a_custom_call_in_a_text_waits_for_the_calls_behind_it_if_calls_wait() {
    let text = format!("{}\n{}", call(), CALL.replace("path", "paths"));
    for size in SIZES {
        let answer = Answer::text(&text).pieces_of(size.unwrap_or(9));
        let (_rig, got) = asked(RESPONSES, WAITS, answer, &request(size.is_some())).await;
        let case = format!("{size:?}: {}", got.body);
        assert!(RESPONSES.read(&got, size.is_some()).is_error, "{case}");
        assert!(!got.body.contains(ITEM) && !got.body.contains("select"), "{case}");
    }
}

#[tokio::test]
async fn a_custom_call_that_is_not_allowed_is_refused_or_asked_again() {
    // (what the request asks for, the items of the answer, what the error says, its place)
    type Row<'a> = (&'a dyn Fn(&mut Value), Vec<Value>, &'a str, &'a str);
    let to_run = |request: &mut Value| {
        request["tool_choice"] = json!({"type": "function", "name": "run"});
    };
    let to_json = |request: &mut Value| {
        request["text"] = json!({"format": {"type": "json_object"}});
        request.as_object_mut().unwrap().remove("tools");
    };
    let demanded = function("{\"path\": \"a.py\", \"times\": 2}");
    let rows: [Row<'_>; 3] = [
        (&to_run, vec![native(QUERY)], "found a call of `sql`", "function_call[0].arguments"),
        (
            &to_run,
            vec![native(QUERY), demanded.clone()],
            "call of `sql` is unexpected: expected only calls of `run`",
            "custom_tool_call[0].input",
        ),
        (
            &to_json,
            vec![native(QUERY)],
            "call of `sql` is unexpected: expected JSON",
            "custom_tool_call[0].input",
        ),
    ];
    for (change, items, says, place) in rows {
        for (size, config) in SIZES.into_iter().flat_map(|size| ["", REASKS].map(|it| (size, it))) {
            let mut request = request(size.is_some());
            change(&mut request);
            let first = || answer_of(&items, size);
            let rig = rig_with(config, ModelServer::scripted([first(), first()])).await;
            let got = ask(&rig, &request).await;
            let case = format!("{size:?} {config}: {}", got.body);
            assert!(got.body.contains(says) && param(&got) == place, "{case}");
            assert!(!got.body.contains(ITEM) && !got.body.contains("select"), "{case}");
        }
        for size in SIZES {
            let mut request = request(size.is_some());
            change(&mut request);
            let is_json = request.get("tools").is_none();
            let second = if is_json {
                answer_of(&[message("{}")], size)
            } else {
                answer_of(std::slice::from_ref(&demanded), size)
            };
            let turns = [answer_of(&items, size), second];
            let rig = rig_with(REASKS, ModelServer::scripted(turns)).await;
            let got = ask(&rig, &request).await;
            let found = RESPONSES.read(&got, size.is_some());
            let case = format!("{size:?}: {}", got.body);
            let expected = if is_json { vec![] } else { vec![ran()] };
            assert_eq!((found.is_error, found.calls), (false, expected), "{case}");
        }
    }
}

#[tokio::test]
async fn an_error_names_the_place_of_a_call_among_those_of_its_kind() {
    let unfit = "<tool_call>\n{\"name\": \"sql\", \"arguments\": {\"query\": \"a\"}}\n</tool_call>";
    // (text, the place)
    for (text, place) in [
        (unfit.to_owned(), "custom_tool_call[0].input"),
        (format!("{CALL}\n{unfit}"), "custom_tool_call[0].input"),
        (format!("{}\n{CALL}\n{unfit}", call()), "custom_tool_call[1].input"),
        (format!("{}\n{}", call(), CALL.replace("path", "paths")), "function_call[0].arguments"),
    ] {
        for size in SIZES {
            let answer = Answer::text(&text).pieces_of(size.unwrap_or(9));
            let (_rig, got) = asked(RESPONSES, "", answer, &request(size.is_some())).await;
            assert_eq!(param(&got), place, "{size:?} {text}: {}", got.body);
        }
    }
}

#[tokio::test]
async fn an_answer_with_a_call_that_is_not_allowed_is_recorded_with_all_of_its_calls() {
    for size in SIZES {
        for config in ["", WAITS] {
            let answer = answer_of(&[message(CALL), native(QUERY)], size);
            let config = format!("{config}\n{MEMORY}");
            let rig = rig_with(&config, ModelServer::scripted([answer])).await;
            let mut request = request(size.is_some());
            request["tool_choice"] = json!({"type": "function", "name": "run"});
            let got = ask(&rig, &request).await;
            assert!(got.body.contains("call of `sql` is unexpected"), "{size:?}: {}", got.body);
            let kept = newest(&rig).await;
            let parts = kept["parts"].as_array().unwrap();
            let is_read = |part: &&Value| {
                part["notation"] == "hermes" && part["text"].as_str().unwrap().contains("a.py")
            };
            assert_eq!(parts.iter().filter(is_read).count(), 1, "{size:?} {config}: {kept}");
        }
    }
    // JSON alone is asked for.
    let arguments = "{\"path\": \"x\"}";
    for size in SIZES {
        let answer = answer_of(&[function(arguments)], size);
        let rig = rig_with(MEMORY, ModelServer::scripted([answer])).await;
        let mut request = request(size.is_some());
        request["text"] = json!({"format": {"type": "json_object"}});
        request.as_object_mut().unwrap().remove("tools");
        let got = ask(&rig, &request).await;
        assert!(got.body.contains("call of `run` is unexpected"), "{size:?}: {}", got.body);
        let kept = newest(&rig).await;
        let parts = kept["parts"].as_array().unwrap();
        assert!(parts.iter().any(|part| part["text"] == arguments), "{size:?}: {kept}");
    }
}

/// The newest recorded exchange.
async fn newest(rig: &Rig) -> Value {
    let listed = rig.get("/v1/exchanges").await.json();
    let id = &listed["exchanges"][0]["id"];
    rig.get(&format!("/v1/exchanges/{id}")).await.json()
}

/// A chat completion with a call of a custom tool, behind one of a function if that is not alone.
fn completion(is_alone: bool, is_stream: bool) -> Turn {
    let arguments = "{\"path\": \"a.py\"}";
    let function = json!({"index": 0, "id": "f1", "type": "function",
        "function": {"name": "run", "arguments": arguments}});
    let at = i32::from(!is_alone);
    let custom = json!({"index": at, "id": "c1", "type": "custom",
        "custom": {"name": "sql", "input": "select 1"}});
    if is_stream {
        let mut all = vec![chunk(&json!({"role": "assistant", "content": null}), None)];
        if !is_alone {
            all.push(chunk(&json!({"tool_calls": [function]}), None));
        }
        let mut begun = custom.clone();
        begun["custom"]["input"] = json!("select");
        let more = json!({"index": at, "custom": {"input": " 1"}});
        let calls = [begun, more].map(|call| chunk(&json!({"tool_calls": [call]}), None));
        all.extend(calls);
        all.extend([chunk(&json!({}), Some("tool_calls")), DONE.to_owned()]);
        return events(&all);
    }
    let calls: Vec<Value> =
        Some(function).filter(|_| !is_alone).into_iter().chain([custom]).collect();
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    let choice = json!({"index": 0, "message": message, "finish_reason": "tool_calls"});
    let whole = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [choice]});
    llmend_model_server::Reply::json(200, whole.to_string()).into()
}

#[tokio::test]
async fn a_custom_call_of_a_chat_is_known_by_its_name() {
    let named = json!({"type": "function", "function": {"name": "run"}});
    // (what is demanded, whether the custom call is alone, what the error says and its place)
    let rows = [
        (json!("auto"), true, None),
        (json!("required"), true, None),
        (json!("required"), false, None),
        (
            named.clone(),
            true,
            Some((
                "expected a call of `run` (`tool_choice`), found a call of `sql`",
                "choices[0].message.tool_calls[0].function.arguments",
            )),
        ),
        (
            named,
            false,
            Some((
                "call of `sql` is unexpected: expected only calls of `run`",
                "choices[0].message.tool_calls[1].custom.input",
            )),
        ),
    ];
    for (choice, is_alone, error) in rows {
        for is_stream in [false, true] {
            let mut request = Protocol::Chat.request(&[run()], is_stream);
            request["tool_choice"] = choice.clone();
            let turns = [completion(is_alone, is_stream), completion(is_alone, is_stream)];
            let rig = rig_with("", ModelServer::scripted(turns)).await;
            let got = rig.chat(&request).await;
            let case = format!("{choice} {is_alone} {is_stream}: {}", got.body);
            if let Some((says, place)) = error {
                assert!(got.body.contains(says) && param(&got) == place, "{case}");
                assert!(!got.body.contains("select"), "{case}");
                continue;
            }
            let skipped = "x-llmend-repair: no\r\n";
            let direct =
                rig.ask("POST", "/v1/chat/completions", skipped, &request.to_string()).await;
            assert_eq!((got.status, &got.body), (200, &direct.body), "{case}");
        }
    }
}
