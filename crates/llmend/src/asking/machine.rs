//! What is asked next, and what comes of the answer?
//!
//! The loop as a machine without a model, a clock or a runtime: a request comes out, an answer goes
//! in. Whoever drives it may be asynchronous or not.

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

/// A model, as far as the loop has to know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Priced {
    /// Its name.
    pub name: String,
    /// What it costs, where that is known.
    pub price: Option<Price>,
}

/// What is to be done next.
#[derive(Debug)]
#[non_exhaustive]
pub enum Next<V> {
    /// This is to be asked, and [`Loop::answer`] told of what came of it.
    Ask(Box<Asking>),
    /// Nothing more can be asked, and the last value is handed back, since the options ask for that.
    Done(Box<Finished<V>>),
    /// Nothing more can be asked.
    GiveUp(Box<GaveUp>),
}

/// A request that is about to be made.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Asking {
    /// Which model is asked: its place in the list, from 0.
    pub model: usize,
    /// What it is called.
    pub name: String,
    /// What it is asked.
    pub request: ChatRequest,
    /// The number of the attempt, from 1.
    pub number: u32,
    /// How many attempts there may be at most.
    pub of: u32,
    /// How it is asked; nothing of the first question.
    pub rung: Option<Rung>,
    /// Whether there is none after it.
    pub is_last: bool,
}

/// What was asked and is not answered yet.
#[derive(Clone, Debug)]
struct Open {
    rung: Option<Rung>,
    /// What the form that was asked for is called.
    shape: Option<String>,
    bytes: usize,
    since: Duration,
}

/// A value that cannot be used, and what belongs to it.
#[derive(Clone, Debug)]
struct Had<V> {
    value: V,
    /// The whole answer that it was read from.
    text: String,
    /// What was found in it.
    findings: Vec<Diagnostic>,
}

/// A question to models, asked again until there is a value or a reason to stop.
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
    /// The latest answer of which there is a value that cannot be used.
    had: Option<Had<S::Value>>,
    /// What was found in the latest answer, to see the same again.
    found: Vec<Diagnostic>,
    rung: Option<Rung>,
    /// What the retry that is asked next is for.
    asked_for: Option<Family>,
    open: Option<Open>,
    started: Option<Duration>,
}

impl<S: Subject, P: Deref<Target = S>> Loop<S, P> {
    /// A question that nobody was asked yet, by a reference to the subject, or by a `Box` or an `Arc` of
    /// it. The first model is asked; the others are those of [`Rung::Escalate`], in their order.
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

    /// The account so far.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What is to be asked at the time `now`, counted from any beginning that stays the same.
    ///
    /// It is the same again until it is answered.
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

    /// What comes of the answer to what was asked last, at the time `now`.
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

    /// How much chance there is in the next answer.
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

    /// Reads an answer, together with what there was before, and says of which text.
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

    /// Reads a patch of the subject's own. One that cannot be applied leaves all as it was.
    fn patched(&self, reply: &Reply) -> Result<Judged<S::Value>, Misfit> {
        let before = self.had.as_ref();
        let patched = before.and_then(|had| self.subject.patched(&had.value, &reply.text));
        let judged = patched.unwrap_or_else(|| self.subject.read(&reply.text, reply.ending));
        match judged.failure {
            Some(kind) if judged.value.is_none() => Err(Misfit { kind, findings: judged.findings }),
            _ => Ok(judged),
        }
    }

    /// Writes down what was asked and what came.
    fn note(
        &mut self,
        (judged, text): (&Result<Judged<S::Value>, Misfit>, &str),
        reply: &Reply,
        open: Option<&Open>,
        now: Duration,
    ) {
        let question_bytes = open.map_or(0, |open| open.bytes);
        let usage = reply.usage.unwrap_or_else(|| match &reply.failure {
            // Whoever was too slow has read the question, and anybody else has perhaps not.
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
        // Of an answer that could not be put in its place, places are in that answer.
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

    /// What comes of an answer that was read as a whole.
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

    /// What comes of an answer that is none to what was asked: what there was before stays.
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

    /// Whether, and how, is asked again.
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

    /// The rung of the next retry, or `full` where it cannot be used.
    fn rung_for(&self, kind: FailureKind) -> Rung {
        let ladder = &self.options.ladder;
        let last = ladder.on_last.filter(|_| self.is_last_for(kind));
        let rung = last.unwrap_or_else(|| ladder.rung(self.made.total(), kind));
        if last == Some(Rung::Escalate) && self.model + 1 >= self.models.len() {
            return Rung::Full;
        }
        match &self.failed {
            Some(failed) if (rung.row().applies)(&*self.subject, failed) => rung,
            // There is no answer to put right, and another model can be asked all the same.
            None if rung == Rung::Escalate => rung,
            _ => Rung::Full,
        }
    }

    /// Whether the next retry is the last one that such a failure may have.
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

    /// The end, before anything more was asked.
    fn end(&mut self, why: Why) -> Next<S::Value> {
        match self.last(why) {
            Ok(done) => Next::Done(done),
            Err(gave_up) => Next::GiveUp(gave_up),
        }
    }

    /// The end, since an answer cannot be used.
    fn give_up(&mut self, why: Why) -> Outcome<S::Value> {
        match self.last(why) {
            Ok(done) => Outcome::Done(done),
            Err(gave_up) => Outcome::GiveUp(gave_up),
        }
    }

    /// The last value, where it is to be handed back; otherwise why there is none.
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
        // An answer to a part that was none has its places in itself, and not in the whole.
        if failed.as_ref().is_some_and(|failed| !failed.since.is_empty()) {
            forget(&mut findings);
        }
        let answer = failed.map(|failed| failed.text).unwrap_or_default();
        let model = self.asked_model().name.clone();
        GaveUp { why, model, answer, findings, ledger }
    }
}

/// Bytes of a question, its schema included.
fn bytes(question: &Question) -> usize {
    let messages: usize = question.messages.iter().map(|message| message.content.len()).sum();
    messages + Output::shape(&question.output).map_or(0, |shape| shape.schema.len())
}
