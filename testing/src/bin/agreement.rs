//! Agreement of llmend with `json_repair` and `jsonrepair` on broken texts that these two read alike.
//!
//!     score --corpus damage,faults --n 20000 --dump cases.jsonl
//!     agreement --python PYTHON --node FOLDER --show 3 cases.jsonl
//!
//! Valid texts are left out. For each shape: how many texts the two read alike, how many of these
//! llmend reads as they do, and what it does with the rest: it reads them as the author of the text
//! meant, refuses, or reads something else. Only the last two count against it.

use std::{collections::BTreeMap, io::Write as _, process::ExitCode};

use llmend_testing::{
    case::{Answer, Case, Outcome, judge},
    corpus,
    data::Data,
    engine::{Engine, Llmend, Reply, json_repair, jsonrepair},
};

const USAGE: &str = "Usage: agreement --python PATH --node FOLDER [--show K] CASES.jsonl...";

/// The texts of a shape that the two peers read alike.
#[derive(Default)]
struct Row<'c> {
    alike: usize,
    same: usize,
    meant: usize,
    refused: Vec<&'c str>,
    other: Vec<&'c str>,
}

fn count<'c>(cases: &'c [Case], replies: &[Vec<Reply>; 3]) -> BTreeMap<&'c str, Row<'c>> {
    let mut rows: BTreeMap<&str, Row<'_>> = BTreeMap::new();
    let [ours, first, second] = replies;
    for (((case, ours), first), second) in cases.iter().zip(ours).zip(first).zip(second) {
        let (Answer::Value(value), Answer::Value(twin)) = (&first.answer, &second.answer) else {
            continue;
        };
        if !value.same(twin) || Data::read(&case.input).is_ok() {
            continue;
        }
        let row = rows.entry(&case.shape).or_default();
        row.alike += 1;
        match &ours.answer {
            Answer::Value(own) if own.same(value) => row.same += 1,
            answer if judge(case, answer) == Outcome::Right => row.meant += 1,
            Answer::Value(_) => row.other.push(&case.input),
            _ => row.refused.push(&case.input),
        }
    }
    rows
}

fn print(rows: &BTreeMap<&str, Row<'_>>, show: usize) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let line = |name: &str, [alike, same, meant, refused, other]: [usize; 5]| {
        format!("{name:32}{alike:>10}{same:>10}{meant:>10}{refused:>10}{other:>10}")
    };
    writeln!(
        out,
        "{:32}{:>10}{:>10}{:>10}{:>10}{:>10}",
        "shape", "alike", "same", "as meant", "refused", "other"
    )?;
    let mut all = [0; 5];
    for (shape, row) in rows {
        let numbers = [row.alike, row.same, row.meant, row.refused.len(), row.other.len()];
        all.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        writeln!(out, "{}", line(shape, numbers))?;
        for (what, texts) in [("refused", &row.refused), ("other", &row.other)] {
            let mut shortest = texts.clone();
            shortest.sort_by_key(|text| text.len());
            for text in shortest.into_iter().take(show) {
                writeln!(out, "  {what}: {text}")?;
            }
        }
    }
    writeln!(out, "{}", line("TOTAL", all))
}

fn run() -> Result<(), String> {
    let (mut python, mut node, mut show, mut cases) = (None, None, 0, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut next = || words.next().ok_or_else(|| USAGE.to_owned());
        match word.as_str() {
            "--python" => python = Some(next()?),
            "--node" => node = Some(next()?),
            "--show" => show = next()?.parse().map_err(|_| USAGE.to_owned())?,
            path => {
                let text =
                    std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
                cases.extend(corpus::load(&text));
            }
        }
    }
    let (Some(python), Some(node)) = (python, node) else { return Err(USAGE.to_owned()) };
    let texts: Vec<&str> = cases.iter().map(|case| case.input.as_str()).collect();
    let replies = [
        Llmend.run(&texts)?,
        json_repair(python.into()).run(&texts)?,
        jsonrepair(node.into()).run(&texts)?,
    ];
    print(&count(&cases, &replies), show).map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}
