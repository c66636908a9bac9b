//! Errors of decoding a stream.

use std::fmt;

use serde::Serialize;

/// A position in a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The number of the event, from 1.
    pub event: u64,
    /// The byte offset of the start of the event, from 0.
    pub offset: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {} at byte {}", self.event, self.offset)
    }
}

/// An error of decoding a stream. Everything before it remains valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An event does not conform to the dialect. It gives no delta, and decoding continues after
    /// it.
    #[error("malformed {place}: {detail}")]
    Malformed {
        /// The position.
        place: Place,
        /// What is wrong, with the position inside the event if known.
        detail: String,
    },
    /// An event exceeds the limit. Decoding ends.
    #[error("{place} exceeds {limit} bytes")]
    TooLarge {
        /// The position.
        place: Place,
        /// The limit in bytes.
        limit: usize,
    },
    /// The stream ended inside an event, or before the provider marked the answer as complete.
    /// Nothing follows.
    #[error("the stream ended before the answer was complete ({place})")]
    UnexpectedEnd {
        /// The position of the event in which it ended, or of the missing one.
        place: Place,
    },
    /// The stream ended without any event: it was empty, or not a stream.
    #[error("no event in the stream (starts with {preview:?})")]
    NoEvent {
        /// The start of the text: at most 100 characters.
        preview: String,
    },
}

impl Error {
    /// Returns the stable code, as reports and outside tools see it.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => "stream/malformed",
            Self::TooLarge { .. } => "stream/too-large",
            Self::UnexpectedEnd { .. } => "stream/unexpected-end",
            Self::NoEvent { .. } => "stream/no-event",
        }
    }

    /// Returns the position, if any.
    #[must_use]
    pub const fn place(&self) -> Option<Place> {
        match self {
            Self::Malformed { place, .. }
            | Self::TooLarge { place, .. }
            | Self::UnexpectedEnd { place } => Some(*place),
            Self::NoEvent { .. } => None,
        }
    }
}
