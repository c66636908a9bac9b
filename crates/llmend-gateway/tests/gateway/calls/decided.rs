//! What decides where an answer holds more than one thing: calls of the server and of the text, JSON
//! and calls, calls and what cannot be read.

use llmend_model_server::{Answer, ModelServer, Turn};
use serde_json::{Value, json};

use super::client::{Found, PROTOCOLS, Protocol, any, asked, named, run};
use super::{BARE, CALL};
use crate::rig::rig_with;

const REASKS: &str = "[gateway.policy]\nreasks = 1";

/// The call of [`CALL`] as a client gets it.
fn called() -> (String, Value) {
    ("run".to_owned(), json!({"path": "a.py", "times": 2}))
}

/// Each protocol, whole and streamed in pieces of this many bytes.
fn ways() -> impl Iterator<Item = (Protocol, bool, usize)> {
    let sizes = [(false, 9), (true, 1), (true, 20), (true, 1000)];
    PROTOCOLS.into_iter().flat_map(move |one| sizes.map(|(stream, size)| (one, stream, size)))
}

#[tokio::test]
async fn a_call_that_the_server_found_as_well_is_sent_once() {
    for config in ["", REASKS] {
        for (protocol, stream, size) in ways() {
            let answer = Answer::text(&format!("I run it.\n\n{CALL}"))
                .pieces_of(size)
                .and_call("run", "{\"path\": \"a.py\", \"times\": \"2\"}");
            let request = protocol.request(&[run()], stream);
            let (_rig, got) = asked(protocol, config, answer, &request).await;
            let found = protocol.read(&got, stream);
            let case = format!("{protocol:?} {stream} {size} {config}: {}", got.body);
            assert_eq!(found.calls, [called()], "{case}");
            assert_eq!(found.end, protocol.end(true), "{case}");
            assert!(found.text.starts_with("I run it."), "{case}");
        }
    }
}

/// A request for JSON as well.
pub(super) fn asking_for_json(protocol: Protocol, stream: bool, schema: Option<&Value>) -> Value {
    let mut request = protocol.request(&[run()], stream);
    let format = schema.map_or_else(
        || json!({"type": "json_object"}),
        |schema| json!({"type": "json_schema", "name": "city", "schema": schema}),
    );
    match (protocol, schema) {
        (Protocol::Chat, Some(_)) => {
            request["response_format"] = json!({"type": "json_schema", "json_schema": format});
        }
        (Protocol::Chat, None) => request["response_format"] = format,
        (Protocol::Responses, _) => request["text"] = json!({ "format": format }),
        (Protocol::Messages, _) => request["output_format"] = format,
    }
    request
}

#[tokio::test]
async fn a_bare_call_is_a_call_where_the_schema_says_nothing_of_it() {
    let any_object = json!({"type": "object"});
    let loose = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let own = json!({"type": "object", "properties": {"name": {"type": "string"},
        "arguments": {"type": "object"}}});
    let answer = "{\"city\": \"Oslo\"}";
    // (schema, text, whether a call is demanded, number of calls; none for an error)
    let rows = [
        (None, BARE, false, Some(1)),
        (Some(&any_object), BARE, false, Some(1)),
        (Some(&loose), BARE, false, Some(1)),
        (Some(&own), BARE, false, Some(0)),
        (Some(&own), BARE, true, Some(1)),
        (None, answer, false, Some(0)),
        (None, answer, true, None),
        (Some(&loose), answer, false, Some(0)),
        (Some(&loose), answer, true, None),
    ];
    for config in ["", "[gateway.policy]\nemulate_tools = \"json\""] {
        for (protocol, stream, size) in ways() {
            // Messages have no JSON without a schema.
            let rows = rows.iter().filter(|row| protocol != Protocol::Messages || row.0.is_some());
            for (schema, text, is_demanded, expected) in rows {
                let mut request = asking_for_json(protocol, stream, *schema);
                if *is_demanded {
                    request["tool_choice"] = any(protocol);
                }
                let answer = Answer::text(text).pieces_of(size);
                let (_rig, got) = asked(protocol, config, answer, &request).await;
                let found = protocol.read(&got, stream);
                let calls = (!found.is_error).then_some(found.calls.len());
                let case = format!("{protocol:?} {stream} {size} {schema:?} {text} {is_demanded}");
                assert_eq!(calls, *expected, "{case} {config}: {}", got.body);
            }
        }
    }
}

#[tokio::test]
async fn a_demanded_call_is_asked_for_again_where_json_was_asked_for() {
    for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        let turns = ["{\"city\": \"Oslo\"}", BARE].map(|text| Answer::text(text).into());
        let rig = rig_with(REASKS, ModelServer::scripted(turns)).await;
        let schema = json!({"type": "object"});
        let mut request = asking_for_json(protocol, stream, Some(&schema));
        request["tool_choice"] = any(protocol);
        let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
        let found = protocol.read(&got, stream);
        assert_eq!(found.calls.len(), 1, "{protocol:?} {stream}: {}", got.body);
        assert_eq!(rig.upstream.requests().len(), 2, "{protocol:?} {stream}");
    }
}

/// Texts with the marks of a call that cannot be read as one, or is cut off.
const UNREAD: [&str; 6] = [
    "I run it. <tool_call>\nplease start the file a.py\n</tool_call>",
    "<tool_call>\nrun the file a.py\n</tool_call>",
    "I run it.\n\n<tool_call>\nrun the file a.py\n</tool_call>",
    "I run it.\n<tool_call>\n{\"name\": \"\", \"arguments\": {\"path\": \"a.py\"}}\n</tool_call>",
    "<tool_call>\n{\"name\": \"\", \"arguments\": {\"path\": \"a.py\"}}\n</tool_call>",
    "I run it.\n<tool_call>\n{\"arguments\": {\"path\": \"a.py\"}}\n</tool_call>",
];

#[tokio::test]
async fn a_marked_call_that_cannot_be_read_is_an_error() {
    for text in UNREAD {
        for (protocol, stream, size) in ways() {
            let request = protocol.request(&[run()], stream);
            let answer = Answer::text(text).pieces_of(size);
            let (_rig, got) = asked(protocol, "", answer, &request).await;
            let case = format!("{protocol:?} {stream} {size} {text}: {}", got.body);
            assert!(protocol.read(&got, stream).is_error, "{case}");
        }
    }
}

#[tokio::test]
async fn a_stream_of_which_nothing_was_said_is_asked_for_again() {
    let unknown = "<tool_call>\n{\"name\": \"erase\", \"arguments\": {}}\n</tool_call>";
    let cut = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.";
    let config = "[gateway.policy]\nreasks = 1\non_truncated_call = \"reask\"";
    for text in [UNREAD[1], UNREAD[4], unknown, cut] {
        for (protocol, stream, size) in ways() {
            let turns: [Turn; 2] =
                [Answer::text(text).pieces_of(size).into(), Answer::text(CALL).into()];
            let rig = rig_with(config, ModelServer::scripted(turns)).await;
            let request = protocol.request(&[run()], stream).to_string();
            let got = rig.ask("POST", protocol.path(), "", &request).await;
            let found = protocol.read(&got, stream);
            let case = format!("{protocol:?} {stream} {size} {text}: {}", got.body);
            assert_eq!(rig.upstream.requests().len(), 2, "{case}");
            assert_eq!(found.calls, [called()], "{case}");
        }
    }
}

#[tokio::test]
async fn nothing_that_is_known_to_be_wrong_is_sent() {
    let stop = ("stop".to_owned(), json!({"type": "object"}));
    let call = |name: &str, arguments: &str| {
        format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>")
    };
    // (text, whether one tool is demanded, what is not sent)
    let rows = [
        (call("run", "{\"path\": \"a\", \"times\": \"often\"}"), false, "often"),
        (call("run", "{\"path\": \"a\", \"times\": [1]}"), false, "[1]"),
        (call("run", "{\"times\": 7}"), false, "7}"),
        (call("stop", "{}"), true, "\"stop\""),
        (call("erase", "{}"), true, "\"erase\""),
    ];
    for (text, is_named, wrong) in rows {
        for (protocol, stream, size) in ways().filter(|way| way.1) {
            let mut request = protocol.request(&[run(), stop.clone()], stream);
            if is_named {
                request["tool_choice"] = named(protocol, "run");
            }
            let answer = Answer::text(&text).pieces_of(size);
            let (_rig, got) = asked(protocol, "", answer, &request).await;
            let sent = got.body.split("error").next().unwrap().replace('\\', "");
            assert!(protocol.read(&got, stream).is_error, "{protocol:?} {size}: {}", got.body);
            assert!(!sent.contains(wrong), "{protocol:?} {size} {wrong}: {}", got.body);
        }
    }
}

#[tokio::test]
async fn calls_of_other_tools_than_the_demanded_one_are_dropped() {
    let stopping = "<tool_call>\n{\"name\": \"stop\", \"arguments\": {}}\n</tool_call>";
    let stop = ("stop".to_owned(), json!({"type": "object"}));
    for (protocol, stream, size) in ways() {
        let mut request = protocol.request(&[run(), stop.clone()], stream);
        request["tool_choice"] = named(protocol, "run");
        for text in [format!("{stopping}\n{CALL}"), format!("{CALL}\n{stopping}")] {
            let answer = Answer::text(&text).pieces_of(size);
            let (_rig, got) = asked(protocol, "", answer, &request).await;
            let found = protocol.read(&got, stream);
            assert_eq!(found.calls, [called()], "{protocol:?} {stream} {size}: {}", got.body);
        }
    }
}

#[tokio::test]
async fn the_arguments_alone_are_a_call_of_the_demanded_tool() {
    for (protocol, stream, size) in ways() {
        let mut request = protocol.request(&[run()], stream);
        request["tool_choice"] = named(protocol, "run");
        for (text, expected) in [
            ("{\"path\": \"a.py\", \"times\": \"2\"}", Some(called())),
            ("```json\n{\"path\": \"a.py\", \"times\": 2}\n```", Some(called())),
            ("{\"city\": \"Oslo\"}", None),
            ("{\"times\": 2}", None),
        ] {
            let answer = Answer::text(text).pieces_of(size);
            let (_rig, got) = asked(protocol, "", answer, &request).await;
            let found = protocol.read(&got, stream);
            let case = format!("{protocol:?} {stream} {size} {text}: {}", got.body);
            assert_eq!(found.is_error, expected.is_none(), "{case}");
            assert_eq!(found.calls, expected.into_iter().collect::<Vec<_>>(), "{case}");
            assert_eq!(found.text, "", "{case}");
        }
    }
}

#[tokio::test]
async fn a_call_is_the_json_that_was_asked_for_if_its_arguments_fit() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"},
        "times": {"type": "integer"}}, "required": ["path"], "additionalProperties": false});
    for (protocol, stream, size) in ways() {
        let mut request = asking_for_json(protocol, stream, Some(&schema));
        request.as_object_mut().unwrap().remove("tools");
        let answer = Answer::text(CALL).pieces_of(size);
        let (_rig, got) = asked(protocol, "", answer, &request).await;
        let found = protocol.read(&got, stream);
        let case = format!("{protocol:?} {stream} {size}: {}", got.body);
        assert_eq!(found.text, "{\"path\":\"a.py\",\"times\":2}", "{case}");
    }
}

#[tokio::test]
async fn a_call_has_the_same_id_whole_and_streamed() {
    // (text, the id that it has before its arguments)
    let rows = [
        (
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.run:0<|tool_call_argument_begin|>{\"path\": \"a.py\", \"times\": 2}<|tool_call_end|><|tool_calls_section_end|>",
            Some("functions.run:0"),
        ),
        (
            "[TOOL_CALLS]run[CALL_ID]a1B2c3D4e[ARGS]{\"path\": \"a.py\", \"times\": 2}",
            Some("a1B2c3D4e"),
        ),
        (
            "[TOOL_CALLS] [{\"name\": \"run\", \"arguments\": {\"path\": \"a.py\", \"times\": 2}, \"id\": \"a1B2c3D4e\"}]",
            None,
        ),
        (
            "<tool_call>\n{\"id\": \"x1\", \"name\": \"run\", \"arguments\": {\"path\": \"a.py\", \"times\": 2}}\n</tool_call>",
            Some("x1"),
        ),
        (
            "<tool_call>\n{\"name\": \"run\", \"id\": \"x1\", \"arguments\": {\"path\": \"a.py\", \"times\": 2}}\n</tool_call>",
            None,
        ),
    ];
    for (text, id) in rows {
        for config in ["", REASKS] {
            for (protocol, stream, size) in ways() {
                let request = protocol.request(&[run()], stream);
                let answer = Answer::text(text).pieces_of(size);
                let (_rig, got) = asked(protocol, config, answer, &request).await;
                let found = protocol.read(&got, stream);
                let case = format!("{protocol:?} {stream} {size} {config}: {}", got.body);
                assert_eq!(found.calls, [called()], "{case}");
                // Messages' ids have no dots.
                let id = id.filter(|id| protocol != Protocol::Messages || !id.contains('.'));
                match id {
                    Some(id) => assert_eq!(found.ids, [id], "{case}"),
                    None => {
                        assert!(found.ids[0].len() == 9 && found.ids[0] != "a1B2c3D4e", "{case}");
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_is_cut_off_is_closed_if_the_policy_allows_it() {
    let text = "I run it.\n<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.py\", \"times\": 2, \"mo";
    let config = "[gateway.policy]\non_truncated_call = \"allow\"";
    for (protocol, stream, size) in ways() {
        let request = protocol.request(&[run()], stream);
        let answer = Answer::text(text).pieces_of(size).cut_off();
        let (_rig, got) = asked(protocol, config, answer, &request).await;
        let found = protocol.read(&got, stream);
        let case = format!("{protocol:?} {stream} {size}: {}", got.body);
        assert_eq!(found.calls, [called()], "{case}");
        let end = match protocol {
            Protocol::Chat => "length",
            Protocol::Responses => "incomplete",
            Protocol::Messages => "max_tokens",
        };
        assert_eq!(found.end, end, "{case}");
    }
}

#[tokio::test]
async fn what_was_left_out_or_split_off_is_reported() {
    let react = "Thought: I run it.\nAction: run\nAction Input: {\"path\": \"a.py\", \"times\": 2}\nObservation: it ran\nThought: Done.\nFinal Answer: It ran.";
    let plan = "<think>\nThe file.\n</think>\n\nIt ran.";
    // (text, what the header and the journal name)
    for (text, name) in [(react, "ignored-text"), (plan, "reasoning-from-text")] {
        for (protocol, stream, size) in ways() {
            let config = "[gateway.recording]\nstore = \"memory\"";
            let request = protocol.request(&[run()], stream);
            let answer = Answer::text(text).pieces_of(size);
            let (rig, got) = asked(protocol, config, answer, &request).await;
            let case = format!("{protocol:?} {stream} {size} {name}: {}", got.body);
            let found: Found = protocol.read(&got, stream);
            assert!(!found.is_error, "{case}");
            if !stream {
                let done = got.header("x-llmend-repair").unwrap();
                assert!(done.contains(name) && done.starts_with("repaired"), "{done} {case}");
            }
            let listed = rig.get("/v1/exchanges").await.json();
            let row = &listed["exchanges"][0];
            assert_eq!(row["outcome"], "repaired", "{listed} {case}");
            let found = rig.get(&format!("/v1/exchanges/{}", row["id"])).await;
            let is_said = found.body.contains("calls/after-answer");
            assert_eq!(is_said, name == "ignored-text", "{case} {}", found.body);
        }
    }
}

#[tokio::test]
async fn a_stream_that_fails_early_is_recorded_with_its_parts() {
    for text in [
        "<tool_call>\nrun the file a.py\n</tool_call>",
        "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": 1.5, \"times\": \"often\"}}\n</tool_call>",
    ] {
        for (protocol, stream, size) in ways() {
            let config = "[gateway.recording]\nstore = \"memory\"";
            let request = protocol.request(&[run()], stream);
            let answer = Answer::text(text).pieces_of(size);
            let (rig, got) = asked(protocol, config, answer, &request).await;
            let case = format!("{protocol:?} {stream} {size}: {}", got.body);
            let listed = rig.get("/v1/exchanges").await.json();
            let row = &listed["exchanges"][0];
            assert_eq!(row["outcome"], "refused", "{listed} {case}");
            let found = rig.get(&format!("/v1/exchanges/{}", row["id"])).await.json();
            assert_eq!(found["parts"].as_array().map(Vec::len), Some(1), "{found} {case}");
            let metrics = rig.get("/metrics").await.body;
            let line = "llmend_parse_total{outcome=\"refused\"} 1";
            assert!(metrics.contains(line), "{case}");
        }
    }
}
