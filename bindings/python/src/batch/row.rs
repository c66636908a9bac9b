//! What becomes of one answer of a column?

use llmend::{
    Class, Diagnostic, Error, FitOptions, Repair, Report, fit_with, repair_with, schema::Schema,
};

use crate::place::Places;

/// What there is to tell of one answer.
pub(super) struct Row {
    /// Strict JSON.
    pub(super) value: Option<String>,
    pub(super) status: &'static str,
    pub(super) class: Option<&'static str>,
    pub(super) is_truncated: bool,
    /// With places in code points.
    pub(super) repairs: Vec<Repair>,
    pub(super) error: Option<Problem>,
}

/// Why there is no value.
pub(super) struct Problem {
    pub(super) code: String,
    pub(super) message: String,
    /// In code points.
    pub(super) place: Option<(usize, usize)>,
}

/// Repairs `text`, and makes it fit `schema` if there is one. What cannot be had is a row as well.
pub(super) fn row(text: &str, options: &FitOptions, schema: Option<&Schema>) -> Row {
    let Some(schema) = schema else {
        return match repair_with(text, &options.text) {
            Ok(made) => {
                let (status, class) = (made.report.status.as_str(), made.report.class);
                told(text, Some(made.text.into_owned()), status, class, made.report)
            }
            Err(error) => refused(text, &Error::from(error)),
        };
    };
    match fit_with(text, schema, options) {
        Ok(fitted) if fitted.violations.is_empty() => {
            let is_coerced = !fitted.coercions.is_empty();
            let status = if is_coerced { "coerced" } else { fitted.report.status.as_str() };
            let (json, class) = (fitted.json(text).into_owned(), fitted.class());
            told(text, Some(json), status, class, fitted.report)
        }
        Ok(fitted) => {
            let class = fitted.class();
            let error = problem(text, &Error::Unfit(Box::new(fitted.clone())));
            Row { error: Some(error), ..told(text, None, "refused", class, fitted.report) }
        }
        Err(error) => refused(text, &error),
    }
}

fn told(
    text: &str,
    value: Option<String>,
    status: &'static str,
    class: Option<Class>,
    report: Report,
) -> Row {
    let is_truncated = report.truncated();
    let mut repairs = report.repairs;
    if !repairs.is_empty() {
        Places::new(text).of_repairs(&mut repairs);
    }
    Row { value, status, class: class.map(Class::as_str), is_truncated, repairs, error: None }
}

fn refused(text: &str, error: &Error) -> Row {
    Row {
        value: None,
        status: "refused",
        class: None,
        is_truncated: false,
        repairs: Vec::new(),
        error: Some(problem(text, error)),
    }
}

/// The first thing that is wrong, as the command tells it.
fn problem(text: &str, error: &Error) -> Problem {
    let places = Places::new(text);
    let place = error.span().map(|span| (places.at(span.start), places.at(span.end)));
    let first: Option<Diagnostic> = error.diagnostics().into_iter().next();
    let message = first.map_or_else(|| error.to_string(), |row| row.message);
    Problem { code: error.code().to_owned(), message, place }
}
