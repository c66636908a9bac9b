//! Decisions of the loop: a value, another request, or the end.

use std::ops::Deref;

use llmend_json::Diagnostic;

use super::{Loop, Next, UnusableValue};
use crate::{
    asking::{
        Evaluation, FailedAnswer, FailureKind, Family, FindingSource, GiveUpReason, LoopError,
        OnExhausted, OnSameFindings, Strategy, Subject, Validation,
        failed_answer::same,
        ledger::forget,
        merge::RejectedAnswer,
        outcome::{AttemptOutcome, FinalAnswer, RetryNotice, Validity},
        retry,
    },
    model::{ChatError, ChatErrorKind},
};

impl<S: Subject, P: Deref<Target = S>> Loop<S, P> {
    /// Decides what follows from an answer that was read as a whole.
    pub(super) fn conclude(
        &mut self,
        evaluation: Evaluation<S::Value>,
        text: String,
    ) -> AttemptOutcome<S::Value> {
        let Evaluation { value, failure, findings, json, own, .. } = evaluation;
        let Some(kind) = failure else {
            return match value {
                Some(value) => AttemptOutcome::Done(Box::new(self.finished(
                    value,
                    Validity::Valid,
                    text,
                    findings,
                ))),
                None => self.give_up(GiveUpReason::Retries),
            };
        };
        let is_unchecked =
            self.options.validation == Validation::Off && kind.family() == Family::Validation;
        if let Some(value) = value {
            if is_unchecked {
                let done = self.finished(value, Validity::Unchecked, text, findings);
                return AttemptOutcome::Done(Box::new(done));
            }
            self.unusable =
                Some(UnusableValue { value, text: text.clone(), findings: findings.clone() });
        }
        let since = Vec::new();
        self.failed =
            Some(FailedAnswer { kind, findings: findings.clone(), text, json, own, since });
        self.again(kind, findings)
    }

    /// Decides what follows from an answer that does not match the request. The earlier answer
    /// stays.
    pub(super) fn reject(
        &mut self,
        reject: RejectedAnswer,
        error: Option<ChatError>,
    ) -> AttemptOutcome<S::Value> {
        if let Some(error) = error {
            let allowed = error.kind.is_transient()
                && self.made.allows(
                    Family::Transport,
                    &self.options.retries,
                    self.options.budget.transport_retries,
                );
            // A key or a name that is refused is a mistake, which another model would hide.
            let is_outage = error.kind.is_transient() || error.kind == ChatErrorKind::Quota;
            if !allowed && is_outage && self.can_escalate() {
                // What one model is not there for, another one may be.
                self.escalate();
                self.strategy = Some(Strategy::Escalate);
                return AttemptOutcome::AskAgain(self.announced(reject.kind, reject.findings));
            }
            if !allowed {
                return self.give_up(GiveUpReason::Transport(error));
            }
            self.made.count(Family::Transport);
            return AttemptOutcome::AskAgain(self.announced(reject.kind, reject.findings));
        }
        if let Some(failed) = &mut self.failed {
            failed.since.clone_from(&reject.findings);
        }
        self.again(reject.kind, reject.findings)
    }

    /// Whether the ladder leads to another model, and there is one.
    fn can_escalate(&self) -> bool {
        let ladder = &self.options.ladder;
        let leads = ladder.on_last == Some(Strategy::Escalate)
            || ladder.strategies.contains(&Strategy::Escalate);
        leads && self.model + 1 < self.models.len()
    }

    /// Decides whether and how to ask again.
    fn again(&mut self, kind: FailureKind, findings: Vec<Diagnostic>) -> AttemptOutcome<S::Value> {
        let is_refused = kind == FailureKind::Refusal;
        let retries = self.options.retries;
        if !self.made.allows(kind.family(), &retries, 0) {
            return self.give_up(if is_refused {
                GiveUpReason::Refused
            } else {
                self.used_up(kind.family())
            });
        }
        let strategy = self.strategy_for(kind);
        let asks_another = strategy == Strategy::Escalate && self.model + 1 < self.models.len();
        if is_refused && !asks_another {
            return self.give_up(GiveUpReason::Refused);
        }
        let is_same = !self.last_findings.is_empty() && same(&self.last_findings, &findings);
        if is_same && !asks_another && self.options.on_same_findings == OnSameFindings::Stop {
            return self.give_up(GiveUpReason::SameFindings);
        }
        if asks_another {
            self.escalate();
        }
        self.last_findings.clone_from(&findings);
        self.made.count(kind.family());
        self.strategy = Some(strategy);
        self.retry_family = Some(kind.family());
        AttemptOutcome::AskAgain(self.announced(kind, findings))
    }

    /// Returns why there is no retry after a failure of this family: none is left at all, or only there.
    fn used_up(&self, family: Family) -> GiveUpReason {
        if self.made.total() < self.options.retries.most() {
            GiveUpReason::RetriesAfter(family)
        } else {
            GiveUpReason::Retries
        }
    }

    /// Returns the strategy of the next retry, or `full` if it does not apply.
    fn strategy_for(&self, kind: FailureKind) -> Strategy {
        let ladder = &self.options.ladder;
        let last = ladder.on_last.filter(|_| self.is_last_for(kind));
        let strategy = last.unwrap_or_else(|| ladder.strategy(self.made.total(), kind));
        if last == Some(Strategy::Escalate) && self.model + 1 >= self.models.len() {
            return Strategy::Full;
        }
        match &self.failed {
            Some(failed) if (retry::row(strategy).applies)(&*self.subject, failed) => strategy,
            // There is no answer to correct, but another model can be asked all the same.
            None if strategy == Strategy::Escalate => strategy,
            _ => Strategy::Full,
        }
    }

    /// Returns whether the next retry is the last one allowed after such a failure.
    fn is_last_for(&self, kind: FailureKind) -> bool {
        let mut made = self.made;
        made.count(kind.family());
        !made.allows(kind.family(), &self.options.retries, 0)
    }

    fn announced(&self, failure: FailureKind, findings: Vec<Diagnostic>) -> RetryNotice {
        RetryNotice {
            failure,
            found_in: self
                .ledger
                .attempts
                .last()
                .map_or(FindingSource::Answer, |last| last.found_in),
            findings,
            strategy: self.strategy,
            retry: self.made.total(),
            of: self.options.retries.most(),
        }
    }

    fn finished(
        &mut self,
        value: S::Value,
        validity: Validity,
        answer: String,
        findings: Vec<Diagnostic>,
    ) -> FinalAnswer<S::Value> {
        let ledger = std::mem::take(&mut self.ledger);
        FinalAnswer { value, validity, answer, findings, ledger }
    }

    /// Ends the loop before another request.
    pub(super) fn end(&mut self, why: GiveUpReason) -> Next<S::Value> {
        match self.last(why) {
            Ok(done) => Next::Done(done),
            Err(gave_up) => Next::GiveUp(gave_up),
        }
    }

    /// Ends the loop because an answer cannot be used.
    pub(super) fn give_up(&mut self, why: GiveUpReason) -> AttemptOutcome<S::Value> {
        match self.last(why) {
            Ok(done) => AttemptOutcome::Done(done),
            Err(gave_up) => AttemptOutcome::GiveUp(gave_up),
        }
    }

    /// Returns the last value if the options ask for it, or else why there is none.
    fn last(&mut self, why: GiveUpReason) -> Result<Box<FinalAnswer<S::Value>>, Box<LoopError>> {
        let hands_back = self.options.on_exhausted == OnExhausted::HandBack
            && matches!(
                why,
                GiveUpReason::Retries
                    | GiveUpReason::RetriesAfter(_)
                    | GiveUpReason::SameFindings
                    | GiveUpReason::Budget(_)
            );
        match self.unusable.take().filter(|_| hands_back) {
            Some(UnusableValue { value, text, findings }) => {
                Ok(Box::new(self.finished(value, Validity::Invalid, text, findings)))
            }
            None => Err(Box::new(self.given_up(why))),
        }
    }

    fn given_up(&mut self, why: GiveUpReason) -> LoopError {
        let failed = self.failed.take();
        let ledger = std::mem::take(&mut self.ledger);
        let mut findings =
            ledger.attempts.last().map_or_else(Vec::new, |last| last.findings.clone());
        // Places in a rejected answer to a part refer to that answer, not to the whole.
        if failed.as_ref().is_some_and(|failed| !failed.since.is_empty()) {
            forget(&mut findings);
        }
        let answer = failed.map(|failed| failed.text).unwrap_or_default();
        let model = self.asked_model().name.clone();
        LoopError { why, model, answer, findings, ledger }
    }
}
