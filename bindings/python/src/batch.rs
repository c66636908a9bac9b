//! Repair of columns over the Arrow C interface, without copying texts or results.

use std::{
    fmt::Display,
    iter::successors,
    num::NonZero,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use arrow_array::{
    Array, ArrayRef,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema},
};
use arrow_schema::{ArrowError, FieldRef};
use llmend_arrow::{Columns, Job, NotTexts, Texts};
use pyo3::{
    exceptions::{PyKeyboardInterrupt, PyTypeError, PyValueError},
    intern,
    prelude::*,
    types::{PyCapsule, PyTuple},
};
use pyo3_arrow::{
    ffi::{ArrayIterator, ArrayReader, to_stream_pycapsule},
    input::AnyArray,
};

use crate::{
    options::{CoerceArgument, Count, PolicyArgument, counted, fitting},
    schema::Schema,
};

/// Maximum number of rows per thread between two checks for interrupts.
const PATIENCE_ROWS: usize = 4096;
/// Maximum number of bytes between two checks for interrupts, about ten milliseconds of work.
const PATIENCE_BYTES: usize = 1 << 20;

/// The type of a row.
fn field() -> FieldRef {
    llmend_arrow::field("")
}

/// Exports the type of a row. What is exported has it whatever type is requested, as the interface allows: the
/// conversion between any two types is a tenth of the wheel.
fn exported_type(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(field().as_ref()).map_err(unusable)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// A column of results, exported over the Arrow C interface.
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
        #[expect(unused_variables, reason = "a request, not a demand")] requested_schema: Option<
            Bound<'py, PyCapsule>,
        >,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let array = FFI_ArrowArray::new(&self.array.to_data());
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        PyTuple::new(py, [exported_type(py)?, array])
    }

    /// The Arrow PyCapsule interface: the type.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        exported_type(py)
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }
}

/// A lazy stream of columns of results, which can be read once.
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
        #[expect(unused_variables, reason = "a request, not a demand")] requested_schema: Option<
            Bound<'py, PyCapsule>,
        >,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        let reader =
            reader.ok_or_else(|| PyValueError::new_err("the stream has already been read"))?;
        Ok(to_stream_pycapsule(py, reader, None)?)
    }

    /// The Arrow PyCapsule interface: the type.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        exported_type(py)
    }
}

/// Repairs each text of an array, or of a stream of arrays: see `repair_batch` in `_batch.py`.
#[pyfunction]
#[pyo3(signature = (texts, *, schema = None, policy = None, coerce = None, threads = None))]
pub(crate) fn repair_batch<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyAny>,
    schema: Option<Schema>,
    policy: Option<PolicyArgument>,
    coerce: Option<CoerceArgument>,
    threads: Count<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let texts = arrow(texts)?;
    let options = fitting(py, policy, coerce)?;
    let (options, schema) = match schema {
        Some(schema) => (schema.asks(options), Some(schema.compiled)),
        None => (options, None),
    };
    let threads = counted("threads", threads)?.unwrap_or(1);
    let threads = NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN);
    let job = Job { options, schema, threads };
    match texts {
        AnyArray::Array(array) => {
            let texts = Texts::of(array.array()).map_err(|error| refused(&error))?;
            let mut columns = Columns::new();
            for range in parts(&job, &texts) {
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
            let repaired = arrays.map(move |array| rows(&job, &array?));
            let reader: Box<dyn ArrayReader + Send> =
                Box::new(ArrayIterator::new(repaired, field()));
            let stream = ArrowStream { reader: Mutex::new(Some(reader)) };
            Ok(stream.into_pyobject(py)?.into_any())
        }
    }
}

/// Takes what exports an array or a stream of arrays.
fn arrow(texts: &Bound<'_, PyAny>) -> PyResult<AnyArray> {
    let py = texts.py();
    for method in [intern!(py, "__arrow_c_array__"), intern!(py, "__arrow_c_stream__")] {
        if texts.hasattr(method)? {
            return texts.extract();
        }
    }
    let kind = texts.get_type().name()?;
    let message = format!("expected an Arrow array such as pyarrow.array(texts), found {kind}");
    Err(PyTypeError::new_err(message))
}

/// Repairs a part of `texts` between two checks for interrupts.
fn parts(job: &Job, texts: &Texts) -> impl Iterator<Item = Range<usize>> {
    let threads = job.threads.get();
    let (rows, bytes) =
        (PATIENCE_ROWS.saturating_mul(threads), PATIENCE_BYTES.saturating_mul(threads));
    let from = move |start: usize| (start < texts.len()).then(|| texts.some(start, rows, bytes));
    successors(from(0), move |range| from(range.end))
}

/// Repairs one array of a stream, whose reader does not hold the GIL and cannot raise exceptions.
fn rows(job: &Job, array: &dyn Array) -> Result<ArrayRef, ArrowError> {
    let texts = Texts::of(array).map_err(|error| ArrowError::SchemaError(error.to_string()))?;
    let mut columns = Columns::new();
    for range in parts(job, &texts) {
        job.extend(&mut columns, &texts, range)?;
        Python::attach(interrupted)?;
    }
    Ok(Arc::new(columns.finish()?))
}

/// Ends a stream on an interrupt. The reader reports an error of its own kind, so the interrupt is also set
/// again, and Python raises it at the next opportunity.
fn interrupted(py: Python<'_>) -> Result<(), ArrowError> {
    let Err(raised) = py.check_signals() else { return Ok(()) };
    let message = raised.to_string();
    if raised.is_instance_of::<PyKeyboardInterrupt>(py) {
        let again = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
        again.map_err(|error| ArrowError::ExternalError(Box::new(error)))?;
    }
    Err(ArrowError::ComputeError(message))
}

fn unusable(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn refused(error: &NotTexts) -> PyErr {
    PyTypeError::new_err(error.to_string())
}
