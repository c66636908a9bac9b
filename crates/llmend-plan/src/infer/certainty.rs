//! Certainty of the loop structure.

/// How certain the loop structure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// There is only one reading.
    Sure,
    /// The start of the flow was guessed, so that a loop may have the wrong head.
    Start,
    /// A loop can be entered past its head.
    Irregular,
}

impl Certainty {
    /// Returns what is uncertain, as the end of a message.
    pub(crate) const fn doubt(self) -> &'static str {
        match self {
            Self::Sure => "the structure does not decide",
            Self::Start => "the start of the flow is unknown",
            Self::Irregular => "another path enters the loop past its head",
        }
    }
}
