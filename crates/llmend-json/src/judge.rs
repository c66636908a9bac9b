//! What did the writer mean, where the grammar alone cannot tell?
//!
//! Each judgement is a pure function in a file of its own, with a table of rows as its test. It
//! looks at the window and the open containers, within a budget of bytes, and records nothing.

pub(crate) mod bracket;
pub(crate) mod continuation;
pub(crate) mod fence;
pub(crate) mod key;
pub(crate) mod string;
pub(crate) mod words;
