//! Agreement of llmend with `json_repair` and `jsonrepair` on broken texts that these two read alike.
//!
//!     agreement --python PYTHON --node FOLDER [--texts N] [--show K] [CASES.jsonl...]
//!
//! The texts are those of the generators, and of files that `score --dump` writes or that have the
//! same form. Valid texts and repetitions are left out. Of the texts that the two peers read alike,
//! it counts those that llmend reads as they do, and the others by kind of difference: how often
//! llmend's answer is what the author of the text meant, and how often that of the peers is.

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::process::ExitCode;

use llmend_testing::case::{Answer, Case, Outcome, judge};
use llmend_testing::corpora::{Size, named};
use llmend_testing::data::Data;
use llmend_testing::difference;
use llmend_testing::engine::{Engine, Llmend, Reply, json_repair, jsonrepair};
use llmend_testing::{faults, structural, surroundings};

const USAGE: &str = "\
Usage: agreement --python PATH --node FOLDER [options] [CASES.jsonl...]
  --python PATH   the Python interpreter that has json_repair
  --node FOLDER   the folder whose node_modules has jsonrepair
  --texts N       how many broken texts the generators make (default 50000)
  --seed S        the seed of the generators (default 1)
  --show K        print the K shortest texts of each kind of difference (default 5)";

struct Options {
    python: String,
    node: String,
    texts: usize,
    seed: u64,
    show: usize,
    files: Vec<String>,
}

fn options() -> Option<Options> {
    let (mut python, mut node, mut files) = (None, None, Vec::new());
    let (mut texts, mut seed, mut show) = (50_000, 1, 5);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--python" => python = words.next(),
            "--node" => node = words.next(),
            "--texts" => texts = words.next()?.parse().ok()?,
            "--seed" => seed = words.next()?.parse().ok()?,
            "--show" => show = words.next()?.parse().ok()?,
            option if option.starts_with('-') => return None,
            file => files.push(file.to_owned()),
        }
    }
    Some(Options { python: python?, node: node?, texts, seed, show, files })
}

/// Returns different broken texts: two fifths with many kinds of damage, the others by kind.
fn broken(o: &Options) -> Result<Vec<Case>, String> {
    let kinds =
        faults::classes().len() + surroundings::kinds().len() + 2 * structural::kinds().len();
    let damage = o.texts * 2 / 5;
    let each = (o.texts - damage).div_ceil(kinds);
    let size = |count| Size { seed: o.seed, count, valid: 0 };
    let mut seen = HashSet::new();
    let mut is_new =
        |case: &Case| Data::read(&case.input).is_err() && seen.insert(case.input.clone());
    let mut all = Vec::new();
    for file in &o.files {
        all.extend(named(file, size(0))?);
    }
    all.extend(named("faults,surroundings,records,nested", size(each))?);
    all.retain(&mut is_new);
    // What repeats itself is made up for by more damage.
    let missing = (o.texts + damage / 2).saturating_sub(all.len());
    let more = named("damage", size(missing))?;
    all.extend(more.into_iter().filter(is_new).take(o.texts.saturating_sub(all.len())));
    Ok(all)
}

/// A text that the peers read alike, and llmend does not.
struct Difference<'c> {
    case: &'c Case,
    peers: &'c Data,
    ours: &'c Answer,
}

#[derive(Default)]
struct Row<'c> {
    /// Those in which llmend's answer is what was meant.
    ours: usize,
    /// Those in which the peers' value is.
    peers: usize,
    texts: Vec<Difference<'c>>,
}

#[derive(Default)]
struct Table<'c> {
    alike: usize,
    same: usize,
    meant: usize,
    rows: BTreeMap<String, Row<'c>>,
}

fn count<'c>(cases: &'c [Case], replies: &'c [Vec<Reply>; 3]) -> Table<'c> {
    let mut table = Table::default();
    let [ours, first, second] = replies;
    for (((case, ours), first), second) in cases.iter().zip(ours).zip(first).zip(second) {
        let (Answer::Value(value), Answer::Value(twin)) = (&first.answer, &second.answer) else {
            continue;
        };
        if !value.same(twin) {
            continue;
        }
        table.alike += 1;
        if matches!(&ours.answer, Answer::Value(own) if own.same(value)) {
            table.same += 1;
            continue;
        }
        let row = table.rows.entry(difference::kind(value, &ours.answer)).or_default();
        let is_meant = judge(case, &ours.answer) == Outcome::Right;
        table.meant += usize::from(is_meant);
        row.ours += usize::from(is_meant);
        row.peers += usize::from(judge(case, &first.answer) == Outcome::Right);
        row.texts.push(Difference { case, peers: value, ours: &ours.answer });
    }
    table
}

fn print(cases: usize, table: &Table<'_>, show: usize) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut rows: Vec<(&String, &Row<'_>)> = table.rows.iter().collect();
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.texts.len()));
    writeln!(out, "{:60}{:>8}{:>12}{:>12}", "difference", "texts", "llmend right", "peers right")?;
    for (kind, row) in &rows {
        writeln!(out, "{kind:60}{:>8}{:>12}{:>12}", row.texts.len(), row.ours, row.peers)?;
    }
    for (kind, row) in &rows {
        let mut texts: Vec<&Difference<'_>> = row.texts.iter().collect();
        // First those in which llmend is wrong, the shortest first.
        texts.sort_by_key(|found| {
            (judge(found.case, found.ours) == Outcome::Right, found.case.input.len())
        });
        for found in texts.into_iter().take(show) {
            let ours = match found.ours {
                Answer::Value(value) => value.write(),
                Answer::Refused(code) | Answer::NotJson(code) => code.clone(),
            };
            let outcome = judge(found.case, found.ours);
            writeln!(
                out,
                "\n{kind} ({}, llmend {outcome:?})\n  text  : {}",
                found.case.id, found.case.input
            )?;
            writeln!(out, "  peers : {}\n  llmend: {ours}", found.peers.write())?;
        }
    }
    let share = |part: usize| percent(part, table.alike);
    writeln!(
        out,
        "\n{cases} broken texts; the peers read {} alike; llmend reads {} ({}) as they do, and {} more ({} in all) as meant",
        table.alike,
        table.same,
        share(table.same),
        table.meant,
        share(table.same + table.meant),
    )
}

fn percent(part: usize, whole: usize) -> String {
    let hundredths = part * 10_000 / whole.max(1);
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

fn run() -> Result<(), String> {
    let o = options().ok_or(USAGE)?;
    let cases = broken(&o)?;
    let texts: Vec<&str> = cases.iter().map(|case| case.input.as_str()).collect();
    let (first, second) = (json_repair(o.python.into()), jsonrepair(o.node.into()));
    let replies = std::thread::scope(|scope| {
        let first = scope.spawn(|| first.run(&texts));
        let second = scope.spawn(|| second.run(&texts));
        let ours = Llmend.run(&texts)?;
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<Vec<Reply>, String>>| {
            thread.join().unwrap_or_else(|_| Err("a peer's thread panicked".to_owned()))
        };
        Ok::<_, String>([ours, join(first)?, join(second)?])
    })?;
    print(cases.len(), &count(&cases, &replies), o.show).map_err(|error| error.to_string())
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
