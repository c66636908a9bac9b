//! Coercion of generated answers: nothing is lost, invented or unrecorded.

#![cfg(feature = "llmend")]

use std::collections::BTreeMap;
use std::fmt::Write;

use llmend_testing::schema::check::{self, Outcome};
use llmend_testing::schema::{Case, beyond, reversible, valid};

const CASES: usize = 10_000;
const SEED: u64 = 401;

/// Judges all cases on some threads.
fn judged(make: fn(u64, usize) -> Case, judge: fn(&Case) -> Outcome) -> Vec<(Case, Outcome)> {
    const THREADS: usize = 4;
    std::thread::scope(|scope| {
        let part = |first: usize| {
            let one = move |index| {
                let case = make(SEED, index);
                let outcome = judge(&case);
                (case, outcome)
            };
            scope.spawn(move || (first..CASES).step_by(THREADS).map(one).collect::<Vec<_>>())
        };
        let parts: Vec<_> = (0..THREADS).map(part).collect();
        parts.into_iter().flat_map(|part| part.join().expect("no panic")).collect()
    })
}

/// What failed, by the kind of damage, each with its shortest case.
fn told<'c>(failed: impl Iterator<Item = (&'c Case, &'c str)>) -> String {
    let mut kinds: BTreeMap<&str, Vec<(&Case, &str)>> = BTreeMap::new();
    for (case, why) in failed {
        let kind = case.damages.first().map_or("valid", |damage| damage.kind);
        kinds.entry(kind).or_default().push((case, why));
    }
    let mut rows: Vec<_> = kinds.into_iter().collect();
    rows.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    let mut out = String::new();
    for (kind, mut cases) in rows {
        cases.sort_by_key(|(case, _)| {
            case.damages.len() * 10_000 + case.text.len() + case.schema.to_string().len()
        });
        let _ = writeln!(out, "{kind}: {}", cases.len());
        for (case, why) in cases.iter().take(2) {
            let damages: Vec<String> = case
                .damages
                .iter()
                .map(|damage| format!("{} at {:?}", damage.kind, damage.path))
                .collect();
            let _ = writeln!(
                out,
                "  {} ({})\n    schema {}\n    answer {}\n    wanted {}\n    {}",
                case.id,
                damages.join(", "),
                clipped(&case.schema.to_string()),
                clipped(&case.text.escape_debug().to_string()),
                clipped(&case.instance.write()),
                clipped(why),
            );
        }
    }
    out
}

/// As much of a text as one reads.
fn clipped(text: &str) -> String {
    text.chars().take(600).collect()
}

fn broken(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Broken(why) => Some(why),
        _ => None,
    }
}

/// No promise is broken, and at least `least` of a hundred come out right.
fn holds(results: &[(Case, Outcome)], least: usize) {
    let failed = results.iter().filter_map(|(case, outcome)| Some((case, broken(outcome)?)));
    let broken = failed.clone().count();
    let missed = results.iter().filter_map(|(case, outcome)| match outcome {
        Outcome::Missed(why) => Some((case, why.as_str())),
        _ => None,
    });
    let count = missed.clone().count();
    println!("of {}, {broken} are broken and {count} are missed", results.len());
    assert!(
        broken == 0 && count * 100 <= results.len() * (100 - least),
        "of {}, {broken} are broken and {count} are missed\n# Broken\n{}\n# Missed\n{}",
        results.len(),
        told(failed),
        told(missed)
    );
}

#[test]
fn valid_answers_are_not_touched() {
    let judge = |case: &Case| check::valid(case).map_or_else(Outcome::Broken, |()| Outcome::Right);
    holds(&judged(valid, judge), 100);
}

// S0-19: what is mended is validated, every time.
#[test]
fn near_misses_are_corrected() {
    holds(&judged(reversible::case, check::reversible), 99);
}

// S0-22: a member that is not allowed is among what nothing mends.
#[test]
fn what_is_beyond_repair_is_refused_where_it_is() {
    holds(&judged(beyond::case, check::beyond), 99);
}

#[test]
fn values_that_must_not_be_changed_are_judged_as_by_the_oracle() {
    let judge = |case: &Case| check::judged(case).map_or_else(Outcome::Broken, |()| Outcome::Right);
    for make in [valid, reversible::case, beyond::case] {
        holds(&judged(make, judge), 100);
    }
}
