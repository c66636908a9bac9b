//! What a reader's target costs: a `serde_json::Value`, beside the time that its allocation alone
//! takes, and a Rust type, beside `serde_json` reading the same type.
//!
//! ```text
//! cargo bench -p llmend-benches --bench values
//! ```

use std::hint::black_box;

use llmend_benches::arguments::Arguments;
use llmend_benches::document::Document;
use llmend_benches::engine::to_serde;
use llmend_benches::measure::{Effort, Subject, compare};
use llmend_benches::node::Layout;
use llmend_benches::table::{Table, bytes};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

#[path = "schema/answers.rs"]
#[allow(dead_code, reason = "the bench `schema` uses the rest")]
mod answers;

use answers::{Answer, State};

const SIZES: [usize; 3] = [1_000, 100_000, 10_000_000];

fn main() {
    let arguments = Arguments::read();
    let sizes = if arguments.effort.is_some() { &SIZES[..] } else { &SIZES[..1] };
    let show = |table: Table| {
        println!("{}", if arguments.markdown { table.markdown() } else { table.plain() });
    };
    show(trees(sizes, arguments.effort));
    show(types(sizes, arguments.effort));
}

/// Returns the throughput of `run` on `text` divided by that of `baseline` on `valid`.
fn ratio(
    (text, run): (&str, &dyn Fn()),
    (valid, baseline): (&str, &dyn Fn()),
    effort: Option<Effort>,
) -> Option<f64> {
    let subject = Subject { run, bytes: text.len() };
    let baseline = Subject { run: baseline, bytes: valid.len() };
    effort.map(|effort| compare(&baseline, &subject, effort).ratio)
}

fn shown(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "right".to_owned(), |ratio| format!("{ratio:.2}"))
}

/// Speed of building a tree, by reading and from what was read before.
fn trees(sizes: &[usize], effort: Option<Effort>) -> Table {
    let mut table =
        Table::new(1, &["serde_json::Value", "llmend", "the tree alone", "llmend at most"]);
    for &size in sizes {
        for layout in Layout::ALL {
            let document = Document::generate(size, layout);
            let (text, wanted) = (document.text(), document.value());
            let mut steps = Vec::new();
            record(&wanted, &mut steps);
            assert_eq!(to_serde(&text).expect("valid JSON").0, wanted);
            assert_eq!(built(&steps), wanted);
            let read = || drop(black_box(serde_json::from_str::<Value>(black_box(&text))));
            let own = || drop(black_box(to_serde(black_box(&text))));
            let alone = || drop(black_box(built(black_box(&steps))));
            let repaired = || drop(black_box(llmend_json::repair(black_box(&text))));
            let of = |run: &dyn Fn()| ratio((&text, run), (&text, &read), effort);
            let (tree, reading) = (of(&alone), of(&repaired));
            // Times add up, throughputs do not.
            let most = tree.zip(reading).map(|(tree, reading)| 1.0 / (1.0 / tree + 1.0 / reading));
            let cells = [of(&own), tree, most].map(shown);
            let name = format!("valid, {}, {}", layout.name(), bytes(size));
            table.row(std::iter::once(name).chain(cells).collect());
        }
    }
    table
}

/// A step in building a tree.
enum Step<'v> {
    Null,
    Bool(bool),
    Number(&'v Number),
    Text(&'v str),
    Key(&'v str),
    Array,
    Object,
    End,
}

fn record<'v>(value: &'v Value, steps: &mut Vec<Step<'v>>) {
    let last = match value {
        Value::Null => Step::Null,
        Value::Bool(yes) => Step::Bool(*yes),
        Value::Number(number) => Step::Number(number),
        Value::String(text) => Step::Text(text),
        Value::Array(items) => {
            steps.push(Step::Array);
            for item in items {
                record(item, steps);
            }
            Step::End
        }
        Value::Object(members) => {
            steps.push(Step::Object);
            for (key, value) in members {
                steps.push(Step::Key(key));
                record(value, steps);
            }
            Step::End
        }
    };
    steps.push(last);
}

/// Builds a tree the way `serde_json` does: each container grows by what is added to it.
fn built(steps: &[Step<'_>]) -> Value {
    value(&mut steps.iter()).expect("a value was recorded")
}

fn value<'s>(steps: &mut impl Iterator<Item = &'s Step<'s>>) -> Option<Value> {
    Some(match steps.next()? {
        Step::Null => Value::Null,
        Step::Bool(yes) => Value::Bool(*yes),
        Step::Number(number) => Value::Number((*number).clone()),
        Step::Text(text) => Value::String((*text).to_owned()),
        Step::Array => {
            let mut items = Vec::new();
            while let Some(item) = value(steps) {
                items.push(item);
            }
            Value::Array(items)
        }
        Step::Object => {
            let mut members = Map::new();
            while let Some(Step::Key(key)) = steps.next() {
                members.insert((*key).to_owned(), value(steps)?);
            }
            Value::Object(members)
        }
        Step::Key(_) | Step::End => return None,
    })
}

/// The type of the answers of the bench `schema`.
#[derive(Debug, Serialize, Deserialize)]
struct Plan {
    title: String,
    steps: Vec<Task>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Task {
    id: u32,
    name: String,
    kind: Kind,
    cost: f64,
    optional: bool,
    tags: Vec<String>,
    notes: String,
    owner: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
enum Kind {
    Tool,
    Condition,
    Loop,
}

/// Speed of reading a type from valid text, and from the same text with trailing commas.
fn types(sizes: &[usize], effort: Option<Effort>) -> Table {
    let mut table = Table::new(1, &["Rust type", "llmend, valid", "llmend, trailing commas"]);
    for &size in sizes {
        let Answer { text, wanted } = Answer::generate(size, State::Valid);
        let broken = text.replace("\n    }", ",\n    }").replace("\n  ]", ",\n  ]");
        for text in [&text, &broken] {
            let plan = typed(text);
            assert_eq!(serde_json::to_value(plan).expect("JSON"), wanted);
        }
        let read = || drop(black_box(serde_json::from_str::<Plan>(black_box(&text))));
        let of = |text: &str| {
            let run = || drop(black_box(typed(black_box(text))));
            ratio((text, &run), (&text, &read), effort)
        };
        let cells = [of(&text), of(&broken)].map(shown);
        table.row(std::iter::once(bytes(size)).chain(cells).collect());
    }
    table
}

fn typed(text: &str) -> Plan {
    let options = llmend_json::Options { max_repairs: usize::MAX, ..Default::default() };
    let parsed = llmend_json::parse_with(text, &options).expect("a value");
    parsed.value.deserialize().expect("of this type")
}
