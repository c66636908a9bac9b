//! When is a step tried again that had to wait for more text?

use crate::parser::window::Window;

/// A step that waits is tried again once this share of what it looked at has been added, so that
/// all tries together stay linear.
const SHARE: usize = 8;

/// How long a step waits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RetryThreshold {
    /// The step is not tried before the window ends here.
    until: usize,
}

impl RetryThreshold {
    /// Puts a step off that looked at everything from `from` on.
    pub(crate) fn postpone(&mut self, window: &Window<'_>, from: usize) {
        self.until = window.end() + (window.end() - from) / SHARE;
    }

    /// The same, for `least` bytes or more.
    pub(crate) fn postpone_for(&mut self, window: &Window<'_>, from: usize, least: usize) {
        self.postpone(window, from);
        self.until = self.until.max(window.end() + least);
    }

    /// Whether nothing that has arrived since can help the step that waits.
    pub(crate) fn is_too_early(self, window: &Window<'_>) -> bool {
        !window.at_end && window.end() < self.until
    }
}
