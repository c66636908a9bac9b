//! How far a stream has come, and what of it is held back.

/// How far a stream has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The answer is arriving.
    Open,
    /// The answer is complete and waits to be evaluated.
    Complete,
    /// The answer was sent. What follows passes, unless it would add to the answer.
    Delivered,
    /// Nothing more is sent.
    Ended,
}

/// What is held back so that another answer can take the place of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Nothing, or something was sent.
    Nothing,
    /// The head of the answer, until the model says something.
    Head,
    /// Everything, until the answer is evaluated.
    Answer,
}
