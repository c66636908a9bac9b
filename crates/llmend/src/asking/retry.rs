//! Requests of each retry strategy, and the merging of their answers.

use super::{
    FailedAnswer, Strategy, Task, Topic,
    merge::{Merge, RejectedAnswer, RequestBody, RetryContext},
    subject::Ending,
};

mod continue_on;
mod emphatic;
mod escalate;
mod fields;
mod full;
mod patch;

/// The functions of a strategy.
pub(crate) struct Row {
    /// Returns whether the strategy applies to this failure.
    pub(crate) applies: fn(&dyn Topic, &FailedAnswer) -> bool,
    /// Builds the request.
    pub(crate) question: fn(&dyn Topic, &Task, &FailedAnswer, RetryContext) -> RequestBody,
    /// Merges the answer with the earlier one.
    pub(crate) join: fn(&dyn Topic, &FailedAnswer, &str, Ending) -> Result<Merge, RejectedAnswer>,
}

/// Returns the functions of a strategy.
pub(crate) const fn row(strategy: Strategy) -> &'static Row {
    match strategy {
        Strategy::Fields => &fields::ROW,
        Strategy::Patch => &patch::ROW,
        Strategy::Full => &full::ROW,
        Strategy::Emphatic => &emphatic::ROW,
        Strategy::Continue => &continue_on::ROW,
        Strategy::Escalate => &escalate::ROW,
    }
}
