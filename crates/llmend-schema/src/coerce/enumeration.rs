//! Which value of an enumeration does a text mean?

use serde_json::Value as Json;

use crate::coerce::emphasis;
use crate::coerce::reading::Refusal;
use crate::compile::Word;
use crate::fold::{folded, words};
use crate::{CoercionKind, NearMatch};

/// Longest text that is searched for a value, in words.
const LONGEST: usize = 200;
/// Most values that a slip of the pen is compared with.
const MOST_COMPARED: usize = 200;

/// Words that turn what they stand beside into something else.
const NEGATIONS: [&str; 24] = [
    "not", "no", "never", "nor", "neither", "non", "without", "except", "isnt", "arent", "wasnt",
    "werent", "doesnt", "dont", "didnt", "cannot", "cant", "wont", "rather", "instead", "hardly",
    "unlike", "nicht", "un",
];

/// Words that may stand before a value and say nothing about it.
const BEFORE: [&str; 40] = [
    "the",
    "a",
    "an",
    "is",
    "are",
    "was",
    "be",
    "as",
    "its",
    "answer",
    "result",
    "value",
    "label",
    "category",
    "class",
    "type",
    "status",
    "option",
    "choice",
    "choose",
    "pick",
    "select",
    "selected",
    "say",
    "would",
    "to",
    "of",
    "it",
    "this",
    "that",
    "i",
    "think",
    "sentiment",
    "priority",
    "level",
    "severity",
    "rating",
    "mode",
    "overall",
    "probably",
];

/// Words that may stand after a value and say nothing about it.
const AFTER: [&str; 12] = [
    "because", "since", "as", "for", "given", "here", "based", "is", "option", "overall", "due",
    "in",
];

/// Beginnings that make words opposites of each other.
const OPPOSITES: [(&str, &str); 6] =
    [("max", "min"), ("in", "de"), ("in", "ex"), ("pre", "post"), ("en", "dis"), ("over", "under")];

/// The place in `all` of the value that `text` means, and how it was recognised.
pub(crate) fn read(
    text: &str,
    all: &[Word],
    near: NearMatch,
) -> Result<(usize, CoercionKind), Refusal> {
    let bare = emphasis::bare(text).trim_matches(['"', '\'']);
    let whole = folded(bare);
    let lower = bare.to_lowercase();
    let spelt = CoercionKind::EnumSpelling;
    let steps: [(IsMeant<'_>, CoercionKind); 4] = [
        (&|word| word.text == bare, spelt),
        (&|word| word.text.to_lowercase() == lower, spelt),
        (&|word| folded(&word.text) == whole, spelt),
        (&|word| word.aliases.contains(&whole), CoercionKind::EnumAlias),
    ];
    for (is_meant, kind) in steps {
        if whole.is_empty() {
            break;
        }
        if let Some(at) = only(all, is_meant)? {
            return Ok((at, kind));
        }
    }
    if let Some(at) = named_in(text, all)? {
        return Ok((at, CoercionKind::EnumInText));
    }
    match near {
        NearMatch::On => slip(bare, all).map(|at| (at, CoercionKind::EnumTypo)),
        NearMatch::Off => None,
    }
    .ok_or_else(|| Refusal::new("write one of the values as it is given"))
}

/// Whether a value is the one that is meant.
type IsMeant<'t> = &'t dyn Fn(&Word) -> bool;

/// The only value of which something is true. Two are a refusal.
fn only(all: &[Word], is_meant: IsMeant<'_>) -> Result<Option<usize>, Refusal> {
    let mut meant = all.iter().enumerate().filter(|(_, word)| is_meant(word));
    match (meant.next(), meant.next()) {
        (Some((_, one)), Some((_, other))) if one.value != other.value => {
            Err(ambiguous(&one.text, &other.text))
        }
        (first, _) => Ok(first.map(|(at, _)| at)),
    }
}

fn ambiguous(one: &str, other: &str) -> Refusal {
    Refusal::coded("schema/ambiguous", format!("say which is meant: `{one}` or `{other}`"))
}

/// The only value that a longer answer names, as whole words of its own.
fn named_in(text: &str, all: &[Word]) -> Result<Option<usize>, Refusal> {
    let said = words(text);
    if said.len() < 2 || said.len() > LONGEST {
        return Ok(None);
    }
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (at, word) in all.iter().enumerate().filter(|(_, word)| word.value.is_string()) {
        let wanted = words(&spaced(&word.text));
        if wanted.is_empty() || wanted.len() > said.len() {
            continue;
        }
        let places = said.windows(wanted.len()).enumerate();
        found.extend(
            places
                .filter(|(_, part)| *part == wanted.as_slice())
                .map(|(start, part)| (at, start, start + part.len())),
        );
    }
    // `dark blue` names no `blue`.
    let longest: Vec<_> = found
        .iter()
        .filter(|(_, start, end)| {
            !found
                .iter()
                .any(|(_, from, to)| from <= start && end <= to && (to - from) > (end - start))
        })
        .copied()
        .collect();
    let Some(&(at, ..)) = longest.first() else { return Ok(None) };
    if let Some((other, ..)) = longest.iter().find(|(other, ..)| *other != at) {
        let name = |at: usize| all.get(at).map_or("", |word| word.text.as_str());
        return Err(ambiguous(name(at), name(*other)));
    }
    if said.iter().any(|word| NEGATIONS.contains(&word.as_str())) {
        return Err(Refusal::new("write the value that is meant, and not one that is ruled out"));
    }
    let alone = longest.iter().all(|&(_, start, end)| stands_alone(text, &said, start, end));
    Ok(alone.then_some(at))
}

/// Whether no word beside the words from `start` up to `end` may change what they mean.
fn stands_alone(text: &str, said: &[String], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| said.get(at));
    let after = said.get(end);
    let plain_before =
        before.is_none_or(|word| BEFORE.contains(&word.as_str()) || is_cut_off(text, start));
    let plain_after =
        after.is_none_or(|word| AFTER.contains(&word.as_str()) || is_cut_off(text, end));
    plain_before && plain_after
}

/// Whether punctuation stands before the word with this number.
fn is_cut_off(text: &str, at: usize) -> bool {
    let mut passed = 0;
    let mut in_word = false;
    let mut mark = false;
    for character in text.chars() {
        let letter = character.is_alphanumeric() || matches!(character, '\'' | '’');
        if letter && !in_word {
            if passed == at {
                return mark;
            }
            passed += 1;
            mark = false;
        }
        in_word = letter;
        mark |= matches!(
            character,
            ':' | '.' | ',' | ';' | '!' | '?' | '"' | '(' | ')' | '*' | '`' | '\n' | '—' | '–'
        );
    }
    false
}

/// A name with its words apart: `darkBlue` is two.
fn spaced(name: &str) -> String {
    let mut out = String::new();
    let mut before = None;
    for character in name.chars() {
        if character.is_uppercase() && before.is_some_and(char::is_lowercase) {
            out.push(' ');
        }
        out.push(character);
        before = Some(character);
    }
    out
}

/// The only value of which a text is a slip: one edit for every four characters, none of them at
/// the first letter, and no other value nearly as near.
fn slip(text: &str, all: &[Word]) -> Option<usize> {
    if all.len() > MOST_COMPARED || text.chars().count() > 64 {
        return None;
    }
    let strings = || all.iter().filter(|word| word.value.is_string());
    let names = || strings().map(|word| word.text.as_str());
    let nearest = llmend_json::nearest(text, names())?;
    if llmend_json::nearest(text, names().filter(|name| *name != nearest)).is_some() {
        return None;
    }
    let (said, meant) = (folded(text), folded(nearest));
    let first_letters_differ = said.chars().next() != meant.chars().next();
    // `incomplete` is no slip of `complete`.
    let longer = said.ends_with(&meant) || meant.ends_with(&said);
    let opposite = OPPOSITES.iter().any(|(one, other)| {
        (said.starts_with(one) && meant.starts_with(other))
            || (said.starts_with(other) && meant.starts_with(one))
    });
    if first_letters_differ || longer || opposite || said.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    all.iter().position(|word| word.value == Json::String(nearest.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;
    use crate::NearMatch;
    use crate::compile::Word;

    fn words(values: &[&str]) -> Vec<Word> {
        values.iter().map(|value| Word::new(&json!(value))).collect()
    }

    /// Rows of values, text, the value that is meant, and how it is recognised.
    fn check(rows: &[(&[&str], &str, &str, &str)]) {
        for (values, text, expected, kind) in rows {
            let all = words(values);
            let (at, found) = read(text, &all, NearMatch::On)
                .unwrap_or_else(|refusal| panic!("{text} in {values:?}: {}", refusal.hint));
            assert_eq!((all[at].text.as_str(), found.name()), (*expected, *kind), "{text}");
        }
    }

    #[test]
    fn spellings_are_recognised() {
        check(&[
            (&["DARK_BLUE", "BLUE"], "dark blue", "DARK_BLUE", "enum-spelling"),
            (&["DARK_BLUE", "BLUE"], "Dark-Blue", "DARK_BLUE", "enum-spelling"),
            (&["darkBlue"], "dark_blue", "darkBlue", "enum-spelling"),
            (&["red"], " **RED** ", "red", "enum-spelling"),
            (&["café"], "CAFE", "café", "enum-spelling"),
            (&["in_progress", "done"], "In progress.", "in_progress", "enum-spelling"),
            (&["C", "C++"], "c++", "C++", "enum-spelling"),
            (&["a", "A"], "A", "A", "enum-spelling"),
        ]);
    }

    #[test]
    fn a_longer_answer_may_name_one() {
        check(&[
            (&["red", "green"], "The answer is green.", "green", "enum-in-text"),
            (&["DARK_BLUE", "BLUE"], "The answer is dark blue", "DARK_BLUE", "enum-in-text"),
            (&["positive", "negative"], "Positive: the user is happy", "positive", "enum-in-text"),
            (
                &["positive", "negative"],
                "positive because they liked it",
                "positive",
                "enum-in-text",
            ),
            (&["a", "b"], "Option b", "b", "enum-in-text"),
        ]);
    }

    #[test]
    fn slips_are_recognised() {
        check(&[
            (&["pending", "completed"], "compleeted", "completed", "enum-typo"),
            (&["pending", "completed"], "pedning", "pending", "enum-typo"),
        ]);
    }

    #[test]
    fn where_no_value_clearly_wins_none_does() {
        for (values, text) in [
            (&["BLUE", "RED"][..], "dark blue"),
            (&["blue", "red"], "not blue"),
            (&["blue", "red"], "The answer is not blue"),
            (&["blue", "red"], "anything but... it isn't blue"),
            (&["blue", "red"], "non-blue"),
            (&["blue", "red"], "blue or red"),
            (&["red", "green"], "redgreen"),
            (&["complete", "failed"], "incomplete"),
            (&["decrease", "stable"], "increase"),
            (&["minimize", "keep"], "maximize"),
            (&["happy", "sad"], "unhappy"),
            (&["a-b", "a_b"], "a b"),
            (&["stale", "state"], "stace"),
            (&["cat"], "cut"),
            (&["C++", "C#"], "c"),
            (&["v1", "v2"], "v3"),
            (&["version10", "other"], "version11"),
            (&["red"], ""),
            (&["red"], "  "),
        ] {
            let all = words(values);
            let read =
                read(text, &all, NearMatch::On).map(|(at, kind)| (all[at].text.clone(), kind));
            assert!(read.is_err(), "{text} in {values:?}: {read:?}");
        }
    }

    #[test]
    fn slips_can_be_switched_off() {
        let all = words(&["pending", "completed"]);
        assert!(read("compleeted", &all, NearMatch::Off).is_err());
        assert!(read("Completed", &all, NearMatch::Off).is_ok());
    }
}
