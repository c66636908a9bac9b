//! Why could no plan be had?

use llmend_json::{Diagnostic, Severity};

use crate::Dialect;

/// Why no plan could be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The value is no plan of that dialect.
    #[error("{}", summary(*dialect, diagnostics))]
    Unreadable {
        /// How it was read; never [`Dialect::Auto`].
        dialect: Dialect,
        /// Every problem, in the order of the text. At least one is an error; there may be
        /// warnings beside it.
        diagnostics: Vec<Diagnostic>,
    },
}

impl Error {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "plan/unreadable",
        }
    }

    /// Every problem, in the order of the text.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Unreadable { diagnostics, .. } => diagnostics,
        }
    }
}

fn summary(dialect: Dialect, diagnostics: &[Diagnostic]) -> String {
    let mut errors = diagnostics.iter().filter(|row| row.severity == Severity::Error);
    let first = errors.next().map(|row| row.message.as_str()).unwrap_or_default();
    let lead = format!("the value is no plan as the dialect `{dialect}` has it: {first}");
    match errors.count() {
        0 => lead,
        1 => format!("{lead} (and 1 more problem)"),
        more => format!("{lead} (and {more} more problems)"),
    }
}
