//! Queries about the progress of a scan.

use crate::{
    extract::{
        Attempt, Build, FailedAttempt, FoundValue, choice,
        scan::{AfterValue, Phase, Scan},
    },
    limits::MAX_DIAGNOSTICS,
    parser::Window,
};

impl<'o, B: Build> Scan<'o, B> {
    /// Returns the attempt in progress, mutably.
    pub(crate) fn attempt_mut(&mut self) -> Option<&mut Attempt<'o>> {
        match &mut self.phase {
            Phase::Read(attempt, _) => Some(attempt),
            _ => None,
        }
    }

    /// Returns the failed attempt that ended the scan, if one did.
    pub(crate) fn failure(&self) -> Option<&FailedAttempt> {
        match &self.phase {
            Phase::Judge(outcome, _) => outcome.as_ref().as_ref().err(),
            _ => None,
        }
    }

    /// Returns the start of the text after white space.
    pub(crate) fn beginning(&self) -> usize {
        self.state.beginning
    }

    /// Returns the offset before which text is no longer needed, apart from a line or two.
    pub(crate) fn needs_from(&self) -> usize {
        match &self.phase {
            Phase::Read(attempt, _) if self.first().is_none() => attempt.parser.needs_from(),
            Phase::Read(attempt, _) => attempt.start(),
            Phase::Judge(outcome, _) => match &**outcome {
                Ok(found) if self.first().is_some() => found.span.start,
                Ok(found) => found.span.end,
                Err(failed) => failed.start,
            },
            _ => self.state.at,
        }
    }

    /// Returns the attempt in progress.
    pub(crate) fn attempt(&self) -> Option<&Attempt<'o>> {
        match &self.phase {
            Phase::Read(attempt, _) => Some(attempt),
            _ => None,
        }
    }

    /// Returns the parsed value that is still to be judged.
    pub(crate) fn judged(&self) -> Option<&FoundValue<B>> {
        match &self.phase {
            Phase::Judge(outcome, _) => outcome.as_ref().as_ref().ok(),
            _ => None,
        }
    }

    /// Returns whether the scan ends with the current or last value.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(&self.phase, Phase::Read(_, AfterValue::End) | Phase::Judge(_, AfterValue::End))
    }

    /// Discards candidates that will not be reported, once the choice `first` is made. The last one
    /// is kept, since the text may be cut off in it.
    pub(crate) fn discard_unreported(&mut self) {
        if self.found.len() <= MAX_DIAGNOSTICS + 2 {
            return;
        }
        if let Some(first) = self.first {
            let last = self.found.len() - 1;
            self.found.drain((first + 1).max(MAX_DIAGNOSTICS + 1).min(last)..last);
        }
    }

    /// Returns whether the choice `first` accepts a complete value.
    pub(crate) fn accepts(&self, window: &Window<'_>, found: &FoundValue<B>) -> bool {
        found.is_accepted_first(window)
            || (self.leads(found.span.start)
                && choice::is_list(window, found.span.start, &found.stats))
    }

    /// Returns whether the text begins at `at`, perhaps behind reasoning.
    pub(super) fn leads(&self, at: usize) -> bool {
        at == self.state.first || at == self.state.follows_reasoning
    }

    /// Returns the index of the first candidate under the choice `first`.
    pub(crate) fn first_index(&self) -> Option<usize> {
        self.first
    }

    /// Returns the first candidate under the choice `first`.
    pub(crate) fn first(&self) -> Option<&FoundValue<B>> {
        self.found.get(self.first?)
    }

    /// Returns the first candidate under the choice `first`, mutably.
    pub(crate) fn first_mut(&mut self) -> Option<&mut FoundValue<B>> {
        self.found.get_mut(self.first?)
    }

    /// Returns whether fitting chooses.
    pub(crate) fn is_by_fitting(&self) -> bool {
        self.by_fitting
    }

    pub(super) fn has_first(&self) -> bool {
        self.first.is_some()
    }
}
