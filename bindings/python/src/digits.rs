//! Which JSON has numbers that 64 bits may not hold?

use pyo3::prelude::*;

/// Digits and points in a row that 64 bits hold.
const HELD: usize = 15;

/// Whether a number of `json` may have more digits than 64 bits hold, or has an exponent; or a text in it looks so.
#[pyfunction]
pub(crate) fn has_long_number(json: &str) -> bool {
    let mut run = 0;
    json.bytes().any(|byte| {
        let is_exponent = run > 0 && matches!(byte, b'e' | b'E');
        run = if matches!(byte, b'0'..=b'9' | b'.') { run + 1 } else { 0 };
        is_exponent || run > HELD
    })
}
