//! Detection of numbers that may exceed 64 bits.

use pyo3::prelude::*;

/// Returns whether `json` may contain a number with an exponent or with more digits than 64 bits hold. Strings may
/// cause false positives.
#[pyfunction]
pub(crate) fn has_long_number(json: &str) -> bool {
    llmend::json::may_hold_long_number(json)
}
