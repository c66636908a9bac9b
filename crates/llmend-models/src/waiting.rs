//! Waits before requests, and retries.

use std::time::Duration;

use backon::Retryable;
use llmend_model::{ChatError, ChatErrorKind, ChatEvent, ChatResponse};
use tokio::time::Instant;

use crate::call::{ModelCall, Outgoing};
use crate::pace::{Need, Wait};
use crate::retry::seconds;

/// How many answers of one call may break off before their end. Each costs tokens or a long wait.
const MOST_BROKEN: u32 = 2;

/// The target of messages about waits.
const WAITS: &str = "llmend_models::call";

impl ModelCall<'_> {
    /// Waits until the server's rate limit leaves room for a request. Fails if the server asks for a
    /// longer wait than the call has time for.
    pub(crate) async fn wait_for_turn(&self, need: Need) -> Result<(), ChatError> {
        let wait = match self.model.pace.wait(need) {
            Some(Wait::Asked(wait)) => {
                if let Some(limit) = self.exceeded(wait) {
                    let mut error = ChatError::new(
                        ChatErrorKind::RateLimited,
                        format!("no request was sent: {}", too_long(wait, &limit)),
                    );
                    error.context.retry_after = Some(wait);
                    return Err(error);
                }
                wait
            }
            // As far as is known: a request that cannot wait that long is sent.
            Some(Wait::Room(wait)) if self.exceeded(wait).is_none() => wait,
            _ => return Ok(()),
        };
        self.note_wait(wait);
        self.model.options.sleep.wait(wait).await;
        Ok(())
    }

    /// Makes attempts until there is an answer or a reason not to try again.
    pub(crate) async fn with_retries(
        &self,
        outgoing: &Outgoing,
        need: Need,
        is_refusal: impl Fn(&ChatError) -> bool,
    ) -> Result<ChatResponse, ChatError> {
        let policy = self.model.options.retry;
        let sleep = self.model.options.sleep.clone();
        let attempt = || {
            self.model.pace.take(need);
            self.attempt(outgoing)
        };
        attempt
            .retry(policy.waits())
            .sleep(move |wait| sleep.wait(wait))
            .when(|error: &ChatError| !is_refusal(error) && self.is_worth_a_retry(error))
            .adjust(|error, proposed| self.wait_after(error, proposed, need))
            .notify(|error, wait| self.note_retry(error, wait))
            .await
            .map_err(|error| self.with_limit(error))
    }

    fn is_worth_a_retry(&self, error: &ChatError) -> bool {
        let progress = self.progress();
        let most_broken = self.request.max_answers.unwrap_or(MOST_BROKEN).min(MOST_BROKEN);
        // A part of an answer that took so long is worth more than another long wait.
        let is_stalled = error.kind == ChatErrorKind::Stalled && error.context.partial.is_some();
        error.kind.is_transient()
            && error.context.answer.is_none()
            && !progress.has_reported
            && progress.retries < self.model.options.retry.max_retries
            && !(progress.spending.has_cost() && progress.spending.broken >= most_broken)
            && !is_stalled
    }

    /// Returns how long to wait before a retry. `None` if that is too long.
    fn wait_after(
        &self,
        error: &ChatError,
        proposed: Option<Duration>,
        need: Need,
    ) -> Option<Duration> {
        let (asked, proposed) = match (error.context.retry_after, self.model.pace.wait(need)) {
            // Another call was told to wait.
            (None, Some(Wait::Asked(wait))) => (Some(wait), proposed),
            (None, Some(Wait::Room(wait))) if self.exceeded(wait).is_none() => {
                (None, proposed.map(|proposed| proposed.max(wait)))
            }
            (asked, _) => (asked, proposed),
        };
        self.model.options.retry.wait(proposed, asked, self.progress().waited, self.left())
    }

    /// Adds to the error which limit a wait exceeds that the server asks for.
    fn with_limit(&self, mut error: ChatError) -> ChatError {
        let asked = error.context.retry_after.filter(|_| error.kind.is_transient());
        if let Some((asked, limit)) = asked.and_then(|wait| Some((wait, self.exceeded(wait)?))) {
            error.message = format!("{}; {}", error.message, too_long(asked, &limit));
        }
        error
    }

    /// Returns the limit of this call that a wait exceeds.
    fn exceeded(&self, wait: Duration) -> Option<String> {
        self.model.options.retry.exceeded(wait, self.progress().waited, self.left())
    }

    /// Returns the time that is left for the call.
    fn left(&self) -> Option<Duration> {
        self.deadline.map(|end| end.saturating_duration_since(Instant::now()))
    }

    fn note_wait(&self, wait: Duration) {
        let model = self.model.name.as_str();
        tracing::warn!(
            target: WAITS,
            { gen_ai.request.model = model },
            "{model}: waiting {:.1} s for the server's rate limit",
            wait.as_secs_f64()
        );
        let mut progress = self.progress();
        progress.waited += wait;
        if let Some(on_event) = &mut progress.on_event {
            on_event(ChatEvent::RateLimit { wait });
        }
    }

    fn note_retry(&self, error: &ChatError, wait: Duration) {
        let mut progress = self.progress();
        progress.retries += 1;
        progress.waited += wait;
        let (model, retry) = (self.model.name.as_str(), progress.retries);
        let (code, status) = (error.kind.code(), error.context.status);
        tracing::warn!(
            target: WAITS,
            { gen_ai.request.model = model, retry, code, status },
            "{model}: no answer ({code}); retrying in {:.1} s",
            wait.as_secs_f64()
        );
        if let Some(on_event) = &mut progress.on_event {
            on_event(ChatEvent::TransportRetry { kind: error.kind, wait });
        }
    }
}

/// Says that a server asks for too long a wait.
fn too_long(asked: Duration, limit: &str) -> String {
    format!("the server asks for a wait of {}, but {limit}", seconds(asked))
}
