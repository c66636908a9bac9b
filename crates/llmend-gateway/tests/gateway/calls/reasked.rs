//! Arguments that are asked for again: what the model is told, and what it may answer.

use llmend::calls::{CallToWrite, Notation};
use llmend_model_server::{Answer, ModelServer, Turn};
use serde_json::json;

use super::protocols::{PROTOCOLS, run};
use crate::rig::rig_with;

/// A call of `run` in a notation.
fn written(notation: &str, arguments: &str) -> String {
    let value = llmend::json::parse(arguments).unwrap().value;
    let call = CallToWrite { name: "run", arguments: value.root() };
    Notation::named(notation).unwrap().write(&[call]).unwrap()
}

#[tokio::test]
async fn arguments_may_come_alone_or_as_a_call() {
    let bad = "{\"path\": \"a.py\", \"times\": \"often\"}";
    let good = "{\"path\": \"a.py\", \"times\": 2}";
    for (notation, emulates) in
        [("hermes", false), ("hermes", true), ("qwen-coder", true), ("json", true), ("react", true)]
    {
        let emulation =
            if emulates { format!("emulate_tools = \"{notation}\"") } else { String::new() };
        let config = format!("[gateway.policy]\nreasks = 1\n{emulation}");
        let answers = [
            Answer::text(good),
            Answer::text(&format!("```json\n{good}\n```")),
            Answer::text(&written(notation, good)),
            Answer::text(&format!("Sorry.\n\n{}", written("hermes", good))),
            Answer::call("run", good),
        ];
        for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)])
        {
            for again in &answers {
                let turns: [Turn; 2] =
                    [Answer::text(&written(notation, bad)).into(), again.clone().into()];
                let rig = rig_with(&config, ModelServer::scripted(turns)).await;
                let request = protocol.request(&[run()], stream).to_string();
                let got = rig.ask("POST", protocol.path(), "", &request).await;
                let found = protocol.read(&got, stream);
                let call = ("run".to_owned(), json!({"path": "a.py", "times": 2}));
                let case = format!("{notation} {emulates} {protocol:?} {stream} {again:?}");
                let sent = rig.upstream.requests()[1].body.clone();
                assert_eq!(found.calls, [call], "{case}: {} {sent}", got.body);
                // What it is told now does not contradict how it is to call tools.
                let is_told = sent.contains("without the form of a call around them");
                assert_eq!(is_told, emulates, "{case}: {sent}");
            }
        }
    }
}

#[tokio::test]
async fn another_call_in_the_place_of_arguments_is_an_error() {
    let bad = "{\"path\": \"a.py\", \"times\": \"often\"}";
    let other = "<tool_call>\n{\"name\": \"stop\", \"arguments\": {\"path\": \"b\"}}\n</tool_call>";
    let two = format!(
        "{}\n{}",
        written("hermes", "{\"path\": \"a\"}"),
        written("hermes", "{\"path\": \"b\"}")
    );
    for again in [other, &two] {
        let turns: [Turn; 2] =
            [Answer::text(&written("hermes", bad)).into(), Answer::text(again).into()];
        let rig = rig_with("[gateway.policy]\nreasks = 1", ModelServer::scripted(turns)).await;
        let protocol = PROTOCOLS[0];
        let stop = ("stop".to_owned(), json!({"type": "object"}));
        let request = protocol.request(&[run(), stop], false).to_string();
        let got = rig.ask("POST", protocol.path(), "", &request).await;
        assert_eq!(got.status, 422, "{again}: {}", got.body);
    }
}
