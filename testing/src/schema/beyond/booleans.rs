//! Texts that are neither true nor false.

use crate::data::Data;
use crate::schema::model::Type;
use crate::schema::work::{Change, Kind, Spot};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("perhaps", |spot, r| {
        let texts = [
            "untrue",
            "It is not true",
            "maybe",
            "true or false",
            "not yes",
            "2",
            "partly",
            "yes and no",
            "truefalse",
        ];
        is_boolean(spot).then(|| Change::Value(Data::text(*r.one(&texts))))
    }),
    Kind::new("number-for-a-boolean", |spot, r| {
        let number = *r.one(&["2", "-1", "0.5", "10"]);
        is_boolean(spot).then(|| Change::Value(Data::number(number)))
    }),
];

fn is_boolean(spot: &Spot<'_>) -> bool {
    matches!(spot.of(), Type::Boolean) && !spot.is_of_several_types()
}
