//! The error of a failed call.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use super::{ChatErrorKind, ChatResponse, Lost, Usage};

/// The statuses of servers that have too much to do, for one client or for all.
pub const BUSY: [u16; 3] = [429, 503, 529];

/// The error of a call that returned no complete answer.
///
/// Its texts contain no key: a key that the server repeats is replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatError {
    /// What went wrong.
    pub kind: ChatErrorKind,
    /// A description; the server's own if it gave one, at most 500 characters of it.
    pub message: String,
    /// Further details. Boxed, since errors are rare and results should be small.
    pub context: Box<ErrorContext>,
}

/// Details of a failed call. A field is `None` if it is unknown or does not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ErrorContext {
    /// The name of the model, as in [`ChatModel::name`](super::ChatModel::name).
    pub model: String,
    /// The status of the HTTP response, or the one that an error inside a successful response states,
    /// 100 to 999.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The wait that the server asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Duration>,
    /// The response body or stream event that reported the error, verbatim, at most 64 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// What the model had written, if the server could not read it and put it into its error (Groq's
    /// `failed_generation`, broken arguments of tool calls of llama.cpp and Ollama). It can be repaired
    /// like any answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// What had arrived before the answer broke off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<ChatResponse>,
    /// The token counts of the failed request, as the server reported them or else estimated; zero if it
    /// was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether the failed request did not reach the server, or was not sent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_reached: bool,
    /// How often the call was retried at the provider before this error.
    pub transport_retries: u32,
    /// The requests of the call before the failed one.
    #[serde(skip_serializing_if = "Lost::is_none")]
    pub lost: Lost,
}

impl ChatError {
    /// Creates an error without details.
    pub fn new(kind: ChatErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), context: Box::default() }
    }

    /// Returns whether the server has too much to do, for this client or for all. This says nothing about
    /// the request, which can be sent again later.
    #[must_use]
    pub fn is_of_load(&self) -> bool {
        match (self.kind, self.context.status) {
            (ChatErrorKind::RateLimited, _) => true,
            (ChatErrorKind::Server, Some(status)) => BUSY.contains(&status),
            // Inside an answer, a server has but words.
            (ChatErrorKind::Server, None) => {
                let message = self.message.to_ascii_lowercase();
                ["overload", "unavailable", "capacity"].iter().any(|word| message.contains(word))
            }
            _ => false,
        }
    }

    /// Returns what to do about the failure.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        let is_status = |status| self.context.status == Some(status);
        // The message of web servers and routers, and not that of an API about a model.
        let is_page = self.message.to_ascii_lowercase().contains("page not found");
        match self.kind {
            ChatErrorKind::NotFound if is_page => "Check the URL: for most servers it ends in /v1.",
            ChatErrorKind::Unreadable if is_status(400) || is_status(500) => {
                "Ask for less at once, or choose another model: the server could not read what this one wrote."
            }
            kind => kind.advice(),
        }
    }

    /// Returns the model's text that is left to read: what the server could not read, or what had
    /// arrived before the answer broke off. `None` if there is none.
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
            1 => f.write_str(", after 1 retry"),
            retries => write!(f, ", after {retries} retries"),
        }
    }
}

impl std::error::Error for ChatError {}
