//! Broken promises.

use std::fmt;

/// A broken promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The promise, `G1` to `G10`.
    pub promise: &'static str,
    /// How it was broken.
    pub why: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.promise, self.why)
    }
}

impl std::error::Error for Broken {}

/// Returns the broken promise unless `kept`.
pub(super) fn holds(
    promise: &'static str,
    kept: bool,
    why: impl FnOnce() -> String,
) -> Result<(), Broken> {
    if kept { Ok(()) } else { Err(Broken { promise, why: why() }) }
}
