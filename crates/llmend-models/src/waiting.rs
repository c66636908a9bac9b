//! Waits before requests, and retries.

use std::time::{Duration, Instant};

use backon::Retryable;
use llmend_model::{ChatError, ChatErrorKind, ChatEvent, ChatResponse};

use crate::call::{ModelCall, Outgoing};
use crate::pace::{LEAST_SHOWN, Need, Refusal, Wait};
use crate::retry::seconds;

/// How many answers of one call may break off before their end. Each costs tokens or a long wait.
const MOST_BROKEN: u32 = 2;

/// The target of messages about waits.
const WAITS: &str = "llmend_models::call";

impl ModelCall<'_> {
    /// Waits until the server's rate limit leaves room for a request, and takes it. Fails if the server
    /// asks for a longer wait than the call has time for.
    async fn wait_for_turn(&self, need: Need) -> Result<(), ChatError> {
        loop {
            let wait = match self.model.pace.turn(need, self.now()) {
                Ok(()) => return Ok(()),
                Err(wait) => wait,
            };
            let (Wait::Asked(time) | Wait::Room(time) | Wait::Rate(time)) = wait;
            match (wait, self.exceeded(time)) {
                (_, None) => {}
                (Wait::Asked(_), Some(limit)) => return Err(self.unsent(time, &limit)),
                // As far as is known: a request that cannot wait that long is sent.
                (_, Some(_)) => {
                    self.model.pace.take(need, self.now());
                    return Ok(());
                }
            }
            self.note_wait(wait, time);
            self.model.options.sleep.wait(time).await;
        }
    }

    /// Returns the error of a request that was not sent, since the server asks for too long a wait.
    fn unsent(&self, wait: Duration, limit: &str) -> ChatError {
        let further = if self.progress().attempts == 0 { "" } else { "further " };
        let message = format!("no {further}request was sent: {}", too_long(wait, limit));
        let mut error = ChatError::new(ChatErrorKind::RateLimited, message);
        error.context.retry_after = Some(wait);
        error
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
        let is_refusal = &is_refusal;
        let attempt = || async move {
            self.wait_for_turn(need).await?;
            let sent = self.now();
            let result = self.attempt(outgoing).await;
            match &result {
                Ok(_) => self.model.pace.answered(),
                Err(error) if error.is_of_load() && !is_refusal(error) => {
                    let why = match error.kind {
                        ChatErrorKind::RateLimited => Refusal::Limit,
                        _ => Refusal::Overload,
                    };
                    self.model.pace.refused(why, sent, self.now());
                }
                Err(_) => {}
            }
            result
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
            && !(progress.arrived.is_unreached
                && progress.retries >= self.model.options.retry.max_unreached_retries)
    }

    /// Returns how long to wait before a retry. `None` if that is too long.
    fn wait_after(
        &self,
        error: &ChatError,
        proposed: Option<Duration>,
        need: Need,
    ) -> Option<Duration> {
        let (asked, proposed) =
            match (error.context.retry_after, self.model.pace.wait(need, self.now())) {
                // Another call was told to wait.
                (None, Some(Wait::Asked(wait))) => (Some(wait), proposed),
                (None, Some(Wait::Room(wait) | Wait::Rate(wait)))
                    if self.exceeded(wait).is_none() =>
                {
                    (None, proposed.map(|proposed| proposed.max(wait)))
                }
                (asked, _) => (asked, proposed),
            };
        self.model.options.retry.wait(proposed, asked, self.progress().waited, self.left())
    }

    /// Adds to the error which limit a wait exceeds that the server asks for.
    fn with_limit(&self, mut error: ChatError) -> ChatError {
        // Of a request that was not sent, it is said already.
        let is_new = error.kind.is_transient() && error.context.status.is_some();
        let asked = error.context.retry_after.filter(|_| is_new);
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
        self.deadline.map(|end| end.saturating_duration_since(tokio::time::Instant::now()))
    }

    /// Returns the time, or that at which the last wait of the call was over, in case it took less.
    fn now(&self) -> Instant {
        let now = Instant::now();
        self.progress().rested.map_or(now, |rested| rested.max(now))
    }

    fn note_wait(&self, wait: Wait, time: Duration) {
        let (model, seconds) = (self.model.name.as_str(), time.as_secs_f64());
        // The refusal that a rate follows from was shown, and a short wait is not noticed.
        let is_small = matches!(wait, Wait::Rate(_)) || time < LEAST_SHOWN;
        if is_small || !self.model.pace.is_news(self.now() + time) {
            tracing::debug!(target: WAITS, "{model}: waiting {seconds:.1} s for a turn");
        } else {
            tracing::warn!(
                target: WAITS,
                { gen_ai.request.model = model },
                "{model}: waiting {seconds:.1} s for the server's rate limit",
            );
        }
        self.rest(time);
        if let Some(on_event) = &mut self.progress().on_event {
            on_event(ChatEvent::RateLimit { wait: time });
        }
    }

    /// Counts a wait that begins now.
    fn rest(&self, time: Duration) {
        let until = self.now() + time;
        let mut progress = self.progress();
        progress.waited += time;
        progress.rested = Some(until);
    }

    fn note_retry(&self, error: &ChatError, wait: Duration) {
        self.rest(wait);
        let mut progress = self.progress();
        progress.retries += 1;
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
