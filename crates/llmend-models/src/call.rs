//! One call to a model, with its retries.
//!
//! ```text
//! request ─mode→ body ─attempt→ answer
//!            ↑      ↑     └─ the connection, or a busy server: the same again, after a wait
//!            └──────┴─────── a refusal of a part of it: without that part, at once
//! ```

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use backon::Retryable;
use llmend_model::{
    BoxFuture, Capabilities, ChatError, ChatErrorKind, ChatEvent, ChatModel, ChatRequest,
    ChatResponse, OnEvent, OutputMode,
};
use reqwest::Url;
use tokio::time::Instant;

use crate::assemble::Assembler;
use crate::compatibility::{Lesson, Refused, RequestPart, Sent, lesson};
use crate::http::HttpModel;
use crate::provider::{Call, Delivery, Roots};
use crate::shape::{self, RequestedShape};
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

/// How often one call learns a lower token limit from a refusal.
const MAX_LIMITS: u32 = 3;

/// A call to a model.
pub(crate) struct ModelCall<'a> {
    pub(crate) model: &'a HttpModel,
    request: &'a ChatRequest,
    deadline: Option<Instant>,
    progress: Mutex<CallState<'a>>,
}

/// The state of a call.
struct CallState<'a> {
    on_event: Option<OnEvent<'a>>,
    /// The answer so far in this attempt.
    so_far: Assembler,
    /// Whether a piece of an answer was reported, which cannot be taken back.
    has_reported: bool,
    /// Whether the answer was asked for in an object around it.
    is_wrapped: bool,
    retries: u32,
    waited: Duration,
}

impl<'a> ModelCall<'a> {
    pub(crate) fn new(
        model: &'a HttpModel,
        request: &'a ChatRequest,
        on_event: Option<OnEvent<'a>>,
    ) -> Self {
        let progress = CallState {
            on_event,
            so_far: Assembler::default(),
            has_reported: false,
            is_wrapped: false,
            retries: 0,
            waited: Duration::ZERO,
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
                Err(_) => Err(self.broken_off(ChatErrorKind::Timeout, "the call timed out")),
            },
        };
        let (retries, is_wrapped) = {
            let progress = self.progress();
            (progress.retries, progress.is_wrapped)
        };
        let name = self.model.name();
        match result {
            Ok(mut response) => {
                if is_wrapped {
                    unwrap(&mut response);
                }
                response.transport_retries = retries;
                tracing::debug!(gen_ai.request.model = name, retries, "answer received");
                Ok(response)
            }
            Err(mut error) => {
                name.clone_into(&mut error.context.model);
                error.context.transport_retries = retries;
                if is_wrapped {
                    if let Some(partial) = &mut error.context.partial {
                        unwrap(partial);
                    }
                    let answer = error.context.answer.as_deref();
                    error.context.answer = answer.and_then(unwrapped).or(error.context.answer);
                }
                let (code, status) = (error.kind.code(), error.context.status);
                tracing::debug!(gen_ai.request.model = name, retries, code, status, "call failed");
                Err(error)
            }
        }
    }

    /// Asks in the best known way, and in another one after a refusal.
    async fn ask(&self) -> Result<ChatResponse, ChatError> {
        // Another call was told to wait.
        if let Some(wait) = self.model.pace.wait() {
            tracing::info!(seconds = wait.as_secs_f64(), "waiting for the rate limit");
            self.model.options.sleep.wait(wait).await;
        }
        let (asked, wrapped) = self.shapes()?;
        let mut unfit = Vec::new();
        // What this request leaves of a limit on question and answer together.
        let mut room = None;
        let mut limits = 0;
        // The mode of a request that was refused for no known reason, and that refusal.
        let mut doubted: Option<(OutputMode, ChatError)> = None;
        loop {
            // Copied, since other calls may update it meanwhile.
            let mut refused = self.model.refused().clone();
            if let Some(room) = room {
                refused.limit_output(room);
            }
            let (mode, shape) = self.way(&asked, wrapped.as_ref(), &refused, &unfit);
            let error = match self.ask_so(mode, shape, &refused).await {
                Ok(mut response) => {
                    response.output = mode;
                    if let Some((mode, _)) = doubted {
                        self.model.learn(|refused| refused.add_mode(mode));
                    }
                    if self.request.temperature.is_some() && refused.has(RequestPart::Temperature) {
                        response.omitted.push("temperature".to_owned());
                    }
                    return Ok(response);
                }
                Err(error) => error,
            };
            match self.lesson(&error, mode, &refused) {
                Some(Lesson::Mode(mode)) => self.model.learn(|refused| refused.add_mode(mode)),
                Some(Lesson::RequestPart(part)) => self.model.learn(|refused| refused.add(part)),
                Some(Lesson::Schema(mode)) => unfit.push(mode),
                Some(Lesson::OutputTokens(_) | Lesson::Room(_)) if limits >= MAX_LIMITS => {
                    return Err(error);
                }
                Some(Lesson::OutputTokens(most)) => {
                    limits += 1;
                    self.model.learn(|refused| refused.limit_output(most));
                }
                Some(Lesson::Room(most)) => {
                    limits += 1;
                    room = Some(most);
                }
                None => {
                    let is_terse = error.kind == ChatErrorKind::Request
                        && matches!(error.context.status, Some(400 | 422))
                        && !self.progress().has_reported;
                    let structured = mode.filter(|mode| *mode != OutputMode::Prompt);
                    doubted = match (doubted, structured) {
                        (Some((_, first)), _) => return Err(first),
                        (None, Some(mode)) if is_terse => Some((mode, error)),
                        (None, _) => return Err(error),
                    };
                    unfit.extend(
                        OutputMode::BEST_FIRST.iter().filter(|mode| **mode != OutputMode::Prompt),
                    );
                }
            }
        }
    }

    /// Returns the request as it would be sent first.
    pub(crate) fn preview(&self) -> Result<(Url, String), ChatError> {
        let (asked, wrapped) = self.shapes()?;
        let refused = self.model.refused().clone();
        let (mode, shape) = self.way(&asked, wrapped.as_ref(), &refused, &[]);
        self.written(mode, shape, &refused)
    }

    /// Returns the requested shape, and that of an object around it if it is none.
    fn shapes(&self) -> Result<(RequestedShape<'a>, Option<RequestedShape<'a>>), ChatError> {
        let invalid = |error: serde_json::Error| {
            let message = format!("the schema of the answer is not JSON: {error}");
            ChatError::new(ChatErrorKind::Request, message)
        };
        let asked = RequestedShape::of(&self.request.output).map_err(invalid)?;
        let wrapped =
            if asked.is_object() { None } else { Some(asked.wrapped().map_err(invalid)?) };
        Ok((asked, wrapped))
    }

    /// Returns the output mode and the shape of the next request.
    fn way<'s>(
        &self,
        asked: &'s RequestedShape<'a>,
        wrapped: Option<&'s RequestedShape<'a>>,
        refused: &Refused,
        unfit: &[OutputMode],
    ) -> (Option<OutputMode>, &'s RequestedShape<'a>) {
        let mut unfit = unfit.to_vec();
        if wrapped.is_some() {
            // It is a mode for objects, whatever the prompt says.
            unfit.push(OutputMode::JsonObject);
        }
        let mode = self.mode(refused, &unfit, wrapped.unwrap_or(asked));
        (mode, wrapped.filter(|_| self.requires_object(mode)).unwrap_or(asked))
    }

    /// Returns the best output mode of the provider that was not refused and that fits the schema.
    fn mode(
        &self,
        refused: &Refused,
        unfit: &[OutputMode],
        shape: &RequestedShape<'_>,
    ) -> Option<OutputMode> {
        let form = self.model.provider.form;
        shape::modes(&self.request.output).iter().copied().find(|mode| {
            form.modes().contains(mode)
                && !refused.has_mode(*mode)
                && !unfit.contains(mode)
                && form.takes(*mode, shape)
        })
    }

    /// Returns whether the answer has to be an object in this mode.
    fn requires_object(&self, mode: Option<OutputMode>) -> bool {
        match mode {
            Some(OutputMode::ForcedTool) => true,
            Some(OutputMode::JsonSchema) => self.model.provider.roots == Roots::Objects,
            _ => false,
        }
    }

    /// Returns what an error shows about the server's capabilities. `None` if the model did write
    /// an answer.
    fn lesson(
        &self,
        error: &ChatError,
        mode: Option<OutputMode>,
        refused: &Refused,
    ) -> Option<Lesson> {
        if error.kind == ChatErrorKind::Unreadable || self.progress().has_reported {
            return None;
        }
        let sent: Vec<_> = [
            (RequestPart::Temperature, self.request.temperature.is_some()),
            (RequestPart::StreamOptions, !refused.has(RequestPart::Stream)),
            (RequestPart::Stream, true),
            (RequestPart::MaxTokens, self.request.max_output_tokens.is_some()),
        ]
        .into_iter()
        .filter(|&(part, is_sent)| is_sent && !refused.has(part))
        .map(|(part, _)| part)
        .collect();
        let body = error.context.body.as_deref().unwrap_or_default();
        let output_tokens = self.model.provider.form.output_tokens(self.request, refused);
        lesson(error.context.status?, body, Sent { mode, parts: &sent, output_tokens })
    }

    /// Asks in one way, with retries after connection failures and overloads.
    async fn ask_so(
        &self,
        mode: Option<OutputMode>,
        shape: &RequestedShape<'_>,
        refused: &Refused,
    ) -> Result<ChatResponse, ChatError> {
        self.progress().is_wrapped = shape.is_wrapped;
        let (url, body) = self.written(mode, shape, refused)?;
        // A permanent refusal is not worth a wait, whatever its status.
        let is_refusal = |error: &ChatError| self.lesson(error, mode, refused).is_some();
        self.with_retries(&url, &body, is_refusal).await
    }

    /// Returns the URL and the body of a request.
    fn written(
        &self,
        mode: Option<OutputMode>,
        shape: &RequestedShape<'_>,
        refused: &Refused,
    ) -> Result<(Url, String), ChatError> {
        let messages = shape::messages(self.request, mode, shape);
        let form = self.model.provider.form;
        let call = Call {
            model: &self.model.model,
            request: self.request,
            messages: &messages,
            mode,
            delivery: if refused.has(RequestPart::Stream) {
                Delivery::Whole
            } else {
                Delivery::Stream
            },
            refused,
            output_tokens: form.output_tokens(self.request, refused),
            shape,
            prompt_cache: self.model.options.prompt_cache,
            context_tokens: self.model.options.context_tokens,
        };
        let cannot = |why: String| ChatError::new(ChatErrorKind::Request, why);
        let url = form
            .url(&self.model.base_url, &call)
            .ok_or_else(|| cannot("the server URL cannot be extended".to_owned()))?;
        let body = form
            .body(&call)
            .map_err(|error| cannot(format!("the request cannot be written: {error}")))?;
        Ok((url, body))
    }

    async fn with_retries(
        &self,
        url: &Url,
        body: &str,
        is_refusal: impl Fn(&ChatError) -> bool,
    ) -> Result<ChatResponse, ChatError> {
        let policy = self.model.options.retry;
        let sleep = self.model.options.sleep.clone();
        let attempt = || self.attempt(url, body);
        attempt
            .retry(policy.waits())
            .sleep(move |wait| sleep.wait(wait))
            .when(|error: &ChatError| {
                // Read before the lock is taken, which it needs itself.
                let is_refusal = is_refusal(error);
                let progress = self.progress();
                error.kind.is_transient()
                    && !is_refusal
                    && error.context.answer.is_none()
                    && !progress.has_reported
                    && progress.retries < policy.max_retries
            })
            .adjust(|error, proposed| {
                let left = self.deadline.map(|end| end.saturating_duration_since(Instant::now()));
                policy.wait(proposed, error.context.retry_after, self.progress().waited, left)
            })
            .notify(|error, wait| self.note_retry(error, wait))
            .await
    }

    fn note_retry(&self, error: &ChatError, wait: Duration) {
        let mut progress = self.progress();
        progress.retries += 1;
        progress.waited += wait;
        let (model, retry) = (self.model.name(), progress.retries);
        let (code, status) = (error.kind.code(), error.context.status);
        let seconds = wait.as_secs_f64();
        tracing::warn!(
            gen_ai.request.model = model,
            retry,
            code,
            status,
            "{model}: no answer ({code}); retrying in {seconds:.1} s"
        );
        if let Some(on_event) = &mut progress.on_event {
            on_event(ChatEvent::TransportRetry { kind: error.kind, wait });
        }
    }

    /// Discards what arrived in an earlier attempt.
    pub(crate) fn begin(&self) {
        self.progress().so_far = Assembler::default();
    }

    /// Takes a piece of the answer and reports it.
    pub(crate) fn take(&self, delta: Delta) {
        let mut progress = self.progress();
        let Some(event) = progress.so_far.take(delta) else { return };
        if let Some(on_event) = &mut progress.on_event {
            on_event(event);
            progress.has_reported = true;
        }
    }

    /// Returns the answer so far.
    pub(crate) fn so_far(&self) -> Assembler {
        self.progress().so_far.clone()
    }

    /// Returns the length of the request in bytes.
    pub(crate) fn question_bytes(&self) -> usize {
        self.request.messages.iter().map(|message| message.content.len()).sum()
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

    fn progress(&self) -> MutexGuard<'_, CallState<'a>> {
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
