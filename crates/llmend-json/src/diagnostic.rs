//! Diagnostics: findings about a text for people, programs and models.

use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{Class, Span};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// For information.
    Info,
    /// The value may not be the intended one.
    Warning,
    /// There is no value, or it must not be used.
    Error,
}

impl Severity {
    /// Returns the name that reports use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// An edit of the text that resolves a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// First byte to replace.
    pub start: usize,
    /// One past the last byte to replace.
    pub end: usize,
    /// The text to insert.
    pub replacement: String,
}

/// A finding about a text or value.
///
/// The command, the gateway, the bindings and the feedback to a model share this shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, such as `value/duplicate-key`.
    pub code: Cow<'static, str>,
    /// Severity.
    pub severity: Severity,
    /// Class of the reading concerned, if any.
    pub class: Option<Class>,
    /// JSON Pointer to the part of the value concerned, if any.
    pub path: Option<String>,
    /// Location in the caller's text, in bytes.
    pub span: Option<Span>,
    /// What was expected and what was found.
    pub message: String,
    /// What to do about it, if anything.
    pub help: Option<String>,
    /// A safe edit that resolves it, if there is one.
    pub edit: Option<Edit>,
}

impl Diagnostic {
    /// Creates a diagnostic with a code, a severity and a message.
    #[must_use]
    pub fn new(
        code: impl Into<Cow<'static, str>>,
        severity: Severity,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code: code.into(),
            severity,
            class: None,
            path: None,
            span: None,
            message: message.into(),
            help: None,
            edit: None,
        }
    }

    /// Sets the location.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Sets the path, a JSON Pointer.
    #[must_use]
    pub fn on(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the class of the reading concerned.
    #[must_use]
    pub fn class(mut self, class: Class) -> Self {
        self.class = Some(class);
        self
    }
}

impl From<&crate::Error> for Diagnostic {
    fn from(error: &crate::Error) -> Self {
        let mut row =
            Self::new(error.code(), Severity::Error, error.message()).help(error.kind().help());
        row.span = error.span();
        row
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Diagnostic", 9)?;
        row.serialize_field("code", &self.code)?;
        row.serialize_field("severity", &self.severity)?;
        row.serialize_field("class", &self.class.map(Class::as_str))?;
        row.serialize_field("path", &self.path)?;
        row.serialize_field("message", &self.message)?;
        row.serialize_field("help", &self.help)?;
        row.serialize_field("start", &self.span.map(|span| span.start))?;
        row.serialize_field("end", &self.span.map(|span| span.end))?;
        row.serialize_field("edit", &self.edit)?;
        row.end()
    }
}
