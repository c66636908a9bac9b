//! Calls of custom tools, which take a text in the place of arguments.

use llmend_model_server::{Answer, ModelServer, Reply, Turn};
use serde_json::{Value, json};

use super::CALL;
use super::client::{Found, Protocol, any, asked, named, run};
use crate::responses::{message, response, stream};
use crate::rig::{Got, rig_with};

pub(super) const RESPONSES: Protocol = Protocol::Responses;

/// The protocols that have custom tools.
pub(super) const WITH_CUSTOM: [Protocol; 2] = [Protocol::Chat, RESPONSES];

/// A text that JSON has to escape.
pub(super) const QUERY: &str = "select \"a\\b\"\nfrom c -- \u{1f3d4}";

/// The type of the item of a call.
pub(super) const ITEM: &str = "\"custom_tool_call\"";

/// How answers are asked for.
pub(super) const CONFIGS: [&str; 2] = ["", "[gateway.policy]\nreasks = 1"];

/// Whole, and in pieces of these sizes.
pub(super) const SIZES: [Option<usize>; 5] = [None, Some(1), Some(3), Some(20), Some(1000)];

/// A request that offers a custom tool and a function.
pub(super) fn request(is_stream: bool) -> Value {
    offering(RESPONSES, is_stream)
}

/// The same of any protocol that has custom tools.
pub(super) fn offering(protocol: Protocol, is_stream: bool) -> Value {
    let mut request = protocol.request(&[run()], is_stream);
    let format = json!({"type": "grammar", "syntax": "lark", "definition": "start: /select .+/s"});
    request["tools"].as_array_mut().unwrap().push(protocol.custom_tool("sql", &format));
    request
}

/// Each protocol that has custom tools, each configuration and each size.
fn ways() -> impl Iterator<Item = (Protocol, &'static str, Option<usize>)> {
    let both = WITH_CUSTOM.into_iter().flat_map(|one| CONFIGS.map(|config| (one, config)));
    both.flat_map(|(one, config)| SIZES.map(|size| (one, config, size)))
}

pub(super) fn queried() -> (String, Value) {
    ("sql".to_owned(), json!(QUERY))
}

pub(super) fn ran() -> (String, Value) {
    ("run".to_owned(), json!({"path": "a.py", "times": 2}))
}

/// A call of the custom tool in a notation with the argument `input`.
pub(super) fn call() -> String {
    format!(
        "<tool_call>\n{{\"name\": \"sql\", \"arguments\": {}}}\n</tool_call>",
        json!({ "input": QUERY })
    )
}

/// Asks for an answer of this text.
async fn found(
    (protocol, config, size): (Protocol, &str, Option<usize>),
    text: &str,
    change: impl FnOnce(&mut Value),
) -> (Found, Got) {
    let mut request = offering(protocol, size.is_some());
    change(&mut request);
    let answer = Answer::text(text).pieces_of(size.unwrap_or(9));
    let (_rig, got) = asked(protocol, config, answer, &request).await;
    (protocol.read(&got, size.is_some()), got)
}

#[tokio::test]
async fn a_call_of_a_custom_tool_in_a_text_has_its_text_as_input() {
    let quoted = json!(QUERY);
    // (text, the calls)
    let rows = [
        (call(), vec![queried()]),
        (format!("{}\n{}", call(), call()), vec![queried(), queried()]),
        (format!("{}\n{CALL}", call()), vec![queried(), ran()]),
        (format!("{CALL}\n{}\n{CALL}", call()), vec![ran(), queried(), ran()]),
        (format!("<function=sql>{QUERY}</function>"), vec![queried()]),
        (
            format!(
                "<tool_call>\n<function=sql>\n<parameter=input>\n{QUERY}\n</parameter>\n</function>\n</tool_call>"
            ),
            vec![queried()],
        ),
        (
            format!("<tool_call>\n{{\"name\": \"sql\", \"arguments\": {quoted}}}\n</tool_call>"),
            vec![queried()],
        ),
        (
            format!("<tool_call>\n{{\"name\": \"sql\", \"input\": {quoted}}}\n</tool_call>"),
            vec![queried()],
        ),
        (
            "<tool_call>\n{\"name\": \"sql\", \"arguments\": {\"input\": \"\"}}\n</tool_call>"
                .to_owned(),
            vec![("sql".to_owned(), json!(""))],
        ),
    ];
    for (text, calls) in &rows {
        for way in ways() {
            let text = format!("I ask.\n\n{text}");
            let (found, got) = found(way, &text, |_| {}).await;
            let case = format!("{way:?} {text}: {}", got.body);
            assert_eq!(&found.calls, calls, "{case}");
            assert_eq!(
                (found.text.trim(), found.end.as_str()),
                ("I ask.", way.0.end(true)),
                "{case}"
            );
            assert!(!got.body.contains("tool_call>"), "{case}");
        }
    }
}

#[tokio::test]
async fn the_text_of_a_streamed_call_flows() {
    let pieces = ["\"custom\":{\"input\":", "\"response.custom_tool_call_input.delta\""];
    for (protocol, piece) in WITH_CUSTOM.into_iter().zip(pieces) {
        let (_, got) = found((protocol, "", Some(3)), &call(), |_| {}).await;
        let count = got.body.matches(piece).count();
        assert!(count > 1, "{count}: {}", got.body);
    }
}

#[tokio::test]
async fn a_call_without_its_text_is_an_error_and_asked_again() {
    let unfit = "<tool_call>\n{\"name\": \"sql\", \"arguments\": {\"query\": \"select 1\", \"n\": 1}}\n</tool_call>";
    let places = ["choices[0].message.tool_calls[0].custom.input", "custom_tool_call[0].input"];
    for ((protocol, place), size) in
        WITH_CUSTOM.into_iter().zip(places).flat_map(|one| SIZES.map(|size| (one, size)))
    {
        let (found, got) = found((protocol, "", size), unfit, |_| {}).await;
        let says = "the model's call of `sql` does not hold one text: ";
        assert!(found.is_error && got.body.contains(says), "{size:?}: {}", got.body);
        assert!(got.body.contains(place), "{size:?}: {}", got.body);
        assert!(!got.body.contains("select 1"), "{size:?}: {}", got.body);
        let again = call();
        let turns = [unfit, again.as_str()];
        let turns = turns.map(|text| Answer::text(text).pieces_of(size.unwrap_or(9)).into());
        let rig = rig_with(CONFIGS[1], ModelServer::scripted(turns)).await;
        let request = offering(protocol, size.is_some()).to_string();
        let got = rig.ask("POST", protocol.path(), "", &request).await;
        assert_eq!(protocol.read(&got, size.is_some()).calls, [queried()], "{}", got.body);
        assert_eq!(rig.upstream.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_call_that_is_cut_off_is_refused_or_closed() {
    let text = "<tool_call>\n{\"name\": \"sql\", \"arguments\": {\"input\": \"select 1";
    let allow = "[gateway.policy]\non_truncated_call = \"allow\"";
    let ends = ["length", "incomplete"];
    for ((protocol, end), size) in
        WITH_CUSTOM.into_iter().zip(ends).flat_map(|one| SIZES.map(|size| (one, size)))
    {
        for (config, expected) in [("", None), (allow, Some("select 1"))] {
            let answer = Answer::text(text).pieces_of(size.unwrap_or(9)).cut_off();
            let request = offering(protocol, size.is_some());
            let (_rig, got) = asked(protocol, config, answer, &request).await;
            let found = protocol.read(&got, size.is_some());
            assert_eq!(found.is_error, expected.is_none(), "{size:?} {config}: {}", got.body);
            if let Some(expected) = expected {
                assert_eq!(found.calls, [("sql".to_owned(), json!(expected))], "{}", got.body);
                assert_eq!(found.end, end, "{}", got.body);
            }
        }
    }
}

#[tokio::test]
async fn the_choice_may_demand_a_custom_tool() {
    type Row<'a> = (String, &'a dyn Fn(Protocol) -> Value, Option<(String, Value)>);
    let to_query = |protocol: Protocol| protocol.custom_choice("sql");
    let alone = json!({ "input": QUERY }).to_string();
    // (text, the choice, the calls; none for an error)
    let rows: [Row<'_>; 7] = [
        (call(), &to_query, Some(queried())),
        (format!("{CALL}\n{}", call()), &to_query, Some(queried())),
        (alone, &to_query, Some(queried())),
        (CALL.to_owned(), &to_query, None),
        ("select 1".to_owned(), &to_query, None),
        (call(), &any, Some(queried())),
        (call(), &|protocol| named(protocol, "run"), None),
    ];
    for (text, choice, expected) in rows {
        for way in ways() {
            let with = |request: &mut Value| request["tool_choice"] = choice(way.0);
            let (found, got) = found(way, &text, with).await;
            let case = format!("{way:?} {} {text}: {}", choice(way.0), got.body);
            assert_eq!(found.is_error, expected.is_none(), "{case}");
            assert_eq!(found.calls, expected.iter().cloned().collect::<Vec<_>>(), "{case}");
        }
    }
}

/// The item of a call that the server found.
pub(super) fn native(input: &str) -> Value {
    json!({"id": "ctc_1", "type": "custom_tool_call", "status": "completed", "call_id": "c1",
        "name": "sql", "input": input})
}

/// An answer with a call that the server found, behind a text if there is one.
fn with_native(text: &str, size: Option<usize>) -> Turn {
    let message = Some(message(text)).filter(|_| !text.is_empty());
    let all: Vec<Value> = message.into_iter().chain([native(QUERY)]).collect();
    answer_of(&all, size)
}

/// An answer of these items, each a text or a call.
pub(super) fn answer_of(all: &[Value], size: Option<usize>) -> Turn {
    let done = response("completed", &json!(all));
    let Some(size) = size else { return Reply::json(200, done.to_string()).into() };
    let mut events =
        vec![json!({"type": "response.created", "response": response("in_progress", &json!([]))})];
    for (item, at) in all.iter().zip(0..) {
        let place = json!({"item_id": item["id"], "output_index": at});
        let event = |kind: &str, more: Value| {
            let mut event = place.clone();
            event["type"] = json!(kind);
            event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            event
        };
        let mut begun = item.clone();
        let (words, kind, key) = match item["type"].as_str().unwrap() {
            "message" => {
                begun["content"] = json!([]);
                (&item["content"][0]["text"], "output_text", "text")
            }
            "function_call" => {
                begun["arguments"] = json!("");
                (&item["arguments"], "function_call_arguments", "arguments")
            }
            _ => {
                begun["input"] = json!("");
                (&item["input"], "custom_tool_call_input", "input")
            }
        };
        let words = words.as_str().unwrap();
        events.push(event("response.output_item.added", json!({ "item": begun })));
        let chars: Vec<char> = words.chars().collect();
        let pieces = chars.chunks(size).map(|piece| piece.iter().collect::<String>());
        let is_text = kind == "output_text";
        if is_text {
            let part = json!({"type": "output_text", "text": "", "annotations": []});
            events.push(event(
                "response.content_part.added",
                json!({"content_index": 0, "part": part}),
            ));
        }
        events.extend(pieces.map(|piece| {
            event(&format!("response.{kind}.delta"), json!({"content_index": 0, "delta": piece}))
        }));
        events
            .push(event(&format!("response.{kind}.done"), json!({"content_index": 0, key: words})));
        events.push(event("response.output_item.done", json!({ "item": item })));
    }
    events.push(json!({"type": "response.completed", "response": done}));
    Reply::events(stream(&events)).into()
}

#[tokio::test]
async fn a_call_that_the_server_found_passes_byte_for_byte() {
    let named = json!({"type": "custom", "name": "sql"});
    for choice in [json!("auto"), json!("required"), named] {
        for size in SIZES {
            let turns = [with_native("", size), with_native("", size)];
            let rig = rig_with("", ModelServer::scripted(turns)).await;
            let mut request = request(size.is_some());
            request["tool_choice"] = choice.clone();
            let got = rig.ask("POST", RESPONSES.path(), "", &request.to_string()).await;
            let skipped = "x-llmend-repair: no\r\n";
            let direct = rig.ask("POST", RESPONSES.path(), skipped, &request.to_string()).await;
            assert_eq!((got.status, &got.body), (200, &direct.body), "{choice} {size:?}");
        }
    }
    // Another tool was demanded.
    for size in SIZES {
        let rig = rig_with("", ModelServer::scripted([with_native("", size)])).await;
        let mut request = request(size.is_some());
        request["tool_choice"] = json!({"type": "function", "name": "run"});
        let got = rig.ask("POST", RESPONSES.path(), "", &request.to_string()).await;
        assert!(got.body.contains("found a call of `sql`"), "{size:?}: {}", got.body);
        assert!(!got.body.contains(ITEM), "{size:?}: {}", got.body);
    }
}

#[tokio::test]
async fn a_call_that_the_server_found_as_well_is_sent_once() {
    // (text, the calls)
    for (text, calls) in [
        (call(), vec![queried()]),
        (
            call().replace("from c", "from d"),
            vec![("sql".to_owned(), json!(QUERY.replace("from c", "from d"))), queried()],
        ),
    ] {
        for (config, size) in CONFIGS.into_iter().flat_map(|one| SIZES.map(|size| (one, size))) {
            let rig = rig_with(config, ModelServer::scripted([with_native(&text, size)])).await;
            let got =
                rig.ask("POST", RESPONSES.path(), "", &request(size.is_some()).to_string()).await;
            let found = RESPONSES.read(&got, size.is_some());
            assert_eq!(found.calls, calls, "{config} {size:?}: {}", got.body);
        }
    }
}

#[tokio::test]
async fn a_custom_tool_is_emulated_with_its_format_and_its_history() {
    let config = "[gateway.policy]\nemulate_tools = \"hermes\"";
    let answer = Answer::text(&call());
    let mut request = request(false);
    request["input"] = json!([
        {"role": "user", "content": "Ask."},
        native("select 1"),
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "1"},
    ]);
    let (rig, got) = asked(RESPONSES, config, answer, &request).await;
    assert_eq!(RESPONSES.read(&got, false).calls, [queried()], "{}", got.body);
    let seen = rig.seen().json();
    assert!(seen.get("tools").is_none(), "{seen}");
    let prompt = seen["instructions"].as_str().unwrap();
    assert!(
        prompt.contains("{\"name\": \"sql\"") && prompt.contains("start: /select .+/s"),
        "{prompt}"
    );
    let input = &seen["input"];
    let said = input[1]["content"].to_string();
    assert!(said.contains("sql") && said.contains("select 1"), "{input}");
    assert!(input[2]["content"].to_string().contains("<tool_response>"), "{input}");
}

#[tokio::test]
async fn an_earlier_call_as_text_becomes_one_of_the_custom_tool() {
    let config = "[gateway.policy]\npast_calls = \"read\"";
    // (the type of the result, its id, whether the call becomes structured)
    for (kind, id, is_structured) in [
        ("custom_tool_call_output", Some("c1"), true),
        ("custom_tool_call_output", None, true),
        ("function_call_output", Some("c1"), false),
        ("function_call_output", None, false),
    ] {
        let mut request = request(false);
        let mut result = json!({"type": kind, "output": "1"});
        if let Some(id) = id {
            result["call_id"] = json!(id);
        }
        request["input"] = json!([
            {"role": "user", "content": "Ask."},
            {"role": "assistant", "content": call()},
            result,
        ]);
        let (rig, _got) = asked(RESPONSES, config, Answer::text("Done."), &request).await;
        let seen = rig.seen().json();
        if !is_structured {
            assert_eq!(seen["input"], request["input"], "{kind} {id:?}");
            continue;
        }
        let known = &seen["input"][2]["call_id"];
        assert!(known.is_string() && id.is_none_or(|id| known == id), "{kind} {id:?} {known}");
        let expected =
            json!({"type": "custom_tool_call", "call_id": known, "name": "sql", "input": QUERY});
        assert_eq!(seen["input"][1], expected, "{kind} {id:?}");
    }
}
