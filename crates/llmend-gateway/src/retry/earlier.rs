//! The answers before the last one, none of which could be used.

use llmend::model::Usage;

use crate::answer::final_answer::FinalAnswer;
use crate::answer::usage::UsageCounts;
use crate::config::Policy;
use crate::error::Failure;
use crate::repair::decide::RetriesLeft;

/// How often the model was asked for another answer, and what that cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EarlierAnswers {
    count: u32,
    usage: Usage,
}

impl EarlierAnswers {
    /// Adds an answer that cannot be used.
    pub(crate) fn add(&mut self, used: UsageCounts) {
        self.count += 1;
        let UsageCounts { input, output } = used;
        self.usage.input = self.usage.input.saturating_add(input.unwrap_or_default());
        self.usage.output = self.usage.output.saturating_add(output.unwrap_or_default());
    }

    /// Returns how often the model may still be asked after an answer that used this much. Its parts
    /// are asked for only if it is the first one.
    pub(crate) fn left(&self, policy: &Policy, used: UsageCounts) -> RetriesLeft {
        let last = [used.input, used.output].map(Option::unwrap_or_default);
        let spent = [self.usage.input, self.usage.output].into_iter().chain(last);
        let spent = spent.fold(0, u64::saturating_add);
        let may_spend = policy.reask_tokens.is_none_or(|limit| spent < limit);
        RetriesLeft {
            parts: if self.count == 0 { policy.reasks } else { 0 },
            answers: if may_spend { policy.reasks.saturating_sub(self.count) } else { 0 },
        }
    }

    /// Adds to a refusal why there is no other answer.
    pub(crate) fn unanswered(&self, refusal: Failure, why: &str) -> Failure {
        let mut refusal = refusal.after_retries(self.count + 2, why);
        // The earlier ones are added as to any other error.
        refusal.attempts = 2;
        refusal
    }

    /// Adds them to the account of an error, which tells of the last answer.
    pub(crate) fn charge(&self, mut failure: Failure) -> Failure {
        if self.count > 0 && failure.attempts < 2 {
            failure.message = format!("{}; asked {} times", failure.message, self.count + 1);
        }
        failure.attempts = failure.attempts.saturating_add(self.count);
        failure
    }

    /// Adds them to the account of the answer that is sent.
    pub(crate) fn add_to(&self, answer: &mut FinalAnswer) {
        answer.attempts = answer.attempts.saturating_add(self.count);
        answer.usage.input = answer.usage.input.saturating_add(self.usage.input);
        answer.usage.output = answer.usage.output.saturating_add(self.usage.output);
    }
}
