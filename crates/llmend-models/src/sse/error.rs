//! Why could a part of a stream not be read?

use std::fmt;

use serde::Serialize;

/// A place in a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The number of the event, from 1.
    pub event: u64,
    /// The byte of the stream at which the event starts, from 0.
    pub offset: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {}, at byte {}", self.event, self.offset)
    }
}

/// A part of the stream could not be read. What came before it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An event is not what the dialect calls one. It gives no delta, and reading goes on behind it.
    #[error("{place}, cannot be read: {detail}")]
    Malformed {
        /// Where it stands.
        place: Place,
        /// What is wrong with it, in words, with the place inside the event where it is known.
        detail: String,
    },
    /// An event is larger than the limit. Reading ends there.
    #[error("{place}, is larger than {limit} bytes")]
    TooLarge {
        /// Where it stands.
        place: Place,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The stream ended inside an event, or before the provider said that the answer is complete. It is
    /// the last that a stream gives.
    #[error("the stream ended before the answer did, at {place}")]
    UnexpectedEnd {
        /// The event in which it ended, or the one that was still to come.
        place: Place,
    },
    /// The stream ended and held no event at all: it was empty, or no stream.
    #[error("the stream held no event; it starts with {preview:?}")]
    NoEvent {
        /// How it starts: at most 100 characters.
        preview: String,
    },
}

impl Error {
    /// The stable code, as reports and outside tools see it.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => "stream/malformed",
            Self::TooLarge { .. } => "stream/too-large",
            Self::UnexpectedEnd { .. } => "stream/unexpected-end",
            Self::NoEvent { .. } => "stream/no-event",
        }
    }

    /// Where it happened, if it has a place.
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
