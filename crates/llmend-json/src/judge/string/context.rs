//! The context of a string for judgments about it.

use crate::parser::{Frame, Spacing};

/// The role of a string in its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Key,
    Value,
}

/// How the value writes its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyStyle {
    /// All quoted so far.
    Quoted,
    /// Some unquoted.
    Bare,
}

/// What a judgment about a string knows besides the text.
pub(crate) struct StringContext<'s> {
    pub(crate) stack: &'s [Frame],
    pub(crate) role: Role,
    pub(crate) spacing: Spacing,
    pub(crate) style: KeyStyle,
    /// Keys that the value may have.
    pub(crate) keys: &'s [String],
}
