//! Every fixture of the reader of calls, through the gateway.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use llmend::calls::{NOTATIONS, Options, Reading, Tools, read};
use llmend_model_server::{Answer, ModelServer, Seen, Turn};
use serde_json::{Value, json};

use super::client::{Found, PROTOCOLS, Protocol};
use crate::rig::{Rig, rig_with};

/// A fixture: its id, its text, and the tools by name and schema.
struct Fixture {
    id: String,
    text: String,
    tools: Vec<(String, Value)>,
}

/// Where the fixtures are.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testing/fixtures/calls");

/// A text that takes back a call which a stream has begun to send: its end shows that all of it was
/// reasoning, whose beginning is not in the text. The stream ends with an error. Only a stream that
/// held every call until its end could know.
const TAKEN_BACK: [&str; 2] = ["none-deepseek-v31-2", "mark-26"];

fn fixtures() -> Vec<Fixture> {
    let mut files: Vec<_> =
        std::fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let texts = files.iter().map(|file| std::fs::read_to_string(file).unwrap());
    let lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.iter().filter_map(|line| fixture(line)).collect()
}

/// Returns a fixture whose tools have a name and a schema, as those of every API do.
fn fixture(line: &str) -> Option<Fixture> {
    let value: Value = serde_json::from_str(line).unwrap();
    let tools = value["tools"].as_array()?.iter().map(|tool| {
        let function = if tool["function"].is_object() { &tool["function"] } else { tool };
        let schema = ["parameters", "input_schema", "inputSchema"].map(|key| &function[key]);
        let schema = schema.into_iter().find(|schema| schema.is_object())?;
        Some((function["name"].as_str()?.to_owned(), schema.clone()))
    });
    let tools: Vec<(String, Value)> = tools.collect::<Option<_>>()?;
    let text = value["text"].as_str()?.to_owned();
    let id = value["id"].as_str()?.to_owned();
    (!tools.is_empty() && !text.is_empty()).then_some(Fixture { id, text, tools })
}

/// An upstream whose next answers a test sets.
struct Scripted {
    rig: Rig,
    turns: Arc<Mutex<VecDeque<Turn>>>,
}

impl Scripted {
    async fn new() -> Self {
        let turns: Arc<Mutex<VecDeque<Turn>>> = Arc::default();
        let theirs = Arc::clone(&turns);
        let upstream =
            ModelServer::answering(move |_: &Seen| theirs.lock().unwrap().pop_front().unwrap());
        Self { rig: rig_with("", upstream).await, turns }
    }

    async fn ask(
        &self,
        fixture: &Fixture,
        protocol: Protocol,
        size: Option<usize>,
    ) -> (Found, String) {
        let answer = Answer::text(&fixture.text).pieces_of(size.unwrap_or(usize::MAX));
        self.turns.lock().unwrap().push_back(answer.into());
        let stream = size.is_some();
        let request = protocol.request(&fixture.tools, stream).to_string();
        let got = self.rig.ask("POST", protocol.path(), "", &request).await;
        (protocol.read(&got, stream), got.body)
    }
}

/// What the library reads, or `None` if that is an error.
fn expected(fixture: &Fixture) -> Option<Reading> {
    let tools: Vec<Value> = fixture
        .tools
        .iter()
        .map(|(name, schema)| json!({"name": name, "parameters": schema}))
        .collect();
    let tools = Tools::from_text(&Value::from(tools).to_string()).unwrap();
    let mut reading = read(&fixture.text, &tools, &Options::default());
    // A call of a tool that is not offered is for the client to answer.
    let unknown = reading.refused.extract_if(.., |one| one.call.is_some());
    reading.calls.extend(unknown.filter_map(|one| one.call).map(|call| *call));
    reading.calls.sort_by_key(|call| call.span);
    reading.refused.retain(|one| !one.is_text);
    Some(reading).filter(Reading::is_usable)
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Why what a client found is not what the library reads.
fn difference(
    found: &Found,
    reading: Option<&Reading>,
    text: &str,
    is_all_reasoning: bool,
) -> Option<String> {
    let Some(reading) = reading else {
        return (!found.is_error).then(|| format!("expected an error, found {found:?}"));
    };
    if found.is_error {
        return Some("an error".to_owned());
    }
    let calls: Vec<(String, Value)> = reading
        .calls
        .iter()
        .map(|call| (call.name.clone(), serde_json::from_str(&call.arguments.to_string()).unwrap()))
        .collect();
    if found.calls != calls {
        return Some(format!("expected {calls:?}, found {:?}", found.calls));
    }
    // Text without a call stays byte for byte.
    if calls.is_empty() && reading.text == text {
        return (found.text != text).then(|| format!("text {:?}", found.text));
    }
    let same = |one: &str, other: &str| squeezed(one) == squeezed(other);
    let is_same = same(&found.text, &reading.text) && same(&found.reasoning, &reading.reasoning);
    // Text cannot become reasoning once it was sent.
    let is_moved = is_all_reasoning && found.text.contains(reading.text.trim());
    (!is_same && !is_moved).then(|| format!("text {:?}, {:?}", found.text, found.reasoning))
}

#[tokio::test]
async fn each_fixture_gives_what_the_library_gives() {
    let server = Scripted::new().await;
    let mut report = String::new();
    let (mut count, mut with_calls) = (0, 0);
    for (at, fixture) in fixtures().iter().enumerate() {
        let reading = expected(fixture);
        with_calls += usize::from(reading.as_ref().is_some_and(|one| !one.calls.is_empty()));
        let is_all_reasoning = reading.as_ref().is_some_and(|one| !one.reasoning.is_empty());
        // Every protocol with every size, over all fixtures.
        let protocol = PROTOCOLS[at % PROTOCOLS.len()];
        let sizes = [None, Some(1), Some(3), Some(20)];
        let other = PROTOCOLS[(at + 1) % PROTOCOLS.len()];
        let cases = sizes.map(|size| (protocol, size)).into_iter().chain([(other, sizes[at % 4])]);
        for (protocol, size) in cases {
            count += 1;
            let (found, body) = server.ask(fixture, protocol, size).await;
            let moved = is_all_reasoning && size.is_some();
            let mut difference = difference(&found, reading.as_ref(), &fixture.text, moved);
            let marks = NOTATIONS.iter().flat_map(|row| row.openers).filter(|one| one.len() > 7);
            let is_call = reading.as_ref().is_some_and(|one| !one.calls.is_empty());
            let leaked = marks.into_iter().find(|mark| is_call && found.text.contains(**mark));
            if let Some(mark) =
                leaked.filter(|mark| !reading.as_ref().unwrap().text.contains(**mark))
            {
                difference = Some(format!("`{mark}` is left in the text"));
            }
            let is_taken_back = size.is_some() && TAKEN_BACK.contains(&fixture.id.as_str());
            if let Some(difference) = difference.filter(|_| !is_taken_back) {
                let body: String = body.chars().take(300).collect();
                report.extend([format!(
                    "{} {protocol:?} {size:?}: {difference}\n    {body}\n",
                    fixture.id
                )]);
                break;
            }
        }
    }
    assert!(with_calls > 1400, "{with_calls}");
    let wrong = report.lines().count() / 2;
    assert!(report.is_empty(), "{wrong} of {count}:\n{report}");
}
