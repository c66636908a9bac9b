//! Outcomes of exchanges.

use serde::{Serialize, Serializer};

use crate::error::Failure;

/// Outcome of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The answer was inspected and delivered unchanged.
    Unchanged,
    /// The answer was repaired and delivered.
    Repaired,
    /// The answer was truncated, and delivered as such.
    Truncated,
    /// The answer was not inspected.
    Passthrough,
    /// The answer could not be repaired, and was refused.
    Refused,
    /// The upstream or the gateway failed before the end of the answer.
    Failed,
    /// The request was invalid.
    Rejected,
    /// The client disconnected before the end of the answer.
    ClientGone,
}

impl Outcome {
    const ALL: [Self; 8] = [
        Self::Unchanged,
        Self::Repaired,
        Self::Truncated,
        Self::Passthrough,
        Self::Refused,
        Self::Failed,
        Self::Rejected,
        Self::ClientGone,
    ];

    /// Returns the name.
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

    /// Returns the outcome with a name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == name)
    }

    /// Whether an inspected answer was delivered.
    pub(crate) const fn is_delivered(self) -> bool {
        matches!(self, Self::Unchanged | Self::Repaired | Self::Truncated)
    }

    /// Returns the outcome of a failure.
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
