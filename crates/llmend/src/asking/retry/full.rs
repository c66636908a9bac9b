//! The strategy `full`: ask for the whole answer again.

use super::Row;
use crate::asking::{
    FailedAnswer, FailureKind, Task, Topic,
    feedback::{excerpts, feedback},
    merge::{Merge, MergedAnswer, RejectedAnswer, RequestBody, RetryContext},
    subject::Ending,
};
use crate::prompts;

pub(super) const ROW: Row = Row { applies, question, join };

fn applies(_topic: &dyn Topic, _failed: &FailedAnswer) -> bool {
    true
}

fn question(
    topic: &dyn Topic,
    task: &Task,
    failed: &FailedAnswer,
    turn: RetryContext,
) -> RequestBody {
    let messages = task.with("", &demand(topic, failed, turn));
    RequestBody { messages, output: topic.output() }
}

/// Returns the feedback and the request for the whole.
pub(super) fn demand(topic: &dyn Topic, failed: &FailedAnswer, turn: RetryContext) -> String {
    let feedback = feedback(failed, &excerpts(topic, failed, turn.shown), turn.shown);
    let is_no_json = matches!(failed.kind, FailureKind::NoJson | FailureKind::Syntax);
    let mistakes = if is_no_json { prompts::MISTAKES.fill(&[]) } else { String::new() };
    [feedback, prompts::RETRY_FULL.fill(&[("mistakes", &mistakes)])].join("\n\n")
}

/// Uses the answer alone.
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
pub(super) fn join(
    _topic: &dyn Topic,
    _failed: &FailedAnswer,
    answer: &str,
    ending: Ending,
) -> Result<Merge, RejectedAnswer> {
    Ok(Merge::Answer(MergedAnswer::plain(answer.to_owned(), ending)))
}
