//! The grammars: one family of notations per file.

pub(crate) mod attributes;
pub(crate) mod body;
pub(crate) mod channel;
mod elements;
pub(crate) mod envelope;
mod escape;
pub(crate) mod frame;
pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod literal;
pub(crate) mod named;
pub(crate) mod pairs;
pub(crate) mod parameters;
pub(crate) mod pythonic;
pub(crate) mod slot;
pub(crate) mod text;
pub(crate) mod typed;
pub(crate) mod value_end;
