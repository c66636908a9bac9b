//! What was asked for, as Python says it?

use std::sync::Arc;

use llmend::{FitOptions, json, schema};
use pyo3::prelude::*;

use crate::{object::to_python, refusal};

/// A JSON Schema, compiled once: a `dict` or a `bool`, or the text of one, of draft 4 to 2020-12.
///
/// >>> import llmend
/// >>> days = llmend.Schema({"type": "integer", "minimum": 1})
/// >>> llmend.parse('"3"', days).value
/// 3
#[pyclass(frozen, module = "llmend", from_py_object)]
#[derive(Clone)]
pub(crate) struct Schema {
    pub(crate) compiled: schema::Schema,
    text: Arc<str>,
    reader: Reader,
}

/// Who reads a value that fits.
#[derive(Clone, Copy)]
pub(crate) enum Reader {
    /// The caller, as JSON.
    Caller,
    /// A type, which takes no notice of members that it does not name.
    Type,
}

impl Reader {
    /// What is asked for of a value so that it loses nothing on its reader.
    pub(crate) fn asks(self, options: FitOptions) -> FitOptions {
        let coercing = match self {
            Self::Caller => options.coercing,
            Self::Type => options.coercing.for_a_type(),
        };
        FitOptions { coercing, ..options }
    }
}

impl Schema {
    fn compiled(py: Python<'_>, text: &str, reader: Reader) -> PyResult<Self> {
        match py.detach(|| schema::Schema::from_text(text)) {
            Ok(compiled) => Ok(Self { compiled, text: text.into(), reader }),
            Err(error) => Err(refusal::of_any(py, &error.into(), "")),
        }
    }

    /// The options with which a value is made to fit.
    pub(crate) fn asks(&self, options: FitOptions) -> FitOptions {
        self.reader.asks(options)
    }
}

#[pymethods]
impl Schema {
    /// `json` is a `dict` or a `bool`, or the text of one.
    #[new]
    fn new(json: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = json.py();
        let text = match json.extract::<String>() {
            Ok(text) => text,
            Err(_) => py.import("json")?.call_method1("dumps", (json,))?.extract()?,
        };
        Self::compiled(py, &text, Reader::Caller)
    }

    /// The schema of a type, whose text is given, into which the value is read.
    #[staticmethod]
    fn _of_type(py: Python<'_>, text: &str) -> PyResult<Self> {
        Self::compiled(py, text, Reader::Type)
    }

    /// Who is sent a schema compiles it once in a process.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let compile = match self.reader {
            Reader::Caller => "_compiled",
            Reader::Type => "_compiled_of_type",
        };
        let compile = py.import("llmend._answer")?.getattr(compile)?;
        Ok((compile, (self.text.to_string(),)))
    }

    /// The schema as `dict` or `bool`, its members in the order in which they were given.
    #[getter]
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let strict = json::Options {
            max_depth: usize::MAX,
            max_bytes: usize::MAX,
            ..json::Options::policy(json::Policy::Strict)
        };
        let parsed = json::parse_with(&self.text, &strict)
            .map_err(|error| refusal::of_text(py, &error, &self.text))?;
        to_python(py, parsed.value.root())
    }
}
