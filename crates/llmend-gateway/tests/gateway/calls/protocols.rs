//! Calls as text in each protocol, whole and streamed.

use llmend::calls::NOTATIONS;
use llmend_model_server::{Answer, ModelServer};
use serde_json::{Value, json};

use super::client::{PROTOCOLS, Protocol, any, asked, run};
use super::{BARE, CALL};
use crate::rig::rig_with;

/// How answers are asked for.
const CONFIGS: [&str; 2] = ["", "[gateway.policy]\nreasks = 1"];

#[tokio::test]
async fn a_call_in_a_text_becomes_a_call_of_the_protocol() {
    let words = "<think>\nThe file.\n</think>\n\nI run it.\n\n".to_owned();
    let text = format!("{words}{CALL}\n{CALL}\nDone.");
    for (protocol, config) in PROTOCOLS.into_iter().flat_map(|one| CONFIGS.map(|two| (one, two))) {
        for (stream, size) in [(false, 9), (true, 1), (true, 3), (true, 20), (true, 1000)] {
            let case = format!("{protocol:?} {config} {stream} {size}");
            let request = protocol.request(&[run()], stream);
            let answer = Answer::text(&text).pieces_of(size);
            let (_rig, got) = asked(protocol, config, answer, &request).await;
            let found = protocol.read(&got, stream);
            let call = ("run".to_owned(), json!({"path": "a.py", "times": 2}));
            assert_eq!(found.calls, [call.clone(), call], "{case}: {}", got.body);
            assert_eq!(
                found.text.split_whitespace().collect::<Vec<_>>().join(" "),
                "I run it. Done.",
                "{case}: {}",
                got.body
            );
            assert_eq!(found.reasoning, "The file.", "{case}");
            assert_eq!(found.end, protocol.end(true), "{case}: {}", got.body);
            assert_ne!(found.ids[0], found.ids[1], "{case}");
            assert!(!got.body.contains("tool_call>"), "{case}: {}", got.body);
        }
    }
}

#[tokio::test]
async fn text_without_a_call_passes_byte_for_byte() {
    let text = "Use `run(path=\"a.py\")`, or <b>wait</b>.\n\nThen 1 < 2.\n";
    for protocol in PROTOCOLS {
        for (stream, size) in [(false, 9), (true, 1), (true, 3), (true, 20)] {
            let answer = || Answer::text(text).pieces_of(size);
            let request = protocol.request(&[run()], stream);
            let (rig, got) = asked(protocol, "", answer(), &request).await;
            let found = protocol.read(&got, stream);
            assert_eq!((found.text.as_str(), found.calls.len()), (text, 0), "{protocol:?} {size}");
            assert_eq!(found.end, protocol.end(false));
            let never = "[gateway.policy]\nrepair = \"never\"";
            let (_other, direct) = asked(protocol, never, answer(), &request).await;
            // The usage of chat completions is only passed on if it was asked for.
            if size != 20 && protocol != Protocol::Chat {
                assert_eq!(got.body, direct.body, "{protocol:?} {stream} {size}");
            }
            drop(rig);
        }
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_an_error_of_the_protocol() {
    let cut = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.";
    for protocol in PROTOCOLS {
        for (text, stream) in [(cut, false), (cut, true)] {
            let request = protocol.request(&[run()], stream);
            let (_rig, got) = asked(protocol, "", Answer::text(text), &request).await;
            assert!(protocol.read(&got, stream).is_error, "{protocol:?} {stream}: {}", got.body);
        }
    }
}

// In Apertus' notation the name is a key, so that other names are no calls.
#[tokio::test]
async fn a_call_of_a_tool_that_is_not_offered_becomes_a_call() {
    for row in NOTATIONS.iter().filter(|row| !row.openers.is_empty() && row.name != "apertus") {
        let text = row.example.replace("get_time", "erase");
        for (protocol, config) in
            PROTOCOLS.into_iter().flat_map(|one| CONFIGS.map(|two| (one, two)))
        {
            for (stream, size) in [(false, 9), (true, 3), (true, 1000)] {
                let case = format!("{} {protocol:?} {config} {stream} {size}", row.name);
                let request = protocol.request(&[run()], stream);
                let answer = Answer::text(&text).pieces_of(size);
                let (_rig, got) = asked(protocol, config, answer, &request).await;
                let found = protocol.read(&got, stream);
                // Without marks it may be something else.
                if row.name == "pythonic" {
                    assert_eq!((found.calls.len(), &found.text), (0, &text), "{case}");
                    continue;
                }
                let call = ("erase".to_owned(), json!({"zone": "UTC"}));
                assert_eq!(found.calls, [call], "{case}: {}", got.body);
                assert_eq!(found.end, protocol.end(true), "{case}: {}", got.body);
                assert_eq!(found.text, "", "{case}");
            }
        }
    }
}

#[tokio::test]
async fn a_stream_without_the_demanded_call_is_asked_for_again() {
    // (answers, status or number of calls, requests)
    let rows: [(&[&str], Option<usize>, usize); 4] = [
        (&["Shall I?", CALL], Some(1), 2),
        (&["Shall I?", "Really?", CALL], Some(1), 3),
        (&["Shall I?", "Really?", "No."], None, 3),
        (&[CALL], Some(1), 1),
    ];
    for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        for (answers, expected, count) in rows {
            let turns = answers.iter().map(|text| Answer::text(text).usage(10, 5).into());
            let config = "[gateway.policy]\nreasks = 2";
            let rig = rig_with(config, ModelServer::scripted(turns)).await;
            let mut request = protocol.request(&[run()], stream);
            request["tool_choice"] = any(protocol);
            let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
            let found = protocol.read(&got, stream);
            let case = format!("{protocol:?} {stream} {answers:?}: {}", got.body);
            assert_eq!((!found.is_error).then_some(found.calls.len()), expected, "{case}");
            assert_eq!(rig.upstream.requests().len(), count, "{case}");
            // Nothing of the other answers is left.
            assert!(expected.is_none() || !got.body.contains("Shall I?"), "{case}");
        }
    }
}

#[tokio::test]
async fn a_tool_may_be_forbidden_demanded_or_the_only_one() {
    let choices = |protocol: Protocol| match protocol {
        Protocol::Messages => (json!({"type": "none"}), json!({"type": "any"})),
        Protocol::Chat | Protocol::Responses => (json!("none"), json!("required")),
    };
    for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        let (none, any) = choices(protocol);
        let case = format!("{protocol:?} {stream}");
        let with = |choice: Value| {
            let mut request = protocol.request(&[run()], stream);
            request["tool_choice"] = choice;
            request
        };
        let (_rig, got) = asked(protocol, "", Answer::text(CALL), &with(none)).await;
        assert_eq!(protocol.read(&got, stream).text, CALL, "{case}");
        let (_rig, got) = asked(protocol, "", Answer::text("No."), &with(any.clone())).await;
        assert!(protocol.read(&got, stream).is_error, "{case}: {}", got.body);
        let (_rig, got) = asked(protocol, "", Answer::text(CALL), &with(any)).await;
        assert_eq!(protocol.read(&got, stream).calls.len(), 1, "{case}: {}", got.body);
        let mut one = protocol.request(&[run()], stream);
        match protocol {
            Protocol::Messages => {
                one["tool_choice"] = json!({"type": "auto", "disable_parallel_tool_use": true});
            }
            _ => one["parallel_tool_calls"] = json!(false),
        }
        let twice = Answer::text(&format!("{CALL}\n{CALL}"));
        let (_rig, got) = asked(protocol, "", twice, &one).await;
        assert_eq!(protocol.read(&got, stream).calls.len(), 1, "{case}: {}", got.body);
    }
}

#[tokio::test]
async fn json_that_was_asked_for_is_no_call() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}},
        "required": ["city"], "additionalProperties": false});
    for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        let mut request = protocol.request(&[run()], stream);
        let format = json!({"type": "json_schema", "name": "city", "schema": schema});
        match protocol {
            Protocol::Chat => {
                request["response_format"] = json!({"type": "json_schema", "json_schema": format});
            }
            Protocol::Responses => request["text"] = json!({ "format": format }),
            Protocol::Messages => request["output_format"] = format,
        }
        for (text, calls, expected) in
            [("{'city': 'Oslo'}", 0, "{\"city\": \"Oslo\"}"), (CALL, 1, ""), (BARE, 1, "")]
        {
            let (_rig, got) = asked(protocol, "", Answer::text(text), &request).await;
            let found = protocol.read(&got, stream);
            let said = (found.calls.len(), found.text.as_str());
            assert_eq!(said, (calls, expected), "{protocol:?} {stream} {text}: {}", got.body);
        }
    }
}
