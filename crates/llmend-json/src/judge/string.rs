//! What is in a string, and where does it end?

pub(crate) mod backslash;
pub(crate) mod emphasis;
pub(crate) mod end;
pub(crate) mod repetition;
pub(crate) mod scene;
