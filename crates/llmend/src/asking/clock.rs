//! The clock of the loop.

use std::time::{Duration, Instant};

/// A monotonic clock: the time since any fixed moment.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Duration;
}

/// The system's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
