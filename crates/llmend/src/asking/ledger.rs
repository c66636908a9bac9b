//! What was asked, what came of it, and what did it cost?

use std::{collections::BTreeMap, time::Duration};

use llmend_json::{Class, Diagnostic, Relocate, Severity, line_column, preview};
use serde::{Serialize, Serializer};

use super::{FailureKind, Keep, Rung};
use crate::model::{Finish, Usage};

/// The account of a question: every attempt, whatever came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ledger {
    /// Each request that was made, in order.
    pub attempts: Vec<Attempt>,
    /// Tokens of all of them. If one was not told by its provider, `estimated`.
    pub usage: Usage,
    /// What they cost, in millionths of a unit of money; nothing where a price is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// How long all of it took.
    #[serde(rename = "milliseconds", serialize_with = "milliseconds")]
    pub took: Duration,
    /// How often a provider was asked the same again, because of the connection.
    pub transport_retries: u32,
}

/// One request, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Attempt {
    /// Which attempt it belongs to, from 1. A request whose answer did not arrive, and the one after
    /// it, belong to the same.
    pub number: u32,
    /// How it was asked; nothing of the first question.
    pub rung: Option<Rung>,
    /// The model that was asked.
    pub model: String,
    /// Why the answer could not be used. `None` if it could.
    pub failure: Option<FailureKind>,
    /// The first error that was found in one sentence, with its line and column; nothing where
    /// nothing was found.
    pub cause: Option<String>,
    /// In which text places of `findings` are.
    pub found_in: FoundIn,
    /// Everything that was found.
    pub findings: Vec<Diagnostic>,
    /// How sure the reading was.
    #[serde(serialize_with = "class")]
    pub class: Option<Class>,
    /// How many repairs and coercions were made.
    pub repairs: usize,
    /// Why the answer went no further. `None` if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// Tokens.
    pub usage: Usage,
    /// What it cost, in millionths of a unit of money; nothing where the price is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// How long it took.
    #[serde(rename = "milliseconds", serialize_with = "milliseconds")]
    pub took: Duration,
    /// How often the provider was asked again, because of the connection.
    pub transport_retries: u32,
    /// Bytes of the question.
    pub question_bytes: usize,
    /// Bytes of the answer.
    pub answer_bytes: usize,
    /// What the model wrote.
    pub answer: Kept,
}

/// Where each byte of a text stands, as somebody counts.
pub type Counted<'t> = Box<dyn FnMut(usize) -> usize + 't>;

/// In which text the places of what was found are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoundIn {
    /// In what the model wrote in this attempt.
    #[default]
    Answer,
    /// In what was put together from this answer and the ones before.
    Whole,
}

impl FoundIn {
    /// Moves places in the answer, of which `to` tells where a byte stands; forgets those in a text that
    /// nobody was sent.
    pub(super) fn relocate(self, findings: &mut [Diagnostic], mut to: impl FnMut(usize) -> usize) {
        match self {
            Self::Answer => findings.relocate(&mut to),
            Self::Whole => forget(findings),
        }
    }
}

/// Leaves out all places.
pub(super) fn forget(findings: &mut [Diagnostic]) {
    for row in findings {
        (row.span, row.edit) = (None, None);
    }
}

/// What was kept of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kept {
    /// Its beginning, or all of it.
    Text(String),
    /// A hash of it: 64 bits of FNV-1a, in hexadecimal digits.
    Hash(String),
}

impl Kept {
    pub(crate) fn of(text: &str, keep: Keep) -> Self {
        match keep {
            Keep::Text(most) => {
                let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
                Self::Text(text.get(..end.unwrap_or_default()).unwrap_or_default().to_owned())
            }
            Keep::Hash => Self::Hash(format!("{:016x}", hash(text))),
        }
    }
}

/// FNV-1a: the same on every machine and in every version.
pub(crate) fn hash(text: &str) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    text.bytes().fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// The first error, or the first finding, in one sentence, with its place in `text`.
pub(crate) fn cause(text: &str, findings: &[Diagnostic]) -> Option<String> {
    const MOST_CHARS: usize = 300;
    let is_error = |row: &&Diagnostic| row.severity == Severity::Error;
    let row = findings.iter().find(is_error).or(findings.first())?;
    let mut out = preview(&row.message, MOST_CHARS).to_owned();
    let path =
        row.path.as_deref().filter(|path| !path.is_empty()).map(|path| format!("at `{path}`"));
    let place = row.span.filter(|span| span.end <= text.len()).map(|span| {
        let (line, column) = line_column(text, span.start);
        format!("line {line}, column {column}")
    });
    let places: Vec<String> = path.into_iter().chain(place).collect();
    if !places.is_empty() {
        out = format!("{out} ({})", places.join(", "));
    }
    Some(out)
}

impl Ledger {
    /// How many attempts were made: questions that were answered, and the one that may have remained
    /// without an answer.
    #[must_use]
    pub fn attempts_made(&self) -> u32 {
        self.attempts.last().map_or(0, |attempt| attempt.number)
    }

    /// How often each kind of failure occurred.
    #[must_use]
    pub fn failures(&self) -> BTreeMap<FailureKind, u32> {
        let mut counts = BTreeMap::new();
        for kind in self.attempts.iter().filter_map(|attempt| attempt.failure) {
            *counts.entry(kind).or_default() += 1;
        }
        counts
    }

    /// Counts places otherwise than in bytes: `counted` tells of a text where each of its bytes stands.
    /// `answers` are what the models wrote, one an attempt, as [`Driven::answers`](super::Driven::answers)
    /// has them. Places in what was put together from several are left out, since nobody was sent that.
    pub fn relocate(&mut self, answers: &[String], counted: impl Fn(&str) -> Counted<'_>) {
        for (attempt, answer) in self.attempts.iter_mut().zip(answers) {
            attempt.found_in.relocate(&mut attempt.findings, counted(answer));
        }
    }

    pub(crate) fn push(&mut self, attempt: Attempt) {
        self.usage.input = self.usage.input.saturating_add(attempt.usage.input);
        self.usage.output = self.usage.output.saturating_add(attempt.usage.output);
        self.usage.estimated |= attempt.usage.estimated;
        self.cost = match (self.cost, attempt.cost) {
            _ if self.attempts.is_empty() => attempt.cost,
            (Some(all), Some(one)) => Some(all.saturating_add(one)),
            _ => None,
        };
        self.transport_retries = self.transport_retries.saturating_add(attempt.transport_retries);
        self.attempts.push(attempt);
    }
}

fn milliseconds<S: Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
}

#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn class<S: Serializer>(class: &Option<Class>, serializer: S) -> Result<S::Ok, S::Error> {
    class.map(Class::as_str).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_text_is_as_short_as_was_asked_for() {
        let rows = [
            ("héllo", Keep::Text(99), Kept::Text("héllo".to_owned())),
            ("héllo", Keep::Text(2), Kept::Text("h".to_owned())),
            ("héllo", Keep::Text(0), Kept::Text(String::new())),
            ("", Keep::Hash, Kept::Hash("cbf29ce484222325".to_owned())),
            ("a", Keep::Hash, Kept::Hash("af63dc4c8601ec8c".to_owned())),
        ];
        for (text, keep, expected) in rows {
            assert_eq!(Kept::of(text, keep), expected, "{text} {keep:?}");
        }
    }
}
