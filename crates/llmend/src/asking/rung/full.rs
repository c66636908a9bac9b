//! The strategy `full`: ask for the whole answer again.

use super::Row;
use crate::asking::{
    Failed, FailureKind, Task, Topic,
    feedback::{excerpts, feedback},
    question::{Joined, Misfit, Question, Turn, Whole},
    subject::Ending,
};
use crate::prompts;

pub(super) const ROW: Row = Row { applies, question, join };

fn applies(_topic: &dyn Topic, _failed: &Failed) -> bool {
    true
}

fn question(topic: &dyn Topic, task: &Task, failed: &Failed, turn: Turn) -> Question {
    let messages = task.with("", &demand(topic, failed, turn));
    Question { messages, output: topic.output() }
}

/// Returns the feedback and the request for the whole.
pub(super) fn demand(topic: &dyn Topic, failed: &Failed, turn: Turn) -> String {
    let feedback = feedback(failed, &excerpts(topic, failed, turn.shown), turn.shown);
    let is_no_json = matches!(failed.kind, FailureKind::NoJson | FailureKind::Syntax);
    let mistakes = if is_no_json { prompts::MISTAKES.fill(&[]) } else { String::new() };
    [feedback, prompts::RETRY_FULL.fill(&[("mistakes", &mistakes)])].join("\n\n")
}

/// Uses the answer alone.
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
pub(super) fn join(
    _topic: &dyn Topic,
    _failed: &Failed,
    answer: &str,
    ending: Ending,
) -> Result<Joined, Misfit> {
    Ok(Joined::Answer(Whole::plain(answer.to_owned(), ending)))
}
