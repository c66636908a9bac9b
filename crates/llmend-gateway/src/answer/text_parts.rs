//! The texts of a response with several, and which of them are the answer.
//!
//! A model that writes several texts announces in some of them what it is about to do, or continues
//! a text after something else came between.

use crate::answer::part::{PartKind, ResponsePart};

/// A text of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextPart {
    pub(crate) words: String,
    pub(crate) rank: Rank,
}

/// The role of a text, as the response reports it. Texts of the highest rank are inspected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// A comment on the way to the answer.
    Commentary,
    /// Not reported.
    #[default]
    Unknown,
    /// The answer.
    Answer,
}

/// Returns the inspected texts with their indices.
pub(crate) fn answering(texts: &[TextPart]) -> impl DoubleEndedIterator<Item = (usize, &str)> {
    let highest = texts.iter().map(|text| text.rank).max();
    let numbered = texts.iter().enumerate();
    numbered
        .filter(move |(_, text)| Some(text.rank) == highest)
        .map(|(number, text)| (number, text.words.as_str()))
}

/// Joins the inspected texts.
pub(crate) fn joined(texts: &[TextPart]) -> String {
    answering(texts).map(|(_, words)| words).collect()
}

/// Returns the new content of each text, or `None` where it does not change.
///
/// The JSON replaces the last of the texts that it was read from, and the others of them become
/// empty. JSON from a retry replaces all of them.
pub(crate) fn replaced(texts: &[TextPart], parts: &[ResponsePart]) -> Vec<Option<String>> {
    let mut replaced = vec![None; texts.len()];
    let Some((json, part)) = content(parts) else { return replaced };
    let candidate = part.outcome.as_ref().ok().and_then(|repaired| repaired.edits.candidate);
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

/// Returns the JSON to add to a response that has no text it could replace.
pub(crate) fn added<'p>(texts: &[TextPart], parts: &'p [ResponsePart]) -> Option<&'p str> {
    content(parts).filter(|_| texts.is_empty()).map(|(json, _)| json)
}

fn content(parts: &[ResponsePart]) -> Option<(&str, &ResponsePart)> {
    let part = parts.iter().find(|part| part.place.kind == PartKind::Content)?;
    part.outcome.as_ref().ok()?.json.as_deref().map(|json| (json, part))
}
