//! Several answers to one question, and what most of them agree on.

use std::{num::NonZeroU32, time::Duration};

use llmend_json::{Diagnostic, Severity};

use super::{
    Ask, AskError, AskOptions, Callbacks, Ending, ExhaustedBudget, FinalAnswer, GiveUpReason,
    Ledger, LoopError, Models, Sample, Subject, Task, Validity,
    agreement::{Agreement, agree, commonest},
    ask::ValueAnswer,
    drive::run,
};
use crate::Fitted;

impl<T: 'static> Ask<T> {
    /// Asks several times, and returns the value that most answers agree on, field by field, if it
    /// fits the schema, and else the answer that most others equal. Each part on which they differ
    /// is a warning `ask/disagreement` among the findings. If for a part no value has more votes
    /// than all others, there is no value, but [`GiveUpReason::NoMajority`] with the votes of each
    /// such part.
    ///
    /// The budget holds for all of them together. A question that gets no usable answer does not
    /// count, unless none gets one.
    pub async fn run_samples<'m>(
        &self,
        models: impl Into<Models<'m>>,
        prompt: &str,
        samples: NonZeroU32,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<ValueAnswer<T>, AskError> {
        let models = models.into();
        let task = self.task(models.first_name(), prompt);
        let mut ledger = Ledger::default();
        let mut answers: Vec<FinalAnswer<Fitted>> = Vec::new();
        let mut failed: Vec<Box<LoopError>> = Vec::new();
        for number in 1..=samples.get() {
            callbacks.sample(Sample { number, of: samples.get() });
            let options = remaining(self.asking_options(), &ledger);
            match self.sample(&options, task.clone(), &models, callbacks).await {
                Ok(mut answer) => {
                    ledger.append(std::mem::take(&mut answer.ledger));
                    answers.push(answer);
                }
                Err(mut end) => {
                    ledger.append(std::mem::take(&mut end.ledger));
                    let ends_all = ends_all(&end.why);
                    failed.push(end);
                    if ends_all {
                        break;
                    }
                }
            }
        }
        let Some(mut finished) = self.settle(answers, samples.get()) else {
            // Each question is asked at least once, so that there is an answer or a failure.
            let mut end = failed.swap_remove(0);
            end.ledger = ledger;
            return Err(end.into());
        };
        if finished.findings.iter().any(|row| row.code == "ask/no-majority") {
            let FinalAnswer { answer, findings, .. } = finished;
            let (why, model) = (GiveUpReason::NoMajority, models.first_name().to_owned());
            return Err(Box::new(LoopError { why, model, answer, findings, ledger }).into());
        }
        finished.ledger = ledger;
        self.typed(finished)
    }

    async fn sample(
        &self,
        options: &AskOptions,
        task: Task,
        models: &Models<'_>,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<FinalAnswer<Fitted>, Box<LoopError>> {
        run(self.subject(), options, task, models, self.clock_in_use(), callbacks).await
    }

    /// Returns the answer that comes of several. Valid ones outvote others.
    fn settle(
        &self,
        mut answers: Vec<FinalAnswer<Fitted>>,
        asked: u32,
    ) -> Option<FinalAnswer<Fitted>> {
        if answers.iter().any(|answer| answer.validity == Validity::Valid) {
            answers.retain(|answer| answer.validity == Validity::Valid);
        }
        let roots: Vec<_> = answers.iter().map(|answer| answer.value.value.root()).collect();
        let Agreement { json, mut findings } = agree(&roots)?;
        let chosen = commonest(&roots);
        let is_that = |answer: &FinalAnswer<Fitted>| answer.value.value.to_string() == json;
        let at = answers.iter().position(is_that);
        let read = at.is_none().then(|| self.subject().read(&json, Ending::Complete));
        if (answers.len() as u64) < u64::from(asked) {
            let message = format!("{} of {asked} answers can be used", answers.len());
            findings.push(Diagnostic::new("ask/disagreement", Severity::Warning, message));
        }
        let fits = read.filter(|read| read.failure.is_none()).and_then(|read| read.value);
        let mut finished = match fits {
            Some(value) => {
                let mut of_all = answers.swap_remove(chosen);
                (of_all.value, of_all.answer, of_all.findings) = (value, json, Vec::new());
                of_all
            }
            None => answers.swap_remove(at.unwrap_or(chosen)),
        };
        finished.value.report.diagnostics.extend(findings.iter().cloned());
        finished.findings.extend(findings);
        Some(finished)
    }
}

/// Whether further questions would end in the same way.
const fn ends_all(why: &GiveUpReason) -> bool {
    matches!(
        why,
        GiveUpReason::Budget(
            ExhaustedBudget::Tokens | ExhaustedBudget::Cost | ExhaustedBudget::Time
        ) | GiveUpReason::Transport(_)
            | GiveUpReason::NoModel
            | GiveUpReason::NoPrice { .. }
    )
}

/// Returns the options with what the budget has left.
fn remaining(options: &AskOptions, used: &Ledger) -> AskOptions {
    let mut options = options.clone();
    let left = |limit: Option<u64>, used: u64| limit.map(|limit| limit.saturating_sub(used));
    options.budget.tokens = left(options.budget.tokens, used.usage.total());
    options.budget.cost = left(options.budget.cost, used.cost.unwrap_or_default());
    let time = options.budget.time;
    options.budget.time =
        time.map(|time| time.saturating_sub(used.took).max(Duration::from_millis(1)));
    options
}
