//! Unquoted strings that read as numbers or booleans.

use crate::data::Data;
use crate::random::Random;
use crate::schema::model::Type;
use crate::schema::work::{Change, Kind, Spot};

pub(super) const KINDS: &[Kind] =
    &[Kind::new("number-for-string", number), Kind::new("boolean-for-string", boolean)];

fn string<'s>(spot: &'s Spot<'_>) -> Option<&'s str> {
    match spot.of() {
        Type::Text(_) | Type::Word(_) | Type::Constant(_) => spot.data.as_text(),
        _ => None,
    }
}

fn number(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let text = string(spot)?;
    let value = Data::read(text).ok()?;
    (value == Data::number(text)).then_some(Change::Value(value))
}

fn boolean(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    match string(spot)? {
        "true" => Some(Change::Value(Data::Bool(true))),
        "false" => Some(Change::Value(Data::Bool(false))),
        _ => None,
    }
}
