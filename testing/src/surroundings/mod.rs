//! Answers whose surroundings decide what the answer is: parts of something larger, quoted lines,
//! drafts, several values, and texts around a value that must not disturb it.

mod lines;
mod part;
mod rank;
mod several;
mod trap;

use crate::case::{Case, Verdict};
use crate::damage::tokens::{Layout, Spelling, render, tokens};
use crate::data::Data;
use crate::random::Random;
use crate::words::{self, noun};

/// One sort of surroundings.
pub struct Kind {
    /// Name of the sort.
    pub name: &'static str,
    make: fn(&mut Random) -> Made,
}

/// A text and its readings.
struct Made {
    input: String,
    verdict: Verdict,
    /// The wanted value first, then those as good.
    values: Vec<Data>,
}

impl Made {
    /// A text that has exactly one reading.
    fn value(input: String, value: Data) -> Self {
        Self { input, verdict: Verdict::Value, values: vec![value] }
    }

    /// A text that may be refused as well.
    fn unclear(input: String, values: Vec<Data>) -> Self {
        let verdict = if values.is_empty() { Verdict::Error } else { Verdict::Ambiguous };
        Self { input, verdict, values }
    }
}

/// All sorts.
#[must_use]
pub fn kinds() -> Vec<&'static Kind> {
    [part::KINDS, lines::KINDS, rank::KINDS, several::KINDS, trap::KINDS]
        .into_iter()
        .flatten()
        .collect()
}

/// Generates `count` texts of each sort. Equal seeds give equal cases.
#[must_use]
pub fn cases(seed: u64, count: usize) -> Vec<Case> {
    kinds().into_iter().flat_map(|kind| (0..count).map(move |at| case(kind, seed, at))).collect()
}

/// Generates the text of this sort with this index.
#[must_use]
pub fn case(kind: &Kind, seed: u64, index: usize) -> Case {
    let salt =
        kind.name.bytes().fold(seed, |sum, byte| sum.wrapping_mul(131).wrapping_add(byte.into()));
    let mut r = Random::for_case(salt, index);
    let mut made = (kind.make)(&mut r);
    while Data::read(&made.input).is_ok() {
        made = (kind.make)(&mut r);
    }
    let mut values = made.values.into_iter();
    Case {
        id: format!("surroundings-{}-{seed}-{index}", kind.name),
        shape: kind.name.to_owned(),
        kinds: vec![kind.name],
        input: made.input,
        expected: values.next(),
        verdict: made.verdict,
        accept: values.collect(),
        note: kind.name.to_owned(),
        valid_json: false,
        cut: None,
    }
}

/// Writes a value in any layout.
fn write(r: &mut Random, value: &Data) -> String {
    written(value, &Layout::any(r))
}

fn written(value: &Data, layout: &Layout) -> String {
    render(&tokens(value, layout, Spelling { ascii: false, slashes: false }))
}

/// Writes a value over several lines.
fn pretty(r: &mut Random, value: &Data) -> String {
    written(value, &Layout::Pretty { indent: r.pick(&["  ", "    ", "\t"]), inline_lists: false })
}

/// A scalar without anything that needs an escape.
fn scalar(r: &mut Random) -> Data {
    match r.below(8) {
        0..=2 => Data::text(noun(r)),
        3 => Data::Text(words::sentence(r)),
        4 | 5 => Data::number(r.below(500)),
        6 => Data::Bool(r.chance(50)),
        _ => Data::Number(format!("{}.{}", r.below(90), r.between(1, 99))),
    }
}

/// An object of `count` scalar members with different keys.
fn record(r: &mut Random, count: usize) -> Vec<(String, Data)> {
    let mut members: Vec<(String, Data)> = Vec::new();
    while members.len() < count {
        let key = if r.chance(60) { noun(r).to_owned() } else { words::identifier(r) };
        if members.iter().all(|(other, _)| *other != key) {
            members.push((key, scalar(r)));
        }
    }
    members
}

/// An object of one to four scalar members.
fn small(r: &mut Random) -> Data {
    let count = r.between(1, 4);
    Data::Map(record(r, count))
}

/// A record with the same keys as `other` and other values.
fn sibling(r: &mut Random, other: &Data) -> Data {
    let Data::Map(members) = other else { return other.clone() };
    loop {
        let new: Vec<(String, Data)> = members
            .iter()
            .map(|(key, value)| {
                let new = match value {
                    Data::Number(_) => Data::number(r.below(500)),
                    Data::Bool(_) => Data::Bool(r.chance(50)),
                    _ => Data::Text(words::phrase(r)),
                };
                (key.clone(), new)
            })
            .collect();
        if new != *members {
            return Data::Map(new);
        }
    }
}

/// An object with scalar members, one object and one list, in any order.
fn nested(r: &mut Random) -> Data {
    let count = r.between(2, 4);
    let mut members = record(r, count);
    let inner = small(r);
    let items = (0..r.between(2, 3)).map(|_| small(r)).collect();
    let at = r.below(members.len() + 1);
    members.insert(at, ("detail".to_owned(), inner));
    let at = r.below(members.len() + 1);
    members.insert(at, ("parts".to_owned(), Data::List(items)));
    Data::Map(members)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{case, kinds};

    #[test]
    fn every_sort_has_many_different_texts() {
        for kind in kinds() {
            let texts: HashSet<String> = (0..220).map(|at| case(kind, 1, at).input).collect();
            assert!(texts.len() >= 200, "{}: {}", kind.name, texts.len());
            assert_eq!(case(kind, 1, 3).input, case(kind, 1, 3).input);
        }
    }
}
