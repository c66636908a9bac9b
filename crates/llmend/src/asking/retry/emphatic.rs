//! The strategy `emphatic`: ask for the whole answer with a notice in front.

use super::{Row, full};
use crate::asking::{
    FailedAnswer, Task, Topic,
    merge::{RequestBody, RetryContext},
};
use crate::prompts;

pub(super) const ROW: Row = Row { applies: |_, _| true, question, join: full::join };

fn question(
    topic: &dyn Topic,
    task: &Task,
    failed: &FailedAnswer,
    turn: RetryContext,
) -> RequestBody {
    let (retry, of) = (turn.retry.to_string(), turn.of.to_string());
    let last = if turn.is_last { prompts::LAST_ATTEMPT.fill(&[]) } else { String::new() };
    let notice = prompts::RETRY_EMPHATIC.fill(&[("retry", &retry), ("of", &of), ("last", &last)]);
    let messages = task.with(&notice, &full::demand(topic, failed, turn));
    RequestBody { messages, output: topic.output() }
}
