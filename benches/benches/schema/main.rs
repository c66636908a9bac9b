//! Times for coercing values to schemas, in comparison with `baml-py` on the same texts and types,
//! and with hostile schemas and values.
//!
//! ```text
//! python3 -m venv venv && venv/bin/pip install baml-py pydantic
//! cargo bench -p llmend-benches --bench schema -- --python venv/bin/python
//! cargo bench -p llmend-benches --bench schema -- hostile
//! ```
//!
//! The peer is timed inside its own process, after a warm-up; without it, only llmend is timed. The
//! time is that from a text to a value that validates, with a compiled schema.

// Sizes become floating point numbers to be divided; none is near 2^52.
#![allow(clippy::cast_precision_loss)]

mod answers;
mod hostile;
mod peer;

use std::hint::black_box;

use cpu_time::ThreadTime;
use llmend_benches::arguments::Arguments;
use llmend_benches::measure::{Effort, exponent};
use llmend_benches::table::{Table, bytes, seconds};
use llmend_schema::{Options, Schema, coerce};

use crate::answers::{Answer, State};
use crate::peer::Reply;

/// Sizes of the texts, in bytes.
const SIZES: [usize; 4] = [1_000, 13_000, 51_000, 129_000];

/// Required speed relative to the peer, and the size at which it is required.
const BAR: (f64, usize) = (100.0, 51_000);

fn main() {
    let arguments = Arguments::read();
    let parts = arguments.chosen(&["answers", "hostile"]);
    if parts.contains(&"answers") {
        answers(&arguments);
    }
    if parts.contains(&"hostile") {
        hostile::run(arguments.effort);
    }
}

/// Returns the coerced value of a text.
fn fitted(text: &str, schema: &Schema) -> Result<serde_json::Value, String> {
    let parsed = llmend_json::parse(text).map_err(|error| error.to_string())?;
    let coerced = coerce(&parsed.value, schema, &Options::default());
    match coerced.violations.first() {
        Some(violation) => Err(format!("{:?}: {}", violation.path, violation.message)),
        None => Ok(coerced.value.to_serde().value),
    }
}

/// Returns the shortest of several runs, in CPU seconds.
fn shortest(run: impl Fn(), effort: Effort) -> f64 {
    run();
    let began = ThreadTime::now();
    let mut best = f64::INFINITY;
    for round in 0..10_000 {
        let start = ThreadTime::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
        if round >= 2 && began.elapsed() > effort.budget / 12 {
            break;
        }
    }
    best
}

fn answers(arguments: &Arguments) {
    let schema = Schema::new(&answers::schema()).expect("a schema");
    let mut cases = Vec::new();
    for state in State::ALL {
        cases.extend(SIZES.map(|size| (state, size, Answer::generate(size, state))));
    }
    for (state, size, case) in &cases {
        let found = fitted(&case.text, &schema);
        assert_eq!(found.as_ref(), Ok(&case.wanted), "{}, {}", state.name(), bytes(*size));
    }
    let Some(effort) = arguments.effort else { return println!("every answer is right") };
    let texts: Vec<&str> = cases.iter().map(|(_, _, case)| case.text.as_str()).collect();
    let replies = arguments.python.as_ref().map(|python| peer::ask(python, &texts));
    let mut table = Table::new(
        2,
        &["answer", "size", "llmend", "ns a byte", "growth", "baml-py", "ratio", "its answer"],
    );
    let mut bars = Vec::new();
    let mut growths = Vec::new();
    for (rows, of) in cases.chunks(SIZES.len()).zip(0..) {
        let mut points = Vec::new();
        for ((state, size, case), at) in rows.iter().zip(0..) {
            let run = || {
                let parsed =
                    llmend_json::parse(black_box(&case.text)).expect("it was right before");
                drop(black_box(coerce(&parsed.value, &schema, &Options::default())));
            };
            let took = shortest(run, effort);
            points.push((case.text.len() as f64, took));
            let reply = replies.as_ref().and_then(|replies| replies.get(of * SIZES.len() + at));
            let ratio = reply.and_then(|reply| reply.seconds.map(|seconds| seconds / took));
            if *size == BAR.1 {
                bars.extend(ratio);
            }
            let growth =
                if at == 0 { "–".to_owned() } else { format!("{:.2}", exponent(&points)) };
            table.row(vec![
                state.name().to_owned(),
                bytes(*size),
                seconds(took),
                format!("{:.1}", took * 1e9 / case.text.len() as f64),
                growth,
                reply.and_then(|reply| reply.seconds).map_or("–".to_owned(), seconds),
                ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.0}")),
                reply.map_or("–".to_owned(), |reply| judged(reply, &case.wanted)),
            ]);
        }
        growths.push(exponent(&points));
    }
    print!("{}", if arguments.markdown { table.markdown() } else { table.plain() });
    println!("\n{}", verdict(&growths, &bars));
}

/// Null members are ignored: the peer writes every member of its types.
fn judged(reply: &Reply, wanted: &serde_json::Value) -> String {
    match &reply.value {
        Ok(value) if without_nulls(value) == without_nulls(wanted) => "right".to_owned(),
        Ok(_) => "wrong".to_owned(),
        Err(_) => "refused".to_owned(),
    }
}

fn without_nulls(value: &serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(members) => {
            let kept = members.iter().filter(|(_, value)| !value.is_null());
            kept.map(|(key, value)| (key.clone(), without_nulls(value))).collect()
        }
        serde_json::Value::Array(items) => items.iter().map(without_nulls).collect(),
        scalar => scalar.clone(),
    }
}

fn verdict(growths: &[f64], bars: &[f64]) -> String {
    let growth = growths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut text = format!("verdict: time grows with the size to the power of {growth:.2} at most");
    if let Some(least) = bars.iter().copied().min_by(f64::total_cmp) {
        text.push_str(&format!(
            "; at {} at least {least:.0} times as fast as baml-py (the bar is {})",
            bytes(BAR.1),
            BAR.0
        ));
    }
    text
}
