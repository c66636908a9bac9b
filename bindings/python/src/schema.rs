//! What was asked for, as Python says it?

use llmend::schema;
use pyo3::prelude::*;

use crate::{record::rows, refusal};

/// A JSON Schema, compiled once: a `dict` or a `bool`, or the text of one, of draft 4 to 2020-12.
///
/// >>> import llmend
/// >>> days = llmend.Schema({"type": "integer", "minimum": 1})
/// >>> llmend.parse('"3"', days).value
/// 3
#[pyclass(frozen, module = "llmend", from_py_object)]
#[derive(Clone)]
pub(crate) struct Schema {
    pub(crate) schema: schema::Schema,
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
        match schema::Schema::from_text(&text) {
            Ok(schema) => Ok(Self { schema }),
            Err(error) => Err(refusal::of_any(py, &error.into(), "")),
        }
    }

    /// Who is sent a schema compiles it once in a process.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let compile = py.import("llmend._batch")?.getattr("schema_of")?;
        Ok((compile, (self.schema.as_json().to_string(),)))
    }

    /// The schema as `dict` or `bool`.
    #[getter]
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows(py, self.schema.as_json())
    }
}
