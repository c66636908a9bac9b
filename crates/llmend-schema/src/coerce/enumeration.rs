//! Coercion to enum values.

use crate::coerce::conversion::Refusal;
use crate::coerce::{bare, doubt, number};
use crate::compile::{EnumValues, MatchBy};
use crate::fold::{TextWord, text_words};
use crate::typo::{self, Name};
use crate::{CoercionKind, NearMatch, Units};

/// Maximum number of values of a text that is searched for a value.
const MAX_WORDS: usize = 200;
/// Maximum number of values compared for typos.
const MAX_COMPARED: usize = 200;

/// Negating values.
const NEGATIONS: [&str; 24] = [
    "not", "no", "never", "nor", "neither", "non", "without", "except", "isnt", "arent", "wasnt",
    "werent", "doesnt", "dont", "didnt", "cannot", "cant", "wont", "rather", "instead", "hardly",
    "unlike", "nicht", "un",
];

/// Words that may precede a value in its sentence without changing its meaning. Any other word may
/// negate it; those cannot all be listed.
const BEFORE: [&str; 64] = [
    "the",
    "a",
    "an",
    "is",
    "are",
    "be",
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
    "my",
    "our",
    "your",
    "final",
    "correct",
    "right",
    "best",
    "main",
    "primary",
    "definitely",
    "clearly",
    "certainly",
    "therefore",
    "so",
    "thus",
    "hence",
    "verdict",
    "decision",
    "classification",
    "prediction",
    "output",
    "yes",
    "ok",
    "okay",
    "sure",
    "as",
    "should",
    "we",
];

/// Words that may follow a value without changing its meaning.
const AFTER: [&str; 11] =
    ["because", "since", "as", "for", "given", "here", "based", "option", "overall", "due", "in"];

/// Returns the index of the value that `text` stands for, and how it was recognized. Comparisons
/// are charged to `pay`.
pub(crate) fn read(
    text: &str,
    values: &EnumValues,
    near: NearMatch,
    spend: &mut dyn FnMut(usize) -> bool,
) -> Result<(usize, CoercionKind), Refusal> {
    let bare = bare::bare(text).trim_matches(['"', '\'']);
    if let Some(found) = number_in(bare, values) {
        return Ok(found);
    }
    let name = Name::new(bare);
    let steps = [
        (MatchBy::Exact, bare.to_owned(), CoercionKind::EnumSpelling),
        (MatchBy::Case, bare.to_lowercase(), CoercionKind::EnumSpelling),
        (MatchBy::Folded, name.folded.clone(), CoercionKind::EnumSpelling),
        (MatchBy::Alias, name.folded.clone(), CoercionKind::EnumAlias),
    ];
    for (by, spelled, kind) in steps.into_iter().filter(|_| !name.folded.is_empty()) {
        if let Some(at) = only(values, values.found(by, spelled))? {
            if by == MatchBy::Folded && is_left_open(text, values, at) {
                return Err(Refusal::new("write the value itself, not a question"));
            }
            return Ok((at, kind));
        }
    }
    if let Some(at) = named_in(text, values)? {
        return Ok((at, CoercionKind::EnumInText));
    }
    match near {
        NearMatch::On => typo(&name, values, spend),
        NearMatch::Off => None,
    }
    .filter(|at| !is_left_open(text, values, *at))
    .map(|at| (at, CoercionKind::EnumTypo))
    .ok_or_else(|| Refusal::new("write one of the allowed values exactly"))
}

/// Returns whether a text is a question or an unchecked box, unless the value itself is written
/// that way.
fn is_left_open(text: &str, values: &EnumValues, at: usize) -> bool {
    let value = values.all.get(at).map_or("", |word| word.name.text.as_str());
    doubt::is_no_answer(text) && !doubt::is_no_answer(value)
}

/// Returns the only value among the matches; two are ambiguous.
fn only(values: &EnumValues, found: &[usize]) -> Result<Option<usize>, Refusal> {
    let mut candidates = found.iter().filter_map(|at| Some((*at, values.all.get(*at)?)));
    let Some((at, first)) = candidates.next() else { return Ok(None) };
    match candidates.find(|(_, other)| other.value != first.value) {
        Some((_, other)) => Err(ambiguous(&first.name.text, &other.name.text)),
        None => Ok(Some(at)),
    }
}

fn ambiguous(one: &str, other: &str) -> Refusal {
    Refusal::coded("schema/ambiguous", format!("write either `{one}` or `{other}`"))
}

/// Returns the value equal to the number in a text.
fn number_in(text: &str, values: &EnumValues) -> Option<(usize, CoercionKind)> {
    if !values.has_numbers() {
        return None;
    }
    let conversion = number::read(text, Units::Refuse).ok()?;
    let kind = match conversion.kind {
        CoercionKind::NumberFromText => CoercionKind::EnumSpelling,
        grouped => grouped,
    };
    values.number(conversion.to.instance().digits()?).map(|at| (at, kind))
}

/// Returns the only value that a longer text names in whole values.
fn named_in(text: &str, values: &EnumValues) -> Result<Option<usize>, Refusal> {
    let words = text_words(text);
    if words.len() < 2 || words.len() > MAX_WORDS {
        return Ok(None);
    }
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (start, first) in words.iter().enumerate() {
        for (at, spelling) in values.starting(&first.word) {
            let part = words.get(start..start + spelling.len()).unwrap_or_default();
            if part.iter().map(|word| &word.word).eq(spelling) {
                found.push((*at, start, start + spelling.len()));
            }
        }
    }
    // `dark blue` does not name `blue`.
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
        let name = |at: usize| values.all.get(at).map_or("", |word| word.name.text.as_str());
        return Err(ambiguous(name(at), name(*other)));
    }
    let within =
        |place: usize| longest.iter().any(|(_, start, end)| (start..end).contains(&&place));
    let denied = |(place, word): (usize, &TextWord)| {
        NEGATIONS.contains(&word.word.as_str()) && !within(place)
    };
    let doubted = doubt::is_no_answer(text)
        || doubt::is_doubted(words.iter().map(|word| word.word.as_str()), within);
    if doubted || words.iter().enumerate().any(denied) {
        return Err(Refusal::new("write only the intended value, not one that is ruled out"));
    }
    let alone = longest.iter().all(|&(_, start, end)| stands_alone(&words, start, end));
    Ok(alone.then_some(at))
}

/// Returns whether the rest of the sentence leaves the meaning of the values in `start..end`
/// unchanged.
fn stands_alone(words: &[TextWord], start: usize, end: usize) -> bool {
    let is = |list: &[&str], word: &TextWord| list.contains(&word.word.as_str());
    let upto = words.get(..=start).unwrap_or_default();
    let sentence = upto.iter().rposition(|word| word.begins).unwrap_or_default();
    let before = words.get(sentence..start).unwrap_or_default();
    let next = || words.get(end + 1).map(|word| word.word.as_str());
    let plain_after = words.get(end).is_none_or(|word| {
        word.cut_off || is(&AFTER, word) || (word.word == "is" && doubt::is_affirmed(next()))
    });
    before.iter().all(|word| is(&BEFORE, word)) && plain_after
}

/// Returns the only value that a text is a typo of.
fn typo(text: &Name, values: &EnumValues, spend: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
    if values.all.len() > MAX_COMPARED {
        return None;
    }
    let strings = || values.all.iter().enumerate().filter(|(_, word)| word.value.is_string());
    let at = typo::find(text, strings().map(|(_, word)| &word.name), spend)?;
    strings().nth(at).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::coerce::conversion::Refusal;
    use crate::compile::{EnumValue, EnumValues};
    use crate::{CoercionKind, NearMatch};

    fn enum_values(values: &[&str]) -> EnumValues {
        EnumValues::new(values.iter().map(|value| EnumValue::new(&json!(value))).collect())
    }

    /// Reads without a work budget.
    fn read(
        text: &str,
        values: &EnumValues,
        near: NearMatch,
    ) -> Result<(usize, CoercionKind), Refusal> {
        super::read(text, values, near, &mut |_| true)
    }

    /// Checks rows of values, text, expected value and kind.
    fn check(rows: &[(&[&str], &str, &str, &str)]) {
        for (values, text, expected, kind) in rows {
            let all = enum_values(values);
            let (at, found) = read(text, &all, NearMatch::On)
                .unwrap_or_else(|refusal| panic!("{text} in {values:?}: {}", refusal.hint));
            assert_eq!(
                (all.all[at].name.text.as_str(), found.name()),
                (*expected, *kind),
                "{text}"
            );
        }
    }

    #[test]
    fn spellings_are_recognized() {
        check(&[
            (&["DARK_BLUE", "BLUE"], "dark blue", "DARK_BLUE", "enum-spelling"),
            (&["DARK_BLUE", "BLUE"], "Dark-Blue", "DARK_BLUE", "enum-spelling"),
            (&["darkBlue"], "dark_blue", "darkBlue", "enum-spelling"),
            (&["red"], " **RED** ", "red", "enum-spelling"),
            (&["café"], "CAFE", "café", "enum-spelling"),
            (&["in_progress", "done"], "In progress.", "in_progress", "enum-spelling"),
            (&["C", "C++"], "c++", "C++", "enum-spelling"),
            (&["a", "A"], "A", "A", "enum-spelling"),
            (&["why?", "how?"], "Why?", "why?", "enum-spelling"),
            (&["[ ] open", "[x] done"], "[ ] Open.", "[ ] open", "enum-spelling"),
            (&["done", "open"], "done ✅", "done", "enum-spelling"),
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
            (&["high", "low"], "The tone is sharp. My answer is high.", "high", "enum-in-text"),
        ]);
    }

    #[test]
    fn typos_are_recognized() {
        check(&[
            (&["pending", "completed"], "compleeted", "completed", "enum-typo"),
            (&["pending", "completed"], "pedning", "pending", "enum-typo"),
            (&["orchard-62"], "orchad-62", "orchard-62", "enum-typo"),
            (&["orchard8"], "orcharrd8", "orchard8", "enum-typo"),
        ]);
    }

    #[test]
    fn ambiguous_texts_are_refused() {
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
            (&["A+", "A-"], "A"),
            (&["A-", "B"], "A"),
            (&["A*", "B"], "A"),
            (&["A", "B"], "A-"),
            (&["O+", "AB"], "O-"),
            (&["C#", "Java"], "C++"),
            (&["!important", "plain"], "important"),
            (&["employee", "other"], "employer"),
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
            (&["approve", "reject"], "I failed to approve"),
            (&["approve", "reject"], "I was target to approve"),
            (&["buy", "sell"], "Too early to buy"),
            (&["buy", "sell"], "I would be mad to buy"),
            (&["spam", "ham"], "The opposite of: spam"),
            (&["high", "low"], "It is impossible to say, high"),
            (&["high", "low"], "Nobody would say it is high"),
            (&["high", "low"], "The least likely answer is high"),
            (&["high", "low"], "Example: high"),
            (&["high", "low"], "It was high"),
            (&["rot", "blau"], "Auf keinen Fall: rot"),
            (&["approved", "open"], "❌ approved"),
            (&["approved", "open"], "❌ It is approved"),
            (&["blue", "red"], "Is it red?"),
            (&["blue", "red"], "Red?"),
            (&["blue", "red"], "red?!"),
            (&["approve", "reject"], "aprove?"),
            (&["open", "done"], "[ ] done"),
            (&["open", "done"], "- [ ] Done"),
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
            let all = enum_values(values);
            let read = read(text, &all, NearMatch::On)
                .map(|(at, kind)| (all.all[at].name.text.clone(), kind));
            assert!(read.is_err(), "{text} in {values:?}: {read:?}");
        }
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let numbers = [json!(2), json!(20), json!(5), json!(1000)];
        let all = EnumValues::new(numbers.iter().map(EnumValue::new).collect());
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
    fn typo_correction_can_be_disabled() {
        let all = enum_values(&["pending", "completed"]);
        assert!(read("compleeted", &all, NearMatch::Off).is_err());
        assert!(read("Completed", &all, NearMatch::Off).is_ok());
    }
}
