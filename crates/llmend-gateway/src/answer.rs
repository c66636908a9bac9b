//! The parts of an answer as plain data.

pub(crate) mod cache;
pub(crate) mod completion;
pub(crate) mod expectation;
pub(crate) mod final_answer;
pub(crate) mod from_text;
pub(crate) mod part;
pub(crate) mod slot;
pub(crate) mod text_parts;
pub(crate) mod usage;
