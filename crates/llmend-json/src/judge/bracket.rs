//! Judgments about mismatched and missing brackets.

pub(crate) mod closer;
pub(crate) mod early;
pub(crate) mod indented;
pub(crate) mod item;
pub(crate) mod layout;
pub(crate) mod outer;
pub(crate) mod parenthesis;
pub(crate) mod record;
pub(crate) mod row;
pub(crate) mod unopened;
