//! The loop as a state machine.
//!
//! It has no model, clock or runtime: requests come out, answers go in. Its driver may be
//! asynchronous or not.

use std::{ops::Deref, time::Duration};

use llmend_json::Diagnostic;
use serde::Serialize;

use super::{
    AskOptions, Attempt, Evaluation, ExhaustedBudget, FailedAnswer, Family, FindingSource,
    GiveUpReason, KeptAnswer, Ledger, LoopError, Price, Strategy, Subject, Task,
    budget::{BudgetUse, RetryCounts},
    ledger::cause,
    merge::{Merge, RejectedAnswer, RequestBody, RetryContext},
    outcome::{AttemptOutcome, FinalAnswer},
    received_answer::{ReceivedAnswer, other_tool},
    retry,
};
use crate::model::{ChatError, ChatErrorKind, ChatRequest, ChatResponse, Output, Usage};

mod decide;

/// A model as the loop knows it: name and price.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PricedModel {
    /// The name.
    pub name: String,
    /// The price, if known.
    pub price: Option<Price>,
}

/// The next step of the loop.
#[derive(Debug)]
#[non_exhaustive]
pub enum Next<V> {
    /// Send this request, and pass the response to [`Loop::answer`].
    Ask(Box<AttemptRequest>),
    /// No request is left, and the last value is returned as the options ask for.
    Done(Box<FinalAnswer<V>>),
    /// No request is left.
    GiveUp(Box<LoopError>),
}

/// A request to send.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AttemptRequest {
    /// The index of the model in the list, from 0.
    pub model: usize,
    /// The name of the model.
    pub name: String,
    /// The request.
    pub request: ChatRequest,
    /// The number of the attempt, from 1.
    pub number: u32,
    /// The maximum number of attempts.
    pub of: u32,
    /// The retry strategy. `None` for the first request.
    pub strategy: Option<Strategy>,
    /// Whether this is the last attempt.
    pub is_last: bool,
}

/// A request that is not answered yet.
#[derive(Clone, Debug)]
struct PendingAttempt {
    strategy: Option<Strategy>,
    /// The name of the requested schema.
    shape: Option<String>,
    bytes: usize,
    since: Duration,
}

/// A value that cannot be used, with its answer.
#[derive(Clone, Debug)]
struct UnusableValue<V> {
    value: V,
    /// The complete answer that it was read from.
    text: String,
    /// Every finding.
    findings: Vec<Diagnostic>,
}

/// A loop that asks models until there is a value or a reason to stop.
///
/// ```
/// use std::time::Duration;
/// use llmend::asking::{AskOptions, PricedModel, Loop, Next, AttemptOutcome, SchemaSubject, Task};
/// use llmend::model::ChatResponse;
///
/// let schema = llmend::Schema::from_text(r#"{"type": "object", "properties": {"days": {"type": "integer"}}}"#)?;
/// let subject = SchemaSubject::new(schema);
/// let model = PricedModel { name: "any".to_owned(), price: None };
/// let mut asked = Loop::new(&subject, AskOptions::default(), Task::new("", "How long?"), vec![model]);
///
/// let Next::Ask(asking) = asked.next(Duration::ZERO) else { panic!("a first question") };
/// assert_eq!((asking.number, asking.of), (1, 3));
/// let answer = ChatResponse::of_text(r#"{"days": "a few", "city": "Oslo"}"#);
/// let AttemptOutcome::AskAgain(again) = asked.answer(Ok(answer), Duration::from_secs(1)) else { panic!("no integer") };
/// assert_eq!(again.findings[0].path.as_deref(), Some("/days"));
///
/// let Next::Ask(asking) = asked.next(Duration::from_secs(1)) else { panic!("a retry") };
/// assert!(asking.request.messages.last().unwrap().content.contains("/days"));
/// let answer = ChatResponse::of_text(r#"{"days": 3}"#);
/// let AttemptOutcome::Done(done) = asked.answer(Ok(answer), Duration::from_secs(2)) else { panic!("a value") };
/// assert_eq!(done.answer, r#"{"days": 3, "city": "Oslo"}"#);
/// # Ok::<(), llmend::schema::Error>(())
/// ```
#[derive(Debug)]
pub struct Loop<S: Subject, P: Deref<Target = S>> {
    subject: P,
    options: AskOptions,
    task: Task,
    /// The task as it was given, if another model is to get it with other instructions.
    given: Option<Task>,
    models: Vec<PricedModel>,
    model: usize,
    made: RetryCounts,
    ledger: Ledger,
    failed: Option<FailedAnswer>,
    /// The latest value that cannot be used.
    unusable: Option<UnusableValue<S::Value>>,
    /// The findings in the latest answer, to detect repetition.
    last_findings: Vec<Diagnostic>,
    strategy: Option<Strategy>,
    /// The family of failures that the next retry responds to.
    retry_family: Option<Family>,
    open: Option<PendingAttempt>,
    started: Option<Duration>,
}

impl<S: Subject, P: Deref<Target = S>> Loop<S, P> {
    /// Creates a loop by a reference, a `Box` or an `Arc` of the subject. The first model is asked;
    /// the others are those of [`Strategy::Escalate`], in order.
    pub fn new(subject: P, options: AskOptions, task: Task, models: Vec<PricedModel>) -> Self {
        let mut begun = task.clone();
        if let Some(system) = &options.system {
            begun.begin_with(system);
        }
        let given = options.further.is_some().then_some(task);
        Self {
            subject,
            options,
            task: begun,
            given,
            models,
            model: 0,
            made: RetryCounts::default(),
            ledger: Ledger::default(),
            failed: None,
            unusable: None,
            last_findings: Vec::new(),
            strategy: None,
            retry_family: None,
            open: None,
            started: None,
        }
    }

    /// Returns the record so far.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the next step at the time `now`, measured from any fixed moment.
    ///
    /// Returns the same request until it is answered.
    pub fn next(&mut self, now: Duration) -> Next<S::Value> {
        let started = *self.started.get_or_insert(now);
        if self.models.is_empty() {
            return self.end(GiveUpReason::NoModel);
        }
        let question = self.question();
        let bytes = bytes(&question);
        let price = self.asked_model().price;
        if self.options.budget.cost.is_some() && price.is_none() {
            let model = self.asked_model().name.clone();
            return self.end(GiveUpReason::NoPrice { model });
        }
        let used = BudgetUse {
            tokens: self.ledger.usage.total(),
            cost: self.ledger.cost.unwrap_or_default(),
            time: now.saturating_sub(started),
        };
        let tokens = Usage::estimate(bytes, 0).input;
        let limits = match self.options.budget.limits(
            &used,
            price.as_ref(),
            tokens,
            self.ledger.longest_answer(),
        ) {
            Ok(limits) => limits,
            Err(spent) => return self.end(GiveUpReason::Budget(spent)),
        };
        let mut request = ChatRequest::new(question.messages);
        request.output = question.output;
        request.in_object.clone_from(&self.task.in_object);
        request.max_output_tokens = limits.output_tokens;
        request.timeout = limits.timeout;
        request.max_answers = limits.answers;
        request.temperature = self.temperature();
        let shape = request.output.shape().map(|shape| shape.name.clone());
        self.open = Some(PendingAttempt { strategy: self.strategy, shape, bytes, since: now });
        Next::Ask(Box::new(AttemptRequest {
            model: self.model,
            name: self.asked_model().name.clone(),
            request,
            number: self.made.total() + 1,
            of: self.options.retries.most().saturating_add(1),
            strategy: self.strategy,
            is_last: self.made.is_last(&self.options.retries),
        }))
    }

    /// Takes the response to the last request at the time `now`, and returns what follows from it.
    pub fn answer(
        &mut self,
        answer: Result<ChatResponse, ChatError>,
        now: Duration,
    ) -> AttemptOutcome<S::Value> {
        let reply = ReceivedAnswer::of(answer);
        let open = self.open.take();
        let strategy = open.as_ref().and_then(|open| open.strategy);
        let (mut evaluation, text) = match (&reply.failure, &reply.refusal) {
            (Some(error), _) => (Err(RejectedAnswer::of_transport(error)), String::new()),
            (None, Some(words)) => (Err(RejectedAnswer::of_refusal(words)), String::new()),
            (None, None) => self.read(strategy, &reply),
        };
        let asked = open.as_ref().and_then(|open| open.shape.as_deref());
        let other = reply.called.as_deref().and_then(|called| other_tool(called, asked));
        if let (Ok(evaluation), Some(row)) = (&mut evaluation, other) {
            evaluation.findings.push(row);
        }
        reply.explain(match &mut evaluation {
            Ok(evaluation) => &mut evaluation.findings,
            Err(reject) => &mut reject.findings,
        });
        self.note((&evaluation, &text), &reply, open.as_ref(), now);
        match evaluation {
            Ok(evaluation) => self.conclude(evaluation, text),
            // Answers were read before the time ran out: they are what there is to report.
            Err(_) if self.failed.is_some() && self.is_out_of_time(&reply, now) => {
                self.give_up(GiveUpReason::Budget(ExhaustedBudget::Time))
            }
            Err(reject) => self.reject(reject, reply.failure),
        }
    }

    /// Returns whether a call was ended by the budget of time.
    fn is_out_of_time(&self, reply: &ReceivedAnswer, now: Duration) -> bool {
        let timed_out =
            reply.failure.as_ref().is_some_and(|error| error.kind == ChatErrorKind::Timeout);
        let spent = self.started.map(|started| now.saturating_sub(started));
        timed_out && self.options.budget.time.zip(spent).is_some_and(|(time, spent)| spent >= time)
    }

    /// Goes on with the next model, and the options for it.
    fn escalate(&mut self) {
        self.model += 1;
        let Some(mut task) = self.given.take() else { return };
        self.options = self.options.for_further();
        if let Some(system) = &self.options.system {
            task.begin_with(system);
        }
        self.task = task;
    }

    /// Returns the sampling temperature of the next request.
    fn temperature(&self) -> Option<f64> {
        let corrected = self.options.validation_temperature;
        let is_correction = self.retry_family == Some(Family::Validation);
        corrected.filter(|_| is_correction).or(self.options.temperature)
    }

    fn asked_model(&self) -> &PricedModel {
        const NONE: &PricedModel = &PricedModel { name: String::new(), price: None };
        self.models.get(self.model).unwrap_or(NONE)
    }

    fn question(&self) -> RequestBody {
        match (&self.failed, self.strategy) {
            (Some(failed), Some(strategy)) => {
                let turn = RetryContext {
                    retry: self.made.total(),
                    of: self.options.retries.most(),
                    is_last: self.made.is_last(&self.options.retries),
                    shown: self.options.shown,
                };
                (retry::row(strategy).question)(&*self.subject, &self.task, failed, turn)
            }
            _ => {
                RequestBody { messages: self.task.messages.clone(), output: self.subject.output() }
            }
        }
    }

    /// Reads an answer, merged with the earlier one if only a part was asked for. Returns the text
    /// that was read.
    fn read(
        &self,
        strategy: Option<Strategy>,
        reply: &ReceivedAnswer,
    ) -> (Result<Evaluation<S::Value>, RejectedAnswer>, String) {
        let (Some(failed), Some(strategy)) = (&self.failed, strategy) else {
            return (Ok(self.subject.read(&reply.text, reply.ending)), reply.text.clone());
        };
        match (retry::row(strategy).join)(&*self.subject, failed, &reply.text, reply.ending) {
            Ok(Merge::Answer(whole)) => {
                let mut evaluation = self.subject.read(&whole.text, whole.ending);
                evaluation.class = evaluation.class.max(whole.class);
                evaluation.repairs += whole.repairs;
                evaluation.findings.extend(whole.findings);
                (Ok(evaluation), whole.text)
            }
            Ok(Merge::Patch) => (self.patched(reply), reply.text.clone()),
            Err(reject) => (Err(reject), failed.text.clone()),
        }
    }

    /// Reads a patch in the subject's own form. A patch that cannot be applied changes nothing.
    fn patched(&self, reply: &ReceivedAnswer) -> Result<Evaluation<S::Value>, RejectedAnswer> {
        let before = self.unusable.as_ref();
        let patched =
            before.and_then(|unusable| self.subject.patched(&unusable.value, &reply.text));
        let evaluation = patched.unwrap_or_else(|| self.subject.read(&reply.text, reply.ending));
        match evaluation.failure {
            Some(kind) if evaluation.value.is_none() => {
                Err(RejectedAnswer { kind, findings: evaluation.findings })
            }
            _ => Ok(evaluation),
        }
    }

    /// Records the request and its result in the ledger.
    fn note(
        &mut self,
        (evaluation, text): (&Result<Evaluation<S::Value>, RejectedAnswer>, &str),
        reply: &ReceivedAnswer,
        open: Option<&PendingAttempt>,
        now: Duration,
    ) {
        let question_bytes = open.map_or(0, |open| open.bytes);
        let usage = reply.usage.unwrap_or_else(|| match &reply.failure {
            // A server that was too slow has read the request; any other perhaps has not.
            Some(error)
                if matches!(error.kind, ChatErrorKind::Timeout | ChatErrorKind::Stalled) =>
            {
                Usage::estimate(question_bytes, 0)
            }
            Some(_) if reply.not_reached => Usage::default(),
            Some(_) => Usage { estimated: true, ..Usage::default() },
            None => Usage::estimate(question_bytes, reply.bytes),
        });
        let (failure, findings, class, repairs) = match evaluation {
            Ok(evaluation) => (
                evaluation.failure,
                evaluation.findings.clone(),
                evaluation.class,
                evaluation.repairs,
            ),
            Err(reject) => (Some(reject.kind), reject.findings.clone(), None, 0),
        };
        // Places in an answer that could not be merged refer to that answer.
        let place = if evaluation.is_ok() { text } else { &reply.text };
        let found_in =
            if place == reply.text { FindingSource::Answer } else { FindingSource::Whole };
        let (broke_off, reason) = reply.broke_off.clone().unzip();
        let cause = reason.or_else(|| cause(place, &findings));
        let price = self.asked_model().price;
        let since = open.map_or(now, |open| open.since);
        self.ledger.push(Attempt {
            number: self.made.total() + 1,
            strategy: open.and_then(|open| open.strategy),
            model: self.asked_model().name.clone(),
            failure,
            cause,
            found_in,
            findings,
            class,
            repairs,
            finish: reply.finish.clone(),
            broke_off,
            usage,
            not_reached: reply.not_reached,
            lost: reply.lost,
            cost: price.map(|price| price.of(&usage).saturating_add(price.of(&reply.lost.usage))),
            took: now.saturating_sub(since),
            transport_retries: reply.transport_retries,
            question_bytes,
            answer_bytes: reply.bytes,
            answer: KeptAnswer::of(&reply.text, self.options.keep),
        });
        self.ledger.took = now.saturating_sub(self.started.unwrap_or(now));
    }
}

/// Returns the size of a request, including its schema.
fn bytes(question: &RequestBody) -> usize {
    let messages: usize = question.messages.iter().map(|message| message.content.len()).sum();
    messages + Output::shape(&question.output).map_or(0, |shape| shape.schema.len())
}
