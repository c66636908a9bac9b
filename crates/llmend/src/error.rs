//! Why could no value be had?

use llmend_json::{Diagnostic, Severity, Span};

use crate::{Fitted, config::BadSetting};

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
    /// The schema cannot be used.
    #[error(transparent)]
    Schema(#[from] BadSchema),
    /// There is a value, but it does not fit the schema: each violation says how.
    #[error("{}", misfit(.0))]
    Unfit(Box<Fitted>),
}

/// A schema that cannot be used. The answer is not to blame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadSchema {
    /// The stable code, such as `schema/unusable`.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl From<llmend_schema::Error> for Error {
    fn from(error: llmend_schema::Error) -> Self {
        Self::Schema(BadSchema { code: error.code(), message: error.to_string() })
    }
}

impl Error {
    /// The stable code, such as `syntax/expression`; of several violations, that of the first.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(error) => error.code(),
            Self::Setting(_) => "config/bad-setting",
            Self::Schema(error) => error.code,
            Self::Unfit(fitted) => fitted.violations.first().map_or("schema/unfit", |row| row.code),
        }
    }

    /// Where in the text, in bytes, if it is about a place; of several violations, that of the
    /// first.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Json(error) => error.span(),
            Self::Setting(_) | Self::Schema(_) => None,
            Self::Unfit(fitted) => fitted.violations.first().and_then(|row| row.span),
        }
    }

    /// What there is to tell a person, a program or the model: one row, or one for each violation,
    /// and then what the report on the text tells.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Self::Json(error) => vec![error.into()],
            Self::Setting(_) | Self::Schema(_) => {
                vec![Diagnostic::new(self.code(), Severity::Error, self.to_string())]
            }
            Self::Unfit(fitted) => fitted.diagnostics(),
        }
    }
}

/// The first violation, and how many more there are.
fn misfit(fitted: &Fitted) -> String {
    let Some(first) = fitted.violations.first() else {
        return "the value does not fit the schema".to_owned();
    };
    let more = match fitted.violations.len() - 1 {
        0 => String::new(),
        1 => ", and one more violation".to_owned(),
        count => format!(", and {count} more violations"),
    };
    format!("the value does not fit the schema: {} (at `{}`){more}", first.message, first.path)
}
