//! What are words that stand without quotes, and where do they end?

pub(crate) mod bare;
pub(crate) mod ellipsis;
pub(crate) mod expression;
pub(crate) mod stray;
pub(crate) mod word;
