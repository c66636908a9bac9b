//! Judgments about text whose meaning the grammar alone does not determine.
//!
//! Each judgment is a pure function in a file of its own, tested by a table. It reads the window
//! and the open containers within a budget of bytes, and records nothing.

pub(crate) mod bracket;
pub(crate) mod continuation;
pub(crate) mod fence;
pub(crate) mod key;
pub(crate) mod string;
pub(crate) mod words;
pub(crate) mod yaml;
