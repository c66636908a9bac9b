//! Judgments about strings.

pub(crate) mod adjacent;
pub(crate) mod backslash;
pub(crate) mod context;
pub(crate) mod doubled;
pub(crate) mod edge;
pub(crate) mod emphasis;
pub(crate) mod end;
pub(crate) mod end_token;
pub(crate) mod repetition;
pub(crate) mod scalars;
pub(crate) mod swallowed;
