//! The clock of the loop.

use std::time::Duration;

use crate::stopwatch::Stopwatch;

/// A monotonic clock: the time since any fixed moment.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Duration;
}

/// The system's monotonic clock. In WebAssembly without WASI, which has none, it stands still.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Stopwatch);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Stopwatch::start())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed().unwrap_or_default()
    }
}
