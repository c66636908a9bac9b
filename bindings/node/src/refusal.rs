//! What is thrown.

use std::fmt::Display;

use llmend_json::{Error, ErrorRow, ErrorTopic};

use crate::{
    UNIT,
    words::{reword, worded},
};

/// The JSON of an error's row, which the package turns into an error.
pub(crate) struct Refusal(pub(crate) String);

/// Returns what is thrown for a row.
pub(crate) fn thrown(mut row: ErrorRow) -> Refusal {
    row.message = worded(&row.message);
    row.help = row.help.as_deref().map(worded);
    reword(&mut row.diagnostics);
    Refusal(serde_json::to_string(&row).unwrap_or_default())
}

/// Returns what is thrown for a text without a value.
pub(crate) fn of_text(error: &Error, text: &str) -> Refusal {
    thrown(ErrorRow::of(error, text, UNIT))
}

/// Returns what is thrown for options that cannot be read.
pub(crate) fn of_settings(error: &dyn Display) -> Refusal {
    thrown(ErrorRow::new(ErrorTopic::Setting, "setting/unreadable", error.to_string(), Vec::new()))
}

/// Returns what is thrown for the value of an option.
pub(crate) fn of_setting(option: &str, error: &dyn Display) -> Refusal {
    let message = format!("option `{option}`: {error}");
    let mut row = ErrorRow::new(ErrorTopic::Setting, "setting/unreadable", message, Vec::new());
    row.help = Some(format!("Correct `{option}`, or leave it out."));
    thrown(row)
}

/// Returns what is thrown for any error about `text` or about the options.
#[cfg(feature = "full")]
pub(crate) fn of_any(error: &llmend::Error, text: &str) -> Refusal {
    thrown(error.row(text, UNIT))
}

/// Returns what is thrown for tools that cannot be read.
#[cfg(feature = "full")]
pub(crate) fn of_tools(error: &llmend::calls::ToolsError) -> Refusal {
    thrown(error.row())
}

/// Returns what is thrown for a text without a usable plan.
#[cfg(feature = "full")]
pub(crate) fn of_plan(error: &llmend::PlanningError, text: &str) -> Refusal {
    thrown(error.row(text, UNIT))
}
