//! The error of reading an answer.

use llmend_json::{Diagnostic, ErrorRow, ErrorTopic, OffsetUnit, Severity, Span};

use crate::{config::BadSetting, fitted::Fitted};

/// The reason why no value could be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text contains no JSON value, or none of the type.
    #[error(transparent)]
    Json(#[from] llmend_json::Error),
    /// An environment variable has an invalid value.
    #[error(transparent)]
    Setting(#[from] BadSetting),
    /// The schema cannot be used.
    #[error(transparent)]
    Schema(#[from] BadSchema),
    /// The value does not fit the schema: each violation says how.
    #[error("{}", violation_summary(.0))]
    Unfit(Box<Fitted>),
}

/// A schema that cannot be used, whatever the answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadSchema {
    /// The stable code, such as `schema/unusable`.
    pub code: &'static str,
    /// The reason, in one sentence.
    pub message: String,
}

impl From<llmend_schema::Error> for Error {
    fn from(error: llmend_schema::Error) -> Self {
        Self::Schema(BadSchema { code: error.code(), message: error.to_string() })
    }
}

impl Error {
    /// Returns the stable code, such as `syntax/expression`; for several violations, that of the
    /// first.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(error) => error.code(),
            Self::Setting(_) => "config/bad-setting",
            Self::Schema(error) => error.code,
            Self::Unfit(fitted) => fitted.violations.first().map_or("schema/unfit", |row| row.code),
        }
    }

    /// Returns the place in the text in bytes, if known; for several violations, that of the first.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Json(error) => error.span(),
            Self::Setting(_) | Self::Schema(_) => None,
            Self::Unfit(fitted) => fitted.violations.first().and_then(|row| row.span),
        }
    }

    /// Returns the diagnostics: one, or one for each violation, followed by those of the report on
    /// the text.
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

    /// Returns the error about `text` as other languages show it, with offsets in `unit`.
    #[must_use]
    pub fn row(&self, text: &str, unit: OffsetUnit) -> ErrorRow {
        let topic = match self {
            Self::Json(error) => return ErrorRow::of(error, text, unit),
            Self::Setting(_) => ErrorTopic::Setting,
            Self::Schema(_) => ErrorTopic::Schema,
            Self::Unfit(_) => ErrorTopic::Unfit,
        };
        ErrorRow::new(topic, self.code(), self.to_string(), self.diagnostics()).at(
            self.span(),
            text,
            unit,
        )
    }
}

/// Returns the first violation and the number of further ones.
fn violation_summary(fitted: &Fitted) -> String {
    let Some(first) = fitted.violations.first() else {
        return "the value does not fit the schema".to_owned();
    };
    let more = match fitted.violations.len() - 1 {
        0 => String::new(),
        1 => ", and one more violation".to_owned(),
        count => format!(", and {count} more violations"),
    };
    let place = match first.path.as_str() {
        "" => String::new(),
        path => format!(" (at `{path}`)"),
    };
    format!("the value does not fit the schema: {}{place}{more}", first.message)
}
