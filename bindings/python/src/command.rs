//! Running the command from Python.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with `arguments`, including its name, and returns its exit status.
#[pyfunction]
pub(crate) fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| llmend_cli::run(arguments))
}
