//! Events of a call that streams.

use std::time::Duration;

use serde::Serialize;

use super::ChatErrorKind;

/// An event during a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChatEvent {
    /// A piece of the answer's text, never empty.
    Text {
        /// The piece.
        text: String,
    },
    /// A piece of the model's reasoning before the answer, never empty.
    Reasoning {
        /// The piece.
        text: String,
    },
    /// A piece of a tool call.
    ToolCall {
        /// The index of the call, from 0.
        index: u32,
        /// The name of the tool, reported once.
        name: Option<String>,
        /// A piece of the arguments, possibly empty.
        arguments: String,
    },
    /// A retry at the provider after a connection failure or an overload. Reported only before the first
    /// piece of an answer.
    TransportRetry {
        /// What went wrong.
        kind: ChatErrorKind,
        /// The wait before the retry.
        wait: Duration,
    },
    /// A wait before a request, since the server's rate limit leaves no room for it yet.
    RateLimit {
        /// The wait.
        wait: Duration,
    },
}
