//! Kinds of failed calls.

use serde::{Deserialize, Serialize};

/// The kind of a failed call, as a caller that retries needs to distinguish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ChatErrorKind {
    /// The server could not be reached, or the connection failed before an answer began.
    Connection,
    /// The connection ended inside an answer.
    /// [`ErrorContext::partial`](super::ErrorContext::partial) holds what had arrived.
    Interrupted,
    /// The server sent nothing for longer than the model waits, before an answer or inside one.
    /// [`ErrorContext::partial`](super::ErrorContext::partial) holds what had arrived.
    Stalled,
    /// [`ChatRequest::timeout`](super::ChatRequest::timeout) expired, or the server reported a timeout (408,
    /// 504).
    Timeout,
    /// The server asks for fewer requests (429).
    RateLimited,
    /// The server failed or is overloaded (5xx).
    Server,
    /// The account's quota is used up; waiting does not help.
    Quota,
    /// The key is missing, or the server rejects it (401, 403).
    Authentication,
    /// The server does not know the model or the resource (404).
    NotFound,
    /// The server rejects the request (other 4xx, redirects), or the request cannot be written.
    Request,
    /// The prompt was refused because of its content. A refused answer is
    /// [`Finish::ContentFilter`](super::Finish::ContentFilter) instead.
    ContentRefused,
    /// The answer could not be read. [`ErrorContext::answer`](super::ErrorContext::answer) is what the
    /// model wrote, if known; [`ErrorContext::body`](super::ErrorContext::body) is what arrived.
    Unreadable,
    /// A record has no answer to this request.
    Replay,
    /// The caller canceled the call.
    Canceled,
    /// Anything else.
    Other,
}

impl ChatErrorKind {
    /// Returns whether the same request may succeed a little later. The models of `llmend-models` have
    /// already retried within their own limits when they return an error.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Connection
                | Self::Interrupted
                | Self::Stalled
                | Self::Timeout
                | Self::RateLimited
                | Self::Server
        )
    }

    /// Returns the stable code, as reports and outside tools see it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Connection => "model/connection",
            Self::Interrupted => "model/interrupted",
            Self::Stalled => "model/stalled",
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
            Self::Canceled => "model/canceled",
            Self::Other => "model/other",
        }
    }

    /// Returns what to do about such a failure.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Connection => "Check the server's address and that it runs.",
            Self::Interrupted => {
                "Ask again; if it recurs, check the limits of the server and of proxies before it."
            }
            Self::Stalled => "Raise the idle timeout, or choose a faster model.",
            Self::Timeout => "Allow more time, ask for less at once, or choose a faster model.",
            Self::RateLimited => {
                "Ask again once the server allows it, send fewer requests, or choose another provider."
            }
            Self::Server => "Ask again later, or choose another provider.",
            Self::Quota => "Check the account's quota, or choose another provider.",
            Self::Authentication => "Check the provider's key.",
            Self::NotFound => "Check the name of the model.",
            Self::Request => "Check the request, which the server rejects.",
            Self::ContentRefused => "Change the request, or choose another model.",
            Self::Unreadable => {
                "Check that the address is that of the API, and that no proxy changes its responses."
            }
            Self::Replay => "Record the exchange again.",
            Self::Canceled => "Ask again.",
            Self::Other => "Check the server's message, or choose another provider.",
        }
    }
}
