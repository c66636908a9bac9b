//! What came of an exchange, in one word?

use serde::{Serialize, Serializer};

use crate::error::Failure;

/// What came of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The answer was looked at, and given as it came.
    Unchanged,
    /// It was repaired, and given.
    Repaired,
    /// It breaks off, and was given and said to break off.
    Truncated,
    /// Nobody looked at it.
    Passthrough,
    /// It could not be repaired.
    Refused,
    /// The upstream, or the gateway, gave none, or not all of it.
    Failed,
    /// The request was none that can be asked.
    Rejected,
    /// The client left before its end.
    ClientGone,
}

impl Outcome {
    /// All of them, the good ones first.
    pub const ALL: [Self; 8] = [
        Self::Unchanged,
        Self::Repaired,
        Self::Truncated,
        Self::Passthrough,
        Self::Refused,
        Self::Failed,
        Self::Rejected,
        Self::ClientGone,
    ];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Repaired => "repaired",
            Self::Truncated => "truncated",
            Self::Passthrough => "passthrough",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::ClientGone => "client-gone",
        }
    }

    /// The one that a word names.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == word)
    }

    /// Whether the client was given an answer that the gateway had looked at.
    pub(crate) const fn is_given(self) -> bool {
        matches!(self, Self::Unchanged | Self::Repaired | Self::Truncated)
    }

    /// What it comes to that there is no answer.
    pub(crate) fn of(failure: &Failure) -> Self {
        match failure.kind {
            "repair_error" => Self::Refused,
            "upstream_error" | "upstream_timeout" | "gateway_error" => Self::Failed,
            _ => Self::Rejected,
        }
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
