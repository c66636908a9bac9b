//! The parts of an answer as plain data.

pub(crate) mod slot;
pub(crate) mod text_parts;
pub(crate) mod usage;
