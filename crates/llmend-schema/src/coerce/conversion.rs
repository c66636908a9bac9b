//! Conversions between scalars.

use crate::CoercionKind;
use crate::instance::Instance;

/// A scalar that replaces another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    /// In JSON notation.
    Number(String),
    Text(String),
}

impl Scalar {
    pub(crate) fn instance(&self) -> Instance<'_> {
        match self {
            Self::Null => Instance::Null,
            Self::Bool(value) => Instance::Bool(*value),
            Self::Number(digits) => Instance::Number(digits),
            Self::Text(text) => Instance::Text(text),
        }
    }
}

/// A scalar that was converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    pub(crate) to: Scalar,
    pub(crate) kind: CoercionKind,
}

impl Conversion {
    pub(crate) const fn new(to: Scalar, kind: CoercionKind) -> Self {
        Self { to, kind }
    }
}

/// Why a conversion was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// A specific code, if the violation is not an ordinary one.
    pub(crate) code: Option<&'static str>,
    /// A specific message.
    pub(crate) message: Option<String>,
    /// Suggested fix.
    pub(crate) hint: String,
}

impl Refusal {
    pub(crate) fn new(hint: impl Into<String>) -> Self {
        Self { code: None, message: None, hint: hint.into() }
    }

    pub(crate) fn coded(code: &'static str, hint: impl Into<String>) -> Self {
        Self { code: Some(code), message: None, hint: hint.into() }
    }

    /// Adds a specific message.
    pub(crate) fn since(self, message: String) -> Self {
        Self { message: Some(message), ..self }
    }
}
