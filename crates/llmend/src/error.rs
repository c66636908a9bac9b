//! Why could no value be had?

use llmend_json::Span;

use crate::config::BadSetting;

/// Why no value could be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text holds no JSON value, or none that fits the type.
    #[error(transparent)]
    Json(#[from] llmend_json::Error),
    /// A variable of the environment does not say what it could.
    #[error(transparent)]
    Setting(#[from] BadSetting),
}

impl Error {
    /// The stable code, such as `syntax/expression`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(error) => error.code(),
            Self::Setting(_) => "config/bad-setting",
        }
    }

    /// Where in the text, in bytes, if it is about a place.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Json(error) => error.span(),
            Self::Setting(_) => None,
        }
    }
}
