//! What is thrown: the JSON of a row, which the package turns into an error.

use std::fmt::Display;

use llmend_json::{Diagnostic, Error, ErrorKind, Relocate as _, Span, line_column};
use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::{
    place::Utf16,
    words::{reword, worded},
};

/// The row of an error.
#[derive(Serialize)]
pub(crate) struct Row<'e> {
    /// Which class of the package it is: `repair`, `setting`, `schema` or `plan`.
    pub(crate) kind: &'static str,
    pub(crate) code: &'e str,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) start: Option<usize>,
    pub(crate) end: Option<usize>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'e> Row<'e> {
    /// Creates a row without a place.
    pub(crate) fn new(
        kind: &'static str,
        code: &'e str,
        message: &str,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let help = diagnostics.first().and_then(|row| row.help.as_deref()).map(worded);
        let message = worded(message);
        let (start, end, line, column) = (None, None, None, None);
        Self { kind, code, message, help, start, end, line, column, diagnostics }
    }

    /// Adds the place in `text`, and makes all spans count UTF-16 units.
    pub(crate) fn placed(mut self, span: Option<Span>, text: &str) -> Self {
        let units = Utf16::new(text);
        self.diagnostics.relocate(&mut |at| units.at(at));
        if let Some(span) = span {
            (self.start, self.end) = (Some(units.at(span.start)), Some(units.at(span.end)));
            let (line, column) = line_column(text, span.start);
            (self.line, self.column) = (Some(line), Some(column));
        }
        self
    }

    /// Returns what is thrown.
    pub(crate) fn thrown(mut self) -> JsValue {
        reword(&mut self.diagnostics);
        JsValue::from_str(&serde_json::to_string(&self).unwrap_or_default())
    }
}

/// Returns what is thrown for a text without a value.
pub(crate) fn of_text(error: &Error, text: &str) -> JsValue {
    Row::new("repair", error.code(), &error.to_string(), vec![error.into()])
        .placed(error.span(), text)
        .thrown()
}

/// Returns what is thrown for bytes that are no UTF-8. The place is after the valid part.
pub(crate) fn of_bytes(error: &Error, bytes: &[u8]) -> JsValue {
    let good = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let (line, column) = line_column(good, good.len());
    let message = if error.kind() == ErrorKind::Utf8 {
        format!("the text is not UTF-8 (line {line}, column {column})")
    } else {
        error.to_string()
    };
    let mut row = Diagnostic::from(error);
    row.message.clone_from(&message);
    row.span = Some(Span::new(good.len(), good.len()));
    Row::new("repair", error.code(), &message, vec![row])
        .placed(Some(Span::new(good.len(), good.len())), good)
        .thrown()
}

/// Returns what is thrown for an option that cannot be read.
pub(crate) fn of_setting(error: &dyn Display) -> JsValue {
    Row::new("setting", "setting/unreadable", &error.to_string(), Vec::new()).thrown()
}

/// Returns what is thrown for any error about `text` or about the options.
#[cfg(feature = "full")]
pub(crate) fn of_any(error: &llmend::Error, text: &str) -> JsValue {
    let kind = match error {
        llmend::Error::Json(error) => return of_text(error, text),
        llmend::Error::Setting(_) => "setting",
        llmend::Error::Schema(_) => "schema",
        _ => "repair",
    };
    Row::new(kind, error.code(), &error.to_string(), error.diagnostics())
        .placed(error.span(), text)
        .thrown()
}

/// Returns what is thrown for tools that cannot be read.
#[cfg(feature = "full")]
pub(crate) fn of_tools(error: &llmend::calls::ToolsError) -> JsValue {
    let (code, message) = ("tools/unusable", error.to_string());
    let row = Diagnostic::new(code, llmend_json::Severity::Error, message.clone());
    Row::new("schema", code, &message, vec![row]).thrown()
}

/// Returns what is thrown for a text without a usable plan.
#[cfg(feature = "full")]
pub(crate) fn of_plan(error: &llmend::PlanningError, text: &str) -> JsValue {
    let diagnostics = error.diagnostics();
    let span = diagnostics.first().and_then(|row| row.span);
    Row::new("plan", error.code(), &error.to_string(), diagnostics).placed(span, text).thrown()
}
