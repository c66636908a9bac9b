//! What does a reading of a scalar come to?

use crate::CoercionKind;
use crate::instance::Part;

/// A scalar that takes the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    /// As JSON writes it.
    Number(String),
    Text(String),
}

impl Scalar {
    pub(crate) fn part(&self) -> Part<'_> {
        match self {
            Self::Null => Part::Null,
            Self::Bool(value) => Part::Bool(*value),
            Self::Number(digits) => Part::Number(digits),
            Self::Text(text) => Part::Text(text),
        }
    }
}

/// What a text or a scalar was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) to: Scalar,
    pub(crate) kind: CoercionKind,
}

impl Reading {
    pub(crate) const fn new(to: Scalar, kind: CoercionKind) -> Self {
        Self { to, kind }
    }
}

/// Why something was not read as what is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The code that tells it from an ordinary violation, if it is none.
    pub(crate) code: Option<&'static str>,
    /// What is wrong, if that is more than that the type is another.
    pub(crate) message: Option<String>,
    /// What to do about it.
    pub(crate) hint: String,
}

impl Refusal {
    pub(crate) fn new(hint: impl Into<String>) -> Self {
        Self { code: None, message: None, hint: hint.into() }
    }

    pub(crate) fn coded(code: &'static str, hint: impl Into<String>) -> Self {
        Self { code: Some(code), message: None, hint: hint.into() }
    }

    /// The same refusal, with what is wrong.
    pub(crate) fn since(self, message: String) -> Self {
        Self { message: Some(message), ..self }
    }
}
