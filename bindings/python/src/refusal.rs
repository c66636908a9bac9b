//! Raising exceptions.
//!
//! The classes are those of `llmend._errors`, which are created from rows.

use llmend::{
    Diagnostic, Error, PlanningError,
    calls::ToolsError,
    json::{self, ErrorRow, ErrorTopic},
};
use pyo3::{prelude::*, sync::PyOnceLock, types::PyTuple};

use crate::{UNIT, record::rows};

/// Returns the exception of a text without a usable value.
pub(crate) fn of_text(py: Python<'_>, error: &json::Error, text: &str) -> PyErr {
    raised(py, &ErrorRow::of(error, text, UNIT))
}

/// Returns the exception of any error about `text` or about the options.
pub(crate) fn of_any(py: Python<'_>, error: &Error, text: &str) -> PyErr {
    raised(py, &error.row(text, UNIT))
}

/// Returns the exception of tools that cannot be read.
pub(crate) fn of_tools(py: Python<'_>, error: &ToolsError) -> PyErr {
    raised(py, &error.row())
}

/// Returns the exception of a text without a usable plan.
pub(crate) fn of_plan(py: Python<'_>, error: &PlanningError, text: &str) -> PyErr {
    raised(py, &error.row(text, UNIT))
}

/// Returns the exception of a failed operation on plans, with all reasons.
pub(crate) fn of_rows(py: Python<'_>, message: String, diagnostics: Vec<Diagnostic>) -> PyErr {
    let code = diagnostics.first().map_or("plan/unusable".into(), |row| row.code.clone());
    raised(py, &ErrorRow::new(ErrorTopic::Plan, code, message, diagnostics))
}

/// Returns the exception of a row.
pub(crate) fn raised(py: Python<'_>, row: &ErrorRow) -> PyErr {
    let class = match row.kind {
        ErrorTopic::Repair => "RepairError",
        ErrorTopic::Setting => "SettingError",
        ErrorTopic::Schema => "SchemaError",
        ErrorTopic::Unfit => "UnfitError",
        ErrorTopic::Plan => "PlanError",
    };
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
