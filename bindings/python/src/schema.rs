//! JSON Schemas.

use std::sync::Arc;

use llmend::{FitOptions, json, schema};
use pyo3::prelude::*;

use crate::{object::to_python, refusal};

/// A compiled JSON Schema, given as `dict`, `bool` or text, of draft 4 to 2020-12.
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

/// The reader of a valid value.
#[derive(Clone, Copy)]
pub(crate) enum Reader {
    /// The caller, as JSON.
    Caller,
    /// A type, which ignores unknown members.
    Type,
}

impl Reader {
    /// Returns the options with which the reader loses nothing.
    pub(crate) fn asks(self, options: FitOptions) -> FitOptions {
        let coerce = match self {
            Self::Caller => options.coerce,
            Self::Type => options.coerce.for_a_type(),
        };
        FitOptions { coerce, ..options }
    }
}

impl Schema {
    fn compiled(py: Python<'_>, text: &str, reader: Reader) -> PyResult<Self> {
        match py.detach(|| schema::Schema::from_text(text)) {
            Ok(compiled) => Ok(Self { compiled, text: text.into(), reader }),
            Err(error) => Err(refusal::of_any(py, &error.into(), "")),
        }
    }

    /// Returns the options for coercing a value.
    pub(crate) fn asks(&self, options: FitOptions) -> FitOptions {
        self.reader.asks(options)
    }
}

#[pymethods]
impl Schema {
    /// `json` is a `dict`, a `bool`, or JSON text.
    #[new]
    fn new(json: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = json.py();
        let text = match json.extract::<String>() {
            Ok(text) => text,
            Err(_) => py.import("json")?.call_method1("dumps", (json,))?.extract()?,
        };
        Self::compiled(py, &text, Reader::Caller)
    }

    /// Compiles the schema text of a Python type.
    #[staticmethod]
    fn _of_type(py: Python<'_>, text: &str) -> PyResult<Self> {
        Self::compiled(py, text, Reader::Type)
    }

    /// Pickles the schema; each process compiles it once.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let compile = match self.reader {
            Reader::Caller => "_compiled",
            Reader::Type => "_compiled_of_type",
        };
        let compile = py.import("llmend._answer")?.getattr(compile)?;
        Ok((compile, (self.text.to_string(),)))
    }

    /// The schema as `dict` or `bool`, in its original order.
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
