//! Which value of an enumeration does a text mean?

use crate::coerce::reading::Refusal;
use crate::coerce::{emphasis, mention, number};
use crate::compile::{Way, Words};
use crate::fold::{Said, said};
use crate::slip::{self, Name};
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

/// Words of which the sentence before a value may consist, since they say nothing about it. Any
/// other one may turn it around: there is no list of all that do.
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

/// Words that may stand after a value and say nothing about it.
const AFTER: [&str; 11] =
    ["because", "since", "as", "for", "given", "here", "based", "option", "overall", "due", "in"];

/// The place of the value that `text` means, and how it was recognised. Comparisons are paid for.
pub(crate) fn read(
    text: &str,
    words: &Words,
    near: NearMatch,
    pay: &mut dyn FnMut(usize) -> bool,
) -> Result<(usize, CoercionKind), Refusal> {
    let bare = emphasis::bare(text).trim_matches(['"', '\'']);
    if let Some(found) = number_in(bare, words) {
        return Ok(found);
    }
    let name = Name::new(bare);
    let steps = [
        (Way::Exact, bare.to_owned(), CoercionKind::EnumSpelling),
        (Way::Case, bare.to_lowercase(), CoercionKind::EnumSpelling),
        (Way::Folded, name.folded.clone(), CoercionKind::EnumSpelling),
        (Way::Alias, name.folded.clone(), CoercionKind::EnumAlias),
    ];
    for (way, spelt, kind) in steps.into_iter().filter(|_| !name.folded.is_empty()) {
        if let Some(at) = only(words, words.found(way, spelt))? {
            if way == Way::Folded && is_left_open(text, words, at) {
                return Err(Refusal::new("write the value outright, and not as a question"));
            }
            return Ok((at, kind));
        }
    }
    if let Some(at) = named_in(text, words)? {
        return Ok((at, CoercionKind::EnumInText));
    }
    match near {
        NearMatch::On => slip(&name, words, pay),
        NearMatch::Off => None,
    }
    .filter(|at| !is_left_open(text, words, *at))
    .map(|at| (at, CoercionKind::EnumTypo))
    .ok_or_else(|| Refusal::new("write one of the values as it is given"))
}

/// Whether a text only asks for the value at a place, or leaves the box before it empty. Where the
/// value is written so itself, that is how it is spelt.
fn is_left_open(text: &str, words: &Words, at: usize) -> bool {
    let value = words.all.get(at).map_or("", |word| word.name.text.as_str());
    mention::is_no_answer(text) && !mention::is_no_answer(value)
}

/// The only value among those that were found. Two are a refusal.
fn only(words: &Words, found: &[usize]) -> Result<Option<usize>, Refusal> {
    let mut meant = found.iter().filter_map(|at| Some((*at, words.all.get(*at)?)));
    let Some((at, first)) = meant.next() else { return Ok(None) };
    match meant.find(|(_, other)| other.value != first.value) {
        Some((_, other)) => Err(ambiguous(&first.name.text, &other.name.text)),
        None => Ok(Some(at)),
    }
}

fn ambiguous(one: &str, other: &str) -> Refusal {
    Refusal::coded("schema/ambiguous", format!("say which is meant: `{one}` or `{other}`"))
}

/// The value that is the number which a text says.
fn number_in(text: &str, words: &Words) -> Option<(usize, CoercionKind)> {
    if !words.has_numbers() {
        return None;
    }
    let reading = number::read(text, Units::Refuse).ok()?;
    let kind = match reading.kind {
        CoercionKind::NumberFromText => CoercionKind::EnumSpelling,
        grouped => grouped,
    };
    words.number(reading.to.part().digits()?).map(|at| (at, kind))
}

/// The only value that a longer answer names, as whole words of its own.
fn named_in(text: &str, words: &Words) -> Result<Option<usize>, Refusal> {
    let said = said(text);
    if said.len() < 2 || said.len() > LONGEST {
        return Ok(None);
    }
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (start, first) in said.iter().enumerate() {
        for (at, wanted) in words.starting(&first.word) {
            let part = said.get(start..start + wanted.len()).unwrap_or_default();
            if part.iter().map(|said| &said.word).eq(wanted) {
                found.push((*at, start, start + wanted.len()));
            }
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
        let name = |at: usize| words.all.get(at).map_or("", |word| word.name.text.as_str());
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

/// Whether nothing in the sentence around the words from `start` up to `end` may change what they
/// mean.
fn stands_alone(said: &[Said], start: usize, end: usize) -> bool {
    let is = |list: &[&str], said: &Said| list.contains(&said.word.as_str());
    let upto = said.get(..=start).unwrap_or_default();
    let sentence = upto.iter().rposition(|said| said.begins).unwrap_or_default();
    let before = said.get(sentence..start).unwrap_or_default();
    let next = || said.get(end + 1).map(|said| said.word.as_str());
    let plain_after = said.get(end).is_none_or(|word| {
        word.cut_off || is(&AFTER, word) || (word.word == "is" && mention::is_affirmed(next()))
    });
    before.iter().all(|word| is(&BEFORE, word)) && plain_after
}

/// The only value of which a text is a slip.
fn slip(said: &Name, words: &Words, pay: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
    if words.all.len() > MOST_COMPARED {
        return None;
    }
    let strings = || words.all.iter().enumerate().filter(|(_, word)| word.value.is_string());
    let at = slip::meant(said, strings().map(|(_, word)| &word.name), pay)?;
    strings().nth(at).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::coerce::reading::Refusal;
    use crate::compile::{Word, Words};
    use crate::{CoercionKind, NearMatch};

    fn words(values: &[&str]) -> Words {
        Words::new(values.iter().map(|value| Word::new(&json!(value))).collect())
    }

    /// Without a look at the price.
    fn read(text: &str, words: &Words, near: NearMatch) -> Result<(usize, CoercionKind), Refusal> {
        super::read(text, words, near, &mut |_| true)
    }

    /// Rows of values, text, the value that is meant, and how it is recognised.
    fn check(rows: &[(&[&str], &str, &str, &str)]) {
        for (values, text, expected, kind) in rows {
            let all = words(values);
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
            (&["approve", "reject"], "I was asked to approve"),
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
            let all = words(values);
            let read = read(text, &all, NearMatch::On)
                .map(|(at, kind)| (all.all[at].name.text.clone(), kind));
            assert!(read.is_err(), "{text} in {values:?}: {read:?}");
        }
    }

    #[test]
    fn numbers_are_what_they_mean() {
        let numbers = [json!(2), json!(20), json!(5), json!(1000)];
        let all = Words::new(numbers.iter().map(Word::new).collect());
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
