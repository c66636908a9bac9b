//! Fitting values to a schema.

use std::borrow::Cow;

use llmend::{Error, FitOptions, Fitted, Schema, fit_with, json::Diagnostic};

use crate::{
    exit::Exit,
    outcome::{Answer, Failure, Fit, Layout},
};

/// Fits the value in `text` to `schema`. Fails with every violation.
pub(crate) fn fitted<'t>(
    text: &'t str,
    schema: &Schema,
    options: &FitOptions,
    layout: Layout,
) -> Result<Answer<'t>, Failure> {
    answered(fit_with(text, schema, options).map_err(|error| unread(&error))?, text, layout)
}

/// Returns the value that was fitted, which was read from `text`. Fails with every violation.
pub(crate) fn answered(fitted: Fitted, text: &str, layout: Layout) -> Result<Answer<'_>, Failure> {
    let json: Cow<'_, str> = match layout {
        Layout::Kept => fitted.json(text),
        Layout::Indented => format!("{:#}", fitted.value).into(),
    };
    let fit = Fit { coercions: fitted.coercions, violations: fitted.violations };
    if fit.violations.is_empty() {
        return Ok(Answer { json, report: fitted.report, fit: Some(fit), plan: None });
    }
    let diagnostics = fit.violations.iter().map(Diagnostic::from).collect();
    Err(Failure {
        report: Some(Box::new(fitted.report)),
        fit: Some(Box::new(fit)),
        ..Failure::new(Exit::Refused, diagnostics)
    })
}

/// Converts an error of reading the value.
pub(crate) fn unread(error: &Error) -> Failure {
    match error {
        Error::Json(error) => Failure::from(error),
        error => Failure::new(Exit::Refused, error.diagnostics()),
    }
}
