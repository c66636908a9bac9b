//! Work budget of the validator.
//!
//! The validator visits a part of the value once for each path through the schema, and the number
//! of paths can grow exponentially. It cannot be interrupted, but it ends soon once the value shows
//! it no further members or items.

use std::cell::Cell;

/// A limit on the containers, members and items that the validator visits.
#[derive(Debug)]
pub(crate) struct WorkBudget {
    left: Cell<usize>,
    is_spent: Cell<bool>,
}

impl WorkBudget {
    pub(crate) const fn new(most: usize) -> Self {
        Self { left: Cell::new(most), is_spent: Cell::new(false) }
    }

    /// Counts one visit; returns false once the budget is exhausted.
    pub(crate) fn count(&self) -> bool {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => self.is_spent.set(true),
        }
        !self.is_spent.get()
    }

    /// Returns whether the budget was exceeded, in which case the validator's result is
    /// meaningless.
    pub(crate) const fn is_spent(&self) -> bool {
        self.is_spent.get()
    }
}
