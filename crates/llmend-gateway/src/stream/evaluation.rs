//! The evaluation of a complete streamed answer.

use std::sync::Arc;

use crate::answer::completion::Completion;
use crate::answer::part::{ResponsePart, is_changed};
use crate::config::Policy;
use crate::error::Failure;
use crate::protocol::request::OutputRequest;
use crate::repair::RepairOptions;
use crate::repair::decide::{Decision, RetriesLeft};
use crate::repair::evaluate::{evaluate, lone_surrogate};

/// A complete answer that is to be evaluated, away from its stream.
#[derive(Debug)]
pub(crate) struct Evaluation {
    pub(super) completions: Result<Vec<Completion>, Failure>,
    pub(super) request: Arc<OutputRequest>,
    pub(super) options: RepairOptions,
    pub(super) has_half: bool,
}

impl Evaluation {
    /// Returns how many bytes are evaluated.
    pub(crate) fn size(&self) -> usize {
        let completions = self.completions.as_deref().unwrap_or_default();
        completions.iter().map(Completion::size).sum()
    }

    /// Repairs the parts of the answer, and decides what becomes of it.
    pub(crate) fn run(&self, policy: &Policy, left: RetriesLeft) -> (Vec<ResponsePart>, Decision) {
        let completions = match &self.completions {
            Ok(completions) => completions,
            Err(failure) => return (Vec::new(), Decision::Refuse(failure.clone())),
        };
        let (parts, decision) = evaluate(completions, &self.request, policy, self.options, left);
        if self.has_half && is_changed(&parts) {
            return (parts, Decision::Refuse(lone_surrogate()));
        }
        (parts, decision)
    }
}
