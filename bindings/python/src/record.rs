//! How does a record become rows of Python?
//!
//! As the JSON that the command writes of it, so that there is one shape of each record everywhere. Its
//! places are in code points here.

use llmend::{
    Class, Coercion, Diagnostic, Options, Outcome, Policy, Repair, Report, Violation,
    json::Relocate as _,
};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use serde::Serialize;

use crate::{object::to_python, place::counted, valid::objects};

/// What a report says, in the words of the command.
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
}

impl ReportRow {
    /// The row of a report on `text`.
    pub(crate) fn new(mut report: Report, text: &str) -> Self {
        report.relocate(&mut counted(text));
        Self {
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

/// How a value was come by. Its rows are made when somebody asks for them: a text may have thousands of
/// repairs, and most who read a value never look at one.
#[pyclass(frozen, module = "llmend._llmend")]
pub(crate) struct Told {
    text: String,
    outcome: Outcome<()>,
    violations: Vec<Violation>,
}

/// All that there is to tell.
#[derive(Serialize)]
struct ToldRow {
    /// Nothing for an item of a list: the report is on the whole text.
    report: Option<ReportRow>,
    coercions: Vec<Coercion>,
    violations: Vec<Violation>,
}

impl Told {
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
impl Told {
    /// How sure the value is.
    #[getter]
    fn class_(&self) -> Option<&'static str> {
        self.outcome.class().map(Class::as_str)
    }

    /// Whether the value may lack something.
    #[getter]
    fn unsure(&self) -> bool {
        self.outcome.is_unsure()
    }

    /// Whether the value fits what was asked for.
    #[getter]
    fn fits(&self) -> bool {
        self.violations.is_empty()
    }

    /// The rows of the report, the coercions and the violations.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut coercions = self.outcome.coercions.clone();
        let mut violations = self.violations.clone();
        if !(coercions.is_empty() && violations.is_empty()) {
            let mut places = counted(&self.text);
            coercions.relocate(&mut places);
            violations.relocate(&mut places);
        }
        let report = Some(ReportRow::new(self.outcome.report.clone(), &self.text));
        rows(py, &ToldRow { report, coercions, violations })
    }
}

/// The rows of an item of a list, whose places are in code points.
pub(crate) fn of_item<'py>(
    py: Python<'py>,
    coercions: Vec<Coercion>,
    violations: Vec<Violation>,
) -> PyResult<Bound<'py, PyAny>> {
    rows(py, &ToldRow { report: None, coercions, violations })
}

/// A record as `dict` and `list`.
pub(crate) fn rows<'py>(py: Python<'py>, record: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let failed = |error: &dyn std::fmt::Display| PyRuntimeError::new_err(error.to_string());
    let text = serde_json::to_string(record).map_err(|error| failed(&error))?;
    // A plan may be nested more deeply than a text is read by default.
    let options =
        Options { max_depth: usize::MAX, max_bytes: usize::MAX, ..Options::policy(Policy::Strict) };
    if let Some(made) = objects(py, &text, &options) {
        return Ok(made);
    }
    let parsed = llmend::json::parse_with(&text, &options).map_err(|error| failed(&error))?;
    to_python(py, parsed.value.root())
}
