//! Lists of records and deep trees in which one or two structural characters are missing, doubled or
//! replaced.
//!
//! The undamaged value is expected only where a careful reader would find it: it is compared with
//! every other value that one changed character gives (see `readings`).

mod layout;
mod readings;
mod sign;
mod strict;
mod value;

use self::layout::Style;
use self::readings::{Recovery, is_one_change_away, recovery};
pub use self::sign::Kind;
use self::sign::{Edit, Fault, KINDS, Place, Sign, edit, places};
use crate::case::{Case, Verdict};
use crate::damage::tokens::{self, Mean, Role, Token, render, text_of};
use crate::data::Data;
use crate::random::Random;

/// Least number of bytes between two damaged characters.
const APART: usize = 40;

/// What is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corpus {
    /// Lists of 2 to 30 records.
    Records,
    /// Values that are 3 to 6 levels deep.
    Nested,
}

impl Corpus {
    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Nested => "nested",
        }
    }
}

/// Returns all kinds of damage.
#[must_use]
pub fn kinds() -> &'static [Kind] {
    KINDS
}

/// Generates `count` texts of each kind. Equal seeds give equal cases.
#[must_use]
pub fn cases(corpus: Corpus, seed: u64, count: usize) -> Vec<Case> {
    KINDS
        .iter()
        .flat_map(|kind| (0..count).map(move |index| case(corpus, kind, seed, index)))
        .collect()
}

/// Generates the text of `kind` with this index.
#[must_use]
pub fn case(corpus: Corpus, kind: &Kind, seed: u64, index: usize) -> Case {
    let name = format!("{}-{}", corpus.name(), kind.name);
    let salt = name.bytes().fold(seed, |sum, byte| sum.wrapping_mul(131).wrapping_add(byte.into()));
    let mut r = Random::for_case(salt, index);
    let case = loop {
        if let Some(case) = attempt(&mut r, corpus, kind) {
            break case;
        }
    };
    Case { id: format!("{name}-{seed}-{index}"), shape: corpus.name().to_owned(), ..case }
}

/// Damages a value by `kind`, and possibly by another one.
fn attempt(r: &mut Random, corpus: Corpus, kind: &Kind) -> Option<Case> {
    let value = match corpus {
        Corpus::Records => value::records(r),
        Corpus::Nested => value::nested(r),
    };
    let document = Document::new(r, value);
    let first = document.damage(r, kind)?;
    let second =
        if first.others.is_empty() && r.chance(35) { document.add(r, &first) } else { None };
    let damages: Vec<&Damage<'_>> = [&first].into_iter().chain(&second).collect();
    let mut edits: Vec<Edit> = damages.iter().map(|damage| damage.edit).collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.at));
    let verdict = if first.others.is_empty() { Verdict::Value } else { Verdict::Ambiguous };
    Some(Case {
        id: String::new(),
        shape: String::new(),
        kinds: damages.iter().map(|damage| damage.kind.name).collect(),
        input: edits.iter().fold(document.text.clone(), |text, edit| edit.apply(&text)),
        note: damages.iter().map(|damage| damage.note()).collect::<Vec<_>>().join(", "),
        expected: Some(document.value),
        verdict,
        accept: first.others,
        valid_json: false,
        cut: None,
    })
}

/// A change of one character.
struct Damage<'k> {
    kind: &'k Kind,
    place: Place,
    edit: Edit,
    /// Values that are as good as the undamaged one.
    others: Vec<Data>,
}

impl Damage<'_> {
    fn note(&self) -> String {
        let put = self.edit.put.filter(|_| self.kind.fault == Fault::Replaced);
        put.map_or(self.kind.name.to_owned(), |put| format!("{} by {put}", self.kind.name))
    }
}

/// An undamaged value as it is written.
struct Document {
    value: Data,
    style: Style,
    tokens: Vec<Token>,
    text: String,
    places: Vec<Place>,
}

impl Document {
    fn new(r: &mut Random, value: Data) -> Self {
        let style = Style::any(r);
        let tokens = style.write(&value);
        let (text, places) = (render(&tokens), places(&tokens));
        Self { value, style, tokens, text, places }
    }

    /// Damages a character of this kind, unless the value cannot be recovered then.
    fn damage<'k>(&self, r: &mut Random, kind: &'k Kind) -> Option<Damage<'k>> {
        let at = r.find(&self.places, |_, place| place.sign == kind.sign)?;
        let place = self.places[at];
        let edit = edit(r, &self.text, place, kind.fault);
        let mut others = match recovery(&edit.apply(&self.text), &self.value, &self.style) {
            Recovery::Clear => Vec::new(),
            Recovery::Tied(others) => others,
            Recovery::Lost => return None,
        };
        others.extend(self.lenient(place, edit));
        Some(Damage { kind, place, edit, others })
    }

    /// Damages a second character that has nothing to do with the first one.
    fn add(&self, r: &mut Random, first: &Damage<'_>) -> Option<Damage<'static>> {
        let second = self.damage(r, r.clone().one(KINDS))?;
        let (a, b) = (first.place, second.place);
        let alike = (a.sign.is_bracket() && b.sign.is_bracket())
            || (a.sign.is_quote() && b.sign.is_quote());
        let near = a.at.abs_diff(b.at) < APART;
        if alike || near || !second.others.is_empty() {
            return None;
        }
        let (low, high) =
            if a.at < b.at { (first.edit, second.edit) } else { (second.edit, first.edit) };
        let text = low.apply(&high.apply(&self.text));
        (Data::read(&text).is_err() && !is_one_change_away(&text)).then_some(second)
    }

    /// Returns values that a reader may take although they need more than one change.
    fn lenient(&self, place: Place, edit: Edit) -> Vec<Data> {
        match (place.sign, edit.put) {
            (Sign::Comma, Some(':')) if edit.remove => self.pairs(place.token),
            (Sign::ValueEnd, Some('"')) if !edit.remove => self.inches(place.token),
            // The text may as well be cut off before the last bracket.
            (Sign::OpenBracket, Some('[')) if place.token == 0 => {
                vec![Data::List(vec![self.value.clone()])]
            }
            _ => Vec::new(),
        }
    }

    /// `["a": "b"]` with a colon for the comma `at` may be an object, or hold one.
    fn pairs(&self, at: usize) -> Vec<Data> {
        let [before, comma, after] = &self.tokens[at - 1..=at + 1] else { return Vec::new() };
        let (Some(key), true, Role::Scalar) = (text_of(before), comma.list, after.role) else {
            return Vec::new();
        };
        let Mean::Value(value) = &after.mean else { return Vec::new() };
        let pair = Data::Map(vec![(key.to_owned(), value.clone())]);
        let whole =
            self.tokens[at - 2].role == Role::Open && self.tokens[at + 2].role == Role::Close;
        let mut all = vec![self.with(at - 1, at + 1, pair.clone())];
        if whole {
            all.push(self.with(at - 2, at + 2, pair));
        }
        all
    }

    /// `"12""` may have the sign for inches.
    fn inches(&self, at: usize) -> Vec<Data> {
        let text =
            text_of(&self.tokens[at]).filter(|text| text.ends_with(|c: char| c.is_ascii_digit()));
        let quoted = text.map(|text| Data::Text(format!("{text}\"")));
        quoted.map(|value| self.with(at, at, value)).into_iter().collect()
    }

    /// Returns the value with these tokens replaced by one.
    fn with(&self, from: usize, to: usize, value: Data) -> Data {
        let mut tokens = self.tokens.clone();
        let one = Token { role: Role::Scalar, mean: Mean::Value(value), ..tokens[from].clone() };
        tokens.splice(from..=to, [one]);
        tokens::value(&tokens, &[]).unwrap_or(Data::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::{Corpus, KINDS, attempt, case};
    use crate::data::Data;
    use crate::random::Random;

    #[test]
    fn every_kind_finds_places() {
        for corpus in [Corpus::Records, Corpus::Nested] {
            for kind in KINDS {
                let places = (0..10)
                    .filter(|&index| {
                        attempt(&mut Random::for_case(1, index), corpus, kind).is_some()
                    })
                    .count();
                assert!(places > 0, "{} {}: {places}", corpus.name(), kind.name);
            }
        }
    }

    #[test]
    fn texts_are_broken_and_repeat() {
        for kind in KINDS {
            for index in 0..5 {
                let made = case(Corpus::Nested, kind, 3, index);
                assert!(Data::read(&made.input).is_err(), "{}", made.input);
                assert_eq!(made.input, case(Corpus::Nested, kind, 3, index).input);
            }
        }
    }
}
