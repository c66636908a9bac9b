//! Why is there no answer?

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use super::ChatResponse;

/// A call that gave no whole answer.
///
/// Its texts hold no key: where a server repeats one, it was replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatError {
    /// What went wrong.
    pub kind: ChatErrorKind,
    /// What happened, in words; the server's own where it gave some, at most 500 characters of them.
    pub message: String,
    /// What else is known. On the heap, since errors are rare and results should be small.
    pub context: Box<ErrorContext>,
}

/// What is known of a call that failed. What is `None` was not told, or does not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ErrorContext {
    /// The name of the model, as in [`ChatModel::name`](super::ChatModel::name).
    pub model: String,
    /// The status of the HTTP response, 100 to 999.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the server asks to be left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Duration>,
    /// The body of the response, or the event of the stream, that said so: as it came, at most 64 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// What the model had written, where the server could not read it and put it into its error (Groq's
    /// `failed_generation`, the broken arguments of tool calls of llama.cpp and Ollama): text to be
    /// repaired as any answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// What had come before the answer broke off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<ChatResponse>,
    /// How often the provider was asked again before this.
    pub transport_retries: u32,
}

/// Kinds of failures, as who asks again has to tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ChatErrorKind {
    /// The server could not be reached, or the connection failed before an answer began.
    Connection,
    /// The connection ended inside an answer. [`ErrorContext::partial`] is what had come.
    Interrupted,
    /// [`ChatRequest::timeout`](super::ChatRequest::timeout), or a limit of the model's own, was over; or
    /// the server says that it was too slow (408, 504).
    Timeout,
    /// The server wants fewer requests (429).
    RateLimited,
    /// The server failed, or is overloaded (5xx).
    Server,
    /// What was paid for is used up; waiting does not help.
    Quota,
    /// There is no key, or the server refuses it (401, 403).
    Authentication,
    /// The server does not know the model (404), or what is asked for.
    NotFound,
    /// The server refuses the request as it is (other 4xx, redirections), or it cannot be written.
    Request,
    /// The prompt was refused because of what it says. An answer that was refused is
    /// [`Finish::ContentFilter`](super::Finish) instead.
    ContentRefused,
    /// There was an answer, and it could not be read. [`ErrorContext::answer`] is what the model wrote,
    /// if that is known; [`ErrorContext::body`] is what came.
    Unreadable,
    /// A record has no answer to this request.
    Replay,
    /// Whoever asked did not want to wait any longer.
    Cancelled,
    /// Anything else.
    Other,
}

impl ChatErrorKind {
    /// Whether the same request may well succeed a little later. The models of `llmend-models` have
    /// tried that already, within their own limits, when they return an error.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Connection | Self::Interrupted | Self::Timeout | Self::RateLimited | Self::Server
        )
    }

    /// The stable code, as reports and outside tools see it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Connection => "model/connection",
            Self::Interrupted => "model/interrupted",
            Self::Timeout => "model/timeout",
            Self::RateLimited => "model/rate-limited",
            Self::Server => "model/server",
            Self::Quota => "model/quota",
            Self::Authentication => "model/authentication",
            Self::NotFound => "model/not-found",
            Self::Request => "model/request",
            Self::ContentRefused => "model/content-refused",
            Self::Unreadable => "model/unreadable",
            Self::Replay => "model/replay",
            Self::Cancelled => "model/cancelled",
            Self::Other => "model/other",
        }
    }
}

impl ChatError {
    /// An error of which nothing else is known.
    pub fn new(kind: ChatErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), context: Box::default() }
    }

    /// The text of the model's that is left to be read: what the server could not read, or what had come
    /// before the answer broke off. `None` if there is none.
    #[must_use]
    pub fn answer(&self) -> Option<&str> {
        let partial = self.context.partial.as_ref().map(ChatResponse::answer);
        self.context.answer.as_deref().or(partial).filter(|text| !text.trim().is_empty())
    }
}

impl fmt::Display for ChatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.context.model.is_empty() {
            write!(f, "{}: ", self.context.model)?;
        }
        f.write_str(&self.message)?;
        if let Some(status) = self.context.status {
            write!(f, " (status {status})")?;
        }
        match self.context.transport_retries {
            0 => Ok(()),
            1 => f.write_str(", after it was tried once more"),
            retries => write!(f, ", after it was tried {retries} times more"),
        }
    }
}

impl std::error::Error for ChatError {}
