//! How far has the scan come, and what is it at?

use crate::{
    extract::{
        Attempt, Build, FailedAttempt, FoundValue,
        scan::{AfterValue, Phase, Scan},
    },
    limits::MAX_DIAGNOSTICS,
};

impl<'o, B: Build> Scan<'o, B> {
    /// The value that is being read, to change it.
    pub(crate) fn attempt_mut(&mut self) -> Option<&mut Attempt<'o>> {
        match &mut self.phase {
            Phase::Read(attempt, _) => Some(attempt),
            _ => None,
        }
    }

    /// The value that could not be read, if that ended the scan.
    pub(crate) fn failure(&self) -> Option<&FailedAttempt> {
        match &self.phase {
            Phase::Judge(outcome, _) => outcome.as_ref().as_ref().err(),
            _ => None,
        }
    }

    /// Where the text begins, white space apart.
    pub(crate) fn beginning(&self) -> usize {
        self.state.beginning
    }

    /// Text before this is not looked at again, but for a line or two.
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

    /// The value that is being read.
    pub(crate) fn attempt(&self) -> Option<&Attempt<'o>> {
        match &self.phase {
            Phase::Read(attempt, _) => Some(attempt),
            _ => None,
        }
    }

    /// The value that was read and is still to be judged.
    pub(crate) fn judged(&self) -> Option<&FoundValue<B>> {
        match &self.phase {
            Phase::Judge(outcome, _) => outcome.as_ref().as_ref().ok(),
            _ => None,
        }
    }

    /// Whether nothing is looked for but the value that is being read, or was read last.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(&self.phase, Phase::Read(_, AfterValue::End) | Phase::Judge(_, AfterValue::End))
    }

    /// Under the choice `first`, once it is made: forgets candidates that nobody is told of. Of the
    /// last it is asked whether the text breaks off in it.
    pub(crate) fn forget_passed_over(&mut self) {
        if self.found.len() <= MAX_DIAGNOSTICS + 2 {
            return;
        }
        if let Some(first) = self.first {
            let last = self.found.len() - 1;
            self.found.drain((first + 1).max(MAX_DIAGNOSTICS + 1).min(last)..last);
        }
    }

    /// Under the choice `first`: the first candidate, if it is here.
    pub(crate) fn first(&self) -> Option<&FoundValue<B>> {
        self.found.get(self.first?)
    }

    /// The same, to change it.
    pub(crate) fn first_mut(&mut self) -> Option<&mut FoundValue<B>> {
        self.found.get_mut(self.first?)
    }

    pub(super) fn has_first(&self) -> bool {
        self.first.is_some()
    }
}
