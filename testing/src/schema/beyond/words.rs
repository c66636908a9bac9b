//! Unknown and ambiguous enum values.

use crate::data::Data;
use crate::random::Random;
use crate::schema::model::Type;
use crate::schema::names::{folded, parts};
use crate::schema::work::{Change, Kind, Spot};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("unknown-word", |spot, r| {
        let texts = ["zzyzx qwop", "vorpal", "7261", "see above", "?"];
        enum_words(spot).map(|_| Change::Value(Data::text(*r.one(&texts))))
    }),
    Kind::new("constant-of-nothing", |spot, _| match (spot.of(), spot.data) {
        (Type::Constant(_), Data::Text(_)) => Some(Change::Value(Data::text("zzyzx qwop"))),
        _ => None,
    }),
    Kind::new("two-words", two_words),
    Kind::new("denied-word", denied),
    Kind::new("part-of-two-words", part_of_two),
    Kind::new("number-for-a-word", |spot, _| {
        enum_words(spot).map(|_| Change::Value(Data::number(7261)))
    }),
];

fn enum_words<'s>(spot: &'s Spot<'_>) -> Option<Vec<&'s str>> {
    match spot.of() {
        Type::Word(words) => Some(words.iter().map(|word| word.text.as_str()).collect()),
        _ => None,
    }
}

/// Words that are told apart when they are folded, and have letters.
fn clear_words<'s>(spot: &'s Spot<'_>) -> Option<Vec<&'s str>> {
    let words = enum_words(spot)?;
    let is_clear = |word: &&str| {
        words.iter().filter(|other| folded(other) == folded(word)).count() == 1
            && folded(word).len() > 2
    };
    words.iter().all(is_clear).then_some(words)
}

/// Two that do not share a part, neither of them denied.
fn two_words(spot: &Spot<'_>, r: &mut Random) -> Option<Change> {
    let words = clear_words(spot)?;
    let first = *r.one(&words);
    let is_apart = |_: usize, other: &&str| {
        parts(other).iter().all(|part| !folded(first).contains(part.as_str()))
            && parts(first).iter().all(|part| !folded(other).contains(part.as_str()))
    };
    let second = words[r.find(&words, is_apart)?];
    let made = match r.below(4) {
        0 => format!("{first} or {second}"),
        1 => format!("{first}, {second}"),
        2 => format!("either {first} or {second}"),
        _ => format!("{first}/{second}"),
    };
    Some(Change::Value(Data::Text(made)))
}

fn denied(spot: &Spot<'_>, r: &mut Random) -> Option<Change> {
    let words = clear_words(spot)?;
    let word = *r.one(&words);
    let before = r.pick(&["not ", "anything but ", "never ", "It is not "]);
    let made = format!("{before}{word}");
    let is_a_word =
        words.iter().any(|known| folded(&made).ends_with(&folded(known)) && *known != word);
    (!is_a_word).then_some(Change::Value(Data::Text(made)))
}

/// What two words have in common, which is no word by itself.
fn part_of_two(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let words = clear_words(spot)?;
    let holding = |part: &str| {
        words.iter().filter(|word| parts(word).iter().any(|known| known == part)).count()
    };
    let all = words.iter().flat_map(|word| parts(word));
    let part = { all }.find(|part| {
        part.len() > 2 && holding(part) > 1 && words.iter().all(|word| folded(word) != *part)
    })?;
    Some(Change::Value(Data::Text(part)))
}
