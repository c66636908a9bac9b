//! Cost of reading tool calls: per byte of text that arrives in pieces, per answer beside its calls
//! as plain JSON, and growth on hostile texts. See the crate's documentation.

// Sizes become floating point numbers to be divided; none is near 2^52.
#![allow(clippy::cast_precision_loss)]

mod texts;

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use llmend_benches::arguments::Arguments;
use llmend_benches::measure::{Effort, Subject, compare, median};
use llmend_benches::table::{Table, bytes};
use llmend_calls::{CallStream, Options, Tools, read};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const PIECES: [usize; 3] = [1, 7, 20];

/// Limit for a streamed text, in nanoseconds per byte.
const BYTE: f64 = 60.0;
/// Limit for an answer, relative to the parser on its calls as JSON.
const ANSWER: f64 = 2.0;
/// Limit for a megabyte of hostile text, in milliseconds.
const HOSTILE: f64 = 60.0;
/// Limit for the time of a megabyte relative to that of a quarter of it: linear is 4.
const GROWTH: f64 = 5.2;
/// Time after which reading counts as endless.
const PATIENCE: Duration = Duration::from_secs(10);

fn main() {
    let arguments = Arguments::read();
    let tools = texts::tools();
    if measure_if_asked(&tools) {
        return;
    }
    check(&tools);
    let Some(effort) = arguments.effort else { return };
    let parts = arguments.chosen(&["stream", "answers", "hostile"]);
    let mut misses = Vec::new();
    if parts.contains(&"stream") {
        println!(
            "\n# nanoseconds a byte, in pieces\n\n{}",
            stream(&tools, effort, &mut misses).plain()
        );
    }
    if parts.contains(&"answers") {
        println!(
            "\n# answers of one kilobyte with two calls\n\n{}",
            answers(&tools, effort, &mut misses).plain()
        );
    }
    if parts.contains(&"hostile") {
        println!("\n# hostile texts\n\n{}", hostile(&mut misses).plain());
    }
    println!("verdict: {} over their bars", misses.len());
    for miss in misses {
        println!("  {miss}");
    }
}

/// Checks that what is timed reads what it should.
fn check(tools: &Tools) {
    for (name, text) in texts::answers() {
        let reading = read(&text, tools, &Options::default());
        assert!(reading.calls.len() == 2 && reading.is_usable(), "{name}: {reading:?}\n{text}");
    }
    for (name, text) in texts::streams(100_000) {
        let reading = read(&text, tools, &Options::default());
        assert_eq!(reading.calls.is_empty(), name == "prose", "{name}");
        assert!(reading.is_usable(), "{name}: {:?}", reading.refused.first());
    }
}

fn streamed(text: &str, size: usize, tools: &std::sync::Arc<Tools>) {
    let mut stream = CallStream::new(tools.clone(), Options::default());
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = size.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        black_box(stream.push(&rest[..end]));
        rest = &rest[end..];
    }
    black_box(stream.finish());
}

fn stream(tools: &Tools, effort: Effort, misses: &mut Vec<String>) -> Table {
    let tools = std::sync::Arc::new(tools.clone());
    let mut header = vec!["text".to_owned()];
    for size in SIZES {
        header.extend(PIECES.map(|piece| format!("{}, {piece} B", bytes(size))));
        header.push("whole".to_owned());
    }
    let mut table = Table::new(1, &header.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, _) in texts::streams(0) {
        let mut cells = vec![name.to_owned()];
        for size in SIZES {
            let (_, text) = texts::streams(size)
                .into_iter()
                .find(|(one, _)| *one == name)
                .expect("the same names");
            let mut cost = |what: String, run: &dyn Fn()| {
                let cost = time(run, effort).as_secs_f64() * 1e9 / text.len() as f64;
                if cost > BYTE {
                    misses.push(format!("{name}, {}, {what}: {cost:.0} ns a byte", bytes(size)));
                }
                format!("{cost:.1}")
            };
            for piece in PIECES {
                cells
                    .push(cost(format!("pieces of {piece} B"), &|| streamed(&text, piece, &tools)));
            }
            cells.push(cost("whole".to_owned(), &|| {
                black_box(read(black_box(&text), &tools, &Options::default()));
            }));
        }
        table.row(cells);
    }
    table
}

/// Returns the median time of a run, of as many as the effort allows.
fn time(run: &dyn Fn(), effort: Effort) -> Duration {
    let mut times = Vec::new();
    let began = ThreadTime::now();
    for round in 0..effort.rounds * 4 {
        if round >= 2 && began.elapsed() > effort.budget / 3 {
            break;
        }
        let start = ThreadTime::now();
        run();
        times.push(start.elapsed().as_secs_f64());
    }
    // The first warms up.
    let rest = if times.len() > 1 { &mut times[1..] } else { &mut times };
    Duration::from_secs_f64(median(rest))
}

fn answers(tools: &Tools, effort: Effort, misses: &mut Vec<String>) -> Table {
    let mut table = Table::new(
        1,
        &["notation", "bytes", "reads a second", "JSON reads a second", "times as long"],
    );
    let plain = texts::plain_calls();
    for (name, text) in texts::answers() {
        let parse = || drop(black_box(llmend_json::parse(black_box(&plain))));
        let calls = || drop(black_box(read(black_box(&text), tools, &Options::default())));
        let baseline = Subject { run: &parse, bytes: 1 };
        let subject = Subject { run: &calls, bytes: 1 };
        let result = compare(&baseline, &subject, effort);
        let ratio = 1.0 / result.ratio;
        if ratio > ANSWER {
            misses.push(format!("answer in {name}: {ratio:.2} times as long as its calls as JSON"));
        }
        table.row(vec![
            name.to_owned(),
            text.len().to_string(),
            format!("{:.0}", result.throughput),
            format!("{:.0}", result.baseline),
            format!("{ratio:.2}"),
        ]);
    }
    table
}

/// Variable that asks a process for one hostile text: its index, its size, and the size of pieces.
const ASKED: &str = "LLMEND_BENCH_CALLS";

/// Times one hostile text if this process was started for it.
fn measure_if_asked(tools: &Tools) -> bool {
    let Ok(asked) = std::env::var(ASKED) else { return false };
    let numbers: Vec<usize> = asked.split(' ').filter_map(|number| number.parse().ok()).collect();
    let &[index, size, piece] = numbers.as_slice() else { return false };
    let (_, opening, unit) = texts::HOSTILE[index];
    let text = format!("{opening}{}", unit.repeat(size / unit.len()));
    let tools = std::sync::Arc::new(tools.clone());
    let mut best = f64::MAX;
    for _ in 0..2 {
        let start = ThreadTime::now();
        if piece > 0 {
            streamed(&text, piece, &tools);
        } else {
            drop(black_box(read(&text, &tools, &Options::default())));
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
        if best > 500.0 {
            break;
        }
    }
    println!("{best}");
    true
}

/// Returns the milliseconds that a process of its own takes; `None` if it is endless.
fn bounded(index: usize, size: usize, piece: usize) -> Option<f64> {
    let program = std::env::current_exe().expect("the program has a path");
    let mut child = Command::new(program)
        .env(ASKED, format!("{index} {size} {piece}"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be started");
    let start = Instant::now();
    while child.try_wait().expect("a child can be waited for").is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().expect("a child can be ended");
            child.wait().expect("a child can be waited for");
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().expect("the output can be read");
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn hostile(misses: &mut Vec<String>) -> Table {
    let mut table = Table::new(
        1,
        &[
            "text",
            "whole, 250 KB",
            "1 MB, ms",
            "growth",
            "pieces of 64 B, 250 KB",
            "1 MB, ms",
            "growth",
        ],
    );
    for (index, (name, _, _)) in texts::HOSTILE.iter().enumerate() {
        eprintln!("{name}");
        let mut cells = vec![(*name).to_owned()];
        for piece in [0, 64] {
            let how = if piece > 0 { "in pieces" } else { "whole" };
            let small = bounded(index, 1 << 18, piece);
            // What takes long at a quarter is not tried at four times the size.
            let large =
                small.filter(|time| *time < 600.0).and_then(|_| bounded(index, 1 << 20, piece));
            let growth = small.zip(large).map(|(small, large)| large / small);
            let show =
                |time: Option<f64>| time.map_or("–".to_owned(), |time| format!("{time:.1}"));
            if large.is_none_or(|time| time > HOSTILE)
                || growth.is_some_and(|growth| growth > GROWTH && large > Some(5.0))
            {
                misses.push(format!(
                    "{name}, {how}: {} ms at 250 KB, {} ms at 1 MB, growth {}",
                    show(small),
                    show(large),
                    growth.map_or("–".to_owned(), |growth| format!("{growth:.1}")),
                ));
            }
            cells.extend([
                show(small),
                show(large),
                growth.map_or("–".to_owned(), |growth| format!("{growth:.1}")),
            ]);
        }
        table.row(cells);
    }
    table
}
