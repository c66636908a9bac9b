//! Errors of schemas.

use llmend_json::{Diagnostic, Severity};

/// An error in a schema.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not valid JSON.
    #[error("schema is not valid JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// The schema is invalid, or refers to something outside itself.
    #[error("invalid schema: {message}{}", location(path))]
    Schema {
        /// Description of the problem, in one clause.
        message: String,
        /// JSON Pointer into the schema.
        path: String,
    },
    /// The schema is nested more than 512 levels deep.
    #[error("schema is nested deeper than {0} levels")]
    Depth(usize),
    /// Validation would take too long: the schema's references multiply or are nested too deeply.
    #[error("schema has too many repeated or nested references")]
    Work,
}

/// Formats the location, unless it is the whole schema.
fn location(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" (at `{path}`)") }
}

impl Error {
    /// Returns the stable code: `schema/syntax`, `schema/unusable`, `limit/depth` or `limit/work`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Syntax(_) => "schema/syntax",
            Self::Schema { .. } => "schema/unusable",
            Self::Depth(_) => "limit/depth",
            Self::Work => "limit/work",
        }
    }
}

impl From<&Error> for Diagnostic {
    fn from(error: &Error) -> Self {
        Self::new(error.code(), Severity::Error, error.to_string())
    }
}
