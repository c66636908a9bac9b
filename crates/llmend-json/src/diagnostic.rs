//! What should a person, a program or a model be told about a text?

use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{Class, Span};

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// The value may not be what was meant.
    Warning,
    /// No value, or not one that may be used.
    Error,
}

impl Severity {
    /// The word that reports print.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// An edit that would settle a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// First byte to be replaced.
    pub start: usize,
    /// One past the last byte to be replaced.
    pub end: usize,
    /// What to put there.
    pub replacement: String,
}

/// One finding, in the one shape that the command, the gateway, the bindings and the feedback to a
/// model share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, such as `value/duplicate-key`.
    pub code: Cow<'static, str>,
    /// How much it matters.
    pub severity: Severity,
    /// How sure the reading is that it is about, if it is about one.
    pub class: Option<Class>,
    /// JSON Pointer into the value, if it is about a part of it.
    pub path: Option<String>,
    /// Place in the caller's text.
    pub span: Option<Span>,
    /// What was found, in one sentence.
    pub message: String,
    /// What to do about it, if there is something.
    pub help: Option<String>,
    /// A safe edit that does it, if there is one.
    pub edit: Option<Edit>,
}

impl Diagnostic {
    /// A finding with a code, a severity and a sentence, and nothing else yet.
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

    /// The same finding at `span`.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// The same finding about the value at `path`, a JSON Pointer.
    #[must_use]
    pub fn on(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// The same finding with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding with the class of the reading that it is about.
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
