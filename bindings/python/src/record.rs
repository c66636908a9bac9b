//! Conversion of records to rows.
//!
//! Rows have the shape of the JSON that the command writes, except that spans count code points.

use llmend::{
    Class, Coercion, Diagnostic, Options, Outcome, Policy, Repair, Report, Violation,
    json::{Offsets, Relocate as _, line_column},
};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use serde::Serialize;

use crate::{UNIT, object::to_python, valid::objects};

/// The row of a report.
#[derive(Serialize)]
pub(crate) struct ReportRow {
    status: &'static str,
    class: Option<&'static str>,
    cut: Option<usize>,
    start: usize,
    end: usize,
    origin: &'static str,
    repairs: Vec<Repair>,
    diagnostics: Vec<Diagnostic>,
    /// Why the value may be incomplete.
    doubt: Option<Diagnostic>,
    doubt_line: Option<usize>,
    doubt_column: Option<usize>,
}

impl ReportRow {
    /// Creates the row of a report on `text`.
    pub(crate) fn new(mut report: Report, text: &str) -> Self {
        report.convert_offsets(text, UNIT);
        let doubt = report.doubt(UNIT);
        Self::of(report, doubt, text)
    }

    fn of(report: Report, doubt: Option<Diagnostic>, text: &str) -> Self {
        let place = doubt.as_ref().and_then(|row| row.span).map(|span| {
            let start = text.char_indices().nth(span.start).map_or(text.len(), |(at, _)| at);
            line_column(text, start)
        });
        let (doubt_line, doubt_column) = place.unzip();
        Self {
            doubt,
            doubt_line,
            doubt_column,
            status: report.status.as_str(),
            class: report.class.map(Class::as_str),
            cut: report.cut,
            start: report.candidate.span.start,
            end: report.candidate.span.end,
            origin: report.candidate.origin.as_str(),
            repairs: report.repairs,
            diagnostics: report.diagnostics,
        }
    }
}

/// The report, coercions and violations of a value. Rows are created on demand: a text may have thousands of
/// repairs, and most callers never inspect them.
#[pyclass(frozen, module = "llmend._llmend")]
pub(crate) struct LazyReport {
    text: String,
    outcome: Outcome<()>,
    violations: Vec<Violation>,
}

/// The row of a [`LazyReport`].
#[derive(Serialize)]
struct ToldRow {
    /// `None` for an item of a list, since the report is on the whole text.
    report: Option<ReportRow>,
    coercions: Vec<Coercion>,
    violations: Vec<Violation>,
}

impl LazyReport {
    pub(crate) fn new(
        text: &str,
        report: Report,
        coercions: Vec<Coercion>,
        violations: Vec<Violation>,
    ) -> Self {
        let outcome = Outcome { value: (), report, coercions };
        Self { text: text.to_owned(), outcome, violations }
    }
}

#[pymethods]
impl LazyReport {
    /// The worst class of the repairs and coercions.
    #[getter]
    fn class_(&self) -> Option<&'static str> {
        self.outcome.class().map(Class::as_str)
    }

    /// Whether the value may be incomplete.
    #[getter]
    fn unsure(&self) -> bool {
        self.outcome.is_unsure()
    }

    /// Whether the value fits its schema.
    #[getter]
    fn fits(&self) -> bool {
        self.violations.is_empty()
    }

    /// Returns the rows of the report, the coercions and the violations.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (mut outcome, mut violations) = (self.outcome.clone(), self.violations.clone());
        let offsets = Offsets::new(&self.text, UNIT);
        outcome.relocate(&mut |at| offsets.at(at));
        violations.relocate(&mut |at| offsets.at(at));
        let doubt = outcome.doubt(UNIT);
        let Outcome { report, coercions, .. } = outcome;
        let report = Some(ReportRow::of(report, doubt, &self.text));
        rows(py, &ToldRow { report, coercions, violations })
    }
}

/// Returns the rows of an item of a list, whose spans already count code points.
pub(crate) fn of_item<'py>(
    py: Python<'py>,
    coercions: Vec<Coercion>,
    violations: Vec<Violation>,
) -> PyResult<Bound<'py, PyAny>> {
    rows(py, &ToldRow { report: None, coercions, violations })
}

/// Converts a record to `dict` and `list`.
pub(crate) fn rows<'py>(py: Python<'py>, record: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let failed = |error: &dyn std::fmt::Display| PyRuntimeError::new_err(error.to_string());
    let text = serde_json::to_string(record).map_err(|error| failed(&error))?;
    made(py, &text)
}

/// Converts the JSON of a record to `dict` and `list`.
pub(crate) fn made<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let failed = |error: &dyn std::fmt::Display| PyRuntimeError::new_err(error.to_string());
    // A plan may be nested deeper than the default limit for texts.
    let options =
        Options { max_depth: usize::MAX, max_bytes: usize::MAX, ..Options::policy(Policy::Strict) };
    if let Some(made) = objects(py, text, &options) {
        return Ok(made);
    }
    let parsed = llmend::json::parse_with(text, &options).map_err(|error| failed(&error))?;
    to_python(py, parsed.value.root())
}
