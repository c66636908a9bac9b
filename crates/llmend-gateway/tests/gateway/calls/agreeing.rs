//! Whole and streamed answers agree: the same calls, the same content and the same outcome, in each
//! protocol, however the text is cut and whatever ends it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use llmend_model_server::{Answer, Form, ModelServer, Reply, Seen, Step, Turn};
use serde_json::{Value, json};

use super::client::{Found, PROTOCOLS, Protocol, any, named, run};
use super::{BARE, CALL};
use crate::rig::{Got, Rig, rig_with};

/// Parts of texts: calls, whole and cut off, the marks around them, reasoning, and prose.
const PARTS: [&str; 17] = [
    "I run it.",
    "use <tool_call> and </tool_call> around it",
    CALL,
    BARE,
    "<tool_call>\n{\"name\": \"stop\", \"arguments\": {}}\n</tool_call>",
    "[TOOL_CALLS]run[ARGS]{\"path\": \"a.py\"}",
    "<tool_call>\n<function=run>\n<parameter=path>\nb.py\n</parameter>\n</function>\n</tool_call>",
    "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.",
    "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\", \"times\": \"often\"}}\n</tool_call>",
    "<tool_call>\n{\"na",
    "<tool_call>",
    "<tool_call>\nrun the file\n</tool_call>",
    "run(path=\"a.py\")",
    "```json\n{\"name\": \"run\", \"arguments\": {\"path\": \"c.py\"}}\n```",
    "<think>\nI should call it.\n</think>",
    "</think>",
    "[TOOL_C",
];

/// What stands between two parts.
const GAPS: [&str; 3] = ["", " ", "\n\n"];

/// What ends an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Stop,
    Length,
    Filter,
    /// A call that the server found.
    Call,
    /// The connection is closed before the end.
    Closed,
}

const ENDS: [End; 5] = [End::Stop, End::Length, End::Filter, End::Call, End::Closed];

/// Which calls a request demands or allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Auto,
    Any,
    Named,
    One,
}

const CHOICES: [Choice; 4] = [Choice::Auto, Choice::Any, Choice::Named, Choice::One];

impl End {
    fn turn(self, text: &str, protocol: Protocol, size: Option<usize>) -> Turn {
        let answer = Answer::text(text).pieces_of(size.unwrap_or(usize::MAX));
        let form = Form::of_path(protocol.path());
        let filtered = if protocol == Protocol::Messages { "refusal" } else { "content_filter" };
        let answer = match self {
            Self::Stop | Self::Closed => answer,
            Self::Length => answer.cut_off(),
            Self::Filter => answer.finish(filtered),
            Self::Call => answer.and_call("run", "{\"path\": \"own.py\"}"),
        };
        let reply = if size.is_some() { answer.stream(form) } else { answer.whole(form) };
        match (self, size) {
            (Self::Closed, None) => Reply::status(200)
                .header("content-type", "application/json")
                .header("content-length", "9999")
                .text("{\"id\": \"x\", ")
                .then(Step::Cut)
                .into(),
            // Up to the last piece of the text.
            (Self::Closed, Some(_)) => {
                let before = match protocol {
                    Protocol::Chat => 0,
                    Protocol::Responses => 4,
                    Protocol::Messages => 2,
                };
                reply.first_steps(before + 1 + text.len() / 20).then(Step::Cut).into()
            }
            _ => reply.into(),
        }
    }
}

impl Choice {
    fn request(self, protocol: Protocol, stream: bool) -> Value {
        let stop = ("stop".to_owned(), json!({"type": "object"}));
        let mut request = protocol.request(&[run(), stop], stream);
        match (self, protocol) {
            (Self::Auto, _) => {}
            (Self::Any, _) => request["tool_choice"] = any(protocol),
            (Self::Named, _) => request["tool_choice"] = named(protocol, "run"),
            (Self::One, Protocol::Messages) => {
                request["tool_choice"] = json!({"type": "auto", "disable_parallel_tool_use": true});
            }
            (Self::One, _) => request["parallel_tool_calls"] = json!(false),
        }
        request
    }
}

/// What a client gets: the parts of an answer, or the error.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Answer { text: String, calls: Vec<(String, Value)>, end: String },
    Error(String),
}

impl Outcome {
    fn of(protocol: Protocol, got: &Got, stream: bool) -> Self {
        let found: Found = protocol.read(got, stream);
        if found.is_error {
            return Self::Error(message(got));
        }
        // What was sent as text cannot become reasoning.
        let text = format!("{} {}", found.reasoning, found.text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self::Answer { text, calls: found.calls, end: found.end }
    }
}

/// The message of the error in an answer.
fn message(got: &Got) -> String {
    let lines = got.body.lines().filter_map(|line| line.strip_prefix("data: "));
    let all = lines.chain([got.body.as_str()]);
    let mut errors = all.filter_map(|data| {
        let value: Value = serde_json::from_str(data).ok()?;
        Some(value["error"]["message"].as_str()?.to_owned())
    });
    errors.next().unwrap_or_else(|| panic!("no error: {}", got.body))
}

/// A gateway whose upstream gives the answers that a test sets.
struct Scripted {
    rig: Rig,
    turns: Arc<Mutex<VecDeque<Turn>>>,
}

impl Scripted {
    async fn new(config: &str) -> Self {
        let turns: Arc<Mutex<VecDeque<Turn>>> = Arc::default();
        let theirs = Arc::clone(&turns);
        let upstream =
            ModelServer::answering(move |_: &Seen| theirs.lock().unwrap().pop_front().unwrap());
        Self { rig: rig_with(config, upstream).await, turns }
    }

    async fn ask(
        &self,
        text: &str,
        (end, choice): (End, Choice),
        protocol: Protocol,
        size: Option<usize>,
    ) -> Outcome {
        self.turns.lock().unwrap().push_back(end.turn(text, protocol, size));
        let stream = size.is_some();
        let request = choice.request(protocol, stream).to_string();
        let got = self.rig.ask("POST", protocol.path(), "", &request).await;
        Outcome::of(protocol, &got, stream)
    }

    /// Compares an answer in pieces with the whole one, in each protocol.
    async fn compare(&self, text: &str, case: (End, Choice), report: &mut Vec<String>) {
        for protocol in PROTOCOLS {
            let whole = self.ask(text, case, protocol, None).await;
            for size in [1, 3, 20] {
                let streamed = self.ask(text, case, protocol, Some(size)).await;
                if !agree(&whole, &streamed, case.0) {
                    report.push(format!(
                        "{text:?} {case:?} {protocol:?} {size}\n  {whole:?}\n  {streamed:?}"
                    ));
                    break;
                }
            }
        }
    }
}

/// Whether two outcomes are the same. A connection that is closed is an error of its own.
fn agree(whole: &Outcome, streamed: &Outcome, end: End) -> bool {
    match (whole, streamed) {
        (Outcome::Error(_), Outcome::Error(_)) if end == End::Closed => true,
        _ => whole == streamed,
    }
}

/// Every text of one part, and some of two.
fn texts() -> Vec<String> {
    let pairs = PARTS.iter().enumerate().flat_map(|(at, one)| {
        let others = PARTS.iter().enumerate().filter(move |(other, _)| (at + other) % 3 == 0);
        others.map(move |(other, two)| format!("{one}{}{two}", GAPS[(at * 7 + other) % GAPS.len()]))
    });
    PARTS.iter().map(|&part| part.to_owned()).chain(pairs).collect()
}

#[tokio::test]
async fn whole_and_streamed_answers_agree_whatever_ends_them() {
    let mut report = Vec::new();
    for config in ["", "[gateway.policy]\non_truncated_call = \"allow\""] {
        let server = Scripted::new(config).await;
        for (at, text) in texts().iter().enumerate() {
            for (number, end) in ENDS.into_iter().enumerate() {
                // Each choice with each end, over all texts.
                let choices = [Choice::Auto, CHOICES[(at + number) % CHOICES.len()]];
                let count = if at < PARTS.len() { 2 } else { 1 };
                for choice in &choices[2 - count..] {
                    server.compare(text, (end, *choice), &mut report).await;
                }
            }
        }
    }
    assert!(report.is_empty(), "{}\n{}", report.len(), report.join("\n"));
}

/// A text, what ends it, and the number of calls and the text, or what the error says.
type Row<'t> = (&'t str, End, Result<(usize, &'t str), &'t str>);

#[tokio::test]
async fn open_text_has_one_outcome_for_each_end() {
    let named = "I run it.\n<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.";
    let unnamed = "I run it.\n<tool_call>\n{\"na";
    let whole = format!("I run it.\n{CALL}");
    let cut = Err("was cut off");
    let rows: [Row<'_>; 15] = [
        (named, End::Stop, cut),
        (named, End::Length, cut),
        (named, End::Filter, cut),
        (named, End::Call, cut),
        (unnamed, End::Stop, cut),
        (unnamed, End::Length, cut),
        (unnamed, End::Filter, Ok((0, unnamed))),
        (unnamed, End::Call, Ok((1, unnamed))),
        (&whole, End::Length, Ok((1, "I run it."))),
        (&whole, End::Filter, Ok((1, "I run it."))),
        (&whole, End::Call, Ok((2, "I run it."))),
        (BARE, End::Length, Ok((1, ""))),
        (BARE, End::Filter, Ok((0, BARE))),
        (BARE, End::Call, Ok((1, BARE))),
        ("I run it.", End::Closed, Err("closed the connection")),
    ];
    let server = Scripted::new("").await;
    for (text, end, expected) in rows {
        for (protocol, size) in
            PROTOCOLS.into_iter().flat_map(|one| [None, Some(1), Some(20)].map(|size| (one, size)))
        {
            let outcome = server.ask(text, (end, Choice::Auto), protocol, size).await;
            let case = format!("{text:?} {end:?} {protocol:?} {size:?}: {outcome:?}");
            match (&outcome, expected) {
                (Outcome::Answer { text, calls, .. }, Ok((count, left))) => {
                    let left = left.split_whitespace().collect::<Vec<_>>().join(" ");
                    assert_eq!((calls.len(), text.trim()), (count, left.as_str()), "{case}");
                }
                (Outcome::Error(message), Err(says)) => {
                    let is_ended = end == End::Closed && message.contains("ended before");
                    assert!(message.contains(says) || is_ended, "{case}");
                }
                _ => panic!("{case}"),
            }
        }
    }
}

#[tokio::test]
async fn a_demanded_call_that_is_missing_is_said_with_what_was_found() {
    let stop = "<tool_call>\n{\"name\": \"stop\", \"arguments\": {}}\n</tool_call>";
    let draft = format!("I look.\n{CALL}\n</think>\nThe file is a.py.");
    // (text, which call is demanded, what the error says)
    let rows = [
        ("No.", Choice::Any, "expected a call (`tool_choice`), found none"),
        ("No.", Choice::Named, "expected a call of `run` (`tool_choice`), found none"),
        (stop, Choice::Named, "expected a call of `run` (`tool_choice`), found a call of `stop`"),
        (
            "use <tool_call> and </tool_call> around it",
            Choice::Any,
            "found none that is certain: ignored a call that the text only mentions",
        ),
    ];
    let server = Scripted::new("").await;
    for (text, choice, says) in rows {
        for (protocol, size) in
            PROTOCOLS.into_iter().flat_map(|one| [None, Some(1), Some(20)].map(|size| (one, size)))
        {
            let outcome = server.ask(text, (End::Stop, choice), protocol, size).await;
            let Outcome::Error(message) = &outcome else { panic!("{text} {outcome:?}") };
            assert!(message.contains(says), "{text} {protocol:?} {size:?}: {message}");
        }
    }
    // A stream that sent the call cannot take it back.
    let outcome = server.ask(&draft, (End::Stop, Choice::Any), Protocol::Chat, None).await;
    let Outcome::Error(message) = outcome else { panic!("{outcome:?}") };
    assert!(message.contains("ignored calls inside reasoning"), "{message}");
}
