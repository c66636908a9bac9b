//! What is known of the answer that has to be put right?

use llmend_json::{Diagnostic, Severity};

use super::FailureKind;

/// The latest answer that cannot be used, as a whole: what was merged where only a part was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failed {
    /// Why not.
    pub kind: FailureKind,
    /// Everything that was found, with places in `text`.
    pub findings: Vec<Diagnostic>,
    /// The answer.
    pub text: String,
    /// What it says as strict JSON, in the form that the paths of the findings are about.
    pub json: Option<String>,
    /// What was understood, as JSON in the form that the subject's own patches are about.
    pub own: Option<String>,
    /// Why the answers since then could not be put together with it: of the latest one alone.
    pub since: Vec<Diagnostic>,
}

impl Failed {
    /// The findings that have to be put right: the errors, or all of them where there is none.
    pub fn faults(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_error = |row: &&Diagnostic| row.severity == Severity::Error;
        let any = self.findings.iter().any(|row| is_error(&row));
        self.findings.iter().filter(move |row| !any || is_error(row))
    }
}

/// Whether the errors are the same: what was found, where, and in which words.
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
