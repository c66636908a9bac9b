//! Calls that turn out to be drafts leave no trace in what is found behind them.

use llmend_model_server::Answer;
use serde_json::{Value, json};

use super::CALL;
use super::client::{PROTOCOLS, Protocol, asked, named, run};

const WAITS: &str = "[gateway.recording]\nstore = \"memory\"\n[gateway.policy]\nreasks = 1";

/// Each protocol, whole and in pieces of these sizes.
fn ways() -> impl Iterator<Item = (Protocol, Option<usize>)> {
    let sizes = [None, Some(1), Some(3), Some(20)];
    PROTOCOLS.into_iter().flat_map(move |one| sizes.map(|size| (one, size)))
}

fn ran() -> (String, Value) {
    ("run".to_owned(), json!({"path": "a.py", "times": 2}))
}

#[tokio::test]
async fn a_draft_is_not_taken_for_the_call_of_the_server() {
    let text = format!("I look.\n{CALL}\n</think>\n\n{CALL}");
    for (protocol, size) in ways() {
        let answer = Answer::text(&text)
            .pieces_of(size.unwrap_or(9))
            .and_call("run", "{\"path\": \"a.py\", \"times\": \"2\"}");
        let request = protocol.request(&[run()], size.is_some());
        let (_rig, got) = asked(protocol, WAITS, answer, &request).await;
        let found = protocol.read(&got, size.is_some());
        assert_eq!(found.calls, [ran()], "{protocol:?} {size:?}: {}", got.body);
    }
}

#[tokio::test]
async fn a_draft_beside_another_one_is_not_dropped_where_one_call_is_allowed() {
    let text = format!("I look.\n{CALL}\n{CALL}\n</think>\n\n{CALL}");
    for (protocol, size) in ways() {
        let answer = Answer::text(&text).pieces_of(size.unwrap_or(9));
        let mut request = protocol.request(&[run()], size.is_some());
        match protocol {
            Protocol::Chat | Protocol::Responses => request["parallel_tool_calls"] = json!(false),
            Protocol::Messages => {
                request["tool_choice"] = json!({"type": "auto", "disable_parallel_tool_use": true});
            }
        }
        let (rig, got) = asked(protocol, WAITS, answer, &request).await;
        let case = format!("{protocol:?} {size:?}: {}", got.body);
        assert_eq!(protocol.read(&got, size.is_some()).calls, [ran()], "{case}");
        let listed = rig.get("/v1/exchanges").await.json();
        assert_eq!(listed["exchanges"][0]["class"], "notation", "{case} {listed}");
        assert!(!got.header("x-llmend-repair").unwrap_or_default().contains("dropped"), "{case}");
    }
}

#[tokio::test]
async fn a_draft_of_another_tool_is_not_found_where_one_is_demanded() {
    let stop = "<tool_call>\n{\"name\": \"stop\", \"arguments\": {}}\n</tool_call>";
    let text = format!("I look.\n{stop}\n</think>\n\nDone.");
    for (protocol, size) in ways() {
        let answer = Answer::text(&text).pieces_of(size.unwrap_or(9));
        let tools = [run(), ("stop".to_owned(), json!({"type": "object"}))];
        let mut request = protocol.request(&tools, size.is_some());
        request["tool_choice"] = named(protocol, "run");
        let (_rig, got) = asked(protocol, "", answer, &request).await;
        let case = format!("{protocol:?} {size:?}: {}", got.body);
        assert!(
            got.body.contains("expected a call of `run` (`tool_choice`), found none"),
            "{case}"
        );
    }
}
