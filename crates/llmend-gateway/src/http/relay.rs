//! Relaying the body of a response while either side may leave.
//!
//! The connection of the client pulls the body. When it closes, the body is dropped, and the
//! connection to the upstream with it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream::unfold;
use reqwest::Response;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::sleep;

use crate::answer::final_answer::FinalAnswer;
use crate::answer::part::ResponsePart;
use crate::answer::usage::UsageCounts;
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::recording::{Draft, Outcome};
use crate::repair::decide::Decision;
use crate::retry::Retrier;
use crate::retry::earlier::EarlierAnswers;
use crate::shared::work;
use crate::shared::{Shared, Stage};
use crate::stream::passthrough::Passthrough;
use crate::stream::phase::Phase;
use crate::stream::rewriter::Rewriter;
use crate::upstream::{Clock, is_events};
use axum::http::HeaderMap;

/// A retry in progress: its result, and the time spent waiting.
type PendingRetry = Pin<Box<dyn Future<Output = (RetryResult, Clock)> + Send>>;

/// What a retry has brought.
enum RetryResult {
    /// The answer with new parts.
    Parts(Result<FinalAnswer, Failure>),
    /// Another answer.
    Answer(Result<Box<Rewriter>, Failure>),
}

/// A response on its way.
pub(crate) struct Relay {
    shared: Arc<Shared>,
    endpoint: &'static str,
    /// `None` once the upstream is done.
    upstream: Option<Response>,
    mode: RelayMode,
    clock: Clock,
    /// When the upstream sent something last.
    heard: Instant,
    stage: watch::Receiver<Stage>,
    /// The retry in progress.
    retrying: Option<PendingRetry>,
    /// The answers that were replaced by another one.
    earlier: EarlierAnswers,
    /// Whether everything was sent.
    is_done: bool,
    /// Whether the answer was evaluated.
    is_evaluated: bool,
    draft: Draft,
    room: Option<Arc<OwnedSemaphorePermit>>,
}

/// What is done to the bytes.
pub(crate) enum RelayMode {
    /// Nothing.
    Raw,
    /// They pass, and their end is checked.
    Passthrough(Box<Passthrough>),
    /// They are an inspected response.
    Inspected(Box<Rewriter>, Arc<Retrier>),
}

/// What happens next.
enum Next {
    Bytes(Bytes),
    End,
    Broken(Failure),
    Silence,
    Retried(RetryResult),
}

impl Relay {
    pub(crate) fn new(
        shared: Arc<Shared>,
        endpoint: &'static str,
        upstream: Option<Response>,
        mode: RelayMode,
        clock: Clock,
        room: Option<Arc<OwnedSemaphorePermit>>,
        draft: Draft,
    ) -> Self {
        let stage = shared.stage.clone();
        Self {
            shared,
            endpoint,
            upstream,
            mode,
            clock,
            heard: Instant::now(),
            stage,
            retrying: None,
            earlier: EarlierAnswers::default(),
            is_done: false,
            is_evaluated: false,
            draft,
            room,
        }
    }

    /// Returns the body for the client.
    pub(crate) fn into_body(self) -> Body {
        Body::from_stream(unfold(self, |mut relay| async move {
            let next = relay.next().await?;
            Some((next, relay))
        }))
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            let out = self.take();
            if !out.is_empty() {
                return Some(Ok(out.into()));
            }
            if self.is_done {
                return None;
            }
            match self.wait().await {
                Next::Bytes(bytes) => match &mut self.mode {
                    RelayMode::Raw => return Some(Ok(bytes)),
                    RelayMode::Passthrough(passthrough) => passthrough.push(&bytes),
                    RelayMode::Inspected(stream, _) => stream.push(&bytes),
                },
                Next::End => self.end(),
                Next::Silence => return Some(Ok(Bytes::from_static(KEEP_ALIVE))),
                Next::Retried(RetryResult::Parts(result)) => self.deliver(result),
                Next::Retried(RetryResult::Answer(result)) => self.replace(result),
                Next::Broken(failure) => {
                    self.upstream = None;
                    self.retrying = None;
                    self.is_done = true;
                    match &mut self.mode {
                        RelayMode::Raw => {
                            self.draft.failed(&failure);
                            return Some(Err(io::Error::other(failure.message.clone())));
                        }
                        RelayMode::Passthrough(passthrough) => passthrough.fail(&failure),
                        RelayMode::Inspected(stream, _) => stream.fail(&failure),
                    }
                }
            }
            self.evaluate().await;
        }
    }

    fn take(&mut self) -> Vec<u8> {
        match &mut self.mode {
            RelayMode::Raw => Vec::new(),
            RelayMode::Passthrough(passthrough) => passthrough.take(),
            RelayMode::Inspected(stream, _) => stream.take(),
        }
    }

    /// Notes that the upstream is done.
    fn end(&mut self) {
        self.upstream = None;
        match &mut self.mode {
            RelayMode::Raw => self.is_done = true,
            RelayMode::Passthrough(passthrough) => {
                passthrough.finish();
                self.is_done = true;
            }
            RelayMode::Inspected(stream, _) => stream.finish(),
        }
    }

    /// Evaluates a complete response.
    async fn evaluate(&mut self) {
        let RelayMode::Inspected(stream, retrier) = &mut self.mode else { return };
        if stream.phase() == Phase::Complete && self.retrying.is_none() {
            let started = Instant::now();
            let (evaluation, theirs) = (stream.evaluation(), Arc::clone(retrier));
            let weight = retrier.weight(evaluation.size());
            let mut left = self.earlier.left(&retrier.policy, stream.used());
            if !stream.is_replaceable() {
                // What was sent of the answer cannot be taken back for another one.
                left.answers = 0;
            }
            let evaluating = move || evaluation.run(&theirs.policy, left);
            match work::run(&self.shared, self.room.clone(), weight, evaluating).await {
                Ok((parts, decision)) => {
                    let all = [stream.checked_parts(), parts.clone()].concat();
                    self.shared.metrics.evaluated(&all, &decision);
                    self.shared.metrics.took(started.elapsed());
                    self.draft.decided(&all, &decision);
                    self.is_evaluated = true;
                    self.apply(parts, decision);
                }
                Err(failure) => self.deliver(Err(failure)),
            }
        }
        let RelayMode::Inspected(stream, _) = &self.mode else { return };
        if stream.phase() == Phase::Ended {
            if let Some(failure) = stream.failure().filter(|_| !self.is_evaluated) {
                // It failed before its end.
                let (parts, decision) = (stream.parts_in_text(), Decision::Refuse(failure.clone()));
                if Outcome::of(failure) == Outcome::Refused {
                    self.shared.metrics.evaluated(&parts, &decision);
                }
                self.draft.decided(&parts, &decision);
                self.is_evaluated = true;
            }
            self.upstream = None;
            self.is_done = true;
        }
    }

    /// Sends the response, or starts a retry.
    fn apply(&mut self, parts: Vec<ResponsePart>, decision: Decision) {
        let RelayMode::Inspected(_, retrier) = &self.mode else { return };
        match decision {
            Decision::Answer { cut_off } => self.deliver(Ok(FinalAnswer::at_once(parts, cut_off))),
            Decision::Refuse(refusal) => self.deliver(Err(refusal)),
            Decision::Again { refusal } => {
                let (retrier, mut clock) = (Arc::clone(retrier), self.clock);
                let earlier = self.earlier;
                self.retrying = Some(Box::pin(async move {
                    let another = retrier.another(&refusal, &mut clock).await;
                    let another = another.map_err(|why| earlier.unanswered(refusal, &why));
                    let stream = another.and_then(|another| retrier.stream_of_another(&another));
                    (RetryResult::Answer(stream.map(Box::new)), clock)
                }));
            }
            decision @ Decision::Reask { .. } => {
                let (retrier, mut clock) = (Arc::clone(retrier), self.clock);
                self.retrying = Some(Box::pin(async move {
                    let result = retrier.apply(parts, decision, &mut clock).await;
                    (RetryResult::Parts(result), clock)
                }));
            }
        }
    }

    /// Puts another answer in the place of one of which nothing was sent.
    fn replace(&mut self, result: Result<Box<Rewriter>, Failure>) {
        let RelayMode::Inspected(stream, _) = &mut self.mode else { return };
        match result {
            Ok(another) => {
                self.earlier.add(stream.used());
                self.upstream = None;
                *stream = another;
                self.is_evaluated = false;
            }
            Err(failure) => self.deliver(Err(failure)),
        }
    }

    /// Sends the result of an evaluation or a retry.
    fn deliver(&mut self, result: Result<FinalAnswer, Failure>) {
        let RelayMode::Inspected(stream, _) = &mut self.mode else { return };
        match result {
            Ok(mut answer) => {
                self.earlier.add_to(&mut answer);
                stream.deliver(&answer);
                answer.parts.splice(0..0, stream.checked_parts());
                self.draft.delivered(answer);
            }
            Err(failure) => stream.fail(&self.earlier.charge(failure)),
        }
        if self.upstream.is_none() {
            stream.finish();
        }
        if stream.phase() == Phase::Ended {
            self.upstream = None;
            self.is_done = true;
        }
    }

    /// Waits for the upstream within all time limits.
    async fn wait(&mut self) -> Next {
        let timers = &self.shared.settings.timers;
        let keeps_alive = matches!(self.mode, RelayMode::Inspected(..));
        let ending = self.stage.wait_for(|stage| *stage == Stage::Ending);
        if let Some(retrying) = &mut self.retrying {
            return tokio::select! {
                (result, clock) = retrying => {
                    self.retrying = None;
                    self.clock = clock;
                    // Nothing was read meanwhile.
                    self.heard = Instant::now();
                    Next::Retried(result)
                }
                () = sleep(timers.keep_alive()) => Next::Silence,
                _ = ending => Next::Broken(Failure::stopping()),
            };
        }
        let Some(upstream) = &mut self.upstream else { return Next::End };
        // A comment in between does not extend the time.
        let limit = timers.idle().saturating_sub(self.heard.elapsed()).min(self.clock.left());
        let before = Instant::now();
        let next = tokio::select! {
            chunk = upstream.chunk() => match chunk {
                Ok(Some(bytes)) => Next::Bytes(bytes),
                Ok(None) => Next::End,
                Err(_) => {
                    let message = "the upstream closed the connection within the response";
                    Next::Broken(Failure::upstream("connection", message))
                }
            },
            () = sleep(limit) => Next::Broken(self.clock.too_long(timers.idle())),
            () = sleep(timers.keep_alive()), if keeps_alive => Next::Silence,
            _ = ending => Next::Broken(Failure::stopping()),
        };
        self.clock.waited(before.elapsed());
        if matches!(next, Next::Bytes(_)) {
            self.heard = Instant::now();
        }
        next
    }
}

/// A comment, which clients skip and which keeps proxies from closing the connection.
const KEEP_ALIVE: &[u8] = b": keep-alive\n\n";

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.metrics.overhead(self.clock.overhead());
        let (failure, used) = match &self.mode {
            RelayMode::Raw => (None, UsageCounts::default()),
            RelayMode::Passthrough(passthrough) => (passthrough.failure(), passthrough.used()),
            RelayMode::Inspected(stream, _) => (stream.failure(), stream.used()),
        };
        self.draft.used(used);
        match failure {
            Some(failure) => self.draft.failed(failure),
            None if self.is_done => self.draft.ended(),
            None => {}
        }
        if !self.is_done {
            self.shared.metrics.client_gone(self.endpoint);
        }
    }
}

/// Returns how to relay the answer of a known endpoint that is not inspected.
pub(crate) fn untouched(headers: &HeaderMap, status: u16, protocol: Protocol) -> RelayMode {
    if status == 200 && is_events(headers) {
        RelayMode::Passthrough(Box::new(Passthrough::new(protocol)))
    } else {
        RelayMode::Raw
    }
}
