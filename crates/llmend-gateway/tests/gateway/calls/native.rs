//! Calls that the server found, where the request asks for something else or the answer met its limit.

use llmend_model_server::{Answer, ModelServer, Reply, Turn};
use serde_json::{Value, json};

use super::CALL;
use super::client::{PROTOCOLS, Protocol, asked, named, run};
use super::decided::asking_for_json;
use crate::responses;
use crate::rig::{Got, Rig, chunk, events, rig_with};

const REASKS: &str = "[gateway.policy]\nreasks = 1";

/// Each protocol, whole and as a stream.
fn ways() -> impl Iterator<Item = (Protocol, bool)> {
    PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)])
}

fn stop() -> (String, Value) {
    ("stop".to_owned(), json!({"type": "object"}))
}

async fn ask(rig: &Rig, protocol: Protocol, request: &Value) -> Got {
    rig.ask("POST", protocol.path(), "", &request.to_string()).await
}

/// What the error in an answer says.
fn message(got: &Got) -> String {
    let lines = got.body.lines().filter_map(|line| line.strip_prefix("data: "));
    let mut values = lines.chain([got.body.as_str()]).filter_map(|data| {
        let value: Value = serde_json::from_str(data).ok()?;
        value["error"]["message"].as_str().map(str::to_owned)
    });
    values.next().unwrap_or_else(|| panic!("no error: {}", got.body))
}

#[tokio::test]
async fn a_call_that_may_be_cut_off_at_the_limit_has_one_outcome_whole_and_streamed() {
    let allow = "[gateway.policy]\non_truncated_call = \"allow\"";
    let whole = "{\"path\": \"a.py\"}";
    for (protocol, is_stream) in ways() {
        for config in ["", allow] {
            let answer = Answer::call("run", whole).cut_off();
            let request = protocol.request(&[run()], is_stream);
            let (_rig, got) = asked(protocol, config, answer, &request).await;
            let found = protocol.read(&got, is_stream);
            let case = format!("{protocol:?} {is_stream} {config}: {}", got.body);
            // The others have the arguments as text, which ends where the model did.
            let is_hidden = protocol == Protocol::Messages;
            assert_eq!(found.is_error, is_hidden && config.is_empty(), "{case}");
            if found.is_error {
                assert!(message(&got).contains("was cut off"), "{case}");
                assert!(!got.body.contains("a.py"), "{case}");
                continue;
            }
            let end = match protocol {
                Protocol::Chat => "length",
                Protocol::Responses => "incomplete",
                Protocol::Messages => "max_tokens",
            };
            assert_eq!(found.calls, [("run".to_owned(), json!({"path": "a.py"}))], "{case}");
            assert_eq!(found.end, end, "{case}");
        }
    }
}

#[tokio::test]
async fn a_call_where_only_json_was_asked_for_is_refused_or_asked_again() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let json = "{\"path\": \"x\"}";
    for (protocol, is_stream) in ways() {
        // (whether tools are offered and none may be called, what the error says)
        for (is_offered, why) in
            [(false, "no tools were offered"), (true, "`tool_choice` allows no call")]
        {
            let mut request = asking_for_json(protocol, is_stream, Some(&schema));
            if is_offered {
                request["tool_choice"] = match protocol {
                    Protocol::Messages => json!({"type": "none"}),
                    _ => json!("none"),
                };
            } else {
                request.as_object_mut().unwrap().remove("tools");
            }
            let answer = || Turn::from(Answer::call("run", json));
            for config in ["", REASKS] {
                let rig = rig_with(config, ModelServer::scripted([answer(), answer()])).await;
                let got = ask(&rig, protocol, &request).await;
                let case = format!("{protocol:?} {is_stream} {config}: {}", got.body);
                let expected = format!("call of `run` is unexpected: expected JSON; {why}");
                assert!(message(&got).contains(&expected), "{case}");
                assert_eq!(got.status, if is_stream { 200 } else { 422 }, "{case}");
                assert!(!got.body.contains("\"run\""), "{case}");
                let count = if config.is_empty() { 1 } else { 2 };
                assert_eq!(rig.upstream.requests().len(), count, "{case}");
            }
            let turns = [answer(), Answer::text(json).into()];
            let rig = rig_with(REASKS, ModelServer::scripted(turns)).await;
            let got = ask(&rig, protocol, &request).await;
            let found = protocol.read(&got, is_stream);
            let case = format!("{protocol:?} {is_stream}: {}", got.body);
            assert_eq!((found.text.as_str(), found.calls.len()), (json, 0), "{case}");
            let again = rig.upstream.requests().pop().unwrap().json().to_string();
            assert!(again.contains("do not call a tool"), "{again}");
        }
    }
}

#[tokio::test]
async fn a_call_is_an_answer_where_json_was_asked_for_and_tools_are_offered() {
    let schema = json!({"type": "object", "required": ["city"]});
    for (protocol, is_stream) in ways() {
        let request = asking_for_json(protocol, is_stream, Some(&schema));
        let answer = Answer::call("run", "{\"path\": \"a.py\", \"times\": \"2\"}");
        let (_rig, got) = asked(protocol, "", answer, &request).await;
        let found = protocol.read(&got, is_stream);
        let case = format!("{protocol:?} {is_stream}: {}", got.body);
        let call = ("run".to_owned(), json!({"path": "a.py", "times": 2}));
        assert_eq!((found.calls, found.end.as_str()), (vec![call], protocol.end(true)), "{case}");
    }
}

#[tokio::test]
async fn a_call_of_another_tool_than_the_demanded_one_is_refused_or_asked_again() {
    let call = || Turn::from(Answer::call("stop", "{}"));
    for (protocol, is_stream) in ways() {
        let mut request = protocol.request(&[run(), stop()], is_stream);
        request["tool_choice"] = named(protocol, "run");
        for config in ["", REASKS] {
            let rig = rig_with(config, ModelServer::scripted([call(), call()])).await;
            let got = ask(&rig, protocol, &request).await;
            let case = format!("{protocol:?} {is_stream} {config}: {}", got.body);
            let says = "expected a call of `run` (`tool_choice`), found a call of `stop`";
            assert!(message(&got).contains(says), "{case}");
            assert!(!got.body.contains("\"stop\""), "{case}");
            assert_eq!(got.status, if is_stream { 200 } else { 422 }, "{case}");
        }
        // (the next answer, the arguments of its call)
        for (answer, expected) in [
            (Answer::call("run", "{\"path\": \"x\"}"), json!({"path": "x"})),
            (Answer::text(CALL), json!({"path": "a.py", "times": 2})),
        ] {
            let rig = rig_with(REASKS, ModelServer::scripted([call(), answer.into()])).await;
            let got = ask(&rig, protocol, &request).await;
            let found = protocol.read(&got, is_stream);
            let calls = vec![("run".to_owned(), expected)];
            assert_eq!(found.calls, calls, "{protocol:?} {is_stream}: {}", got.body);
        }
    }
}

#[tokio::test]
async fn no_other_tool_is_called_beside_the_demanded_one() {
    let both = || Turn::from(Answer::call("run", "{\"path\": \"x\"}").and_call("stop", "{}"));
    for (protocol, is_stream) in ways() {
        let mut request = protocol.request(&[run(), stop()], is_stream);
        request["tool_choice"] = named(protocol, "run");
        let rig = rig_with("", ModelServer::scripted([both()])).await;
        let got = ask(&rig, protocol, &request).await;
        let case = format!("{protocol:?} {is_stream}: {}", got.body);
        let says = "call of `stop` is unexpected: expected only calls of `run` (`tool_choice`)";
        assert!(message(&got).contains(says) && !got.body.contains("\"stop\""), "{case}");
        assert_eq!(got.status, if is_stream { 200 } else { 422 }, "{case}");
        let turns = [both(), Answer::call("run", "{\"path\": \"x\"}").into()];
        let rig = rig_with(REASKS, ModelServer::scripted(turns)).await;
        let found = protocol.read(&ask(&rig, protocol, &request).await, is_stream);
        assert_eq!(found.calls, [("run".to_owned(), json!({"path": "x"}))], "{case}");
    }
}

/// A chat completion or a response with a refusal beside this text.
fn refusing(protocol: Protocol, text: &str, is_stream: bool) -> Turn {
    let refusal = "I would rather not.";
    match protocol {
        Protocol::Chat if is_stream => events(&[
            chunk(&json!({"role": "assistant", "content": text}), None),
            chunk(&json!({"refusal": refusal}), None),
            chunk(&json!({}), Some("stop")),
            "data: [DONE]\n\n".to_owned(),
        ]),
        Protocol::Chat => {
            let message = json!({"role": "assistant", "content": text, "refusal": refusal});
            let whole = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
            Reply::json(200, whole.to_string()).into()
        }
        Protocol::Responses | Protocol::Messages => {
            // The part of a refusal stands behind that of the text.
            let part = json!({"type": "refusal", "refusal": refusal});
            let mut item = responses::message(text);
            item["content"].as_array_mut().unwrap().push(part.clone());
            let whole = responses::response("completed", &json!([item]));
            if !is_stream {
                return Reply::json(200, whole.to_string()).into();
            }
            let streamed = responses::text_stream(&[text], "completed");
            let mut all: Vec<Value> = streamed
                .lines()
                .filter_map(|line| line.strip_prefix("data: "))
                .map(|data| serde_json::from_str(data).unwrap())
                .collect();
            let done = all.iter().position(|event| event["type"] == "response.output_item.done");
            let done = done.unwrap();
            all[done]["item"] = item;
            all.last_mut().unwrap()["response"] = whole;
            let of_part = |kind: &str, more: Value| {
                let mut event = json!({"type": kind, "item_id": "msg", "output_index": 0,
                    "content_index": 1});
                event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                event
            };
            all.splice(
                done..done,
                [
                    of_part(
                        "response.content_part.added",
                        json!({"part": {"type": "refusal", "refusal": ""}}),
                    ),
                    of_part("response.refusal.delta", json!({ "delta": refusal })),
                    of_part("response.refusal.done", json!({ "refusal": refusal })),
                    of_part("response.content_part.done", json!({ "part": part })),
                ],
            );
            Reply::events(responses::stream(&all)).into()
        }
    }
}

#[tokio::test]
async fn json_and_calls_beside_a_refusal_pass_as_they_are_where_json_was_asked_for() {
    let schema = json!({"type": "object", "required": ["city"]});
    for protocol in [Protocol::Chat, Protocol::Responses] {
        for is_stream in [false, true] {
            for text in [
                "{'city': 'Oslo'}",
                "{\"city\": \"Oslo\"}",
                CALL,
                "{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}",
            ] {
                for (has_tools, config) in [(false, ""), (true, ""), (true, REASKS)] {
                    let mut request = asking_for_json(protocol, is_stream, Some(&schema));
                    if !has_tools {
                        request.as_object_mut().unwrap().remove("tools");
                    }
                    let turns = [true, false].map(|_| refusing(protocol, text, is_stream));
                    let rig = rig_with(config, ModelServer::scripted(turns)).await;
                    let got = ask(&rig, protocol, &request).await;
                    let skipped = "x-llmend-repair: no\r\n";
                    let direct =
                        rig.ask("POST", protocol.path(), skipped, &request.to_string()).await;
                    let case = format!("{protocol:?} {is_stream} {has_tools} {config} {text}");
                    // A refusal is not held back, so that it may come first.
                    let sorted = |got: &Got| {
                        let mut all: Vec<String> =
                            got.body.split("\n\n").map(str::to_owned).collect();
                        all.sort();
                        all
                    };
                    assert_eq!((got.status, sorted(&got)), (200, sorted(&direct)), "{case}");
                    assert!(got.body.contains("I would rather not."), "{case}");
                }
            }
        }
    }
}

#[tokio::test]
async fn text_beside_a_refusal_is_read_for_calls_where_only_tools_are_offered() {
    // (text, the number of calls)
    for (text, calls) in [(format!("I run it.\n{CALL}"), 1), ("No.".to_owned(), 0)] {
        for protocol in [Protocol::Chat] {
            for (is_stream, config) in
                [false, true].into_iter().flat_map(|one| ["", REASKS].map(|two| (one, two)))
            {
                let turn = refusing(protocol, &text, is_stream);
                let rig = rig_with(config, ModelServer::scripted([turn])).await;
                let got = ask(&rig, protocol, &protocol.request(&[run()], is_stream)).await;
                let case = format!("{protocol:?} {is_stream} {config} {text}: {}", got.body);
                let count = got.body.matches("a.py").count();
                assert_eq!((got.status, count > 0), (200, calls > 0), "{case}");
                assert!(got.body.contains("I would rather not."), "{case}");
                assert!(!got.body.contains("tool_call>"), "{case}");
                assert!(!got.body.contains("\"error\":{"), "{case}");
            }
        }
    }
}
