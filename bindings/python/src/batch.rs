//! How is a column of answers repaired?
//!
//! Over the Arrow C interface: texts are read where they stand, and the columns of the result are
//! handed over without a copy.

use std::{
    fmt::Display,
    sync::{Mutex, PoisonError},
    thread,
};

use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray, cast::AsArray};
use arrow_schema::{ArrowError, DataType};
use llmend::{FitOptions, schema::Schema as Fits};
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

mod columns;
mod row;

use columns::{Columns, field};
use row::row;

/// Rows between two looks at whether somebody wants to interrupt.
const PATIENCE: usize = 4096;

/// What is done with each text, made once.
struct Job {
    options: FitOptions,
    schema: Option<Fits>,
    threads: usize,
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
    let job = Job { options: fitting(py, policy, coercing)?, schema, threads: threads.max(1) };
    match texts {
        AnyArray::Array(array) => {
            let array = array.array();
            let mut columns = Columns::new();
            let texts = Texts::of(array).map_err(|_| refused(array.data_type()))?;
            for from in (0..array.len()).step_by(PATIENCE * job.threads) {
                let to = array.len().min(from + PATIENCE * job.threads);
                py.detach(|| job.extend(&mut columns, &texts, from, to)).map_err(unusable)?;
                py.check_signals()?;
            }
            let array = columns.finish().map_err(unusable)?;
            Ok(ArrowArray { array }.into_pyobject(py)?.into_any())
        }
        AnyArray::Stream(stream) => {
            let arrays = stream.into_reader()?;
            if Texts::of(&arrow_array::new_empty_array(arrays.field().data_type())).is_err() {
                return Err(refused(arrays.field().data_type()));
            }
            let repaired = arrays.map(move |array| {
                let (array, mut columns) = (array?, Columns::new());
                job.extend(&mut columns, &Texts::of(&array)?, 0, array.len())?;
                columns.finish()
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

fn no_texts(kind: &DataType) -> String {
    format!("the column must be of type string, large_string or string_view, not {kind}")
}

fn refused(kind: &DataType) -> PyErr {
    PyTypeError::new_err(no_texts(kind))
}

/// A column of texts, in one of the ways that Arrow has.
enum Texts<'a> {
    Small(&'a StringArray),
    Large(&'a LargeStringArray),
    View(&'a StringViewArray),
}

impl<'a> Texts<'a> {
    fn of(array: &'a ArrayRef) -> Result<Self, ArrowError> {
        match array.data_type() {
            DataType::Utf8 => Ok(Self::Small(array.as_string())),
            DataType::LargeUtf8 => Ok(Self::Large(array.as_string())),
            DataType::Utf8View => Ok(Self::View(array.as_string_view())),
            other => Err(ArrowError::SchemaError(no_texts(other))),
        }
    }

    fn get(&self, at: usize) -> Option<&'a str> {
        match self {
            Self::Small(texts) => texts.is_valid(at).then(|| texts.value(at)),
            Self::Large(texts) => texts.is_valid(at).then(|| texts.value(at)),
            Self::View(texts) => texts.is_valid(at).then(|| texts.value(at)),
        }
    }
}

impl Job {
    /// Adds the rows of the texts from `from` up to, and without, `to`.
    fn extend(
        &self,
        columns: &mut Columns,
        texts: &Texts<'_>,
        from: usize,
        to: usize,
    ) -> Result<(), ArrowError> {
        let rows = |from: usize, to: usize| {
            (from..to)
                .map(|at| texts.get(at).map(|text| row(text, &self.options, self.schema.as_ref())))
        };
        if self.threads == 1 {
            return rows(from, to).try_for_each(|row| columns.push(row));
        }
        let share = (to - from).div_ceil(self.threads).max(1);
        let parts = thread::scope(|scope| {
            let starts = (from..to).step_by(share);
            let rows = &rows;
            let workers: Vec<_> = starts
                .map(|start| {
                    scope.spawn(move || rows(start, to.min(start + share)).collect::<Vec<_>>())
                })
                .collect();
            workers.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>()
        });
        for part in parts {
            let rows = part.map_err(|_| ArrowError::ComputeError("a worker failed".to_owned()))?;
            rows.into_iter().try_for_each(|row| columns.push(row))?;
        }
        Ok(())
    }
}
