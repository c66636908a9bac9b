//! The outcome of a command: an answer, or the failure to get one.

use std::borrow::Cow;

use llmend::{
    Coercion, Dialect, Violation,
    json::{Diagnostic, Error, ErrorKind, Report, Severity},
    plan::Document,
};

use crate::exit::Exit;

/// The layout of JSON output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// White space as in the input.
    Kept,
    /// Indented by two spaces per level.
    Indented,
}

/// A value that was read.
pub(crate) struct Answer<'t> {
    /// The value as JSON text.
    pub(crate) json: Cow<'t, str>,
    /// The repairs and findings of the text.
    pub(crate) report: Report,
    /// The coercions and violations, if a schema was given.
    pub(crate) fit: Option<Fit>,
    /// The plan, if one was asked for.
    pub(crate) plan: Option<ReadPlan>,
}

/// The coercions and violations of a value under a schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fit {
    pub(crate) coercions: Vec<Coercion>,
    pub(crate) violations: Vec<Violation>,
}

/// A plan, workflow or other document that was read.
#[derive(Debug)]
pub(crate) struct ReadPlan {
    /// The dialect that it was read in.
    pub(crate) dialect: Dialect,
    pub(crate) document: Document,
    /// The number of findings that were fixed.
    pub(crate) fixed: usize,
}

/// Why there is no value.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// The reasons. Empty if nobody is left to read them.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What the person at the command line can do, where that is more than a program can.
    pub(crate) hint: Option<String>,
    /// The report on the text, if it held JSON.
    pub(crate) report: Option<Box<Report>>,
    /// The coercions and violations, if that JSON was validated.
    pub(crate) fit: Option<Box<Fit>>,
    /// The plan, if one was read that cannot be used.
    pub(crate) plan: Option<Box<ReadPlan>>,
    /// The picture of that plan, if one was asked for. It is written all the same.
    pub(crate) picture: Option<String>,
}

impl Failure {
    /// Creates a failure with these reasons.
    pub(crate) fn new(exit: Exit, diagnostics: Vec<Diagnostic>) -> Self {
        Self { exit, diagnostics, hint: None, report: None, fit: None, plan: None, picture: None }
    }

    /// Creates a failure with one reason.
    pub(crate) fn plain(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self::new(exit, vec![Diagnostic::new(code, Severity::Error, message)])
    }

    /// Adds a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the diagnostic that says why there is no value: the first error.
    pub(crate) fn reason(&self) -> Option<&Diagnostic> {
        let is_error = |row: &&Diagnostic| row.severity == Severity::Error;
        self.diagnostics.iter().find(is_error).or_else(|| self.diagnostics.first())
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let hint = match error.kind() {
            ErrorKind::Refused(rule) => Some(format!(
                "Allow it with `--rule {rule}` or a wider `--policy`; see `llmend rules {rule}`."
            )),
            ErrorKind::Depth => Some("Raise `--max-depth` to read deeper nesting.".to_owned()),
            ErrorKind::Bytes => Some("Raise `--max-bytes` to read longer text.".to_owned()),
            _ => None,
        };
        Self { hint, ..Self::new(Exit::Refused, vec![Diagnostic::from(error)]) }
    }
}
