//! Detection of numbers that may exceed 64 bits.

use pyo3::prelude::*;

/// Number of consecutive digits and points that 64 bits always hold.
const HELD: usize = 15;

/// Returns whether `json` may contain a number with an exponent or with more digits than 64 bits hold. Strings may
/// cause false positives.
#[pyfunction]
pub(crate) fn has_long_number(json: &str) -> bool {
    let mut run = 0;
    json.bytes().any(|byte| {
        let is_exponent = run > 0 && matches!(byte, b'e' | b'E');
        run = if matches!(byte, b'0'..=b'9' | b'.') { run + 1 } else { 0 };
        is_exponent || run > HELD
    })
}
