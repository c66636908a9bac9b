//! The threshold for retrying a step that needs more text.

use crate::parser::window::Window;

/// A step is retried once the text has grown by this fraction of what the step read, so that all
/// retries together stay linear.
const SHARE: usize = 8;

/// The text length at which a postponed step is retried.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RetryThreshold {
    /// The window must reach this offset.
    until: usize,
}

impl RetryThreshold {
    /// Postpones a step that read everything from `from` on.
    pub(crate) fn postpone(&mut self, window: &Window<'_>, from: usize) {
        self.until = window.end() + (window.end() - from) / SHARE;
    }

    /// Postpones a step until at least `least` more bytes have arrived.
    pub(crate) fn postpone_for(&mut self, window: &Window<'_>, from: usize, least: usize) {
        self.postpone(window, from);
        self.until = self.until.max(window.end() + least);
    }

    /// Returns whether too little text has arrived for a retry.
    pub(crate) fn is_too_early(self, window: &Window<'_>) -> bool {
        !window.at_end && window.end() < self.until
    }
}
