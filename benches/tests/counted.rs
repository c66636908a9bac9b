//! Pieces of work whose instructions `.ci/counts` counts. Without an argument all are run, as
//! a test; `--list` prints their names, and a name runs that one.

// Sizes become floating point numbers; none is near 2^52.
#![allow(clippy::cast_precision_loss)]

use std::hint::black_box;

use llmend_benches::{defect::Defect, document::Document, node::Layout};
use llmend_calls::CallStream;
use llmend_json::{Choice, Events, Options, Stream, parse, parse_to_serde_with, repair};
use llmend_plan::{Dialect, check_plan, read};
use llmend_schema::{Schema, coerce};

#[path = "../benches/schema/answers.rs"]
#[allow(dead_code, reason = "the bench uses the rest")]
mod answers;
#[path = "../benches/calls/texts.rs"]
#[allow(dead_code, reason = "the bench uses the rest")]
mod texts;

/// Length of the pieces of a stream, in bytes.
const PIECE: usize = 20;
/// A model's plan, with prose and faults around it.
const PLAN: &str = include_str!("../../examples/answers/planner.txt");

/// Work with a name. It fails if its result is not what it should be.
type Named = (String, Box<dyn Fn()>);

/// What happens in this function is counted.
#[inline(never)]
fn counted(work: &dyn Fn()) {
    work();
}

fn main() {
    let asked = std::env::args().nth(1);
    for (name, work) in all() {
        match asked.as_deref() {
            Some("--list") => println!("{name}"),
            Some(one) if !one.starts_with('-') && one != name => {}
            _ => {
                // What is done once in a program is not counted, nor are blocks that making the texts freed.
                work();
                counted(&*work);
            }
        }
    }
}

fn all() -> Vec<Named> {
    let document = |size| Document::generate(size, Layout::Pretty);
    let (small, large) = (document(1_000), document(50_000));
    let of = |defect: Defect, document: &Document| defect.apply(document).text;
    let mut all: Vec<Named> = Vec::new();
    let mut add = |name: &str, work: Box<dyn Fn()>| all.push((name.to_owned(), work));
    for (size, document) in [("1-kb", &small), ("50-kb", &large)] {
        add(&format!("repair-valid-{size}"), repaired(document.text()));
        for defect in [Defect::SingleQuotes, Defect::MissingComma, Defect::Mixed] {
            let name = defect.name().replace(' ', "-");
            add(&format!("repair-{name}-{size}"), repaired(of(defect, document)));
        }
    }
    add("repair-fence-1-kb", repaired(of(Defect::FenceWithProse, &small)));
    add("repair-inner-quotes-1-kb", repaired(of(Defect::InnerQuotes, &small)));
    add("repair-cut-1-kb", repaired(of(Defect::Truncated, &small)));
    add("repair-lines-50-kb", repaired(lines(50_000)));
    add("parse-valid-1-kb", parsed(small.text()));
    add("parse-mixed-1-kb", parsed(of(Defect::Mixed, &small)));
    add("serde-valid-1-kb", to_serde(small.text()));
    add("serde-mixed-1-kb", to_serde(of(Defect::Mixed, &small)));
    add("views-mixed-1-kb", viewed(of(Defect::Mixed, &small)));
    add("events-valid-50-kb", told(large.text()));
    add("fit-broken-1-kb", fitted(1_000));
    add("calls-10-kb", called(10_000));
    add("plan-1-kb", Box::new(planned));
    all
}

fn repaired(text: String) -> Box<dyn Fn()> {
    Box::new(move || assert!(repair(black_box(&text)).is_ok()))
}

/// Records in lines of their own.
fn lines(size: usize) -> String {
    let line = |id: usize| format!("{{\"id\": {id}, \"name\": \"Ada\", \"tags\": [\"x\"]}}\n");
    (0..size / line(100).len()).map(line).collect()
}

fn parsed(text: String) -> Box<dyn Fn()> {
    Box::new(move || assert!(parse(black_box(&text)).is_ok()))
}

fn to_serde(text: String) -> Box<dyn Fn()> {
    Box::new(move || assert!(parse_to_serde_with(black_box(&text), &Options::default()).is_ok()))
}

fn first() -> Options {
    Options { choice: Choice::First, ..Options::default() }
}

fn viewed(text: String) -> Box<dyn Fn()> {
    Box::new(move || {
        let mut stream = Stream::new(first());
        let mut shown = 0;
        for piece in text.as_bytes().chunks(PIECE) {
            stream.push(piece);
            shown += usize::from(stream.view().root().is_some());
        }
        assert!(stream.finish().is_ok() && shown > 0);
    })
}

fn told(text: String) -> Box<dyn Fn()> {
    Box::new(move || {
        let mut events = Events::new(first());
        let mut count = 0;
        for piece in text.as_bytes().chunks(PIECE) {
            events.push(piece);
            count += events.drain().count();
        }
        assert!(events.finish().is_ok() && count > 0);
    })
}

/// To a schema that is compiled already.
fn fitted(size: usize) -> Box<dyn Fn()> {
    let schema = Schema::new(&answers::schema()).expect("a schema");
    let text = answers::Answer::generate(size, answers::State::Broken).text;
    Box::new(move || {
        let parsed = parse(black_box(&text)).expect("a value");
        let fitted = coerce(&parsed.value, &schema, &llmend_schema::Options::default());
        assert!(fitted.violations.is_empty());
    })
}

/// Prose with calls, in pieces.
fn called(size: usize) -> Box<dyn Fn()> {
    let tools = std::sync::Arc::new(texts::tools());
    let streams = texts::streams(size);
    let text = streams.into_iter().find(|(name, _)| *name != "prose").expect("calls").1;
    Box::new(move || {
        let mut stream = CallStream::new(tools.clone(), llmend_calls::Options::default());
        let mut count = 0;
        for piece in text.as_bytes().chunks(PIECE) {
            count += stream.push(std::str::from_utf8(piece).expect("the text is ASCII")).len();
        }
        black_box(stream.finish());
        assert!(count > 0);
    })
}

fn planned() {
    let parsed = parse(black_box(PLAN)).expect("a value");
    let found = read(&parsed.value, Dialect::Auto).expect("a plan");
    black_box(check_plan(&found.plan, &llmend_plan::Options::default()));
}
