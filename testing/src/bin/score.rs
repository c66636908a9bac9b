//! Table of the texts that llmend repairs correctly, by shape.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use llmend_testing::case::{Answer, Case, Outcome, Verdict, judge};
use llmend_testing::data::Data;
use llmend_testing::engine::{Engine, Llmend, Reply};
use llmend_testing::{corpora, damage, rows};

const USAGE: &str = "\
Usage: score [options]
  --corpus NAMES  dev, defects, damage, unescaped, valid, or all of these (the default); surroundings,
                  faults, records, nested, or a .jsonl file; several with commas
  --n N           how many generated cases; of each kind in surroundings, faults, records and nested
                  (default 3000)
  --valid N       how many valid documents (default 50000)
  --seed S        the seed of the generators (default 1)
  --kind NAME     only one kind of damage, alone, N times
  --by WHAT       shape (default), kind, count, or corpus
  --show K        print the K shortest cases that were not right
  --only WORD     print only cases whose shape or kinds contain this word, and count only them
  --wrong         print only silently wrong cases, not refusals
  --promises      check the promises of llmend on every case instead of scoring
  --dump FILE     write the cases as JSON lines and do not score them; here NAMES may also be calls or
                  calls-damaged (N in each notation), schema-valid, schema-near or schema-beyond
  --kinds         list the kinds of damage";

/// Default number of valid documents, which must be returned unchanged.
const VALID: usize = 50_000;

#[derive(Clone)]
struct Options {
    corpus: String,
    count: usize,
    valid: usize,
    seed: u64,
    kind: Option<String>,
    by: String,
    show: usize,
    only: Option<String>,
    wrong: bool,
    promises: bool,
    dump: Option<PathBuf>,
}

fn options() -> Result<Options, String> {
    let mut o = Options {
        corpus: "all".to_owned(),
        count: 3_000,
        valid: VALID,
        seed: 1,
        kind: None,
        by: "shape".to_owned(),
        show: 0,
        only: None,
        wrong: false,
        promises: false,
        dump: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut next = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("{text} is no number"));
        match word.as_str() {
            "--corpus" => o.corpus = next()?,
            "--n" => o.count = usize::try_from(number(next()?)?).unwrap_or(usize::MAX),
            "--valid" => o.valid = usize::try_from(number(next()?)?).unwrap_or(usize::MAX),
            "--seed" => o.seed = number(next()?)?,
            "--kind" => o.kind = Some(next()?),
            "--by" => o.by = next()?,
            "--show" => o.show = usize::try_from(number(next()?)?).unwrap_or(usize::MAX),
            "--only" => o.only = Some(next()?),
            "--wrong" => o.wrong = true,
            "--promises" => o.promises = true,
            "--dump" => o.dump = Some(next()?.into()),
            "--kinds" => {
                let list: Vec<String> = damage::kinds()
                    .iter()
                    .map(|(name, shape)| format!("{shape:18}{name}"))
                    .collect();
                return Err(list.join("\n"));
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(o)
}

fn cases(o: &Options) -> Result<Vec<Case>, String> {
    if let Some(kind) = &o.kind {
        let seeds = o.seed..o.seed + o.count as u64;
        let found: Vec<Case> = seeds.filter_map(|seed| damage::case_of(kind, seed)).collect();
        return if found.is_empty() {
            Err(format!("no kind of damage is called {kind}"))
        } else {
            Ok(found)
        };
    }
    let size = corpora::Size { seed: o.seed, count: o.count, valid: o.valid };
    let mut all = corpora::named(&o.corpus, size).map_err(|error| format!("{error}\n{USAGE}"))?;
    if let Some(word) = &o.only {
        all.retain(|case| {
            case.shape.contains(word.as_str())
                || case.kinds.iter().any(|k| k.contains(word.as_str()))
        });
    }
    Ok(all)
}

fn groups<'a>(case: &'a Case, by: &str) -> Vec<&'a str> {
    match by {
        "kind" if !case.kinds.is_empty() => case.kinds.clone(),
        "count" => vec![["none", "one", "two", "three", "four"][case.kinds.len().min(4)]],
        "corpus" => vec![corpus_of(case)],
        _ => vec![case.shape.as_str()],
    }
}

/// Source of a case; cases from a file count as `dev`.
fn corpus_of(case: &Case) -> &'static str {
    let generated = ["damage", "unescaped", "valid", "surroundings", "records", "nested"];
    let names =
        |name: &&&str| case.id.strip_prefix(**name).is_some_and(|rest| rest.starts_with('-'));
    match generated.iter().find(names) {
        Some(name) => name,
        None if case.shape == "defect" => "defects",
        None => "dev",
    }
}

/// Assesses a reply. An engine that promises to keep valid text must keep every byte.
fn outcome(case: &Case, reply: &Reply) -> Outcome {
    if case.valid_json && reply.changed == Some(true) && Data::read(&case.input).is_ok() {
        return Outcome::Wrong;
    }
    judge(case, &reply.answer)
}

struct Run {
    replies: Vec<Reply>,
    outcomes: Vec<Outcome>,
}

/// Returns the cases of each group, the hardest first, followed by all cases.
fn grouped<'a>(cases: &'a [Case], run: &Run, by: &str) -> Vec<(&'a str, Vec<usize>)> {
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, case) in cases.iter().enumerate() {
        for group in groups(case, by) {
            rows.entry(group).or_default().push(i);
        }
    }
    let mut order: Vec<(&str, Vec<usize>)> = rows.into_iter().collect();
    let right = |places: &[usize]| rate(run, places, Outcome::Right);
    order.sort_by(|a, b| right(&a.1).total_cmp(&right(&b.1)));
    order.push(("TOTAL", (0..cases.len()).collect()));
    order
}

/// Returns the percentage of the cases at `places` with this outcome.
fn rate(run: &Run, places: &[usize], outcome: Outcome) -> f64 {
    let hits = places.iter().filter(|&&i| run.outcomes[i] == outcome).count();
    100.0 * f64::from(u32::try_from(hits).unwrap_or(u32::MAX))
        / f64::from(u32::try_from(places.len().max(1)).unwrap_or(u32::MAX))
}

fn cell(run: &Run, places: &[usize]) -> String {
    let [right, refused, wrong] = [Outcome::Right, Outcome::Refused, Outcome::Wrong]
        .map(|outcome| rate(run, places, outcome));
    format!("{right:.1} / {refused:.1} / {wrong:.1}")
}

fn table(cases: &[Case], run: &Run, by: &str) -> String {
    let mut out = format!("{by:32}{:>6}{:>24}", "n", "right / ref / WRONG %");
    for (name, places) in grouped(cases, run, by) {
        let _ = write!(out, "\n{name:32}{:6}{:>24}", places.len(), cell(run, &places));
        let unflagged = unflagged(run, &places);
        if unflagged > 0 {
            let _ = write!(out, "  {unflagged} unflagged");
        }
    }
    out
}

/// Returns the number of wrong values that have no class or a harmless one.
fn unflagged(run: &Run, places: &[usize]) -> usize {
    let flagged = |i: usize| matches!(run.replies[i].class, Some("guess" | "loss"));
    places.iter().filter(|&&i| run.outcomes[i] == Outcome::Wrong && !flagged(i)).count()
}

/// The confidence in wrong answers, and detected truncation.
fn confidence(cases: &[Case], run: &Run) -> String {
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    let [mut seen, mut missed, mut calm, mut alarmed] = [0; 4];
    let no_json =
        run.replies.iter().filter(|reply| matches!(reply.answer, Answer::NotJson(_))).count();
    for ((case, reply), outcome) in cases.iter().zip(&run.replies).zip(&run.outcomes) {
        if *outcome == Outcome::Wrong {
            *classes.entry(reply.class.unwrap_or("none")).or_default() += 1;
        }
        match (case.cut, reply.truncated) {
            // Refusals have no confidence.
            (Some(true), Some(true)) => seen += 1,
            (Some(true), Some(false)) => missed += 1,
            (Some(false), Some(false)) => calm += 1,
            (Some(false), Some(true)) => alarmed += 1,
            _ => {}
        }
    }
    format!(
        "wrong by class {classes:?}; no JSON at all {no_json}; cuts flagged {seen}, missed {missed}; whole texts left alone {calm}, flagged {alarmed}"
    )
}

fn show(cases: &[Case], run: &Run, o: &Options) -> String {
    let mut bad: Vec<usize> = (0..cases.len())
        .filter(|&i| match run.outcomes[i] {
            Outcome::Right => false,
            Outcome::Refused => !o.wrong,
            Outcome::Wrong => true,
        })
        .collect();
    bad.sort_by_key(|&i| cases[i].input.len());
    let mut out = String::new();
    for i in bad.into_iter().take(o.show) {
        let (case, reply) = (&cases[i], &run.replies[i]);
        let wanted = match (&case.expected, case.verdict) {
            (Some(value), Verdict::Value) => value.write(),
            (Some(value), _) => format!("{} or a refusal", value.write()),
            (None, _) => "a refusal".to_owned(),
        };
        let got = match &reply.answer {
            Answer::Value(value) => value.write(),
            Answer::NotJson(text) => format!("no JSON: {text}"),
            Answer::Refused(why) => format!("refused: {why}"),
        };
        let class = reply.class.map(|class| format!(" ({class})")).unwrap_or_default();
        let _ = write!(
            out,
            "\n{:?}{class} {} {}\n  in  : {}\n  want: {}\n  got : {}\n",
            run.outcomes[i],
            case.id,
            case.note,
            clip(&case.input),
            clip(&wanted),
            clip(&got)
        );
    }
    out
}

/// Writes the cases, or the answers with tools or a schema, of each name.
fn dump(o: &Options, path: &std::path::Path) -> Result<String, String> {
    let mut made = Vec::new();
    for name in o.corpus.split(',') {
        let one = Options { corpus: name.to_owned(), ..o.clone() };
        made.extend(match rows::generated(name, o.seed, o.count) {
            Some(rows) => rows,
            None => cases(&one)?.iter().map(rows::case).collect(),
        });
    }
    let lines: String = made.iter().map(|row| row.write() + "\n").collect();
    std::fs::write(path, lines).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(format!("{} cases written to {}", made.len(), path.display()))
}

/// Returns the start and the end of a long text.
fn clip(text: &str) -> String {
    const MOST: usize = 800;
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= MOST {
        return text.to_owned();
    }
    let (head, tail) = (&chars[..MOST / 2], &chars[chars.len() - MOST / 2..]);
    let head: String = head.iter().collect();
    format!("{head} [...{} characters...] {}", chars.len() - MOST, tail.iter().collect::<String>())
}

/// Prints the number of texts that break each promise, with the first `show` of them.
fn promises(cases: &[Case], show: usize) -> String {
    use llmend_testing::promises::{Broken, atomic, check_case, check_policies};
    use llmend_testing::random::Random;
    let mut broken: BTreeMap<&str, usize> = BTreeMap::new();
    let mut bad: Vec<(&Case, Broken)> = Vec::new();
    let mut out = String::new();
    for (index, case) in cases.iter().enumerate() {
        let check = || {
            check_case(case)?;
            check_policies(&case.input)?;
            let mut r = Random::for_case(0, index);
            if Data::read(&case.input).is_ok() { atomic(&case.input, &mut r) } else { Ok(()) }
        };
        let result = std::panic::catch_unwind(check).unwrap_or_else(|_| {
            Err(Broken { promise: "panic", why: "the engine panicked".to_owned() })
        });
        if let Err(found) = result {
            *broken.entry(found.promise).or_default() += 1;
            bad.push((case, found));
        }
    }
    bad.sort_by_key(|(case, _)| case.input.len());
    for (case, found) in bad.iter().take(show) {
        let _ = writeln!(
            out,
            "{} {}\n  in  : {}\n  {}: {}\n",
            case.id,
            case.note,
            clip(&case.input),
            found.promise,
            clip(&found.why)
        );
    }
    let _ = writeln!(
        out,
        "{} texts; broken promises (the first of each text): {broken:?}",
        cases.len()
    );
    out
}

fn run() -> Result<String, String> {
    let o = options()?;
    if let Some(path) = &o.dump {
        return dump(&o, path);
    }
    let cases = cases(&o)?;
    if o.promises {
        return Ok(promises(&cases, o.show));
    }
    let texts: Vec<&str> = cases.iter().map(|case| case.input.as_str()).collect();
    let replies = Llmend.run(&texts)?;
    let outcomes = cases.iter().zip(&replies).map(|(case, reply)| outcome(case, reply)).collect();
    let run = Run { replies, outcomes };
    let shown = show(&cases, &run, &o);
    let (table, confidence) = (table(&cases, &run, &o.by), confidence(&cases, &run));
    Ok(format!("{shown}{table}\n{confidence}\n"))
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    match run() {
        // A closed pipe, as from `head`, is not a failure.
        Ok(text) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}
