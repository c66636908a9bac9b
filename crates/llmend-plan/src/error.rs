//! Why could no plan be had?

use llmend_json::{Diagnostic, Severity};

use crate::{Dialect, Document, code};

/// Why no plan could be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The value is no plan of that dialect, or a patch cannot be applied.
    #[error("{}", summary(*dialect, diagnostics))]
    Unreadable {
        /// How it was read; never [`Dialect::Auto`].
        dialect: Dialect,
        /// Every problem, in the order of the text. At least one is an error; there may be
        /// warnings beside it.
        diagnostics: Vec<Diagnostic>,
    },
    /// The text holds no JSON, which the dialect is written in.
    #[error("{error}")]
    NoJson {
        /// How it was to be read; [`Dialect::Auto`] where nothing was said.
        dialect: Dialect,
        /// Why there is none.
        error: Box<llmend_json::Error>,
    },
}

impl Error {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "plan/unreadable",
            Self::NoJson { error, .. } => error.code(),
        }
    }

    /// Every problem of the value, in the order of the text; none where there is no value.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Unreadable { diagnostics, .. } => diagnostics,
            Self::NoJson { .. } => &[],
        }
    }

    /// The error that something else was found than what was asked for.
    pub(crate) fn another(
        dialect: Dialect,
        found: &Document,
        wanted: &str,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let message = format!("this is {}, not {wanted}", found.what());
        diagnostics.push(Diagnostic::new(code::ANOTHER_DOCUMENT, Severity::Error, message).on(""));
        Self::Unreadable { dialect, diagnostics }
    }
}

fn summary(dialect: Dialect, diagnostics: &[Diagnostic]) -> String {
    let mut errors = diagnostics.iter().filter(|row| row.severity == Severity::Error);
    let first = errors.next().map(|row| row.message.as_str()).unwrap_or_default();
    let lead = match dialect {
        Dialect::Patch | Dialect::ClickweavePatch => format!("the patch cannot be used: {first}"),
        _ => format!("the value is no plan as the dialect `{dialect}` has it: {first}"),
    };
    match errors.count() {
        0 => lead,
        1 => format!("{lead} (and 1 more problem)"),
        more => format!("{lead} (and {more} more problems)"),
    }
}
