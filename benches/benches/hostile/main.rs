//! Growth of the time for reading hostile texts, and for cloning, comparing, writing and dropping
//! the value, on a thread with a stack of two megabytes. See the crate's documentation.

// Sizes become floating point numbers to be divided; none is near 2^52.
#![allow(clippy::cast_precision_loss)]

mod kinds;

use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use llmend_benches::arguments::Arguments;
use llmend_benches::document::Document;
use llmend_benches::engine::{Survival, Treatment, survive};
use llmend_benches::measure::{Effort, exponent};
use llmend_benches::node::Layout;
use llmend_benches::table::{Table, bytes, seconds};

use crate::kinds::{Kind, kinds};

const SIZES: [usize; 5] = [1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20];

const STACK: usize = 2 << 20;

/// Times below this at the largest size are too short to fit an exponent.
const TOO_SHORT: Duration = Duration::from_micros(500);

fn main() {
    let arguments = Arguments::read();
    let bench = move || run(&arguments);
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(bench);
    if thread.expect("a thread can be started").join().is_err() {
        std::process::exit(1);
    }
}

fn run(arguments: &Arguments) {
    let kinds = kinds();
    let names: Vec<_> = kinds.iter().map(|kind| kind.name.as_str()).collect();
    let names = arguments.chosen(&names);
    let treatments = arguments.chosen(&Treatment::ALL.map(Treatment::name));
    let document = Document::generate(SIZES[4], Layout::Pretty);
    let valid = document.text();

    let mut rows = Vec::new();
    for kind in kinds.iter().filter(|kind| names.contains(&kind.name.as_str())) {
        for treatment in Treatment::ALL.into_iter().filter(|it| treatments.contains(&it.name())) {
            // Printed before the attempt, since a stack overflow ends the process.
            eprint!("{}, {} … ", kind.name, treatment.name());
            std::io::stderr().flush().expect("stderr can be written");
            let row = measure(kind, treatment, &valid, arguments.effort);
            eprintln!(
                "{}, exponent {}, {:.1} × serde_json",
                row.outcome,
                show(Row::exponent(&row.read)),
                row.ratio(&row.read)
            );
            rows.push(row);
        }
    }
    if arguments.markdown {
        print!("{}", summary(&rows).markdown());
    } else {
        println!("{}", details(&rows).plain());
        print!("{}", worst(&rows).plain());
    }
    println!("\n{}", verdict(&rows));
}

/// One kind of text under one treatment.
struct Row {
    kind: String,
    treatment: &'static str,
    outcome: &'static str,
    /// The shortest times, for the sizes that were measured.
    read: Vec<Duration>,
    handle: Vec<Duration>,
    baseline: Duration,
}

impl Row {
    fn exponent(times: &[Duration]) -> Option<f64> {
        let last = times.last().filter(|&&time| time >= TOO_SHORT && times.len() > 1)?;
        debug_assert!(!last.is_zero());
        let times = SIZES.iter().zip(times);
        let points: Vec<_> = times.map(|(&size, time)| (size as f64, time.as_secs_f64())).collect();
        Some(exponent(&points))
    }

    /// Time at the largest size relative to the baseline; for an unfinished row, the time so far.
    fn ratio(&self, times: &[Duration]) -> f64 {
        times.last().map_or(0.0, |time| time.as_secs_f64() / self.baseline.as_secs_f64())
    }
}

/// Measures all sizes repeatedly and keeps the shortest times, so that a temporary slowdown does
/// not affect a single size.
fn measure(kind: &Kind, treatment: Treatment, valid: &str, effort: Option<Effort>) -> Row {
    let (rounds, patience) =
        effort.map_or((1, Duration::ZERO), |effort| (effort.rounds, effort.budget / 3));
    let mut texts: Vec<_> = SIZES.map(|size| kind.text(size)).into();
    let mut row = Row {
        kind: kind.name.clone(),
        treatment: treatment.name(),
        outcome: "",
        read: vec![Duration::MAX; texts.len()],
        handle: vec![Duration::MAX; texts.len()],
        baseline: Duration::MAX,
    };
    let start = Instant::now();
    for round in 0..rounds {
        // There are at least two rounds: the first is a warm-up.
        if round >= 2 && start.elapsed() > patience {
            break;
        }
        row.baseline = row.baseline.min(baseline(valid));
        for (at, text) in texts.iter().enumerate() {
            // Small texts are parsed quickly, and their times vary the most.
            let runs = (SIZES[4] / SIZES[at]).min(4);
            for Survival { outcome, read, handle } in (0..runs).map(|_| survive(text, treatment)) {
                row.outcome = outcome;
                row.read[at] = row.read[at].min(read);
                row.handle[at] = row.handle[at].min(handle);
            }
            if effort.is_some() && row.read[at] + row.handle[at] > patience {
                // Larger sizes are skipped from here on.
                row.read.truncate(at + 1);
                row.handle.truncate(at + 1);
                break;
            }
        }
        texts.truncate(row.read.len());
    }
    row
}

fn baseline(valid: &str) -> Duration {
    let start = ThreadTime::now();
    drop(black_box(serde_json::from_str::<serde_json::Value>(black_box(valid))));
    start.elapsed()
}

fn show(exponent: Option<f64>) -> String {
    exponent.map_or_else(|| "–".to_owned(), |it| format!("{it:.2}"))
}

fn details(rows: &[Row]) -> Table {
    let sizes = SIZES.map(|size| format!("{} KiB", size >> 10));
    let mut header = vec!["text", "treatment", "outcome"];
    header.extend(sizes.iter().map(String::as_str));
    header.extend(["exponent", "× serde_json", "handling", "exponent", "× serde_json"]);
    let mut table = Table::new(3, &header);
    for row in rows {
        let mut cells: Vec<_> =
            [row.kind.as_str(), row.treatment, row.outcome].map(str::to_owned).into();
        for at in 0..SIZES.len() {
            cells.push(
                row.read.get(at).map_or_else(|| "–".to_owned(), |it| seconds(it.as_secs_f64())),
            );
        }
        cells.push(show(Row::exponent(&row.read)));
        cells.push(format!("{:.2}", row.ratio(&row.read)));
        let handle = row.handle.last().filter(|time| !time.is_zero());
        cells.push(handle.map_or_else(|| "–".to_owned(), |it| seconds(it.as_secs_f64())));
        cells.push(show(Row::exponent(&row.handle)));
        cells.push(
            handle.map_or_else(|| "–".to_owned(), |_| format!("{:.2}", row.ratio(&row.handle))),
        );
        table.row(cells);
    }
    table
}

/// Returns a row for each kind, with the worst of its treatments.
fn summary(rows: &[Row]) -> Table {
    let mut table =
        Table::new(2, &["text", "outcomes", "1 MiB, at worst", "exponent", "× serde_json"]);
    for rows in rows.chunk_by(|left, right| left.kind == right.kind) {
        let mut outcomes: Vec<_> = rows.iter().map(|row| row.outcome).collect();
        outcomes.dedup();
        let worst = rows.iter().filter_map(|row| row.read.last()).max();
        table.row(vec![
            format!("`{}`", rows[0].kind),
            outcomes.join(", "),
            worst.map_or_else(String::new, |it| seconds(it.as_secs_f64())),
            show(rows.iter().filter_map(|row| Row::exponent(&row.read)).reduce(f64::max)),
            format!("{:.2}", rows.iter().map(|row| row.ratio(&row.read)).fold(0.0, f64::max)),
        ]);
    }
    table
}

/// Returns the summary: the greatest exponents and ratios with their rows.
fn verdict(rows: &[Row]) -> String {
    let mut text = format!("verdict: {} rows on a stack of {}", rows.len(), bytes(STACK));
    for (what, number) in FIGURES {
        if let Some((figure, row)) = greatest(rows, *number).first() {
            text.push_str(&format!("; max {what} {figure:.2} ({}, {})", row.kind, row.treatment));
        }
    }
    let unfinished = rows.iter().filter(|row| row.read.len() < SIZES.len()).count();
    if unfinished > 0 {
        text.push_str(&format!("; {unfinished} not finished, for want of patience"));
    }
    text
}

/// Returns the most important rows by each figure.
fn worst(rows: &[Row]) -> Table {
    let mut table = Table::new(3, &["worst", "text", "treatment", "figure"]);
    for (what, number) in FIGURES {
        for (figure, row) in greatest(rows, *number).iter().take(10) {
            let words = [what, row.kind.as_str(), row.treatment].map(str::to_owned);
            table.row(words.into_iter().chain([format!("{figure:.2}")]).collect());
        }
    }
    table
}

type Figure = fn(&Row) -> Option<f64>;

const FIGURES: &[(&str, Figure)] = &[
    ("exponent of reading", |row| Row::exponent(&row.read)),
    ("ratio of reading", |row| Some(row.ratio(&row.read))),
    ("exponent of handling", |row| Row::exponent(&row.handle)),
    ("ratio of handling", |row| Some(row.ratio(&row.handle))),
];

/// Returns the rows that have a figure, in descending order.
fn greatest(rows: &[Row], figure: Figure) -> Vec<(f64, &Row)> {
    let mut figures: Vec<_> = rows.iter().filter_map(|row| Some((figure(row)?, row))).collect();
    figures.sort_by(|left, right| right.0.total_cmp(&left.0));
    figures
}
