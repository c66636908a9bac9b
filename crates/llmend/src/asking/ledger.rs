//! The record of all attempts and what they used.

use std::{collections::BTreeMap, time::Duration};

use llmend_json::{Class, Diagnostic, OffsetUnit, Relocate as _, Severity, line_column, preview};
use serde::{Serialize, Serializer};

use super::{FailureKind, Keep, Strategy};
use crate::model::{ChatErrorKind, Finish, Lost, Usage, masked, stable_hash};

/// The record of a loop: every attempt, successful or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ledger {
    /// Each request, in order.
    pub attempts: Vec<Attempt>,
    /// Tokens of all requests; `estimated` if a provider did not report some.
    pub usage: Usage,
    /// The total cost in millionths of a currency unit. `None` if a price is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// The total duration.
    #[serde(rename = "milliseconds", serialize_with = "milliseconds")]
    pub took: Duration,
    /// How often providers were asked again after connection failures or overloads.
    pub transport_retries: u32,
}

/// One request and its result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Attempt {
    /// The number of the attempt, from 1. A request whose answer did not arrive and the one after
    /// it have the same number.
    pub number: u32,
    /// The retry strategy. `None` for the first request.
    pub strategy: Option<Strategy>,
    /// The name of the model.
    pub model: String,
    /// Why the answer could not be used. `None` if it could.
    pub failure: Option<FailureKind>,
    /// The first error as one sentence with its line and column. `None` without findings.
    pub cause: Option<String>,
    /// The text that places of `findings` refer to.
    pub found_in: FindingSource,
    /// Every finding.
    pub findings: Vec<Diagnostic>,
    /// The worst class of all repairs and coercions.
    #[serde(serialize_with = "class")]
    pub class: Option<Class>,
    /// The number of repairs and coercions.
    pub repairs: usize,
    /// Why the answer ended. `None` if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// Why the answer broke off before its end. `None` if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broke_off: Option<ChatErrorKind>,
    /// Token counts of the answer.
    pub usage: Usage,
    /// Whether the last request of the call did not reach the server, or was not sent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_reached: bool,
    /// The requests of the same call before the one that was answered, and their token counts.
    #[serde(skip_serializing_if = "Lost::is_none")]
    pub lost: Lost,
    /// The cost of all requests of the call in millionths of a currency unit. `None` if the price is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// The duration.
    #[serde(rename = "milliseconds", serialize_with = "milliseconds")]
    pub took: Duration,
    /// How often the provider was asked again after connection failures or overloads.
    pub transport_retries: u32,
    /// The size of the request in bytes.
    pub question_bytes: usize,
    /// The size of the answer in bytes.
    pub answer_bytes: usize,
    /// What the model wrote.
    pub answer: KeptAnswer,
}

/// The text that the places of findings refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingSource {
    /// What the model wrote in this attempt.
    #[default]
    Answer,
    /// A text merged from this answer and earlier ones.
    Whole,
}

impl FindingSource {
    /// Counts places in `answer` in `unit`; removes places in a merged text, which nobody was sent.
    pub(super) fn convert_offsets(
        self,
        findings: &mut [Diagnostic],
        answer: &str,
        unit: OffsetUnit,
    ) {
        match self {
            Self::Answer => findings.convert_offsets(answer, unit),
            Self::Whole => forget(findings),
        }
    }
}

/// Removes all places.
pub(super) fn forget(findings: &mut [Diagnostic]) {
    for row in findings {
        (row.span, row.edit) = (None, None);
    }
}

/// What the ledger keeps of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptAnswer {
    /// Its beginning, or all of it.
    Text(String),
    /// A hash: 64 bits of FNV-1a in hexadecimal.
    Hash(String),
}

impl KeptAnswer {
    /// Keeps a part of a text, without what looks like a key.
    pub(crate) fn of(text: &str, keep: Keep) -> Self {
        match keep {
            Keep::Text(most) => {
                let text = masked(text);
                let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
                Self::Text(text.get(..end.unwrap_or_default()).unwrap_or_default().to_owned())
            }
            Keep::Hash => Self::Hash(format!("{:016x}", stable_hash(text))),
        }
    }
}

/// Replaces what looks like a key in the words of findings.
pub fn without_keys(findings: &mut [Diagnostic]) {
    for row in findings {
        row.message = masked(&row.message);
        for text in row.path.iter_mut().chain(&mut row.help) {
            *text = masked(text);
        }
        // An edit with another text would be another edit.
        row.edit.take_if(|edit| masked(&edit.replacement) != edit.replacement);
    }
}

/// Returns the first error, or else the first finding, as one sentence with its place in `text`.
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
    /// Returns the number of attempts, including a last one that remained without an answer.
    #[must_use]
    pub fn attempts_made(&self) -> u32 {
        self.attempts.last().map_or(0, |attempt| attempt.number)
    }

    /// Returns the number of requests that reached a server, including those that were refused or whose
    /// answers broke off.
    #[must_use]
    pub fn calls(&self) -> usize {
        let calls = |attempt: &Attempt| {
            usize::from(!attempt.not_reached).saturating_add(attempt.lost.requests as usize)
        };
        self.attempts.iter().map(calls).sum()
    }

    /// Returns how often each kind of failure occurred.
    #[must_use]
    pub fn failures(&self) -> BTreeMap<FailureKind, u32> {
        let mut counts = BTreeMap::new();
        for kind in self.attempts.iter().filter_map(|attempt| attempt.failure) {
            *counts.entry(kind).or_default() += 1;
        }
        counts
    }

    /// Returns the output tokens of the longest answer.
    pub(crate) fn longest_answer(&self) -> u64 {
        self.attempts.iter().map(|attempt| attempt.usage.output).max().unwrap_or_default()
    }

    /// Converts the places from bytes to `unit`. `answers` are what the models wrote, one text an
    /// attempt, as [`ManualLoop::answers`](super::ManualLoop::answers) returns them. Places in
    /// merged texts are removed, since nobody was sent those.
    pub fn convert_offsets(&mut self, answers: &[String], unit: OffsetUnit) {
        for (attempt, answer) in self.attempts.iter_mut().zip(answers) {
            attempt.found_in.convert_offsets(&mut attempt.findings, answer, unit);
        }
    }

    /// Adds what another loop did and used, with its attempts numbered on.
    pub(crate) fn append(&mut self, other: Self) {
        self.took = self.took.saturating_add(other.took);
        let before = self.attempts_made();
        for attempt in other.attempts {
            self.push(Attempt { number: before + attempt.number, ..attempt });
        }
    }

    pub(crate) fn push(&mut self, mut attempt: Attempt) {
        without_keys(&mut attempt.findings);
        attempt.cause = attempt.cause.as_deref().map(masked);
        self.usage = self.usage.plus(attempt.usage).plus(attempt.lost.usage);
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
    fn findings_keep_no_key() {
        const KEY: &str = "sk-abcdefghijklmnopqrst1234";
        let row = |message: &str| Diagnostic::new("schema/enum", Severity::Error, message);
        let mut rows = [
            row(&format!("{KEY} is not allowed"))
                .on(format!("/{KEY}/a"))
                .help(format!("not {KEY}")),
            row("fine").on("/a"),
        ];
        without_keys(&mut rows);
        let of_key = row("[REDACTED] is not allowed").on("/[REDACTED]/a").help("not [REDACTED]");
        assert_eq!(rows, [of_key, row("fine").on("/a")]);
    }

    #[test]
    fn what_is_kept_of_a_text_is_as_short_as_was_asked_for() {
        let rows = [
            ("héllo", Keep::Text(99), KeptAnswer::Text("héllo".to_owned())),
            ("héllo", Keep::Text(2), KeptAnswer::Text("h".to_owned())),
            ("héllo", Keep::Text(0), KeptAnswer::Text(String::new())),
            (
                "my sk-abcdefghijklmnopqrst1234",
                Keep::Text(99),
                KeptAnswer::Text("my [REDACTED]".to_owned()),
            ),
            ("", Keep::Hash, KeptAnswer::Hash("cbf29ce484222325".to_owned())),
            ("a", Keep::Hash, KeptAnswer::Hash("af63dc4c8601ec8c".to_owned())),
        ];
        for (text, keep, expected) in rows {
            assert_eq!(KeptAnswer::of(text, keep), expected, "{text} {keep:?}");
        }
    }
}
