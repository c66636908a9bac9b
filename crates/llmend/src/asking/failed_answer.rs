//! The answer that the model is asked to correct.

use llmend_json::{Diagnostic, Severity};

use super::FailureKind;

/// The latest answer that cannot be used, as a whole: the merged one if only a part was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FailedAnswer {
    /// Why it cannot be used.
    pub kind: FailureKind,
    /// Every finding, with places in `text`.
    pub findings: Vec<Diagnostic>,
    /// The answer.
    pub text: String,
    /// The answer as strict JSON, in the form that the paths of the findings refer to.
    pub json: Option<String>,
    /// What was understood, as JSON in the form that the subject's own patches refer to.
    pub own: Option<String>,
    /// Why the latest answer could not be merged with it.
    pub since: Vec<Diagnostic>,
}

impl FailedAnswer {
    /// Returns the findings to correct: the errors, or all findings if there is no error.
    pub fn faults(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_error = |row: &&Diagnostic| row.severity == Severity::Error;
        let any = self.findings.iter().any(|row| is_error(&row));
        self.findings.iter().filter(move |row| !any || is_error(row))
    }
}

/// Returns whether the errors are the same in code, place and message.
pub(super) fn same(before: &[Diagnostic], now: &[Diagnostic]) -> bool {
    let errors = |rows: &[Diagnostic]| -> Vec<(String, Option<String>, String)> {
        let mut rows: Vec<_> = rows
            .iter()
            .filter(|row| row.severity == Severity::Error)
            .map(|row| (row.code.to_string(), row.path.clone(), row.message.clone()))
            .collect();
        rows.sort_unstable();
        rows
    };
    errors(before) == errors(now)
}
