//! Values that do not identify a number.

use crate::data::Data;
use crate::random::Random;
use crate::schema::model::Type;
use crate::schema::work::{Change, Kind, Spot};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("amount-with-a-unit", |spot, r| {
        text(spot, r, &["12 apples", "50%", "$1.50", "3 to 5", "about 40", "12km"])
    }),
    Kind::new("arithmetic", |spot, r| {
        text(spot, r, &["100 * 2", "1/2", "100 * price", "2 + 2", "count + 1", "=A1*2"])
    }),
    Kind::new("arithmetic-in-an-object", |spot, _| {
        let member = ("expression".to_owned(), Data::text("100 * price"));
        number(spot).then(|| Change::Value(Data::Map(vec![member])))
    }),
    Kind::new("comma-that-may-be-a-point", |spot, r| text(spot, r, &["3,14", "0,5", "1,23,4"])),
    Kind::new("word-for-a-number", |spot, r| {
        text(spot, r, &["several", "many", "unknown", "NaN", "a dozen", "1.2.3", "--", "12-15"])
    }),
    Kind::new("fraction-for-an-integer", |spot, r| {
        let is_whole = matches!(spot.of(), Type::Integer { .. } | Type::Level(_));
        (is_whole && !spot.is_of_several_types()).then(|| match r.below(3) {
            0 => Change::Value(Data::text("3.7")),
            _ => Change::Value(Data::number(*r.one(&["3.7", "0.5", "2.0001"]))),
        })
    }),
    Kind::new("boolean-for-a-number", |spot, r| {
        let is_clear = number(spot) && !spot.is_of_several_types();
        is_clear.then(|| Change::Value(Data::Bool(r.chance(50))))
    }),
    Kind::new("number-that-is-none-of-them", |spot, _| {
        matches!(spot.of(), Type::Level(_)).then(|| Change::Value(Data::number(4)))
    }),
];

fn number(spot: &Spot<'_>) -> bool {
    // An integer beside a boolean is another matter.
    matches!(spot.of(), Type::Integer { .. } | Type::Number { .. } | Type::Level(_))
}

fn text(spot: &Spot<'_>, r: &mut Random, texts: &[&str]) -> Option<Change> {
    number(spot).then(|| Change::Value(Data::text(*r.one(texts))))
}
