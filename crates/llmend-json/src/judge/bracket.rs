//! What does a bracket mean that does not fit, or that is missing?

pub(crate) mod closer;
pub(crate) mod early;
pub(crate) mod layout;
pub(crate) mod parenthesis;
