//! Judgments about unquoted words.

pub(crate) mod annotation;
pub(crate) mod bare;
pub(crate) mod ellipsis;
pub(crate) mod expression;
pub(crate) mod interjection;
pub(crate) mod replacement;
pub(crate) mod stray;
pub(crate) mod word;
