//! How much may the validator look at?
//!
//! It visits a part as often as ways lead to it, and ways may multiply from level to level. It cannot be told
//! to stop; but it only sees what it is shown, and where nothing more is shown it soon ends.

use std::cell::Cell;

/// Counts what the validator looks at: each list or object once more each time, and each of its parts.
#[derive(Debug)]
pub(crate) struct Meter {
    left: Cell<usize>,
    is_spent: Cell<bool>,
}

impl Meter {
    pub(crate) const fn new(most: usize) -> Self {
        Self { left: Cell::new(most), is_spent: Cell::new(false) }
    }

    /// Counts one look; false if it is one too many.
    pub(crate) fn count(&self) -> bool {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => self.is_spent.set(true),
        }
        !self.is_spent.get()
    }

    /// Whether there were too many, so that what the validator says is worth nothing.
    pub(crate) const fn is_spent(&self) -> bool {
        self.is_spent.get()
    }
}
