//! Parsing and repairing answers.

use llmend::{FitOptions, Fitted, Outcome, Report, fit_with, json, repair_with};
use pyo3::prelude::*;

use crate::{
    object::to_python,
    options::{CoerceArgument, PolicyArgument, chosen, fitting, one_of},
    record::{LazyReport, ReportRow, rows},
    refusal,
    schema::Schema,
    text::{Text, here, is_long, work},
    valid::objects,
};

/// Parses the value in a text, as `dict`, `list`, `str`, `int`, `float`, `bool` or `None`.
///
/// Text around the JSON is ignored, and broken JSON is repaired; `parse` also returns a report. The text
/// is `str`, or `bytes` in UTF-8.
///
/// Raises `RepairError` if the text contains no value, and `UnsureError`, which holds the value, if the value
/// may be incomplete because the text was truncated or a part was dropped; with `unsure="accept"` the value is
/// returned.
///
/// `policy` is the name of a policy (`strict`, `extract`, `conservative`, `standard`, `lenient`) or
/// `Options`. The default is `standard`, or `strict` if the environment has `LLMEND_REPAIR=0`.
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
    policy: Option<PolicyArgument>,
    unsure: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let is_refused = one_of("unsure", unsure, &[("raise", true), ("accept", false)])?;
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

/// Parses the value in a text, and returns it with its report.
#[pyfunction]
#[pyo3(signature = (text, *, policy = None))]
pub(crate) fn parse<'py>(
    py: Python<'py>,
    text: Text<'py>,
    policy: Option<PolicyArgument>,
) -> PyResult<(Bound<'py, PyAny>, LazyReport)> {
    let options = chosen(py, policy)?;
    let text = text.read(py)?;
    let (value, report) = value(py, &text, options)?;
    Ok((value, LazyReport::new(&text, report, Vec::new(), Vec::new())))
}

/// Parses the value in `text` to Python objects, and returns it with its report.
fn value<'py>(
    py: Python<'py>,
    text: &str,
    options: json::Options,
) -> PyResult<(Bound<'py, PyAny>, Report)> {
    let refused = |error: json::Error| refusal::of_text(py, &error, text);
    if is_long(text) {
        // In another thread, the value needs its own copy of the text.
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

/// Repairs a text to strict JSON, and returns it with its report.
#[pyfunction]
#[pyo3(signature = (text, *, policy = None))]
pub(crate) fn repair(
    py: Python<'_>,
    text: Text<'_>,
    policy: Option<PolicyArgument>,
) -> PyResult<(String, LazyReport)> {
    let options = chosen(py, policy)?;
    let text = text.read(py)?;
    let repaired = work(py, &text, move |text| {
        repair_with(text, &options).map(|made| (made.text.into_owned(), made.report))
    })?;
    let (json, report) = repaired.map_err(|error| refusal::of_text(py, &error, &text))?;
    Ok((json, LazyReport::new(&text, report, Vec::new(), Vec::new())))
}

/// Parses the value in a text, coerces it to a schema, and returns its JSON with the report, which says
/// whether it fits.
#[pyfunction]
#[pyo3(signature = (text, schema, *, policy = None, coerce = None))]
pub(crate) fn fit(
    py: Python<'_>,
    text: Text<'_>,
    schema: Schema,
    policy: Option<PolicyArgument>,
    coerce: Option<CoerceArgument>,
) -> PyResult<(String, LazyReport)> {
    let text = text.read(py)?;
    let options = schema.asks(fitting(py, policy, coerce)?);
    let fitted = fitted(py, &text, schema, options)?;
    Ok((fitted.json(&text).into_owned(), told(&text, fitted)))
}

/// Does the same as `fit`, and returns the value instead of its JSON.
#[pyfunction]
#[pyo3(signature = (text, schema, *, policy = None, coerce = None))]
pub(crate) fn fit_value<'py>(
    py: Python<'py>,
    text: Text<'py>,
    schema: Schema,
    policy: Option<PolicyArgument>,
    coerce: Option<CoerceArgument>,
) -> PyResult<(Bound<'py, PyAny>, LazyReport)> {
    let text = text.read(py)?;
    let options = schema.asks(fitting(py, policy, coerce)?);
    let fitted = fitted(py, &text, schema, options)?;
    Ok((to_python(py, fitted.value.root())?, told(&text, fitted)))
}

fn fitted(py: Python<'_>, text: &str, schema: Schema, options: FitOptions) -> PyResult<Fitted> {
    let fitted = work(py, text, move |text| fit_with(text, &schema.compiled, &options))?;
    fitted.map_err(|error| refusal::of_any(py, &error, text))
}

/// Returns what is told of a value that was fitted to a schema.
fn told(text: &str, fitted: Fitted) -> LazyReport {
    let Fitted { report, coercions, violations, .. } = fitted;
    LazyReport::new(text, report, coercions, violations)
}
