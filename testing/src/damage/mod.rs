//! Documents of many shapes with one to four kinds of damage, and their expected values.
//!
//! A document consists of tokens with separate spelling and meaning. Damage changes the spelling
//! and rarely the meaning, so the expected value is known for every combination. Three rules
//! exclude combinations that a careful reader could not resolve: damage locks the tokens that its
//! repair depends on; a document has at most one dialect, one cut and one wrapper; and a truncated
//! document gets no neighbors that could be taken for its parts. There is at most one damage to
//! brackets, and none in a truncated document, since only the rest of the text shows which bracket
//! is wrong.
#![allow(
    clippy::many_single_char_names,
    reason = "`w` is the work and `r` the chance in every damage"
)]

mod alone;
mod around;
mod brackets;
mod comments;
mod cut;
mod document;
mod escapes;
mod inner_quotes;
mod numbers;
mod punctuation;
mod style;
pub(crate) mod tokens;
mod values;
mod work;

pub use work::Kind;

use self::tokens::{Layout, Spelling};
use self::work::{Stage, Work};
use crate::case::{Case, Verdict};
use crate::data::Data;
use crate::random::Random;

const GROUPS: &[&[Kind]] = &[
    style::KINDS,
    punctuation::KINDS,
    brackets::KINDS,
    inner_quotes::KINDS,
    escapes::KINDS,
    numbers::KINDS,
    values::KINDS,
    comments::KINDS,
    cut::KINDS,
    around::KINDS,
];

/// All kinds of damage, by name and family.
#[must_use]
pub fn kinds() -> Vec<(&'static str, &'static str)> {
    let damages = GROUPS.iter().copied().flatten().map(|kind| (kind.name, kind.shape));
    damages.chain(alone::FORMS.iter().map(|form| (form.name, form.shape))).collect()
}

/// Generates `count` damaged documents. Equal seeds give equal cases, and case `i` does not depend
/// on `count`.
#[must_use]
pub fn cases(seed: u64, count: usize) -> Vec<Case> {
    (0..count).map(|index| case(seed, index)).collect()
}

/// Generates the case with this index.
#[must_use]
pub fn case(seed: u64, index: usize) -> Case {
    let mut r = Random::for_case(seed, index);
    let id = format!("damage-{seed}-{index}");
    if r.chance(12) {
        return whole(r.one(alone::FORMS), &mut r, id);
    }
    let all: Vec<&Kind> = GROUPS.iter().copied().flatten().collect();
    loop {
        let first = r.pick(&all);
        let more = match r.below(100) {
            0..55 => 0,
            55..82 => 1,
            82..94 => 2,
            _ => 3,
        };
        let others: Vec<&Kind> = (0..more).map(|_| r.pick(&all)).collect();
        if let Some(case) = attempt(&mut r, first, &others, &id) {
            return case;
        }
    }
}

/// Generates a case with this kind of damage only.
#[must_use]
pub fn case_of(kind: &str, seed: u64) -> Option<Case> {
    let id = format!("{kind}-{seed}");
    let salt =
        kind.bytes().fold(0, |sum: usize, byte| sum.wrapping_mul(131).wrapping_add(byte.into()));
    let mut r = Random::for_case(seed, salt);
    if let Some(form) = alone::FORMS.iter().find(|form| form.name == kind) {
        return Some(whole(form, &mut r, id));
    }
    let kind = GROUPS.iter().copied().flatten().find(|k| k.name == kind)?;
    (0..200).find_map(|_| attempt(&mut r, kind, &[], &id))
}

fn whole(form: &alone::Form, r: &mut Random, id: String) -> Case {
    let made = (form.make)(r);
    Case {
        id,
        shape: form.shape.to_owned(),
        kinds: vec![form.name],
        valid_json: Data::read(&made.input).is_ok(),
        input: made.input,
        expected: made.expected,
        verdict: made.verdict,
        accept: made.accept,
        note: form.name.to_owned(),
        cut: made.cut,
    }
}

/// Damages this value by one or two kinds that change neither its end nor what is around it; `None`
/// if none of those tried has a place in it.
pub(crate) fn of(value: &Data, r: &mut Random) -> Option<Case> {
    let all: Vec<&Kind> = GROUPS.iter().copied().flatten().collect();
    let all: Vec<&Kind> =
        all.into_iter().filter(|kind| matches!(kind.stage, Stage::Style | Stage::Local)).collect();
    for _ in 0..30 {
        let first = r.pick(&all);
        let more = usize::from(r.chance(20));
        let others: Vec<&Kind> = (0..more).map(|_| r.pick(&all)).collect();
        let layout = Layout::any(r);
        let tokens = tokens::tokens(value, &layout, Spelling::any(r));
        if let Some(case) =
            damage(r, first, &others, "", |_, _| work(tokens.clone(), layout.clone()))
        {
            return Some(case);
        }
    }
    None
}

/// Generates an undamaged document with places for the given kinds.
fn blank(r: &mut Random, kinds: &[&Kind]) -> Work {
    let mut value = if r.chance(15) { document::small(r) } else { document::document(r) };
    if r.chance(5) {
        let size = r.between(4, 14);
        let items = (0..size).map(|_| document::document(r)).collect();
        value = Data::Map(vec![
            ("documents".to_owned(), value),
            ("items".to_owned(), Data::List(items)),
        ]);
    }
    for kind in kinds {
        if let Some(plant) = kind.plant {
            let mut members = match value {
                Data::Map(members) => members,
                other => vec![("items".to_owned(), other)],
            };
            plant(&mut members, r);
            let at = r.below(members.len());
            let planted = members.remove(members.len() - 1);
            members.insert(at, planted);
            value = Data::Map(members);
        }
    }
    let layout = if r.chance(30) { Layout::pretty(r) } else { Layout::any(r) };
    let tokens = tokens::tokens(&value, &layout, Spelling::any(r));
    work(tokens, layout)
}

fn work(tokens: Vec<tokens::Token>, layout: Layout) -> Work {
    Work {
        tokens,
        layout,
        tail: String::new(),
        prefix: String::new(),
        suffix: String::new(),
        verdict: Verdict::Value,
        cut: Some(false),
        without: Vec::new(),
        open_end: false,
        open_start: false,
    }
}

/// Damages a document; `None` if it has no place for the first kind, or if the result is valid text
/// with another value.
fn attempt(r: &mut Random, first: &Kind, others: &[&Kind], id: &str) -> Option<Case> {
    let document = |r: &mut Random, plan: &[&Kind]| {
        let mut w = blank(r, plan);
        if r.chance(10) {
            values::trap(&mut w, r);
        }
        w
    };
    damage(r, first, others, id, document)
}

fn damage(
    r: &mut Random,
    first: &Kind,
    others: &[&Kind],
    id: &str,
    document: impl FnOnce(&mut Random, &[&Kind]) -> Work,
) -> Option<Case> {
    let mut plan = vec![first];
    for kind in others {
        let once = !matches!(kind.stage, Stage::Local);
        let brackets = |k: &Kind| k.shape == "brackets" || k.stage == Stage::Cut;
        let taken = plan.iter().any(|k| {
            k.name == kind.name
                || (once && k.stage == kind.stage)
                || (brackets(k) && brackets(kind))
        });
        if !taken {
            plan.push(kind);
        }
    }
    plan.sort_by_key(|kind| kind.stage);
    let mut w = document(r, &plan);
    let mut done: Vec<&'static str> = Vec::new();
    for kind in plan {
        let before = w.clone();
        if (kind.apply)(&mut w, r) {
            done.push(kind.name);
        } else {
            w = before;
            if kind.name == first.name {
                return None;
            }
        }
    }
    let case = finish(&w, first, done, id);
    let misread = match Data::read(&case.input) {
        Ok(value) => !case.expected.as_ref().is_some_and(|wanted| wanted.same(&value)),
        Err(_) => false,
    };
    if misread { None } else { Some(case) }
}

fn finish(w: &Work, first: &Kind, done: Vec<&'static str>, id: &str) -> Case {
    let input = format!("{}{}{}{}", w.prefix, tokens::render(&w.tokens), w.tail, w.suffix);
    let (wanted, mut accept) = tokens::values(&w.tokens);
    for gone in &w.without {
        let left = w.tokens.iter().enumerate().filter(|(i, _)| !gone.contains(i));
        let left: Vec<_> = left.map(|(_, token)| token.clone()).collect();
        accept.extend(tokens::value(&left, &[]));
    }
    let expected = if w.verdict == Verdict::Error {
        accept.extend(wanted);
        None
    } else {
        wanted
    };
    let shape =
        if done.len() == 1 { first.shape.to_owned() } else { format!("combined-{}", done.len()) };
    Case {
        id: id.to_owned(),
        shape,
        note: done.join(" "),
        kinds: done,
        valid_json: Data::read(&input).is_ok(),
        input,
        expected,
        verdict: w.verdict,
        accept,
        cut: w.cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn the_same_seed_gives_the_same_cases() {
        for index in 0..200 {
            let (a, b) = (case(7, index), case(7, index));
            assert_eq!(a.input, b.input);
            assert_eq!(a.expected, b.expected);
        }
        assert_ne!(case(7, 0).input, case(8, 0).input);
    }

    #[test]
    fn names_are_unique_and_there_are_many() {
        let all = kinds();
        let names: HashMap<_, _> = all.iter().copied().collect();
        assert_eq!(names.len(), all.len());
        assert!(all.len() >= 150, "{}", all.len());
    }

    #[test]
    fn every_kind_finds_a_place_and_makes_a_case() {
        for (name, _) in kinds() {
            for seed in 0..20 {
                let case = case_of(name, seed)
                    .unwrap_or_else(|| panic!("no document has a place for {name}"));
                assert_eq!(case.kinds, [name]);
                assert_eq!(case.expected.is_none(), case.verdict == Verdict::Error, "{name}");
            }
        }
    }

    #[test]
    fn undamaged_documents_mean_what_they_say() {
        for seed in 0..500 {
            let mut r = Random::new(seed);
            let w = blank(&mut r, &[]);
            let text = tokens::render(&w.tokens);
            assert_eq!(Data::read(&text).ok(), tokens::value(&w.tokens, &[]), "{text}");
        }
    }

    #[test]
    fn few_damaged_documents_are_valid() {
        let valid = cases(3, 2_000).iter().filter(|case| case.valid_json).count();
        assert!(valid < 60, "{valid}");
    }
}
