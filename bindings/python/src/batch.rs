//! How is a column of answers repaired?
//!
//! Over the Arrow C interface: texts are read where they stand, and the columns of the result are
//! handed over without a copy.

use std::{
    fmt::Display,
    num::NonZero,
    sync::{Arc, Mutex, PoisonError},
};

use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, FieldRef};
use llmend_arrow::{Columns, Job, NotTexts, Texts};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyCapsule, PyTuple},
};
use pyo3_arrow::{
    ffi::{
        ArrayIterator, ArrayReader, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule,
    },
    input::AnyArray,
};

use crate::{
    options::{Chosen, Coercing, fitting},
    schema::Schema,
};

/// Rows between two looks at whether somebody wants to interrupt.
const PATIENCE: usize = 4096;

/// The type of a row.
fn field() -> FieldRef {
    llmend_arrow::field("")
}

/// A column of results, for whoever speaks the Arrow C interface.
#[pyclass(frozen, module = "llmend")]
pub(crate) struct ArrowArray {
    array: ArrayRef,
}

#[pymethods]
impl ArrowArray {
    /// The Arrow PyCapsule interface: the type and the array.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        Ok(to_array_pycapsules(py, field(), &self.array, requested_schema)?)
    }

    /// The Arrow PyCapsule interface: the type.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, field().as_ref())?)
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }
}

/// Columns of results, made one after the other as somebody asks for them. Can be read once.
#[pyclass(frozen, module = "llmend")]
pub(crate) struct ArrowStream {
    reader: Mutex<Option<Box<dyn ArrayReader + Send>>>,
}

#[pymethods]
impl ArrowStream {
    /// The Arrow PyCapsule interface: the stream.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        let reader = reader.ok_or_else(|| PyValueError::new_err("this stream was read already"))?;
        Ok(to_stream_pycapsule(py, reader, requested_schema)?)
    }

    /// The Arrow PyCapsule interface: the type.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, field().as_ref())?)
    }
}

/// Each text of an array, or of a stream of arrays, repaired: the rows of an array, or a stream of them.
///
/// `texts` and the result speak the Arrow PyCapsule interface, as arrays of pyarrow, Polars, DuckDB and
/// nanoarrow do; texts are read where they stand. A row is a struct:
///
/// - `value`: strict JSON, or null;
/// - `status`: `unchanged`, `extracted`, `repaired`, `coerced` or `refused`;
/// - `class`: how sure the value is, the gravest of all that was done;
/// - `truncated`: whether the text was cut off;
/// - `repairs`: a list of structs `rule`, `class`, `start`, `end`, `replacement`, in code points;
/// - `error`: a struct `code`, `message`, `start`, `end`, if there is no value.
///
/// The row of a null is null. With a `schema`, what does not fit is refused. A result of one array has at
/// most 2 GiB. `threads` is how many work on an array at once.
///
/// >>> import llmend
/// >>> import pyarrow as pa
/// >>> rows = pa.array(llmend.repair_batch(pa.array(["{'a': 1,}", "nothing"])))
/// >>> rows.field("value").to_pylist(), rows[1]["error"]["code"].as_py()
/// (['{"a": 1}', None], 'extract/no-json')
#[pyfunction]
#[pyo3(signature = (texts, *, schema = None, policy = None, coercing = None, threads = 1))]
pub(crate) fn repair_batch<'py>(
    py: Python<'py>,
    texts: AnyArray,
    schema: Option<Schema>,
    policy: Option<Chosen>,
    coercing: Option<Coercing>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let schema = schema.map(|schema| schema.schema);
    let threads = NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN);
    let job = Job { options: fitting(py, policy, coercing)?, schema, threads };
    match texts {
        AnyArray::Array(array) => {
            let array = array.array();
            let mut columns = Columns::new();
            let texts = Texts::of(array).map_err(|error| refused(&error))?;
            let some = PATIENCE * job.threads.get();
            for from in (0..array.len()).step_by(some) {
                let range = from..array.len().min(from + some);
                py.detach(|| job.extend(&mut columns, &texts, range)).map_err(unusable)?;
                py.check_signals()?;
            }
            let array: ArrayRef = Arc::new(columns.finish().map_err(unusable)?);
            Ok(ArrowArray { array }.into_pyobject(py)?.into_any())
        }
        AnyArray::Stream(stream) => {
            let arrays = stream.into_reader()?;
            if !Texts::are(arrays.field().data_type()) {
                return Err(refused(&NotTexts(arrays.field().data_type().clone())));
            }
            let repaired = arrays.map(move |array| {
                let array = array?;
                let texts = Texts::of(&array)
                    .map_err(|error| ArrowError::SchemaError(error.to_string()))?;
                job.repair(&texts).map(|rows| Arc::new(rows) as ArrayRef)
            });
            let reader: Box<dyn ArrayReader + Send> =
                Box::new(ArrayIterator::new(repaired, field()));
            let stream = ArrowStream { reader: Mutex::new(Some(reader)) };
            Ok(stream.into_pyobject(py)?.into_any())
        }
    }
}

fn unusable(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn refused(error: &NotTexts) -> PyErr {
    PyTypeError::new_err(error.to_string())
}
