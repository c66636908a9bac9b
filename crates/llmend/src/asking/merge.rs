//! Requests of retries, and answers merged from their parts.

use llmend_json::{Class, Diagnostic, Options, Parsed, Report, Severity, parse_with};

use super::{FailureKind, messages, schema_subject::doubted, subject::Ending};
use crate::model::{Message, Output};

/// The position of a retry in the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RetryContext {
    /// The number of the retry, from 1.
    pub(crate) retry: u32,
    /// The maximum number of retries.
    pub(crate) of: u32,
    /// Whether this is the last retry.
    pub(crate) is_last: bool,
    /// The maximum size of the shown answer, and of the excerpts, in bytes.
    pub(crate) shown: usize,
}

/// The messages and the output form of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RequestBody {
    pub(crate) messages: Vec<Message>,
    pub(crate) output: Output,
}

/// The result of merging an answer with the earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// A complete answer, to be read like any other.
    Answer(MergedAnswer),
    /// A patch in the subject's own form.
    Patch,
}

/// A complete answer, and what was done to the part that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MergedAnswer {
    pub(crate) text: String,
    pub(crate) ending: Ending,
    /// The worst class of the repairs of the part. `None` without repairs.
    pub(crate) class: Option<Class>,
    /// The number of repairs of the part.
    pub(crate) repairs: usize,
    /// The findings in the part.
    pub(crate) findings: Vec<Diagnostic>,
}

impl MergedAnswer {
    /// Creates an answer of one piece.
    pub(crate) const fn plain(text: String, ending: Ending) -> Self {
        Self { text, ending, class: None, repairs: 0, findings: Vec::new() }
    }

    /// Creates an answer from a merged text and the report on the part.
    pub(crate) fn merged(text: String, part: &Report, mut findings: Vec<Diagnostic>) -> Self {
        // Diagnostics of the part have their places in the part.
        let told =
            part.diagnostics.iter().map(|row| Diagnostic { span: None, edit: None, ..row.clone() });
        findings.extend(told);
        let (class, repairs) = (part.class, part.repairs.len());
        Self { text, ending: Ending::Complete, class, repairs, findings }
    }
}

/// Reads a part that was asked for, with these member names. A part that may lack something is
/// rejected.
pub(crate) fn part(
    answer: &str,
    ending: Ending,
    names: impl IntoIterator<Item = String>,
) -> Result<Parsed<'_>, RejectedAnswer> {
    let mut options = Options::default();
    options.hints.keys = names.into_iter().collect();
    let parsed = parse_with(answer, &options).map_err(|error| RejectedAnswer::of_json(&error))?;
    if ending != Ending::Complete || parsed.report.truncated() {
        return Err(RejectedAnswer::cut());
    }
    match doubted(&parsed.report, &[], ending) {
        Some((kind, row)) => Err(RejectedAnswer { kind, findings: vec![row] }),
        None => Ok(parsed),
    }
}

/// An answer that does not match the request. The earlier answer stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RejectedAnswer {
    pub(crate) kind: FailureKind,
    pub(crate) findings: Vec<Diagnostic>,
}

impl RejectedAnswer {
    /// Rejects an answer without readable JSON.
    pub(crate) fn of_json(error: &llmend_json::Error) -> Self {
        let kind = FailureKind::of_json(error.kind());
        Self { kind, findings: vec![error.into()] }
    }

    /// Rejects an answer that was cut off, so that its part may lack something.
    pub(crate) fn cut() -> Self {
        let row = Diagnostic::new("value/truncated", Severity::Error, messages::PART_CUT);
        Self { kind: FailureKind::Truncation, findings: vec![row] }
    }

    /// Rejects an answer that does not do what was asked for.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        let findings = vec![Diagnostic::new(code, Severity::Error, message)];
        Self { kind: FailureKind::Schema, findings }
    }
}
