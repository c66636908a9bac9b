//! The loops of other systems as a table: calls, temperatures and the words of the re-ask, from servers and
//! again from their records.
//!
//! `cargo test -p llmend-models --test seeds -- --nocapture` prints the table.

mod rig;

use std::fmt::Write as _;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use llmend::asking::{
    AskOptions, Callbacks, LoopError, Models, PlanAnswer, Planner, Preset, Validity,
};
use llmend::plan::{Document, Gaps};
use llmend_model::ChatModel;
use llmend_model_server::{Answer, Form, ModelServer, Seen};
use llmend_models::{Recorder, Replay};
use rig::model;

/// What is written to a record.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const NO_JSON: &str = "I would first look for a hotel.";
const BAD_PLAN: &str = r#"{"steps": [{"id": "a", "tool": "x", "depends_on": ["b"]}]}"#;
const GOOD_PLAN: &str = r#"{"steps": [{"id": "a", "tool": "x"}]}"#;
/// A patch that takes one of two branches away, and one that puts another in its place.
const BAD_PATCH: &str = r#"{"remove_nodes": ["n3"]}"#;
const GOOD_PATCH: &str = r#"{"remove_nodes": ["n3"], "add_nodes": [{"id": "n4", "type": "tool", "tool": "t"}], "add_edges": [{"from": "n1", "to": "n4", "output": "if_false"}]}"#;

fn flow() -> Document {
    let flow = r#"{"nodes": [
        {"id": "n1", "type": "if", "condition": {"left": {"type": "literal", "value": true}, "operator": "equals", "right": {"type": "literal", "value": true}}},
        {"id": "n2", "type": "tool", "tool": "t"}, {"id": "n3", "type": "tool", "tool": "t"}
    ], "edges": [{"from": "n1", "to": "n2", "output": "if_true"}, {"from": "n1", "to": "n3", "output": "if_false"}]}"#;
    llmend::review_plan(flow).expect("a workflow").reviewed.value
}

/// A preset, what is asked for, and the answers; the last one again and again.
type Row = (&'static str, Option<fn() -> Document>, &'static [&'static str]);

const ROWS: [Row; 17] = [
    ("gomind", None, &[NO_JSON]),
    ("gomind", None, &[BAD_PLAN]),
    ("gomind", None, &[NO_JSON, BAD_PLAN, GOOD_PLAN]),
    ("clickweave-planner", None, &[NO_JSON]),
    ("clickweave-planner", None, &[BAD_PLAN]),
    ("clickweave-planner", None, &[BAD_PLAN, GOOD_PLAN]),
    ("clickweave-patcher", Some(flow), &[BAD_PATCH]),
    ("clickweave-patcher", Some(flow), &[BAD_PATCH, GOOD_PATCH]),
    ("clickweave-assistant", Some(flow), &[BAD_PATCH]),
    ("clickweave-assistant:0", Some(flow), &[BAD_PATCH]),
    ("clickweave-assistant:1", Some(flow), &[BAD_PATCH]),
    ("anton", None, &[NO_JSON]),
    ("anton", None, &[BAD_PLAN]),
    ("anton", None, &[NO_JSON, GOOD_PLAN]),
    ("openmanus", None, &[NO_JSON]),
    ("openmanus", None, &[BAD_PLAN]),
    ("openmanus", None, &[GOOD_PLAN]),
];

async fn ask(
    preset: &str,
    changing: Option<fn() -> Document>,
    model: &dyn ChatModel,
) -> Result<PlanAnswer, Box<LoopError>> {
    let preset: Preset = preset.parse().expect("a preset");
    let planner = changing.map_or_else(Planner::new, |flow| Planner::changing(flow(), Gaps::Leave));
    let planner = planner.options(AskOptions::preset(preset));
    planner.run(Models::of(model), "A hotel in Oslo.", &mut Callbacks::new()).await
}

fn end(result: &Result<PlanAnswer, Box<LoopError>>) -> String {
    match result {
        Ok(answer) => match answer.validity {
            Validity::Valid => "valid".to_owned(),
            Validity::Invalid => "handed back as invalid".to_owned(),
            Validity::Unchecked => "handed back unchecked".to_owned(),
        },
        Err(end) => end.code().to_owned(),
    }
}

/// The beginning of what is said beyond the question.
fn words(seen: &Seen) -> String {
    let body = seen.json();
    let messages = body["messages"].as_array().expect("messages");
    let last = messages.last().expect("a message")["content"].as_str().expect("a text");
    let line =
        last.lines().find(|line| line.starts_with("***") || line.starts_with("Your last answer"));
    line.unwrap_or("-").to_owned()
}

#[tokio::test]
async fn the_loops_of_other_systems_are_a_table() {
    let mut table = String::from(
        "| preset | answers | calls | temperatures | words of the first re-ask | end |\n|---|---|---|---|---|---|\n",
    );
    for (preset, changing, answers) in ROWS {
        let kinds = answers.iter().map(|answer| match *answer {
            NO_JSON => "no JSON",
            BAD_PLAN | BAD_PATCH => "invalid",
            _ => "valid",
        });
        let kinds: Vec<&str> = kinds.collect();
        let count = AtomicUsize::new(0);
        let server = ModelServer::answering(move |_| {
            let at = count.fetch_add(1, Ordering::Relaxed).min(answers.len() - 1);
            Answer::text(answers[at]).into()
        });
        let sink = Sink::default();
        let recorder = Recorder::new(model(&server, Form::OpenAi), sink.clone());
        let asked = ask(preset, changing, &recorder).await;

        // The record alone gives the same.
        let record = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        let replay = Replay::read("record", &record).unwrap();
        let replayed = ask(preset, changing, &replay).await;
        assert_eq!(end(&replayed), end(&asked), "{preset} {kinds:?}");
        replay.finish().unwrap();

        let requests = server.requests();
        let temperatures: Vec<String> = requests
            .iter()
            .map(|seen| seen.json()["temperature"].to_string().replace("null", "-"))
            .collect();
        let re_ask = requests.get(1).map_or_else(|| "-".to_owned(), words);
        writeln!(
            table,
            "| {preset} | {} | {} | {} | {re_ask} | {} |",
            kinds.join(", "),
            requests.len(),
            temperatures.join(", "),
            end(&asked)
        )
        .unwrap();
    }
    println!("{table}");
    insta::assert_snapshot!("seeds", table);
}
