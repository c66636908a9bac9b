//! Times for hostile schemas and values, which must stay below one second each.

use std::hint::black_box;
use std::io::Write as _;

use cpu_time::ThreadTime;
use llmend_benches::measure::Effort;
use llmend_benches::table::{Table, seconds};
use llmend_schema::{Options, Schema, coerce};
use llmend_testing::schema::hostile::{ALL, Hostile, gone};

/// Time limit for each, in seconds.
const BAR: f64 = 1.0;

/// Default stack size of a thread.
const STACK: usize = 2 << 20;

/// Outcome, and CPU seconds for the schema and the value.
struct Row {
    outcome: String,
    compiled: f64,
    coerced: f64,
}

pub(crate) fn run(effort: Option<Effort>) {
    let mut table = Table::new(2, &["hostile", "outcome", "compile", "parse and coerce"]);
    let mut over = Vec::new();
    for hostile in ALL {
        eprint!("{} … ", hostile.name);
        std::io::stderr().flush().expect("stderr can be written");
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(|| hold(hostile));
        let row = thread.expect("a thread can be started").join().expect("no panic");
        eprintln!("{}", row.outcome);
        if row.compiled + row.coerced > BAR {
            over.push(hostile.name);
        }
        table.row(vec![
            hostile.name.to_owned(),
            row.outcome,
            seconds(row.compiled),
            seconds(row.coerced),
        ]);
    }
    if effort.is_some() {
        println!("{}", table.plain());
        println!("verdict: {} of {} take more than a second {over:?}", over.len(), ALL.len());
    }
}

fn hold(hostile: &Hostile) -> Row {
    let (json, text) = (hostile.make)(hostile.size);
    let start = ThreadTime::now();
    let schema = Schema::new(&json);
    let compiled = start.elapsed().as_secs_f64();
    gone(json);
    let schema = match schema {
        Ok(schema) => schema,
        Err(error) => return Row { outcome: error.code().to_owned(), compiled, coerced: 0.0 },
    };
    let start = ThreadTime::now();
    let options = llmend_json::Options { max_depth: usize::MAX, ..llmend_json::Options::default() };
    let outcome = match llmend_json::parse_with(&text, &options) {
        Err(error) => error.code().to_owned(),
        Ok(parsed) => {
            let coerced = black_box(coerce(&parsed.value, &schema, &Options::default()));
            match coerced.violations.as_slice() {
                [] => format!("fits, {} coercions", coerced.coercions.len()),
                [first, ..] => format!("{} violations, {}", coerced.violations.len(), first.code),
            }
        }
    };
    Row { outcome, compiled, coerced: start.elapsed().as_secs_f64() }
}
