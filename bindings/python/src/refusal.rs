//! Raising exceptions.
//!
//! The classes are those of `llmend._errors`, which are created from rows.

use llmend::{
    Diagnostic, Error, PlanningError, Severity, Span,
    calls::ToolsError,
    json::{self, Relocate as _},
};
use pyo3::{prelude::*, sync::PyOnceLock, types::PyTuple};
use serde::Serialize;

use crate::{place::counted, record::rows};

/// The row of an exception.
#[derive(Serialize)]
struct Row<'e> {
    message: String,
    code: &'e str,
    start: Option<usize>,
    end: Option<usize>,
    line: Option<usize>,
    column: Option<usize>,
    diagnostics: Vec<Diagnostic>,
}

impl Row<'_> {
    fn placed(mut self, span: Option<Span>, text: &str) -> Self {
        let mut places = counted(text);
        self.diagnostics.relocate(&mut places);
        let (start, end) = span.map(|span| (places(span.start), places(span.end))).unzip();
        (self.start, self.end) = (start, end);
        if self.line.is_none() {
            let place = span.map(|span| json::line_column(text, span.start));
            (self.line, self.column) = place.unzip();
        }
        self
    }
}

/// Returns the exception of a text without a usable value.
pub(crate) fn of_text(py: Python<'_>, error: &json::Error, text: &str) -> PyErr {
    // For invalid UTF-8 the engine knows the byte, and `text` is the valid part before it.
    let (message, place) = match (error.kind(), error.span()) {
        (json::ErrorKind::Utf8, Some(_)) => {
            let (line, column) = end(text);
            let message = format!("the text is not UTF-8 (line {line}, column {column})");
            (message, Some((line, column)))
        }
        _ => (error.to_string(), error.line_column()),
    };
    let (line, column) = place.unzip();
    let row = Row {
        message,
        code: error.code(),
        start: None,
        end: None,
        line,
        column,
        diagnostics: vec![error.into()],
    };
    raised(py, "RepairError", &row.placed(error.span(), text))
}

/// Returns the line and column after the last character.
fn end(text: &str) -> (usize, usize) {
    let last = text.rsplit('\n').next().unwrap_or_default();
    (1 + text.matches('\n').count(), 1 + last.chars().count())
}

/// Returns the exception of any error about `text` or about the options.
pub(crate) fn of_any(py: Python<'_>, error: &Error, text: &str) -> PyErr {
    let class = match error {
        Error::Json(error) => return of_text(py, error, text),
        Error::Setting(_) => "SettingError",
        Error::Schema(_) => "SchemaError",
        _ => "UnfitError",
    };
    let row = plain(error.to_string(), error.code(), error.diagnostics());
    raised(py, class, &row.placed(error.span(), text))
}

/// Returns the exception of tools that cannot be read.
pub(crate) fn of_tools(py: Python<'_>, error: &ToolsError) -> PyErr {
    let message = error.to_string();
    let row = Diagnostic::new("tools/unusable", Severity::Error, message.clone());
    raised(py, "SchemaError", &plain(message, "tools/unusable", vec![row]))
}

/// Returns the exception of a text without a usable plan.
pub(crate) fn of_plan(py: Python<'_>, error: &PlanningError, text: &str) -> PyErr {
    let diagnostics = error.diagnostics();
    let span = diagnostics.first().and_then(|row| row.span);
    raised(py, "PlanError", &plain(error.to_string(), error.code(), diagnostics).placed(span, text))
}

/// Returns the exception of a failed operation on plans, with all reasons.
pub(crate) fn of_rows(py: Python<'_>, message: String, diagnostics: Vec<Diagnostic>) -> PyErr {
    let code = diagnostics.first().map_or("plan/unusable", |row| &*row.code).to_owned();
    raised(py, "PlanError", &plain(message, &code, diagnostics))
}

fn plain(message: String, code: &str, diagnostics: Vec<Diagnostic>) -> Row<'_> {
    Row { message, code, start: None, end: None, line: None, column: None, diagnostics }
}

fn raised(py: Python<'_>, class: &str, row: &Row<'_>) -> PyErr {
    match rows(py, row).and_then(|row| (class, row).into_pyobject(py)) {
        Ok(arguments) => made(py, &arguments),
        Err(error) => error,
    }
}

/// Creates an exception with `llmend._errors.made` from the name of its class, its row, and further parts.
pub(crate) fn made(py: Python<'_>, arguments: &Bound<'_, PyTuple>) -> PyErr {
    static MADE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = || MADE.import(py, "llmend._errors", "made")?.call1(arguments);
    match make() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
