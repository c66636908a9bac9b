//! How does the command end?

use llmend::json::{Diagnostic, Error, ErrorKind, Report, Severity};

use crate::{fitting::Fit, planning::Found};

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: a value.
    Value,
    /// 1: refused.
    Refused,
    /// 2: the command was misused.
    Usage,
    /// 3: input or output failed.
    Io,
}

impl Exit {
    /// The number that the system is told.
    pub(crate) const fn status(self) -> u8 {
        match self {
            Self::Value => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Io => 3,
        }
    }
}

/// Why there is no value: what to say, and how to end.
#[derive(Debug)]
pub(crate) struct Failure {
    /// How the command ends.
    pub(crate) exit: Exit,
    /// What is said about it. Empty if there is nobody left to listen.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What the person at the command line can do, where that is more than a program can.
    pub(crate) hint: Option<String>,
    /// How the JSON was come by, if there is some, and it is only not what was asked for.
    pub(crate) report: Option<Box<Report>>,
    /// What came of holding that JSON against a schema, if it was.
    pub(crate) fit: Option<Box<Fit>>,
    /// The plan that was read, if one was, and it only cannot be used.
    pub(crate) plan: Option<Box<Found>>,
    /// A picture that shows what is wrong with it, if one was asked for: it is written all the same.
    pub(crate) picture: Option<String>,
}

impl Failure {
    /// A failure with these things to say.
    pub(crate) fn new(exit: Exit, diagnostics: Vec<Diagnostic>) -> Self {
        Self { exit, diagnostics, hint: None, report: None, fit: None, plan: None, picture: None }
    }

    /// A failure with one sentence to say.
    pub(crate) fn plain(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self::new(exit, vec![Diagnostic::new(code, Severity::Error, message)])
    }

    /// The same failure with a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The diagnostic that says why there is no value.
    pub(crate) fn reason(&self) -> Option<&Diagnostic> {
        let is_error = |row: &&Diagnostic| row.severity == Severity::Error;
        self.diagnostics.iter().find(is_error).or_else(|| self.diagnostics.first())
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let hint = match error.kind() {
            ErrorKind::Refused(rule) => Some(format!(
                "Allow it with `--rule {rule}` or a wider `--policy`; `llmend rules {rule}` tells what it does."
            )),
            ErrorKind::Depth => {
                Some("Raise `--max-depth` if nesting this deep is meant.".to_owned())
            }
            ErrorKind::Bytes => {
                Some("Raise `--max-bytes` if a text this long is meant.".to_owned())
            }
            _ => None,
        };
        Self { hint, ..Self::new(Exit::Refused, vec![Diagnostic::from(error)]) }
    }
}
