//! One call to a model, with its retries.
//!
//! ```text
//! request ─mode→ body ─attempt→ answer
//!            ↑      ↑     └─ the connection, or a busy server: the same again, after a wait
//!            └──────┴─────── a refusal of a part of it: without that part, at once
//! ```

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use llmend_model::{
    BoxFuture, Capabilities, ChatError, ChatErrorKind, ChatModel, ChatRequest, ChatResponse,
    OnEvent, OutputMode,
};
use reqwest::Url;
use tokio::time::Instant;

use crate::assemble::Assembler;
use crate::http::HttpModel;
use crate::request_event::RequestEvent;
use crate::spending::{Arrived, Spending};
use crate::sse::Delta;
use crate::wrapping::unwrapped;

impl ChatModel for HttpModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        let refused = self.refused();
        let mut modes = self.provider.form.modes().iter().copied();
        let best = modes.find(|&mode| !refused.has_mode(mode));
        Capabilities::with_output(best.unwrap_or(OutputMode::Prompt))
    }

    fn call<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        // Streamed on the wire too: a slow answer then shows that it goes on.
        Box::pin(async move { ModelCall::new(self, request, None).run().await })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ChatRequest,
        on_event: OnEvent<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        Box::pin(async move { ModelCall::new(self, request, Some(on_event)).run().await })
    }
}

/// A call to a model.
pub(crate) struct ModelCall<'a> {
    pub(crate) model: &'a HttpModel,
    pub(crate) request: &'a ChatRequest,
    pub(crate) deadline: Option<Instant>,
    progress: Mutex<CallState<'a>>,
}

/// The state of a call.
pub(crate) struct CallState<'a> {
    pub(crate) on_event: Option<OnEvent<'a>>,
    /// What has arrived in this attempt.
    pub(crate) arrived: Arrived,
    /// Whether a piece of an answer was reported, which cannot be taken back.
    pub(crate) has_reported: bool,
    /// Whether the answer was asked for in an object around it.
    pub(crate) is_wrapped: bool,
    pub(crate) spending: Spending,
    /// The number of requests.
    pub(crate) attempts: u32,
    /// Whether a request is under way.
    is_open: bool,
    pub(crate) retries: u32,
    pub(crate) waited: Duration,
    /// When the last wait is over.
    pub(crate) rested: Option<std::time::Instant>,
}

/// A request as it goes out.
pub(crate) struct Outgoing {
    pub(crate) url: Url,
    pub(crate) body: String,
    pub(crate) mode: Option<OutputMode>,
    /// The token limit of the answer.
    pub(crate) output_tokens: Option<u32>,
}

impl<'a> ModelCall<'a> {
    pub(crate) fn new(
        model: &'a HttpModel,
        request: &'a ChatRequest,
        on_event: Option<OnEvent<'a>>,
    ) -> Self {
        let progress = CallState {
            on_event,
            arrived: Arrived::default(),
            has_reported: false,
            is_wrapped: false,
            spending: Spending::default(),
            attempts: 0,
            is_open: false,
            retries: 0,
            waited: Duration::ZERO,
            rested: None,
        };
        // A time that the clock cannot represent never expires.
        let deadline = request.timeout.and_then(|limit| Instant::now().checked_add(limit));
        Self { model, request, deadline, progress: Mutex::new(progress) }
    }

    /// Makes the call within its time limit.
    pub(crate) async fn run(&self) -> Result<ChatResponse, ChatError> {
        let asked = self.ask();
        let result = match self.deadline {
            None => asked.await,
            Some(deadline) => match tokio::time::timeout_at(deadline, asked).await {
                Ok(result) => result,
                Err(_) => Err(self.out_of_time()),
            },
        };
        let (retries, spending, is_wrapped) = {
            let progress = self.progress();
            (progress.retries, progress.spending, progress.is_wrapped)
        };
        match result {
            Ok(mut response) => {
                if is_wrapped {
                    unwrap(&mut response);
                }
                response.transport_retries = retries;
                response.lost = spending.lost;
                Ok(response)
            }
            Err(mut error) => {
                let context = &mut error.context;
                self.model.name().clone_into(&mut context.model);
                context.transport_retries = retries;
                context.usage = spending.last;
                context.not_reached = spending.last.is_none();
                context.lost = spending.lost;
                if is_wrapped {
                    if let Some(partial) = &mut context.partial {
                        unwrap(partial);
                    }
                    let answer = context.answer.as_deref();
                    context.answer = answer.and_then(unwrapped).or(context.answer.take());
                }
                Err(error)
            }
        }
    }

    /// Returns the error of a call whose time is over. A request that was under way is dropped.
    fn out_of_time(&self) -> ChatError {
        let error = self.broken_off(ChatErrorKind::Timeout, "the call timed out");
        if self.progress().is_open {
            self.end(Some(&error));
        }
        error
    }

    /// Begins an attempt. Discards what arrived in an earlier one. Returns its number.
    pub(crate) fn begin(&self) -> u32 {
        self.model.options.on_request.tell(RequestEvent::Sent);
        let mut progress = self.progress();
        progress.arrived = Arrived::default();
        progress.spending.begin();
        progress.is_open = true;
        progress.attempts += 1;
        progress.attempts
    }

    /// Ends an attempt, and counts what was spent on it if it failed: a whole answer reports its own.
    pub(crate) fn end(&self, error: Option<&ChatError>) {
        let question_bytes = self.question_bytes();
        let mut progress = self.progress();
        progress.is_open = false;
        if progress.arrived.is_unreached {
            self.model.options.on_request.tell(RequestEvent::Unreached);
        }
        if let Some(error) = error {
            let spent = progress.arrived.spent(error, question_bytes);
            progress.spending.end(spent);
        }
    }

    /// Takes a piece of the answer and reports it.
    pub(crate) fn take(&self, delta: Delta) {
        let mut progress = self.progress();
        let Some(event) = progress.arrived.answer.take(delta) else { return };
        if let Some(on_event) = &mut progress.on_event {
            on_event(event);
            progress.has_reported = true;
        }
    }

    /// Returns the answer so far.
    pub(crate) fn so_far(&self) -> Assembler {
        self.progress().arrived.answer.clone()
    }

    /// Returns the length of the request in bytes, with its schema.
    pub(crate) fn question_bytes(&self) -> usize {
        let messages = self.request.messages.iter().map(|message| message.content.len());
        let schema = self.request.output.shape().map_or(0, |shape| shape.schema.len());
        messages.sum::<usize>() + schema
    }

    /// Returns an error that keeps the answer so far.
    pub(crate) fn broken_off(&self, kind: ChatErrorKind, message: &str) -> ChatError {
        let mut error = ChatError::new(kind, message);
        let so_far = self.so_far();
        if so_far.has_answer() {
            error.context.partial = Some(so_far.response(self.question_bytes()));
        }
        error
    }

    pub(crate) fn progress(&self) -> MutexGuard<'_, CallState<'a>> {
        // A panic of a caller's function leaves the state consistent.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the object around an answer.
fn unwrap(response: &mut ChatResponse) {
    let calls = response.tool_calls.iter_mut().map(|call| &mut call.arguments);
    for text in calls.chain([&mut response.text]) {
        if let Some(inner) = unwrapped(text) {
            *text = inner;
        }
    }
}
