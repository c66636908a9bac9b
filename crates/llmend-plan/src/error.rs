//! The error of reading plans.

use llmend_json::{Diagnostic, Severity};

use crate::{Dialect, Document, code};

/// An error of reading a plan, workflow, patch or task result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The value is not a valid document of its dialect.
    #[error("{}", summary(*dialect, diagnostics))]
    Unreadable {
        /// The dialect; never [`Dialect::Auto`].
        dialect: Dialect,
        /// Every problem, in text order. At least one is an error; others may be warnings.
        diagnostics: Vec<Diagnostic>,
    },
    /// The text contains no JSON, and the dialect is JSON.
    #[error("{error}")]
    NoJson {
        /// The requested dialect.
        dialect: Dialect,
        /// The error of the JSON parser.
        error: Box<llmend_json::Error>,
    },
}

impl Error {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "plan/unreadable",
            Self::NoJson { error, .. } => error.code(),
        }
    }

    /// Returns every problem of the value, in text order; empty if the text contains no JSON.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Unreadable { diagnostics, .. } => diagnostics,
            Self::NoJson { .. } => &[],
        }
    }

    /// Returns the error that a document of another kind was found.
    pub(crate) fn unexpected(
        dialect: Dialect,
        found: &Document,
        expected: &str,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let message = format!("expected {expected}, found {}", found.what());
        diagnostics.push(Diagnostic::new(code::ANOTHER_DOCUMENT, Severity::Error, message).on(""));
        Self::Unreadable { dialect, diagnostics }
    }
}

fn summary(dialect: Dialect, diagnostics: &[Diagnostic]) -> String {
    let mut errors = diagnostics.iter().filter(|row| row.severity == Severity::Error);
    let first = errors.next().map(|row| row.message.as_str()).unwrap_or_default();
    let lead = match dialect {
        Dialect::Patch | Dialect::ClickweavePatch => format!("invalid patch: {first}"),
        _ => format!("not a valid plan in dialect `{dialect}`: {first}"),
    };
    match errors.count() {
        0 => lead,
        1 => format!("{lead} (and 1 more problem)"),
        more => format!("{lead} (and {more} more problems)"),
    }
}
