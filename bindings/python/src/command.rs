//! How is the command run from Python?

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with `arguments`, the first of which is its own name, and gives its exit status.
#[pyfunction]
pub(crate) fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| llmend_cli::run(arguments))
}
