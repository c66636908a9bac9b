//! Arguments that are asked for again: what the model is told, and what it may answer.

use llmend::calls::{CallToWrite, Notation};
use llmend_model_server::{Answer, Form, ModelServer, Reply, Turn};
use serde_json::json;

use super::client::{PROTOCOLS, any, run};
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

#[tokio::test]
async fn the_new_arguments_are_the_whole() {
    let bad = written("hermes", "{\"path\": \"a.py\", \"times\": \"often\"}");
    let new = "{\"path\": \"b.py\"}";
    for again in [new.to_owned(), written("hermes", new), written("qwen-coder", new)] {
        for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)])
        {
            let turns: [Turn; 2] = [Answer::text(&bad).into(), Answer::text(&again).into()];
            let rig = rig_with("[gateway.policy]\nreasks = 1", ModelServer::scripted(turns)).await;
            let request = protocol.request(&[run()], stream).to_string();
            let got = rig.ask("POST", protocol.path(), "", &request).await;
            let found = protocol.read(&got, stream);
            let call = ("run".to_owned(), json!({"path": "b.py"}));
            assert_eq!(found.calls, [call], "{protocol:?} {stream} {again}: {}", got.body);
            let sent = &rig.upstream.requests()[1].body;
            assert!(!sent.contains("ONLY one JSON object"), "{sent}");
            if !stream {
                let said = got.header("x-llmend-repair").unwrap();
                assert!(said.contains("call-from-text"), "{said}");
            }
        }
    }
}

#[tokio::test]
async fn another_answer_may_arrive_as_a_stream() {
    let good = written("hermes", "{\"path\": \"a.py\"}");
    let unknown = "<tool_call>\n{\"name\": \"erase\", \"arguments\": {}}\n</tool_call>";
    for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        for (first, is_demanded) in [("No.", true), (unknown, false)] {
            let form = Form::of_path(protocol.path());
            let turns: [Turn; 2] =
                [Answer::text(first).into(), Answer::text(&good).stream(form).into()];
            let rig = rig_with("[gateway.policy]\nreasks = 1", ModelServer::scripted(turns)).await;
            let mut request = protocol.request(&[run()], stream);
            if is_demanded {
                request["tool_choice"] = any(protocol);
            }
            let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
            let found = protocol.read(&got, stream);
            let case = format!("{protocol:?} {stream} {first}: {}", got.body);
            assert_eq!(found.calls, [("run".to_owned(), json!({"path": "a.py"}))], "{case}");
        }
    }
}

#[tokio::test]
async fn a_refusal_says_that_another_answer_was_asked_for() {
    let no = || Turn::from(Answer::text("No."));
    let failed = Reply::json(500, "{\"error\": {\"message\": \"full\"}}");
    for (second, says) in
        [(no(), "asked 2 times"), (failed.into(), "asked 2 times: the upstream answered 500")]
    {
        let server = ModelServer::scripted([no(), second]);
        let rig = rig_with("[gateway.policy]\nreasks = 1", server).await;
        let protocol = PROTOCOLS[0];
        let mut request = protocol.request(&[run()], false);
        request["tool_choice"] = any(protocol);
        let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
        assert_eq!(got.status, 422, "{}", got.body);
        assert!(got.body.contains(says), "{}", got.body);
        assert_eq!(got.header("x-llmend-attempts"), Some("2"));
    }
}

#[tokio::test]
async fn what_a_name_alone_lacks_is_said_and_asked_for() {
    let name = "<tool_call>{\"name\": \"run\"}</tool_call>";
    for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        let request = protocol.request(&[run()], stream).to_string();
        let rig = rig_with("", ModelServer::scripted([Answer::text(name).into()])).await;
        let got = rig.ask("POST", protocol.path(), "", &request).await;
        assert!(got.body.contains("missing required property `path`"), "{}", got.body);
        let turns: [Turn; 2] =
            [Answer::text(name).into(), Answer::text("{\"path\": \"a.py\"}").into()];
        let rig = rig_with("[gateway.policy]\nreasks = 1", ModelServer::scripted(turns)).await;
        let got = rig.ask("POST", protocol.path(), "", &request).await;
        let found = protocol.read(&got, stream);
        let case = format!("{protocol:?} {stream}: {}", got.body);
        assert_eq!(found.calls, [("run".to_owned(), json!({"path": "a.py"}))], "{case}");
    }
}
