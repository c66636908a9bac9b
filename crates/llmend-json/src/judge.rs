//! What did the writer mean, where the grammar alone cannot tell?
//!
//! Each judgement is a pure function in a file of its own, with a table of rows as its test. It
//! looks at the window and the open containers, within a budget of bytes, and records nothing.

pub(crate) mod backslash;
pub(crate) mod bare;
pub(crate) mod closer;
pub(crate) mod early;
pub(crate) mod ellipsis;
pub(crate) mod emphasis;
pub(crate) mod expression;
pub(crate) mod fence;
pub(crate) mod first_mark;
pub(crate) mod follow;
pub(crate) mod key;
pub(crate) mod layout;
pub(crate) mod parenthesis;
pub(crate) mod repetition;
pub(crate) mod scene;
pub(crate) mod set;
pub(crate) mod stray;
pub(crate) mod stray_key;
pub(crate) mod string_end;
pub(crate) mod word;
