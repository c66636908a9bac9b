//! `/v1/chat/completions`, assembled by the indices of its choices and calls.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use llmend_model_server::{ModelServer, Reply, Turn};
use serde_json::{Map, Value, json};

use self::sent::{Case, case};
use super::both_ways::{Both, BothWays, Tally};
use super::dice::Dice;
use crate::rig::{CHAT, Got, rig_with};

mod sent;

const CASES: u64 = 900;

/// What a client assembles from the events: the choices by number, and the members beside them.
fn together(got: &Got) -> (BTreeMap<u64, Value>, Map<String, Value>) {
    let body = got.body.replace("\r\n", "\n").replace('\r', "\n");
    let data = body.split("\n\n").map(|event| event.trim_start_matches('\n'));
    let data = data.filter_map(|event| event.strip_prefix("data: "));
    let mut choices = BTreeMap::new();
    let mut beside = Map::new();
    for data in data.filter(|data| *data != "[DONE]") {
        let event: Value = serde_json::from_str(data).unwrap();
        for key in ["id", "created", "model"] {
            assert!(!event[key].is_null(), "{key} in {event}");
        }
        assert_eq!(event["object"], "chat.completion.chunk");
        for (key, value) in event.as_object().unwrap() {
            beside.insert(key.clone(), value.clone());
        }
        for choice in event["choices"].as_array().unwrap() {
            let message =
                choices.entry(choice["index"].as_u64().unwrap()).or_insert_with(|| json!({}));
            add(message, &choice["delta"]);
            if let Some(finish) = choice["finish_reason"].as_str() {
                assert_eq!(message["finish"].as_str(), None, "it ends twice");
                message["finish"] = json!(finish);
            }
        }
    }
    (choices, beside)
}

/// Adds a piece of a message, or all of one.
fn add(message: &mut Value, said: &Value) {
    for (key, value) in said.as_object().unwrap() {
        match (key.as_str(), value) {
            (_, Value::Null) => {}
            ("content", Value::Array(parts)) => {
                for part in parts {
                    match part["text"].as_str() {
                        Some(text) => grow(message, "content", text),
                        None => message["parts"] = json!([message["parts"], part]),
                    }
                }
            }
            ("role", Value::String(role)) => once(message, "role", role),
            ("tool_calls", Value::Array(calls)) => {
                for (call, place) in calls.iter().zip(0_u64..) {
                    let at = call["index"].as_u64().unwrap_or(place);
                    let known = message["calls"].as_object().map_or(0, Map::len) as u64;
                    assert!(at <= known, "call {at} before call {known}");
                    add_call(&mut message["calls"][at.to_string()], call);
                }
            }
            ("function_call", function) => add_function(&mut message["function_call"], function),
            (_, Value::String(text)) => grow(message, key, text),
            _ => message[key] = value.clone(),
        }
    }
}

fn add_call(message: &mut Value, call: &Value) {
    for (key, value) in call.as_object().unwrap() {
        match (key.as_str(), value) {
            ("index", _) | (_, Value::Null) => {}
            ("function" | "custom", of) => add_function(&mut message[key], of),
            // Made of the id of the answer, or, where that has none, of that of the request.
            ("id", Value::String(id)) if id.starts_with("call_") => once(message, "id", "made up"),
            ("id", Value::String(id)) => once(message, "id", id),
            _ => message[key] = value.clone(),
        }
    }
}

fn add_function(message: &mut Value, function: &Value) {
    for (key, value) in function.as_object().unwrap() {
        match (key.as_str(), value) {
            ("name", Value::String(name)) => once(message, "name", name),
            (_, Value::String(text)) => grow(message, key, text),
            _ => panic!("{key}: {value}"),
        }
    }
}

fn grow(message: &mut Value, key: &str, text: &str) {
    let known = message[key].as_str().unwrap_or_default().to_owned();
    message[key] = json!(known + text);
}

/// Sets a member that may come only once, since clients concatenate pieces.
fn once(message: &mut Value, key: &str, text: &str) {
    assert!(message[key].is_null(), "`{key}` comes twice: {text}");
    message[key] = json!(text);
}

/// The choices of a whole answer, as a client of a stream has them.
fn whole(answer: &Value) -> BTreeMap<u64, Value> {
    let choices = answer["choices"].as_array().unwrap().iter().zip(0_u64..);
    let read = |(choice, at): (&Value, u64)| {
        let mut message = json!({});
        add(&mut message, &choice["message"]);
        message["finish"] = choice["finish_reason"].clone();
        (choice["index"].as_u64().unwrap_or(at), message)
    };
    choices.map(read).collect()
}

/// An answer without empty texts, which a stream may omit.
fn shown(choices: &BTreeMap<u64, Value>) -> Vec<(u64, Value)> {
    let shown = |(number, message): (&u64, &Value)| {
        let mut message = message.clone();
        message.as_object_mut().unwrap().retain(|_, value| *value != "");
        (*number, message)
    };
    choices.iter().map(shown).collect()
}

/// Compares a stream with the whole answer, and its usage if the client asked for it.
fn compare(got: &Value, streamed: &Got, has_usage: bool) {
    let (choices, beside) = together(streamed);
    assert_eq!(shown(&choices), shown(&whole(got)));
    let usage = if has_usage { got.get("usage") } else { None };
    assert_eq!(beside.get("usage").filter(|usage| !usage.is_null()), usage);
    for key in ["system_fingerprint", "llmend"] {
        assert_eq!(beside.get(key), got.get(key), "{key}");
    }
}

/// A stream with the mark of its end, which is added where it is missing.
fn with_mark(stream: &str) -> String {
    let mark = if stream.contains("[DONE]") { "" } else { "data: [DONE]\n\n" };
    format!("{stream}{mark}")
}

fn check(case: &Case, both: &Both) -> &'static str {
    let Both { whole, streamed, .. } = both;
    if whole.header("x-llmend-repair") == Some("passthrough") {
        assert_eq!(
            (&whole.body, &streamed.body),
            (&case.whole.to_string(), &with_mark(&case.stream))
        );
        return "passed";
    }
    let offers = |key: &&str| case.request.get(key).is_some();
    if !["tools", "functions"].iter().any(offers) && both.has_unexpected_call(&case.whole) {
        return "unexpected";
    }
    let got = whole.json();
    if whole.status != 200 {
        assert_eq!(whole.status, 422, "{got}");
        let (_, last) = streamed.body.trim_end().rsplit_once("data: ").unwrap();
        let last: Value = serde_json::from_str(last).unwrap();
        let (error, event) = (&got["error"], &last["error"]);
        assert_eq!((&event["reason"], &event["message"]), (&error["code"], &error["message"]));
        return "refused";
    }
    let sent = case.whole.to_string();
    let is_as_it_came = whole.body == sent;
    if is_as_it_came && case.is_plain {
        assert_eq!(streamed.body, with_mark(&case.stream));
    }
    compare(&got, streamed, case.request.get("stream_options").is_some());
    match (is_as_it_came, case.is_plain) {
        (true, true) => "as it came",
        (true, false) => "sound",
        (false, _) => "repaired",
    }
}

#[tokio::test]
async fn a_streamed_chat_completion_equals_the_whole_one() {
    let ways = BothWays::new().await;
    let mut tally = Tally::default();
    for seed in 0..CASES {
        let mut dice = Dice::new(seed);
        let case = case(&mut dice);
        let again = json!({"id": "c-2", "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": dice.words()}}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}});
        let sent = (&case.whole, case.stream.as_str());
        let both = ways.ask(CHAT, &case.request, sent, &again, &mut dice).await;
        tally.take(seed, sent, &both, || check(&case, &both));
    }
    tally.check(&["as it came", "sound", "repaired", "refused"]);
}

#[tokio::test]
async fn a_whole_answer_to_a_stream_request_equals_it() {
    let turns = Arc::new(Mutex::new(VecDeque::<Turn>::new()));
    let theirs = Arc::clone(&turns);
    let upstream = ModelServer::answering(move |_| {
        theirs.lock().unwrap().pop_front().unwrap_or_else(|| Reply::status(500).into())
    });
    let rig = rig_with("", upstream).await;
    let mut given = 0;
    for seed in 0..CASES / 4 {
        let case = case(&mut Dice::new(seed));
        let turn = || Turn::from(Reply::json(200, case.whole.to_string()));
        *turns.lock().unwrap() = [turn(), turn()].into();
        let whole = rig.chat(&case.request).await;
        let mut request = case.request.clone();
        request["stream"] = json!(true);
        let streamed = rig.chat(&request).await;
        if whole.header("x-llmend-repair") == Some("passthrough") || whole.status != 200 {
            continue;
        }
        println!("Dice::new({seed}): {}\n{}\n{}", case.whole, whole.body, streamed.body);
        compare(&whole.json(), &streamed, case.request.get("stream_options").is_some());
        given += 1;
    }
    assert!(given > CASES / 16, "{given}");
}
