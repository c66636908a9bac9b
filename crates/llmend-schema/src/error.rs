//! Why can a schema not be used?

use llmend_json::{Diagnostic, Severity};

/// A schema that cannot be used. The value is not to blame.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text of the schema is no JSON.
    #[error("the schema is not JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// The schema is not one that the drafts allow, or refers to something that is not in it.
    #[error("the schema cannot be used: {message} (at `{path}`)")]
    Schema {
        /// What is wrong, in one sentence.
        message: String,
        /// JSON Pointer into the schema.
        path: String,
    },
    /// The schema is nested deeper than 512 levels.
    #[error("the schema is nested deeper than {0} levels")]
    Depth(usize),
}

impl Error {
    /// Stable code: `schema/syntax`, `schema/unusable` or `limit/depth`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Syntax(_) => "schema/syntax",
            Self::Schema { .. } => "schema/unusable",
            Self::Depth(_) => "limit/depth",
        }
    }
}

impl From<&Error> for Diagnostic {
    fn from(error: &Error) -> Self {
        Self::new(error.code(), Severity::Error, error.to_string())
    }
}
