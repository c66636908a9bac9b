//! A loop whose caller sends the requests.

use std::{fmt, mem, ops::Deref, time::Duration};

use tracing::Span;

use super::{
    AskOptions, AttemptOutcome, AttemptRequest, Content, FinalAnswer, Loop, LoopError, Next,
    PricedModel, RetryNotice, Subject, Task, traces,
};
use crate::{
    metrics::{self, Counter},
    model::{ChatError, ChatResponse},
};

/// A loop whose caller sends the requests: in another language, in another runtime, or without one.
/// It returns each request, takes the response, and returns the result at the end. It is measured
/// and traced like [`run`](super::run), which drives one of these.
///
/// Times are measured from any fixed moment.
///
/// ```
/// use std::time::Duration;
/// use llmend::{Value, asking::{Ask, PricedModel}, model::ChatResponse};
///
/// let ask = Ask::<Value<'static>>::of_text(r#"{"type": "object", "properties": {"days": {"type": "integer"}}}"#)?;
/// let model = PricedModel { name: "mine".to_owned(), price: None };
/// let mut driven = ask.manual_loop("How long?", vec![model]);
/// let mut answers = ["{'days': 'a few'}", "{'days': 3}"].into_iter();
/// let now = Duration::ZERO;
/// while let Some(asking) = driven.next(now) {
///     assert_eq!(asking.name, "mine");
///     let answer = answers.next().unwrap();
///     if let Some(again) = driven.answer(Ok(ChatResponse::of_text(answer)), now) {
///         assert_eq!(again.findings[0].path.as_deref(), Some("/days"));
///     }
/// }
/// let finished = driven.end(now).unwrap()?;
/// assert_eq!(finished.value.value.to_string(), r#"{"days":3}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ManualLoop<S: Subject, P: Deref<Target = S> = Box<S>> {
    asked: Loop<S, P>,
    content: Content,
    /// The counter of retries.
    retries: Option<Counter>,
    /// The tracing span of the whole loop.
    span: Span,
    started: Duration,
    /// The total time spent waiting for answers.
    waited: Duration,
    answers: Vec<String>,
    state: State<S::Value>,
}

enum State<V> {
    /// No request is pending.
    Idle,
    /// A request is pending.
    Open(Box<Open>),
    /// The result is known.
    Ended(Result<Box<FinalAnswer<V>>, Box<LoopError>>),
    /// The result was returned.
    Taken,
}

/// A pending request.
pub(super) struct Open {
    pub(super) asking: AttemptRequest,
    pub(super) span: Span,
    since: Duration,
}

impl<S: Subject, P: Deref<Target = S>> ManualLoop<S, P> {
    /// Creates a loop; the arguments are those of [`Loop::new`].
    pub fn new(subject: P, options: AskOptions, task: Task, models: Vec<PricedModel>) -> Self {
        let content = options.content;
        let span = traces::question(models.first().map_or("", |model| &model.name));
        Self {
            asked: Loop::new(subject, options, task, models),
            content,
            retries: None,
            span,
            started: Duration::MAX,
            waited: Duration::ZERO,
            answers: Vec::new(),
            state: State::Idle,
        }
    }

    /// Sets a counter of retries.
    pub(super) const fn counting(mut self, retries: Counter) -> Self {
        self.retries = Some(retries);
        self
    }

    /// Returns the tracing span of the whole loop.
    pub(super) const fn span(&self) -> &Span {
        &self.span
    }

    /// Returns the request to send at the time `now`, or `None` at the end. Returns the same
    /// request until it is answered.
    pub fn next(&mut self, now: Duration) -> Option<&AttemptRequest> {
        self.open(now).map(|open| &open.asking)
    }

    pub(super) fn open(&mut self, now: Duration) -> Option<&Open> {
        self.started = self.started.min(now);
        if let State::Idle = self.state {
            let next = self.span.in_scope(|| self.asked.next(now));
            self.state = match next {
                Next::Ask(asking) => {
                    let span = self.span.in_scope(|| traces::request(&asking, self.content));
                    State::Open(Box::new(Open { asking: *asking, span, since: now }))
                }
                Next::Done(finished) => State::Ended(Ok(finished)),
                Next::GiveUp(gave_up) => State::Ended(Err(gave_up)),
            };
        }
        match &self.state {
            State::Open(open) => Some(open),
            _ => None,
        }
    }

    /// Takes the response to the pending request at the time `now`. Returns why and how the model
    /// is asked again, if it is. Ignores a response that no request is pending for.
    pub fn answer(
        &mut self,
        answer: Result<ChatResponse, ChatError>,
        now: Duration,
    ) -> Option<RetryNotice> {
        let open = match mem::replace(&mut self.state, State::Idle) {
            State::Open(open) => open,
            other => {
                self.state = other;
                return None;
            }
        };
        self.waited += now.saturating_sub(open.since);
        traces::answered(&open.span, &answer, self.content);
        let beginning = traces::beginning(&answer, self.content);
        self.answers.push(match &answer {
            Ok(response) => response.answer().to_owned(),
            Err(error) => error.answer().unwrap_or_default().to_owned(),
        });
        let outcome = self.span.in_scope(|| self.asked.answer(answer, now));
        let ledger = match &outcome {
            AttemptOutcome::Done(finished) => &finished.ledger,
            AttemptOutcome::AskAgain(_) => self.asked.ledger(),
            AttemptOutcome::GiveUp(gave_up) => &gave_up.ledger,
        };
        if let Some(attempt) = ledger.attempts.last() {
            traces::judged(&open.span, attempt, beginning.as_deref());
        }
        self.state = match outcome {
            AttemptOutcome::Done(finished) => State::Ended(Ok(finished)),
            AttemptOutcome::AskAgain(again) => return Some(again),
            AttemptOutcome::GiveUp(gave_up) => State::Ended(Err(gave_up)),
        };
        None
    }

    /// Returns what each model wrote, one text a request. The places in findings refer to these
    /// texts if [`FindingSource`](super::FindingSource) says so. Empty if no answer arrived.
    #[must_use]
    pub fn answers(&self) -> &[String] {
        &self.answers
    }

    /// Returns the result at the time `now`; `None` before the end, and after the result was
    /// returned once.
    pub fn end(&mut self, now: Duration) -> Option<Result<FinalAnswer<S::Value>, Box<LoopError>>> {
        let outcome = match mem::replace(&mut self.state, State::Taken) {
            State::Ended(outcome) => outcome,
            other => {
                self.state = other;
                return None;
            }
        };
        metrics::overhead(now.saturating_sub(self.started).saturating_sub(self.waited));
        let (ledger, told) = match &outcome {
            Ok(finished) => (&finished.ledger, "ok"),
            Err(gave_up) => (&gave_up.ledger, gave_up.code()),
        };
        traces::ended(&self.span, ledger, told);
        if let Some(counter) = self.retries {
            // A request that is repeated because no answer arrived belongs to the same retry.
            (1..ledger.attempts_made()).for_each(|_| counter.count());
        }
        Some(outcome.map(|finished| *finished))
    }
}

/// Shows the state without any content.
impl<S: Subject, P: Deref<Target = S>> fmt::Debug for ManualLoop<S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.state {
            State::Idle => "idle",
            State::Open(_) => "waiting",
            State::Ended(_) => "ended",
            State::Taken => "taken",
        };
        f.debug_struct("ManualLoop")
            .field("state", &state)
            .field("answers", &self.answers.len())
            .finish_non_exhaustive()
    }
}
