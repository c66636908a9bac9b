//! Measuring time where the platform has a clock.

use std::time::{Duration, Instant};

/// Whether the platform has a monotonic clock. A page or a worker that runs WebAssembly without WASI gives its module
/// none, and `Instant::now` aborts there.
const HAS_CLOCK: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// The time since a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    /// Starts to measure.
    pub(crate) fn start() -> Self {
        Self::start_if(HAS_CLOCK)
    }

    fn start_if(has_clock: bool) -> Self {
        Self(has_clock.then(Instant::now))
    }

    /// Returns the time since the start; `None` without a clock.
    pub(crate) fn elapsed(self) -> Option<Duration> {
        self.0.map(|start| start.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::Stopwatch;

    #[test]
    fn time_is_absent_without_a_clock_and_only_then() {
        assert!(Stopwatch::start().elapsed().is_some());
        assert_eq!(Stopwatch::start_if(false).elapsed(), None);
    }
}
