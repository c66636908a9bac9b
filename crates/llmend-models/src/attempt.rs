//! One HTTP request and its response.

use std::time::{Duration, SystemTime};

use llmend_model::{BUSY, ChatError, ChatErrorKind, ChatResponse, OutputMode};
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Response, StatusCode};
use tokio::time::Instant;

use crate::call::{ModelCall, Outgoing};
use crate::failure::classify;
use crate::page::plain;
use crate::reason::reason;
use crate::retry::{retry_after, seconds, wait_in};
use crate::salvage::salvage;
use crate::sse::{self, Decoder, Delta, ProviderError};

/// The number of bytes of a body that an error keeps.
const KEPT_BYTES: usize = 64 << 10;

/// The number of characters of a server's message that an error shows.
const MESSAGE_CHARS: usize = 500;

/// The status of a request that a server refuses.
const REFUSED: u16 = 400;

impl ModelCall<'_> {
    /// Sends a request and reads the response.
    pub(crate) async fn attempt(&self, outgoing: &Outgoing) -> Result<ChatResponse, ChatError> {
        let attempt = self.begin();
        let name = self.model.name.as_str();
        tracing::debug!(
            gen_ai.request.model = name,
            attempt,
            provider = self.model.provider.name,
            mode = outgoing.mode.map_or("text", OutputMode::as_str),
            max_tokens = outgoing.output_tokens,
            bytes = outgoing.body.len(),
            "request sent"
        );
        let start = Instant::now();
        let result = self.send(outgoing).await;
        let milliseconds = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.end(result.as_ref().err());
        let bytes = self.progress().arrived.bytes;
        match &result {
            Ok(ChatResponse { usage, .. }) => {
                let (input_tokens, output_tokens) =
                    usage.map(|usage| (usage.input, usage.output)).unzip();
                tracing::debug!(
                    gen_ai.request.model = name,
                    attempt,
                    status = 200,
                    bytes,
                    input_tokens,
                    output_tokens,
                    milliseconds,
                    "answer received"
                );
            }
            Err(error) => {
                let (code, status) = (error.kind.code(), error.context.status);
                tracing::debug!(
                    gen_ai.request.model = name,
                    attempt,
                    status,
                    code,
                    bytes,
                    milliseconds,
                    "no answer"
                );
            }
        }
        result
    }

    /// Sends a request. Returns the answer.
    async fn send(&self, outgoing: &Outgoing) -> Result<ChatResponse, ChatError> {
        let request = self.model.client.post(outgoing.url.clone());
        let request = request.headers(self.model.headers.clone()).body(outgoing.body.clone());
        let response = request.send().await.map_err(|error| {
            self.progress().arrived.is_unreached = error.is_connect();
            self.no_response(error)
        })?;
        let is_limited = response.status() == StatusCode::TOO_MANY_REQUESTS;
        self.model.pace.learn(response.headers(), is_limited);
        if response.status().is_success() {
            self.answer(response).await
        } else {
            Err(self.refusal(response).await)
        }
    }

    fn no_response(&self, error: reqwest::Error) -> ChatError {
        let host = self.model.base_url.authority().to_owned();
        let (kind, what) = match (error.is_timeout(), error.is_connect()) {
            (true, true) => {
                let limit = seconds(self.model.options.connect_timeout);
                let message = format!("{host} did not accept the connection within {limit}");
                return ChatError::new(ChatErrorKind::Connection, message);
            }
            (true, false) => (ChatErrorKind::Stalled, "did not answer in time"),
            (false, true) => (ChatErrorKind::Connection, "could not be reached"),
            (false, false) => (ChatErrorKind::Connection, "closed the connection"),
        };
        ChatError::new(kind, format!("{host} {what}: {}", self.reason(kind, error)))
    }

    /// Reads a response whose status is not a success.
    async fn refusal(&self, mut response: Response) -> ChatError {
        let status = response.status();
        let asked = retry_after(response.headers(), SystemTime::now());
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let location = location.map(|location| self.shown(location));
        let mut bytes = Vec::new();
        while bytes.len() < 2 * KEPT_BYTES {
            // The status is known; a body that breaks off adds nothing to it.
            let Ok(Some(chunk)) = response.chunk().await else { break };
            bytes.extend_from_slice(&chunk);
        }
        let body = self.kept(&bytes);
        let provider_failure = self.provider_error(&bytes);
        let mut error = self.provider_failure(Some(status.as_u16()), &provider_failure, &body);
        if error.message.is_empty() {
            error.message = match location {
                Some(to) if status.is_redirection() => {
                    format!("the server redirects to {to}; redirects are not followed")
                }
                _ if !body.trim().is_empty() => clipped(&plain(body.trim())),
                _ => status.canonical_reason().unwrap_or("no reason given").to_owned(),
            };
        }
        error.context.status = Some(status.as_u16());
        self.asked_to_wait(&mut error, asked, &body);
        error
    }

    /// Keeps how long a busy server asks to wait, in its headers or in words.
    fn asked_to_wait(&self, error: &mut ChatError, in_headers: Option<Duration>, body: &str) {
        let is_busy = error.context.status.is_some_and(|status| BUSY.contains(&status));
        let is_load = is_busy || error.is_of_load();
        error.context.retry_after = in_headers.or_else(|| wait_in(body).filter(|_| is_load));
        if let Some(wait) = error.context.retry_after.filter(|_| is_load) {
            self.model.pace.hold(wait);
        }
    }

    /// Reads the error in a body of any form, which the decoder knows.
    fn provider_error(&self, body: &[u8]) -> ProviderError {
        let mut decoder = self.decoder();
        decoder.push(body);
        decoder.finish();
        let deltas = std::iter::from_fn(|| decoder.next_delta());
        let mut errors = deltas.filter_map(|delta| match delta {
            Ok(Delta::Error(error)) => Some(error),
            _ => None,
        });
        errors.next().unwrap_or_default()
    }

    /// Creates the error for one that a provider reported, by a status or inside an answer.
    fn provider_failure(
        &self,
        status: Option<u16>,
        provider_failure: &ProviderError,
        body: &str,
    ) -> ChatError {
        let (kind, code) = (provider_failure.kind.as_deref(), provider_failure.code.as_deref());
        let is_status = |code: &u16| (100..1_000).contains(code);
        let status = status.or_else(|| code?.parse().ok().filter(is_status));
        let words = format!(
            "{} {} {}",
            kind.unwrap_or_default(),
            code.unwrap_or_default(),
            provider_failure.message
        );
        let answer = salvage(body);
        let kind = match answer {
            Some(_) => ChatErrorKind::Unreadable,
            None => classify(status, &words),
        };
        let mut error =
            self.broken_off(kind, &clipped(&self.shown(provider_failure.message.trim())));
        if error.context.partial.is_none() {
            // Proxies report refusals inside a response that they began as a success.
            let is_refusal = kind == ChatErrorKind::Request;
            error.context.status = status.or_else(|| is_refusal.then_some(REFUSED));
        }
        error.context.body = (!body.is_empty()).then(|| body.to_owned());
        error.context.answer = answer;
        error
    }

    /// Reads an answer, streamed or not, as it arrives.
    async fn answer(&self, mut response: Response) -> Result<ChatResponse, ChatError> {
        let mut decoder = self.decoder();
        let mut read = Read { is_stream: is_stream(response.headers()), ..Read::default() };
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    if self.arrive(&read, bytes.len()) > self.model.options.max_response_bytes {
                        return Err(self.unreadable("the response is too large", &read.kept));
                    }
                    read.keep(&bytes);
                    decoder.push(&bytes);
                    self.drain(&mut decoder, &mut read);
                }
                Ok(None) => break,
                // Nothing that was waited for is missing.
                Err(_) if decoder.is_complete() && read.fault.is_none() => break,
                Err(error) => return Err(self.interrupted(error)),
            }
        }
        decoder.finish();
        self.drain(&mut decoder, &mut read);
        self.conclude(&read)
    }

    /// Counts bytes of the response. Returns their number.
    fn arrive(&self, read: &Read, bytes: usize) -> usize {
        let mut progress = self.progress();
        let arrived = &mut progress.arrived;
        arrived.bytes += bytes;
        arrived.is_whole = !read.is_stream;
        arrived.bytes
    }

    fn decoder(&self) -> Decoder {
        let limit = sse::Options { max_event_bytes: self.model.options.max_response_bytes };
        Decoder::new(self.model.provider.form.dialect(), limit)
    }

    fn drain(&self, decoder: &mut Decoder, read: &mut Read) {
        while let Some(delta) = decoder.next_delta() {
            match delta {
                // After a gap, what follows would look like the continuation of what came before.
                Ok(_) if read.fault.is_some() => {}
                Ok(delta) => self.take(delta),
                Err(fault) => {
                    read.fault.get_or_insert(fault);
                }
            }
        }
    }

    fn interrupted(&self, error: reqwest::Error) -> ChatError {
        let (kind, what) = if error.is_timeout() {
            (ChatErrorKind::Stalled, "the server stopped sending within the answer")
        } else {
            (ChatErrorKind::Interrupted, "the connection broke within the answer")
        };
        self.broken_off(kind, &format!("{what}: {}", self.reason(kind, error)))
    }

    fn reason(&self, kind: ChatErrorKind, error: reqwest::Error) -> String {
        if kind == ChatErrorKind::Stalled {
            return format!("nothing came for {}", seconds(self.model.options.idle_timeout));
        }
        let error = error.without_url();
        tracing::debug!(gen_ai.request.model = self.model.name, ?error, "connection failed");
        self.shown(&reason(&error))
    }

    /// Returns the answer once all has been read, or the reason why there is none.
    fn conclude(&self, read: &Read) -> Result<ChatResponse, ChatError> {
        let so_far = self.so_far();
        if let Some(error) = &so_far.error {
            let body = self.kept(error.raw.as_bytes());
            let mut failure = self.provider_failure(None, error, &body);
            if failure.message.is_empty() {
                "the server sent an error without a message".clone_into(&mut failure.message);
            }
            if failure.context.partial.is_none() {
                self.asked_to_wait(&mut failure, None, &body);
            }
            return Err(failure);
        }
        // A whole answer may lack its reason to stop; a stream may not, since that is its end.
        let is_fine = match &read.fault {
            None => true,
            Some(sse::Error::UnexpectedEnd { .. }) => read.is_whole_json(),
            Some(_) => false,
        };
        match &read.fault {
            _ if is_fine && so_far.has_answer() => {
                Ok(self.without_key(so_far.response(self.question_bytes())))
            }
            Some(fault @ sse::Error::UnexpectedEnd { .. }) if !is_fine && read.is_stream => {
                Err(self.broken_off(ChatErrorKind::Interrupted, &fault.to_string()))
            }
            Some(fault) if !is_fine => {
                let message = format!("the response cannot be read: {fault}");
                Err(self.unreadable(&self.shown(&message), &read.kept))
            }
            _ => Err(self.unreadable("the response contains no answer", &read.kept)),
        }
    }

    /// Returns an answer without the key, in case the model repeats it.
    fn without_key(&self, mut response: ChatResponse) -> ChatResponse {
        let calls = response.tool_calls.iter_mut().map(|call| &mut call.arguments);
        let texts = [&mut response.text, &mut response.reasoning, &mut response.refusal];
        for text in texts.into_iter().chain(calls) {
            *text = self.model.scrubber.answer(text);
        }
        response
    }

    fn unreadable(&self, message: &str, bytes: &[u8]) -> ChatError {
        let mut error = self.broken_off(ChatErrorKind::Unreadable, message);
        let body = self.kept(bytes);
        error.context.body = (!body.is_empty()).then_some(body);
        error
    }

    /// Returns the start of a body as text, without the key.
    fn kept(&self, bytes: &[u8]) -> String {
        // Clipped last, since half of a key would not be found.
        let mut text = self.shown(&String::from_utf8_lossy(bytes));
        text.truncate(text.floor_char_boundary(KEPT_BYTES));
        text
    }

    /// Returns a text without the key, in case a server repeats it, and without what looks like one.
    fn shown(&self, text: &str) -> String {
        self.model.scrubber.all(text)
    }
}

/// What was read besides the pieces of the answer.
#[derive(Debug, Default)]
struct Read {
    /// Whether the answer arrives piece by piece.
    is_stream: bool,
    /// The whole body if it may be one JSON value; otherwise its start.
    kept: Vec<u8>,
    /// The first thing that could not be read.
    fault: Option<sse::Error>,
}

impl Read {
    fn keep(&mut self, bytes: &[u8]) {
        let first = self.kept.iter().chain(bytes).find(|byte| !byte.is_ascii_whitespace());
        if !self.is_stream || first == Some(&b'{') || self.kept.len() < KEPT_BYTES {
            self.kept.extend_from_slice(bytes);
        }
    }

    fn is_whole_json(&self) -> bool {
        serde_json::from_slice::<serde::de::IgnoredAny>(&self.kept).is_ok()
    }
}

/// Returns whether a response arrives piece by piece, by its type.
fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    !["application/json", "text/html"].iter().any(|whole| kind.starts_with(whole))
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(MESSAGE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
