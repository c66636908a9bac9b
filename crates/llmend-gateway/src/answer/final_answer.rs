//! A response whose parts may all be sent to the client.

use llmend::model::Usage;

use crate::answer::completion::FinishChanges;
use crate::answer::part::ResponsePart;

/// A response whose parts may all be sent.
#[derive(Clone, Debug)]
pub(crate) struct FinalAnswer {
    pub(crate) parts: Vec<ResponsePart>,
    pub(crate) ends: FinishChanges,
    /// The number of requests to the model, including the first.
    pub(crate) attempts: u32,
    /// The usage of all requests but the first.
    pub(crate) usage: Usage,
}

impl FinalAnswer {
    /// Makes the final answer of a first response.
    pub(crate) fn at_once(parts: Vec<ResponsePart>, cut_off: Vec<u32>) -> Self {
        let ends = FinishChanges { cut_off, completed: Vec::new() };
        Self { parts, ends, attempts: 1, usage: Usage::default() }
    }
}
