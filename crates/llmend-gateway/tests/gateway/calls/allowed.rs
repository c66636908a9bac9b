//! Tools that are offered and may not be called now.

use llmend_model_server::{Answer, ModelServer};
use serde_json::{Value, json};

use super::client::{Protocol, asked, run};
use super::{CALL, custom};
use crate::rig::rig_with;

/// The call of a tool that is allowed.
const LOOK: &str =
    "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": \"b\"}}\n</tool_call>";

fn looked() -> (String, Value) {
    ("look".to_owned(), json!({"at": "b"}))
}

/// A request that offers two tools and allows one.
fn request(protocol: Protocol, mode: &str, is_stream: bool) -> Value {
    let schema = json!({"type": "object", "properties": {"at": {"type": "string"}}});
    let mut request = protocol.request(&[run(), ("look".to_owned(), schema)], is_stream);
    request["tool_choice"] = protocol.allowing(mode, "look");
    request
}

/// Each protocol that can allow some tools, each mode, whole and in pieces.
fn ways() -> impl Iterator<Item = (Protocol, &'static str, Option<usize>)> {
    let modes =
        custom::WITH_CUSTOM.into_iter().flat_map(|one| ["auto", "required"].map(|it| (one, it)));
    modes.flat_map(|(one, mode)| [None, Some(1), Some(20)].map(|size| (one, mode, size)))
}

#[tokio::test]
async fn a_call_of_a_tool_that_is_not_allowed_is_not_sent() {
    // (text, the calls; none for an error)
    let rows = [
        (LOOK.to_owned(), Some(vec![looked()])),
        (format!("{CALL}\n{LOOK}"), Some(vec![looked()])),
        (format!("{LOOK}\n{CALL}"), Some(vec![looked()])),
        (CALL.to_owned(), None),
        ("{\"name\": \"run\", \"arguments\": {\"path\": \"a.py\"}}".to_owned(), None),
    ];
    for (text, calls) in &rows {
        for (protocol, mode, size) in ways() {
            let answer = Answer::text(text).pieces_of(size.unwrap_or(9));
            let request = request(protocol, mode, size.is_some());
            let (_rig, got) = asked(protocol, "", answer, &request).await;
            let found = protocol.read(&got, size.is_some());
            let case = format!("{protocol:?} {mode} {size:?} {text}: {}", got.body);
            assert_eq!((!found.is_error).then_some(&found.calls), calls.as_ref(), "{case}");
            assert!(!got.body.contains("a.py") && !got.body.contains("tool_call>"), "{case}");
            let is_told = calls.is_some() || got.body.contains("found a call of `run`");
            assert!(is_told, "{case}");
        }
    }
}

#[tokio::test]
async fn words_without_a_call_are_an_answer_unless_a_call_is_demanded() {
    for (protocol, mode, size) in ways() {
        let answer = Answer::text("No.").pieces_of(size.unwrap_or(9));
        let request = request(protocol, mode, size.is_some());
        let (_rig, got) = asked(protocol, "", answer, &request).await;
        let found = protocol.read(&got, size.is_some());
        let expected = (mode == "required", if mode == "required" { "" } else { "No." });
        assert_eq!((found.is_error, found.text.as_str()), expected, "{}", got.body);
    }
}

#[tokio::test]
async fn such_a_call_of_the_server_is_refused_or_asked_again() {
    for (protocol, mode, size) in ways() {
        let request = request(protocol, mode, size.is_some());
        let first = || Answer::call("run", "{\"path\": \"a.py\"}").into();
        let (_rig, got) =
            asked(protocol, "", Answer::call("run", "{\"path\": \"a.py\"}"), &request).await;
        let case = format!("{protocol:?} {mode} {size:?}: {}", got.body);
        assert!(protocol.read(&got, size.is_some()).is_error, "{case}");
        assert!(got.body.contains("call of `run` is unexpected"), "{case}");
        let turns = [first(), Answer::call("look", "{\"at\": \"b\"}").into()];
        let rig = rig_with("[gateway.policy]\nreasks = 1", ModelServer::scripted(turns)).await;
        let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
        assert_eq!(protocol.read(&got, size.is_some()).calls, [looked()], "{}", got.body);
    }
}

#[tokio::test]
async fn only_tools_that_are_allowed_are_emulated() {
    for protocol in custom::WITH_CUSTOM {
        let request = request(protocol, "auto", false);
        let config = "[gateway.policy]\nemulate_tools = true";
        let (rig, got) = asked(protocol, config, Answer::text(LOOK), &request).await;
        assert_eq!(protocol.read(&got, false).calls, [looked()], "{}", got.body);
        let seen = rig.seen().json().to_string();
        assert!(seen.contains("look") && !seen.contains("\\\"run\\\""), "{seen}");
    }
}
