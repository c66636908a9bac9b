//! What does an answer say?

use llmend::{Fitted, Outcome, Report, fit_with, json, repair_with};
use pyo3::prelude::*;

use crate::{
    object::to_python,
    options::{Chosen, Coercing, chosen, fitting, one_of},
    record::{ReportRow, Told, rows},
    refusal,
    schema::Schema,
    text::{Text, here, is_long, work},
    valid::objects,
};

/// The value that a text holds, as `dict`, `list`, `str`, `int`, `float`, `bool` or `None`.
///
/// What a model wrote around the JSON is left out, and what is not quite JSON is repaired; to learn what
/// was done, call `parse`. The text is `str`, or `bytes` in UTF-8.
///
/// A text with no value in it is a `RepairError`. A value that may lack something, since the text was cut
/// off or something in it had to be dropped, is an `UnsureError`, which holds the value; with
/// `unsure="accept"` it is returned.
///
/// `policy` is the name of a policy (`strict`, `extract`, `conservative`, `standard`, `lenient`) or
/// `Options`. Without one it is `standard`, or `strict` where `LLMEND_REPAIR=0` is in the environment.
///
/// >>> import llmend
/// >>> llmend.loads("Sure!\n```json\n{'city': 'Oslo', 'days': [1, 2, 3,],}\n```")
/// {'city': 'Oslo', 'days': [1, 2, 3]}
/// >>> llmend.loads("{'city': 'Oslo', 'days': [1, 2", unsure="accept")
/// {'city': 'Oslo', 'days': [1, 2]}
/// >>> llmend.loads("{'city': 'Oslo', 'days': [1, 2")
/// Traceback (most recent call last):
/// llmend.UnsureError: answer cut off at character 30: the value may be incomplete
#[pyfunction]
#[pyo3(signature = (text, *, policy = None, unsure = "raise"))]
pub(crate) fn loads<'py>(
    py: Python<'py>,
    text: Text<'py>,
    policy: Option<Chosen>,
    unsure: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let is_refused = one_of(unsure, &[("raise", true), ("accept", false)])?;
    let options = chosen(py, policy)?;
    let text = text.read(py)?;
    if let Some(value) = objects(py, &text, &options) {
        return Ok(value);
    }
    let (value, report) = value(py, &text, options)?;
    let outcome = Outcome { value, report, coercions: Vec::new() };
    if is_refused && outcome.is_unsure() {
        let report = rows(py, &ReportRow::new(outcome.report, &text))?;
        return Err(refusal::made(py, &("UnsureError", report, outcome.value).into_pyobject(py)?));
    }
    Ok(outcome.value)
}

/// The value that a text holds, and how it was come by.
#[pyfunction]
#[pyo3(signature = (text, *, policy = None))]
pub(crate) fn parse<'py>(
    py: Python<'py>,
    text: Text<'py>,
    policy: Option<Chosen>,
) -> PyResult<(Bound<'py, PyAny>, Told)> {
    let options = chosen(py, policy)?;
    let text = text.read(py)?;
    let (value, report) = value(py, &text, options)?;
    Ok((value, Told::new(&text, report, Vec::new(), Vec::new())))
}

/// The value that `text` holds, as objects, and its report.
fn value<'py>(
    py: Python<'py>,
    text: &str,
    options: json::Options,
) -> PyResult<(Bound<'py, PyAny>, Report)> {
    let refused = |error: json::Error| refusal::of_text(py, &error, text);
    if is_long(text) {
        // Away from here, the value needs a text of its own.
        let parsed = work(py, text, move |text| {
            let parsed = json::parse_with(text, &options)?;
            Ok((parsed.value.into_owned(), parsed.report))
        })?;
        let (value, report) = parsed.map_err(refused)?;
        return Ok((to_python(py, value.root())?, report));
    }
    let parsed = here(py, text, |text| json::parse_with(text, &options)).map_err(refused)?;
    Ok((to_python(py, parsed.value.root())?, parsed.report))
}

/// The text as strict JSON, and how it was come by.
#[pyfunction]
#[pyo3(signature = (text, *, policy = None))]
pub(crate) fn repair(
    py: Python<'_>,
    text: Text<'_>,
    policy: Option<Chosen>,
) -> PyResult<(String, Told)> {
    let options = chosen(py, policy)?;
    let text = text.read(py)?;
    let repaired = work(py, &text, move |text| {
        repair_with(text, &options).map(|made| (made.text.into_owned(), made.report))
    })?;
    let (json, report) = repaired.map_err(|error| refusal::of_text(py, &error, &text))?;
    Ok((json, Told::new(&text, report, Vec::new(), Vec::new())))
}

/// The value that a text holds, made to fit a schema, as JSON, and how it was come by, which tells
/// whether it fits.
#[pyfunction]
#[pyo3(signature = (text, schema, *, policy = None, coercing = None))]
pub(crate) fn fit(
    py: Python<'_>,
    text: Text<'_>,
    schema: Schema,
    policy: Option<Chosen>,
    coercing: Option<Coercing>,
) -> PyResult<(String, Told)> {
    let options = schema.asks(fitting(py, policy, coercing)?);
    let text = text.read(py)?;
    let fitted = work(py, &text, move |text| {
        let fitted = fit_with(text, &schema.compiled, &options)?;
        Ok((fitted.json(text).into_owned(), fitted))
    })?;
    let (json, fitted) = fitted.map_err(|error| refusal::of_any(py, &error, &text))?;
    let Fitted { report, coercions, violations, .. } = fitted;
    Ok((json, Told::new(&text, report, coercions, violations)))
}
