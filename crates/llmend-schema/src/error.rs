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
    #[error("the schema cannot be used: {message}{}", place(path))]
    Schema {
        /// What is wrong, in one sentence.
        message: String,
        /// JSON Pointer into the schema.
        path: String,
    },
    /// The schema is nested deeper than 512 levels.
    #[error("the schema is nested deeper than {0} levels")]
    Depth(usize),
    /// To hold a value against the schema would take too long: its references multiply, or are
    /// chained without end.
    #[error("the references of the schema multiply beyond what can be validated")]
    Work,
}

/// Where something is wrong, if it is not the schema as a whole.
fn place(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" (at `{path}`)") }
}

impl Error {
    /// Stable code: `schema/syntax`, `schema/unusable`, `limit/depth` or `limit/work`.
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
