//! A response whose parts may all be sent to the client.

use llmend::model::Usage;

use crate::answer::completion::FinishChanges;
use crate::answer::part::ResponsePart;

/// An answer all of whose parts may be given.
#[derive(Clone, Debug)]
pub(crate) struct FinalAnswer {
    pub(crate) parts: Vec<ResponsePart>,
    pub(crate) ends: FinishChanges,
    /// How often the model was asked, the first time included.
    pub(crate) attempts: u32,
    /// What was used besides the first answer.
    pub(crate) usage: Usage,
}

impl FinalAnswer {
    /// An answer that is given as it was settled at once.
    pub(crate) fn at_once(parts: Vec<ResponsePart>, cut_off: Vec<u32>) -> Self {
        let ends = FinishChanges { cut_off, completed: Vec::new() };
        Self { parts, ends, attempts: 1, usage: Usage::default() }
    }
}
