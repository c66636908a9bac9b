//! Other spellings of booleans.

use crate::data::Data;
use crate::random::Random;
use crate::schema::model::Type;
use crate::schema::work::{Change, Kind, Spot};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("boolean-as-text", |spot, _| word(spot, ["true", "false"])),
    Kind::new("boolean-as-python", |spot, _| word(spot, ["True", "False"])),
    Kind::new("boolean-as-yes", |spot, r| {
        word(spot, *r.one(&[["yes", "no"], ["Yes", "No"], ["YES", "NO"]]))
    }),
    Kind::new("boolean-as-on", |spot, r| word(spot, *r.one(&[["on", "off"], ["On", "Off"]]))),
    Kind::new("boolean-as-digit-text", |spot, _| alone(spot, || word(spot, ["1", "0"]))),
    Kind::new("boolean-as-digit", digit),
];

fn truth(spot: &Spot<'_>) -> Option<bool> {
    match (spot.of(), spot.data) {
        (Type::Boolean | Type::Constant(_), Data::Bool(truth)) => Some(*truth),
        _ => None,
    }
}

fn word(spot: &Spot<'_>, words: [&str; 2]) -> Option<Change> {
    truth(spot).map(|truth| Change::Value(Data::text(words[usize::from(!truth)])))
}

/// Beside an integer, a digit is no spelling of a boolean.
fn alone(spot: &Spot<'_>, make: impl Fn() -> Option<Change>) -> Option<Change> {
    if spot.is_of_several_types() { None } else { make() }
}

fn digit(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    alone(spot, || truth(spot).map(|truth| Change::Value(Data::number(i32::from(truth)))))
}
