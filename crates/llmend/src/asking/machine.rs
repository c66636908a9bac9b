//! The loop as a state machine.
//!
//! It has no model, clock or runtime: requests come out, answers go in. Its driver may be
//! asynchronous or not.

use std::{ops::Deref, time::Duration};

use llmend_json::Diagnostic;
use serde::Serialize;

use super::{
    AskOptions, Attempt, Failed, FailureKind, Family, FoundIn, GaveUp, Judged, Kept, Ledger,
    OnExhausted, OnSameFindings, Price, Rung, Subject, Task, Validation, Why,
    budget::{Made, Used},
    failed::same,
    ledger::{cause, forget},
    outcome::{Again, Finished, Outcome, Validity},
    question::{Joined, Misfit, Question, Turn},
    reply::{Reply, other_tool},
};
use crate::model::{ChatError, ChatErrorKind, ChatRequest, ChatResponse, Output, Usage};

/// A model as the loop knows it: name and price.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Priced {
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
    Ask(Box<Asking>),
    /// No request is left, and the last value is returned as the options ask for.
    Done(Box<Finished<V>>),
    /// No request is left.
    GiveUp(Box<GaveUp>),
}

/// A request to send.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Asking {
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
    pub rung: Option<Rung>,
    /// Whether this is the last attempt.
    pub is_last: bool,
}

/// A request that is not answered yet.
#[derive(Clone, Debug)]
struct Open {
    rung: Option<Rung>,
    /// The name of the requested schema.
    shape: Option<String>,
    bytes: usize,
    since: Duration,
}

/// A value that cannot be used, with its answer.
#[derive(Clone, Debug)]
struct Had<V> {
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
/// use llmend::asking::{AskOptions, Priced, Loop, Next, Outcome, SchemaSubject, Task};
/// use llmend::model::ChatResponse;
///
/// let schema = llmend::Schema::from_text(r#"{"type": "object", "properties": {"days": {"type": "integer"}}}"#)?;
/// let subject = SchemaSubject::new(schema);
/// let model = Priced { name: "any".to_owned(), price: None };
/// let mut asked = Loop::new(&subject, AskOptions::default(), Task::new("", "How long?"), vec![model]);
///
/// let Next::Ask(asking) = asked.next(Duration::ZERO) else { panic!("a first question") };
/// assert_eq!((asking.number, asking.of), (1, 3));
/// let answer = ChatResponse::of_text(r#"{"days": "a few", "city": "Oslo"}"#);
/// let Outcome::AskAgain(again) = asked.answer(Ok(answer), Duration::from_secs(1)) else { panic!("no integer") };
/// assert_eq!(again.findings[0].path.as_deref(), Some("/days"));
///
/// let Next::Ask(asking) = asked.next(Duration::from_secs(1)) else { panic!("a retry") };
/// assert!(asking.request.messages.last().unwrap().content.contains("/days"));
/// let answer = ChatResponse::of_text(r#"{"days": 3}"#);
/// let Outcome::Done(done) = asked.answer(Ok(answer), Duration::from_secs(2)) else { panic!("a value") };
/// assert_eq!(done.answer, r#"{"days": 3, "city": "Oslo"}"#);
/// # Ok::<(), llmend::schema::Error>(())
/// ```
#[derive(Debug)]
pub struct Loop<S: Subject, P: Deref<Target = S>> {
    subject: P,
    options: AskOptions,
    task: Task,
    models: Vec<Priced>,
    model: usize,
    made: Made,
    ledger: Ledger,
    failed: Option<Failed>,
    /// The latest value that cannot be used.
    had: Option<Had<S::Value>>,
    /// The findings in the latest answer, to detect repetition.
    found: Vec<Diagnostic>,
    rung: Option<Rung>,
    /// The family of failures that the next retry responds to.
    asked_for: Option<Family>,
    open: Option<Open>,
    started: Option<Duration>,
}

impl<S: Subject, P: Deref<Target = S>> Loop<S, P> {
    /// Creates a loop by a reference, a `Box` or an `Arc` of the subject. The first model is asked;
    /// the others are those of [`Strategy::Escalate`], in order.
    pub fn new(subject: P, options: AskOptions, task: Task, models: Vec<Priced>) -> Self {
        Self {
            subject,
            options,
            task,
            models,
            model: 0,
            made: Made::default(),
            ledger: Ledger::default(),
            failed: None,
            had: None,
            found: Vec::new(),
            rung: None,
            asked_for: None,
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
            return self.end(Why::NoModel);
        }
        let question = self.question();
        let bytes = bytes(&question);
        let price = self.asked_model().price;
        if self.options.budget.cost.is_some() && price.is_none() {
            let model = self.asked_model().name.clone();
            return self.end(Why::NoPrice { model });
        }
        let used = Used {
            tokens: self.ledger.usage.input.saturating_add(self.ledger.usage.output),
            cost: self.ledger.cost.unwrap_or_default(),
            time: now.saturating_sub(started),
        };
        let tokens = Usage::estimate(bytes, 0).input;
        let limits = match self.options.budget.limits(&used, price.as_ref(), tokens) {
            Ok(limits) => limits,
            Err(spent) => return self.end(Why::Budget(spent)),
        };
        let mut request = ChatRequest::new(question.messages);
        request.output = question.output;
        request.max_output_tokens = limits.output_tokens;
        request.timeout = limits.timeout;
        request.temperature = self.temperature();
        let shape = request.output.shape().map(|shape| shape.name.clone());
        self.open = Some(Open { rung: self.rung, shape, bytes, since: now });
        Next::Ask(Box::new(Asking {
            model: self.model,
            name: self.asked_model().name.clone(),
            request,
            number: self.made.total() + 1,
            of: self.options.retries.total.saturating_add(1),
            rung: self.rung,
            is_last: self.made.is_last(&self.options.retries),
        }))
    }

    /// Takes the response to the last request at the time `now`, and returns what follows from it.
    pub fn answer(
        &mut self,
        answer: Result<ChatResponse, ChatError>,
        now: Duration,
    ) -> Outcome<S::Value> {
        let reply = Reply::of(answer);
        let open = self.open.take();
        let rung = open.as_ref().and_then(|open| open.rung);
        let (mut judged, text) = match (&reply.failure, &reply.refusal) {
            (Some(error), _) => (Err(Misfit::of_transport(error)), String::new()),
            (None, Some(words)) => (Err(Misfit::of_refusal(words)), String::new()),
            (None, None) => self.read(rung, &reply),
        };
        let asked = open.as_ref().and_then(|open| open.shape.as_deref());
        let other = reply.called.as_deref().and_then(|called| other_tool(called, asked));
        if let (Ok(judged), Some(row)) = (&mut judged, other) {
            judged.findings.push(row);
        }
        self.note((&judged, &text), &reply, open.as_ref(), now);
        match judged {
            Ok(judged) => self.judge(judged, text),
            Err(misfit) => self.misfit(misfit, reply.failure),
        }
    }

    /// Returns the sampling temperature of the next request.
    fn temperature(&self) -> Option<f64> {
        let corrected = self.options.validation_temperature;
        let is_correction = self.asked_for == Some(Family::Validation);
        corrected.filter(|_| is_correction).or(self.options.temperature)
    }

    fn asked_model(&self) -> &Priced {
        const NONE: &Priced = &Priced { name: String::new(), price: None };
        self.models.get(self.model).unwrap_or(NONE)
    }

    fn question(&self) -> Question {
        match (&self.failed, self.rung) {
            (Some(failed), Some(rung)) => {
                let turn = Turn {
                    retry: self.made.total(),
                    of: self.options.retries.total,
                    is_last: self.made.is_last(&self.options.retries),
                    shown: self.options.shown,
                };
                (rung.row().question)(&*self.subject, &self.task, failed, turn)
            }
            _ => Question { messages: self.task.messages.clone(), output: self.subject.output() },
        }
    }

    /// Reads an answer, merged with the earlier one if only a part was asked for. Returns the text
    /// that was read.
    fn read(
        &self,
        rung: Option<Rung>,
        reply: &Reply,
    ) -> (Result<Judged<S::Value>, Misfit>, String) {
        let (Some(failed), Some(rung)) = (&self.failed, rung) else {
            return (Ok(self.subject.read(&reply.text, reply.ending)), reply.text.clone());
        };
        match (rung.row().join)(&*self.subject, failed, &reply.text, reply.ending) {
            Ok(Joined::Answer(whole)) => {
                let mut judged = self.subject.read(&whole.text, whole.ending);
                judged.class = judged.class.max(whole.class);
                judged.repairs += whole.repairs;
                judged.findings.extend(whole.findings);
                (Ok(judged), whole.text)
            }
            Ok(Joined::Patch) => (self.patched(reply), reply.text.clone()),
            Err(misfit) => (Err(misfit), failed.text.clone()),
        }
    }

    /// Reads a patch in the subject's own form. A patch that cannot be applied changes nothing.
    fn patched(&self, reply: &Reply) -> Result<Judged<S::Value>, Misfit> {
        let before = self.had.as_ref();
        let patched = before.and_then(|had| self.subject.patched(&had.value, &reply.text));
        let judged = patched.unwrap_or_else(|| self.subject.read(&reply.text, reply.ending));
        match judged.failure {
            Some(kind) if judged.value.is_none() => Err(Misfit { kind, findings: judged.findings }),
            _ => Ok(judged),
        }
    }

    /// Records the request and its result in the ledger.
    fn note(
        &mut self,
        (judged, text): (&Result<Judged<S::Value>, Misfit>, &str),
        reply: &Reply,
        open: Option<&Open>,
        now: Duration,
    ) {
        let question_bytes = open.map_or(0, |open| open.bytes);
        let usage = reply.usage.unwrap_or_else(|| match &reply.failure {
            // A server that was too slow has read the request; any other perhaps has not.
            Some(error) if error.kind == ChatErrorKind::Timeout => {
                Usage::estimate(question_bytes, 0)
            }
            Some(_) => Usage { estimated: true, ..Usage::default() },
            None => Usage::estimate(question_bytes, reply.bytes),
        });
        let (failure, findings, class, repairs) = match judged {
            Ok(judged) => (judged.failure, judged.findings.clone(), judged.class, judged.repairs),
            Err(misfit) => (Some(misfit.kind), misfit.findings.clone(), None, 0),
        };
        // Places in an answer that could not be merged refer to that answer.
        let place = if judged.is_ok() { text } else { &reply.text };
        let found_in = if place == reply.text { FoundIn::Answer } else { FoundIn::Whole };
        let cause = cause(place, &findings);
        let since = open.map_or(now, |open| open.since);
        self.ledger.push(Attempt {
            number: self.made.total() + 1,
            rung: open.and_then(|open| open.rung),
            model: self.asked_model().name.clone(),
            failure,
            cause,
            found_in,
            findings,
            class,
            repairs,
            finish: reply.finish.clone(),
            usage,
            cost: self.asked_model().price.map(|price| price.of(&usage)),
            took: now.saturating_sub(since),
            transport_retries: reply.transport_retries,
            question_bytes,
            answer_bytes: reply.bytes,
            answer: Kept::of(&reply.text, self.options.keep),
        });
        self.ledger.took = now.saturating_sub(self.started.unwrap_or(now));
    }

    /// Decides what follows from an answer that was read as a whole.
    fn judge(&mut self, judged: Judged<S::Value>, text: String) -> Outcome<S::Value> {
        let Judged { value, failure, findings, json, own, .. } = judged;
        let Some(kind) = failure else {
            return match value {
                Some(value) => {
                    Outcome::Done(Box::new(self.finished(value, Validity::Valid, text, findings)))
                }
                None => self.give_up(Why::Retries),
            };
        };
        let is_unchecked =
            self.options.validation == Validation::Off && kind.family() == Family::Validation;
        if let Some(value) = value {
            if is_unchecked {
                let done = self.finished(value, Validity::Unchecked, text, findings);
                return Outcome::Done(Box::new(done));
            }
            self.had = Some(Had { value, text: text.clone(), findings: findings.clone() });
        }
        let since = Vec::new();
        self.failed = Some(Failed { kind, findings: findings.clone(), text, json, own, since });
        self.again(kind, findings)
    }

    /// Decides what follows from an answer that does not match the request. The earlier answer
    /// stays.
    fn misfit(&mut self, misfit: Misfit, error: Option<ChatError>) -> Outcome<S::Value> {
        if let Some(error) = error {
            let allowed = error.kind.is_transient()
                && self.made.allows(
                    Family::Transport,
                    &self.options.retries,
                    self.options.budget.transport_retries,
                );
            if !allowed {
                return self.give_up(Why::Transport(error));
            }
            self.made.count(Family::Transport);
            return Outcome::AskAgain(self.announced(misfit.kind, misfit.findings));
        }
        if let Some(failed) = &mut self.failed {
            failed.since.clone_from(&misfit.findings);
        }
        self.again(misfit.kind, misfit.findings)
    }

    /// Decides whether and how to ask again.
    fn again(&mut self, kind: FailureKind, findings: Vec<Diagnostic>) -> Outcome<S::Value> {
        let is_refused = kind == FailureKind::Refusal;
        let retries = self.options.retries;
        if !self.made.allows(kind.family(), &retries, 0) {
            return self.give_up(if is_refused { Why::Refused } else { Why::Retries });
        }
        let rung = self.rung_for(kind);
        let asks_another = rung == Rung::Escalate && self.model + 1 < self.models.len();
        if is_refused && !asks_another {
            return self.give_up(Why::Refused);
        }
        let is_same = !self.found.is_empty() && same(&self.found, &findings);
        if is_same && !asks_another && self.options.on_same_findings == OnSameFindings::Stop {
            return self.give_up(Why::SameFindings);
        }
        if asks_another {
            self.model += 1;
        }
        self.found.clone_from(&findings);
        self.made.count(kind.family());
        self.rung = Some(rung);
        self.asked_for = Some(kind.family());
        Outcome::AskAgain(self.announced(kind, findings))
    }

    /// Returns the strategy of the next retry, or `full` if it does not apply.
    fn rung_for(&self, kind: FailureKind) -> Rung {
        let ladder = &self.options.ladder;
        let last = ladder.on_last.filter(|_| self.is_last_for(kind));
        let rung = last.unwrap_or_else(|| ladder.rung(self.made.total(), kind));
        if last == Some(Rung::Escalate) && self.model + 1 >= self.models.len() {
            return Rung::Full;
        }
        match &self.failed {
            Some(failed) if (rung.row().applies)(&*self.subject, failed) => rung,
            // There is no answer to correct, but another model can be asked all the same.
            None if rung == Rung::Escalate => rung,
            _ => Rung::Full,
        }
    }

    /// Returns whether the next retry is the last one allowed after such a failure.
    fn is_last_for(&self, kind: FailureKind) -> bool {
        let mut made = self.made;
        made.count(kind.family());
        !made.allows(kind.family(), &self.options.retries, 0)
    }

    fn announced(&self, failure: FailureKind, findings: Vec<Diagnostic>) -> Again {
        Again {
            failure,
            found_in: self.ledger.attempts.last().map_or(FoundIn::Answer, |last| last.found_in),
            findings,
            rung: self.rung,
            retry: self.made.total(),
            of: self.options.retries.total,
        }
    }

    fn finished(
        &mut self,
        value: S::Value,
        validity: Validity,
        answer: String,
        findings: Vec<Diagnostic>,
    ) -> Finished<S::Value> {
        let ledger = std::mem::take(&mut self.ledger);
        Finished { value, validity, answer, findings, ledger }
    }

    /// Ends the loop before another request.
    fn end(&mut self, why: Why) -> Next<S::Value> {
        match self.last(why) {
            Ok(done) => Next::Done(done),
            Err(gave_up) => Next::GiveUp(gave_up),
        }
    }

    /// Ends the loop because answer rejected.
    fn give_up(&mut self, why: Why) -> Outcome<S::Value> {
        match self.last(why) {
            Ok(done) => Outcome::Done(done),
            Err(gave_up) => Outcome::GiveUp(gave_up),
        }
    }

    /// Returns the last value if the options ask for it, or else why there is none.
    fn last(&mut self, why: Why) -> Result<Box<Finished<S::Value>>, Box<GaveUp>> {
        let hands_back = self.options.on_exhausted == OnExhausted::HandBack
            && matches!(why, Why::Retries | Why::SameFindings | Why::Budget(_));
        match self.had.take().filter(|_| hands_back) {
            Some(Had { value, text, findings }) => {
                Ok(Box::new(self.finished(value, Validity::Invalid, text, findings)))
            }
            None => Err(Box::new(self.given_up(why))),
        }
    }

    fn given_up(&mut self, why: Why) -> GaveUp {
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
        GaveUp { why, model, answer, findings, ledger }
    }
}

/// Returns the size of a request, including its schema.
fn bytes(question: &Question) -> usize {
    let messages: usize = question.messages.iter().map(|message| message.content.len()).sum();
    messages + Output::shape(&question.output).map_or(0, |shape| shape.schema.len())
}
