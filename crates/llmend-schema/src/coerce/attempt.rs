//! Attempts, which can be undone.

use std::hash::{DefaultHasher, Hasher};

use llmend_json::Written;

use super::Coercer;

/// A state to return to.
pub(super) struct Mark {
    built: Written,
    pending: usize,
    violations: usize,
    cost: u32,
    written: DefaultHasher,
    /// Length of the path.
    path: usize,
}

/// Outcome of an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) fits: bool,
    pub(super) cost: u32,
    /// Hash of the output.
    pub(super) result: u64,
}

impl Coercer<'_, '_> {
    /// Runs `run` as an attempt. The output stays unless the caller rewinds.
    pub(super) fn attempt(&mut self, run: impl FnOnce(&mut Self)) -> Attempt {
        let outer = (self.failed, self.cost);
        let written = std::mem::take(&mut self.written);
        (self.failed, self.cost) = (false, 0);
        self.attempts += 1;
        run(self);
        self.attempts -= 1;
        let inner = std::mem::replace(&mut self.written, written);
        let result = inner.finish();
        self.written.write_u64(result);
        let attempt = Attempt { fits: !self.failed, cost: self.cost, result };
        self.failed = outer.0;
        self.cost = outer.1.saturating_add(attempt.cost);
        attempt
    }

    /// Runs `run` as an attempt, and undoes it unless it fits.
    pub(super) fn attempt_or_undo(&mut self, run: impl FnOnce(&mut Self)) -> bool {
        let mark = self.mark();
        let attempt = self.attempt(run);
        if !attempt.fits {
            self.rewind(mark);
        }
        attempt.fits
    }

    /// Runs `run` as an attempt, and undoes it.
    pub(super) fn dry_run(&mut self, run: impl FnOnce(&mut Self)) -> Attempt {
        let mark = self.mark();
        let attempt = self.attempt(run);
        self.rewind(mark);
        attempt
    }

    /// Returns the current state.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            built: self.builder.written(),
            pending: self.pending.len(),
            violations: self.violations.len(),
            cost: self.cost,
            written: self.written.clone(),
            path: self.path.len(),
        }
    }

    /// Undoes everything since `mark`.
    pub(super) fn rewind(&mut self, mark: Mark) {
        self.builder.rewind(&mark.built);
        self.pending.truncate(mark.pending);
        self.violations.truncate(mark.violations);
        self.path.truncate(mark.path);
        (self.cost, self.written) = (mark.cost, mark.written);
    }
}
