//! Which of the texts of an answer are the answer, and where does what was made of them stand?
//!
//! A model that writes several texts says in some of them what it is about to do, or goes on in the next one
//! after something else came between.

use crate::repair::decide::{Part, PlaceKind};
use crate::repair::evaluate::Written;
use crate::repair::expectation::Expectation;
use crate::repair::{Fault, FaultKind, Mended, Reach, mend};

/// A text of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) words: String,
    pub(crate) rank: Rank,
}

/// What an answer says that one of its texts is. Those of the highest rank are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Words on the way to the answer.
    Commentary,
    /// Nothing is said of it.
    #[default]
    Untold,
    /// The answer.
    Answer,
}

/// The texts that are looked at, with their numbers.
fn answering(texts: &[Text]) -> impl DoubleEndedIterator<Item = (usize, &str)> {
    let highest = texts.iter().map(|text| text.rank).max();
    let numbered = texts.iter().enumerate();
    numbered
        .filter(move |(_, text)| Some(text.rank) == highest)
        .map(|(number, text)| (number, text.words.as_str()))
}

/// All that is looked at, as one text.
pub(crate) fn joined(texts: &[Text]) -> String {
    answering(texts).map(|(_, words)| words).collect()
}

/// What was looked at, and what was made of it: the last text that is what was wanted as it stands, unless there is
/// JSON behind it, which then is the answer; or else all of them as one.
pub(crate) fn judge(
    written: &Written,
    wanted: &Expectation,
    reach: Reach,
) -> (String, Result<Mended, Fault>) {
    let texts: Vec<&str> = answering(&written.texts).map(|(_, words)| words).collect();
    for (number, words) in texts.iter().enumerate().rev().filter(|_| texts.len() > 1) {
        let Some(mended) = mend(words, wanted, reach).ok().filter(|mended| mended.json.is_none())
        else {
            continue;
        };
        let behind = texts[number + 1..].concat();
        let outcome = mend(&behind, wanted, reach);
        let holds_none = |outcome: &Result<_, Fault>| matches!(outcome, Err(fault) if fault.kind == FaultKind::NoJson);
        if holds_none(&outcome) {
            return ((*words).to_owned(), Ok(mended));
        }
        return (behind, outcome);
    }
    (written.content.clone(), mend(&written.content, wanted, reach))
}

/// What each of the texts says instead; nothing where it stays as it came.
///
/// The JSON stands in the last of those that it was read from, and the others of them are emptied. What was
/// written anew was read from none of them, and stands for all. What is looked at ends with the last of them.
pub(crate) fn replaced(texts: &[Text], parts: &[Part]) -> Vec<Option<String>> {
    let mut replaced = vec![None; texts.len()];
    let Some((json, part)) = content(parts) else { return replaced };
    let candidate = part.outcome.as_ref().ok().and_then(|mended| mended.edits.candidate);
    let before = joined(texts).len().saturating_sub(part.text.len());
    let mut end = 0;
    let spread = answering(texts).map(|(number, words)| {
        let start = end;
        end += words.len();
        (number, start, end, words)
    });
    let read: Vec<(usize, bool)> = spread
        .filter(|(_, start, end, _)| {
            candidate.is_none_or(|span| *start < before + span.end && *end > before + span.start)
        })
        .map(|(number, _, _, words)| (number, words.trim().is_empty()))
        .collect();
    let last = read.iter().rev().find(|(_, is_blank)| !is_blank).or(read.last());
    let last = last.map(|(number, _)| *number);
    for (number, _) in read {
        if let Some(place) = replaced.get_mut(number) {
            *place = Some(if Some(number) == last { json.to_owned() } else { String::new() });
        }
    }
    replaced
}

/// What is to stand in an answer that has no text which it could stand in.
pub(crate) fn added<'p>(texts: &[Text], parts: &'p [Part]) -> Option<&'p str> {
    content(parts).filter(|_| texts.is_empty()).map(|(json, _)| json)
}

fn content(parts: &[Part]) -> Option<(&str, &Part)> {
    let part = parts.iter().find(|part| part.place.kind == PlaceKind::Content)?;
    part.outcome.as_ref().ok()?.json.as_deref().map(|json| (json, part))
}

#[cfg(test)]
mod tests {
    use super::{Rank, Text, joined, judge, replaced};
    use crate::config::{Level, Limits};
    use crate::repair::Reach;
    use crate::repair::decide::{Part, Place, PlaceKind};
    use crate::repair::evaluate::Written;
    use crate::repair::expectation::{Expectation, Schemas};

    /// Texts, and what is said of them.
    type Given<'a> = &'a [(&'a str, Rank)];

    fn texts(rows: Given<'_>) -> Vec<Text> {
        rows.iter().map(|(words, rank)| Text { words: (*words).to_owned(), rank: *rank }).collect()
    }

    /// What becomes of the texts: `None` if no answer is found in them.
    fn done(texts: Vec<Text>) -> Option<Vec<String>> {
        let schema = r#"{"type": "object", "required": ["city"]}"#;
        let wanted = Expectation::Schema(Schemas::default().get(schema).unwrap());
        let reach = Reach { level: Level::Standard, limits: Limits::default() };
        let written = Written { content: joined(&texts), texts, ..Written::default() };
        let (text, outcome) = judge(&written, &wanted, reach);
        outcome.as_ref().ok()?;
        let place = Place { choice: 0, kind: PlaceKind::Content, path: String::new() };
        let replaced = replaced(&written.texts, &[Part { place, text, outcome }]);
        let both = written.texts.into_iter().zip(replaced);
        Some(both.map(|(text, instead)| instead.unwrap_or(text.words)).collect())
    }

    #[test]
    fn the_answer_is_put_right_where_it_stands() {
        use Rank::{Answer, Commentary, Untold};
        let (sound, broken) = ("{\"city\": \"Oslo\"}", "{'city': 'Oslo'}");
        let rows: [(Given, &[&str]); 14] = [
            (&[(sound, Untold)], &[sound]),
            (&[(broken, Untold)], &[sound]),
            // One that stands as it is settles it, wherever that is.
            (&[("Looking.", Untold), (sound, Untold)], &["Looking.", sound]),
            (&[(sound, Untold), ("There it is.", Untold)], &[sound, "There it is."]),
            (&[("Looking.", Untold), (broken, Untold)], &["Looking.", sound]),
            (&[(broken, Untold), ("There it is.", Untold)], &[sound, "There it is."]),
            // One answer, in which something came between.
            (&[("{'city': ", Untold), ("'Oslo'}", Untold)], &["", sound]),
            (&[("{\"city\": ", Untold), ("\"Oslo\"}", Untold)], &["{\"city\": ", "\"Oslo\"}"]),
            (&[("So: {'city': ", Untold), ("'Oslo'}", Untold), ("!", Untold)], &["", sound, "!"]),
            // What stands behind a draft is the answer, if it holds any.
            (
                &[("{\"city\": \"Rome\"}", Untold), (broken, Untold)],
                &["{\"city\": \"Rome\"}", sound],
            ),
            (
                &[(sound, Untold), ("Or: {'city': ", Untold), ("'Rome'}", Untold)],
                &[sound, "", "{\"city\": \"Rome\"}"],
            ),
            (
                &[(sound, Untold), ("{\"city\": \"Rome\"}", Untold)],
                &[sound, "{\"city\": \"Rome\"}"],
            ),
            // What is said of them goes first.
            (&[(sound, Commentary), (broken, Answer)], &[sound, sound]),
            (&[(sound, Commentary), (broken, Untold)], &[sound, sound]),
        ];
        for (given, expected) in rows {
            let expected: Vec<String> = expected.iter().map(|&text| text.to_owned()).collect();
            assert_eq!(done(texts(given)), Some(expected), "{given:?}");
        }
        assert_eq!(done(texts(&[(sound, Commentary), ("Sorry.", Answer)])), None);
        assert_eq!(done(texts(&[(sound, Untold), ("{'town': 'Rome'}", Untold)])), None);
    }

    #[test]
    fn what_was_written_anew_stands_in_the_last_text_that_says_anything() {
        let mended = crate::repair::Mended {
            json: Some("{}".to_owned()),
            class: None,
            cut: crate::repair::Cut::Whole,
            done: Vec::new(),
            edits: crate::repair::Edits::default(),
        };
        let place = Place { choice: 0, kind: PlaceKind::Content, path: String::new() };
        let parts = [Part { place, text: String::new(), outcome: Ok(mended) }];
        let rows: [(&[&str], &[&str]); 4] = [
            (&["a", "b"], &["", "{}"]),
            (&["a", " "], &["{}", ""]),
            (&["", ""], &["", "{}"]),
            (&[], &[]),
        ];
        for (given, expected) in rows {
            let given: Vec<_> = given.iter().map(|&words| (words, Rank::Untold)).collect();
            let found = replaced(&texts(&given), &parts);
            let found: Vec<_> = found.into_iter().map(Option::unwrap_or_default).collect();
            assert_eq!(found, expected, "{given:?}");
        }
    }
}
