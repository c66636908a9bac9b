//! What does a judgement about a string have to know besides the text?

use crate::parser::{Frame, Spacing};

/// What the string is to its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Key,
    Value,
}

/// How the value writes its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyStyle {
    /// In quotes, all so far.
    Quoted,
    /// Some without quotes.
    Bare,
}

/// What the judgement is told besides the text.
pub(crate) struct StringContext<'s> {
    pub(crate) stack: &'s [Frame],
    pub(crate) role: Role,
    pub(crate) spacing: Spacing,
    pub(crate) style: KeyStyle,
    /// Keys that the value may have.
    pub(crate) keys: &'s [String],
}
