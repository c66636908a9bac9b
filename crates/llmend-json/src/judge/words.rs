//! Judgments about unquoted words.

pub(crate) mod annotation;
pub(crate) mod bare;
pub(crate) mod bullet;
pub(crate) mod citation;
pub(crate) mod constructor;
pub(crate) mod conversion;
pub(crate) mod correction;
pub(crate) mod date;
pub(crate) mod decimal;
pub(crate) mod ellipsis;
pub(crate) mod emphasis;
pub(crate) mod expression;
pub(crate) mod function;
pub(crate) mod hash;
pub(crate) mod interjection;
pub(crate) mod notice;
pub(crate) mod omission;
pub(crate) mod phrases;
pub(crate) mod remark;
pub(crate) mod replacement;
pub(crate) mod stray;
pub(crate) mod struck;
pub(crate) mod tag;
pub(crate) mod word;
