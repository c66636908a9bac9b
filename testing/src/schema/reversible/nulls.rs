//! Other spellings of null.

use crate::data::Data;
use crate::schema::model::Type;
use crate::schema::names::folded;
use crate::schema::work::{Change, Kind, Spot, is_scalar};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("null-as-text", |spot, _| word(spot, "null")),
    Kind::new("null-as-python", |spot, _| word(spot, "None")),
    // Of a list or an object, the empty string may be an item or a property.
    Kind::new(
        "null-as-empty",
        |spot, _| {
            if is_scalar(&spot.site.of) { word(spot, "") } else { None }
        },
    ),
];

fn word(spot: &Spot<'_>, word: &str) -> Option<Change> {
    let is_null = spot.site.nullable && *spot.data == Data::Null;
    let is_also_a_word = match spot.of() {
        Type::Word(words) => words.iter().any(|known| folded(&known.text) == folded(word)),
        _ => false,
    };
    (is_null && !is_also_a_word).then(|| Change::Value(Data::text(word)))
}
