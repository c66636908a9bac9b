//! Calls in the text of an answer in which the server found calls itself.

use llmend_model_server::Answer;
use serde_json::{Value, json};

use super::client::{PROTOCOLS, Protocol, asked, run};
use super::{BARE, CALL};

/// The server's own call, another one than that of the text.
const NATIVE: (&str, &str) = ("stop", "{\"at\": 5}");

/// Each protocol, whole and in pieces of these sizes, asked again or not.
fn ways() -> impl Iterator<Item = (Protocol, Option<usize>, &'static str)> {
    let sizes = [None, Some(1), Some(3), Some(20)];
    let all = PROTOCOLS.into_iter().flat_map(move |one| sizes.map(|size| (one, size)));
    all.flat_map(|(one, size)| ["", "[gateway.policy]\nreasks = 1"].map(|more| (one, size, more)))
}

/// A request that allows one call or several.
fn request(protocol: Protocol, is_stream: bool, is_one: bool) -> Value {
    let stop = ("stop".to_owned(), json!({"type": "object"}));
    let mut request = protocol.request(&[run(), stop], is_stream);
    match protocol {
        Protocol::Chat | Protocol::Responses => request["parallel_tool_calls"] = json!(!is_one),
        Protocol::Messages => {
            request["tool_choice"] = json!({"type": "auto", "disable_parallel_tool_use": is_one});
        }
    }
    request
}

fn read() -> (String, Value) {
    ("run".to_owned(), json!({"path": "a.py", "times": 2}))
}

fn native() -> (String, Value) {
    (NATIVE.0.to_owned(), serde_json::from_str(NATIVE.1).unwrap())
}

#[tokio::test]
async fn another_call_of_the_text_is_a_call_where_several_are_allowed() {
    let shown = "Write `<tool_call>`.";
    // (text, whether one call is allowed, the calls, the beginning of the text that is left)
    let rows = [
        (format!("I run it.\n\n{CALL}"), false, vec![read(), native()], "I run it."),
        (format!("I run it.\n\n{CALL}"), true, vec![native()], "I run it."),
        (CALL.to_owned(), false, vec![read(), native()], ""),
        (CALL.to_owned(), true, vec![native()], ""),
        // Without marks it may be anything.
        (format!("I run it.\n\n{BARE}"), false, vec![native()], "I run it.\n\n{\"name\""),
        (BARE.to_owned(), false, vec![native()], BARE),
        (BARE.to_owned(), true, vec![native()], BARE),
        (shown.to_owned(), false, vec![native()], shown),
        // What is cut off is text.
        ("I run it. <tool_call>\n{\"na".to_owned(), false, vec![native()], "I run it."),
    ];
    for (text, is_one, calls, left) in &rows {
        for (protocol, size, config) in ways() {
            let answer =
                Answer::text(text).pieces_of(size.unwrap_or(9)).and_call(NATIVE.0, NATIVE.1);
            let request = request(protocol, size.is_some(), *is_one);
            let (_rig, got) = asked(protocol, config, answer, &request).await;
            let found = protocol.read(&got, size.is_some());
            let case = format!("{protocol:?} {size:?} {is_one} {config} {text}: {}", got.body);
            assert_eq!(&found.calls, calls, "{case}");
            assert_eq!(found.end, protocol.end(true), "{case}");
            assert!(found.text.starts_with(left), "{case}");
            let has_mark = found.text.contains("</tool_call>");
            assert!(!has_mark && (!left.is_empty() || found.text.is_empty()), "{case}");
        }
    }
}

#[tokio::test]
async fn the_same_call_is_sent_once_also_where_one_is_allowed() {
    let arguments = "{\"path\": \"a.py\", \"times\": \"2\"}";
    for is_one in [false, true] {
        for (protocol, size, config) in ways() {
            let answer = Answer::text(CALL).pieces_of(size.unwrap_or(9)).and_call("run", arguments);
            let request = request(protocol, size.is_some(), is_one);
            let (rig, got) = asked(protocol, config, answer, &request).await;
            let case = format!("{protocol:?} {size:?} {is_one} {config}: {}", got.body);
            assert_eq!(protocol.read(&got, size.is_some()).calls, [read()], "{case}");
            let metrics = rig.get("/metrics").await.body;
            let is_counted = |name: &str| metrics.contains(&format!("rule=\"{name}\""));
            assert!(is_counted("doubled-call") && !is_counted("dropped-call"), "{case} {metrics}");
        }
    }
}

#[tokio::test]
async fn a_call_of_the_text_that_cannot_be_read_is_an_error_beside_others() {
    let broken = "<tool_call>\n{\"name\": \"\", \"arguments\": {\"path\": \"a.py\"}}\n</tool_call>";
    for (protocol, size, config) in ways().filter(|way| way.2.is_empty()) {
        let answer = Answer::text(broken).pieces_of(size.unwrap_or(9)).and_call(NATIVE.0, NATIVE.1);
        let request = request(protocol, size.is_some(), false);
        let (_rig, got) = asked(protocol, config, answer, &request).await;
        let case = format!("{protocol:?} {size:?}: {}", got.body);
        assert!(protocol.read(&got, size.is_some()).is_error, "{case}");
    }
}
