//! Errors as other languages show them.

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    Diagnostic, Error, OffsetUnit, Offsets, Relocate as _, Span, line_column, pipeline::valid_part,
};

/// What an error is about. It chooses the class of the exception in another language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorTopic {
    /// The text, or its value.
    Repair,
    /// An option.
    Setting,
    /// A schema, or tools.
    Schema,
    /// A value that does not fit its schema.
    Unfit,
    /// A plan.
    Plan,
}

/// An error with all its findings, with offsets in the unit of the caller's language.
///
/// ```
/// use llmend_json::{ErrorRow, OffsetUnit};
///
/// let text = "{'é': 2 * 3}";
/// let error = llmend_json::parse(text).unwrap_err();
/// let row = ErrorRow::of(&error, text, OffsetUnit::CodePoint);
/// assert_eq!((row.code.as_ref(), row.start, row.column), ("syntax/expression", Some(6), Some(7)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorRow {
    /// What it is about.
    pub kind: ErrorTopic,
    /// Stable code, such as `syntax/expression`.
    pub code: Cow<'static, str>,
    /// The message, with line and column where they are known.
    pub message: String,
    /// What to do about it, if anything.
    pub help: Option<String>,
    /// Start of the place in the text, if known.
    pub start: Option<usize>,
    /// End of the place.
    pub end: Option<usize>,
    /// Line of the place, from 1.
    pub line: Option<usize>,
    /// Column of the place, from 1, in characters.
    pub column: Option<usize>,
    /// All findings.
    pub diagnostics: Vec<Diagnostic>,
}

impl ErrorRow {
    /// Creates a row without a place. The advice is that of the first finding.
    #[must_use]
    pub fn new(
        kind: ErrorTopic,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let help = diagnostics.first().and_then(|row| row.help.clone());
        let (start, end, line, column) = (None, None, None, None);
        let (code, message) = (code.into(), message.into());
        Self { kind, code, message, help, start, end, line, column, diagnostics }
    }

    /// Creates the row of an error about `text`.
    #[must_use]
    pub fn of(error: &Error, text: &str, unit: OffsetUnit) -> Self {
        Self::new(ErrorTopic::Repair, error.code(), error.to_string(), vec![error.into()]).at(
            error.span(),
            text,
            unit,
        )
    }

    /// Creates the row of an error about bytes, which are UTF-8 up to the place of the error.
    #[must_use]
    pub fn of_bytes(error: &Error, bytes: &[u8], unit: OffsetUnit) -> Self {
        Self::of(error, valid_part(bytes), unit)
    }

    /// Sets the place, and converts it and those of the findings from bytes of `text` to `unit`.
    #[must_use]
    pub fn at(mut self, span: Option<Span>, text: &str, unit: OffsetUnit) -> Self {
        let offsets = Offsets::new(text, unit);
        self.diagnostics.relocate(&mut |at| offsets.at(at));
        if let Some(span) = span {
            let (line, column) = line_column(text, span.start);
            (self.start, self.end) = (Some(offsets.at(span.start)), Some(offsets.at(span.end)));
            (self.line, self.column) = (Some(line), Some(column));
        }
        self
    }
}
