//! Which value of an enumeration does a text mean?

use serde_json::Value as Json;

use crate::coerce::reading::Refusal;
use crate::coerce::slip::is_slip;
use crate::coerce::{emphasis, mention, number};
use crate::compile::Word;
use crate::fold::{Said, folded, said, spaced, words};
use crate::{CoercionKind, NearMatch, Units};

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
const AFTER: [&str; 11] =
    ["because", "since", "as", "for", "given", "here", "based", "option", "overall", "due", "in"];

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
    if let Some(found) = number_in(bare, all) {
        return Ok(found);
    }
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
        let is_meant = |word: &Word| {
            is_meant(word) && (kind == CoercionKind::EnumAlias || !word.value.is_number())
        };
        if let Some(at) = only(all, &is_meant)? {
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

/// The value that is the number which a text says: numbers are what they mean, not how they look.
fn number_in(text: &str, all: &[Word]) -> Option<(usize, CoercionKind)> {
    if !all.iter().any(|word| word.value.is_number()) {
        return None;
    }
    let reading = number::read(text, Units::Refuse).ok()?;
    let equal = |word: &Word| word.value.is_number() && reading.to.part().equals(&word.value);
    let kind = match reading.kind {
        CoercionKind::NumberFromText => CoercionKind::EnumSpelling,
        grouped => grouped,
    };
    all.iter().position(equal).map(|at| (at, kind))
}

/// The only value that a longer answer names, as whole words of its own.
fn named_in(text: &str, all: &[Word]) -> Result<Option<usize>, Refusal> {
    let said = said(text);
    if said.len() < 2 || said.len() > LONGEST {
        return Ok(None);
    }
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (at, word) in all.iter().enumerate().filter(|(_, word)| word.value.is_string()) {
        for wanted in spellings(&word.text) {
            let places = said.windows(wanted.len().max(1)).enumerate();
            found.extend(
                places
                    .filter(|(_, part)| part.iter().map(|said| &said.word).eq(&wanted))
                    .map(|(start, part)| (at, start, start + part.len())),
            );
        }
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
    let within =
        |place: usize| longest.iter().any(|(_, start, end)| (start..end).contains(&&place));
    let denied =
        |(place, said): (usize, &Said)| NEGATIONS.contains(&said.word.as_str()) && !within(place);
    let doubted = mention::is_no_answer(text)
        || mention::is_doubted(said.iter().map(|said| said.word.as_str()), within);
    if doubted || said.iter().enumerate().any(denied) {
        return Err(Refusal::new("write the value that is meant, and not one that is ruled out"));
    }
    let alone = longest.iter().all(|&(_, start, end)| stands_alone(&said, start, end));
    Ok(alone.then_some(at))
}

/// The words of a value as a longer answer may hold them: apart, or as one.
fn spellings(name: &str) -> Vec<Vec<String>> {
    let apart = words(&spaced(name));
    let one = apart.concat();
    match apart.len() {
        0 => Vec::new(),
        1 => vec![apart],
        _ => vec![apart, vec![one]],
    }
}

/// Whether no word beside the words from `start` up to `end` may change what they mean.
fn stands_alone(said: &[Said], start: usize, end: usize) -> bool {
    let is = |list: &[&str], said: &Said| list.contains(&said.word.as_str());
    let before = start.checked_sub(1).and_then(|at| said.get(at));
    let cut_off = said.get(start).is_some_and(|said| said.cut_off);
    let plain_before = cut_off || before.is_none_or(|word| is(&BEFORE, word));
    let next = || said.get(end + 1).map(|said| said.word.as_str());
    let plain_after = said.get(end).is_none_or(|word| {
        word.cut_off || is(&AFTER, word) || (word.word == "is" && mention::is_affirmed(next()))
    });
    plain_before && plain_after
}

/// The only value of which a text is a slip.
fn slip(text: &str, all: &[Word]) -> Option<usize> {
    if all.len() > MOST_COMPARED || text.chars().count() > 64 {
        return None;
    }
    let strings = || all.iter().filter(|word| word.value.is_string());
    let names = || strings().map(|word| word.text.as_str());
    let nearest = llmend_json::nearest(text, names())?;
    if llmend_json::nearest(text, names().filter(|name| *name != nearest)).is_some()
        || !is_slip(text, nearest)
    {
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
            (&["red", "green"], "red is the answer", "red", "enum-in-text"),
            (&["red", "green"], "Red, because it might rain", "red", "enum-in-text"),
            (&["false alarm", "fire"], "It is a false alarm.", "false alarm", "enum-in-text"),
            (
                &["inProgress", "notStarted"],
                "My choice would be inProgress, given the weather.",
                "inProgress",
                "enum-in-text",
            ),
            (&["Spam", "Not Spam"], "The answer is Not Spam.", "Not Spam", "enum-in-text"),
            (&["1", "2.5"], "The rating is 2.5.", "2.5", "enum-in-text"),
        ]);
    }

    #[test]
    fn slips_are_recognised() {
        check(&[
            (&["pending", "completed"], "compleeted", "completed", "enum-typo"),
            (&["pending", "completed"], "pedning", "pending", "enum-typo"),
            (&["orchard-62"], "orchad-62", "orchard-62", "enum-typo"),
            (&["orchard8"], "orcharrd8", "orchard8", "enum-typo"),
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
            (&["version10", "other"], "version1.0"),
            (&["orchard-62", "other"], "orchad-26"),
            (&["10", "7"], "1.0"),
            (&["1", "2", "3"], "2.5"),
            (&["1", "2", "3"], "1/2"),
            (&["1", "2", "3"], "It is -2"),
            (&["blue", "red"], "red is wrong"),
            (&["blue", "red"], "red is out"),
            (&["blue", "red"], "red is the wrong one"),
            (&["blue", "red"], "red: false"),
            (&["blue", "red"], "false: red"),
            (&["blue", "red"], "Rejected: red"),
            (&["blue", "red"], "used to be red"),
            (&["blue", "red"], "Is it red?"),
            (&["blue", "red"], "It could be red"),
            (&["blue", "red"], "It is red, if the light is right"),
            (&["DARK_BLUE", "RED"], "The answer is ~~red~~"),
            (&["DARK_BLUE", "RED"], "~~dark blue~~"),
            (&["DARK_BLUE", "RED"], "~~red~~"),
            (&["summit", "coldHarbour"], "coldHarbour, summit"),
            (&["brightHedge", "gravel"], "bright hedge, gravel"),
            (&["Spam", "Not Spam"], "It is not Not Spam"),
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
    fn numbers_are_what_they_mean() {
        let all: Vec<Word> =
            [json!(2), json!(20), json!(5), json!(1000)].iter().map(Word::new).collect();
        for (text, expected) in [
            ("2", Some(0)),
            (" 2.0 ", Some(0)),
            ("20", Some(1)),
            ("1,000", Some(3)),
            ("-5", None),
            ("0.5", None),
            ("2 0", None),
        ] {
            let read = read(text, &all, NearMatch::On).ok().map(|(at, _)| at);
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn slips_can_be_switched_off() {
        let all = words(&["pending", "completed"]);
        assert!(read("compleeted", &all, NearMatch::Off).is_err());
        assert!(read("Completed", &all, NearMatch::Off).is_ok());
    }
}
