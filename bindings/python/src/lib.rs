//! The extension module of the Python package `llmend`.
//!
//! It only converts: texts to the types of the crate `llmend`, values and records to Python objects. The
//! package in `python/llmend` turns rows into classes.

mod answer;
mod ask;
mod ask_options;
mod batch;
mod calls;
mod digits;
mod growing;
mod keys;
mod mirror;
mod object;
mod options;
mod plan;
mod record;
mod refusal;
mod schema;
mod stream;
mod text;
mod valid;

use llmend::json::OffsetUnit;
use pyo3::pymodule;

/// What places count: the characters of a `str`.
const UNIT: OffsetUnit = OffsetUnit::CodePoint;

/// The extension module; the public names are in `llmend`.
#[pymodule(gil_used = true)]
mod _llmend {
    #[pymodule_export]
    use crate::{
        answer::{fit, fit_value, loads, parse, repair},
        ask::{QuestionLoop, ask, ask_plan},
        ask_options::AskOptions,
        batch::{ArrowArray, ArrowStream, repair_batch},
        calls::{CallStream, Tools, calls},
        digits::has_long_number,
        growing::Growing,
        options::{CoerceOptions, Options, check_options},
        plan::{
            Catalog, PlanOptions, Reviewed, apply, check, convert, diff, draw, fix, review, write,
        },
        record::LazyReport,
        schema::Schema,
        stream::{Items, Stream},
    };
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
