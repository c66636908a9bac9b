//! Values of an entirely different shape.

use crate::data::Data;
use crate::schema::model::{Record, Type};
use crate::schema::work::{Change, Kind, Spot, is_scalar};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("object-for-a-scalar", |spot, _| {
        (is_scalar(&spot.site.of)).then(|| Change::Value(strange_object()))
    }),
    Kind::new("list-for-a-scalar", |spot, r| {
        let items =
            if r.chance(50) { ["5", "6"].map(Data::number) } else { ["qa", "qb"].map(Data::text) };
        (is_scalar(&spot.site.of)).then(|| Change::Value(Data::List(items.to_vec())))
    }),
    Kind::new("prose-for-an-object", |spot, r| {
        let texts = ["See above.", "n/a", "The same as before: nothing to add.", "{unknown}"];
        wide(spot).map(|_| Change::Value(Data::text(*r.one(&texts))))
    }),
    Kind::new("number-for-an-object", |spot, _| {
        wide(spot).map(|_| Change::Value(Data::number(17)))
    }),
    Kind::new("positions-for-an-object", |spot, _| {
        let Data::Map(members) = spot.data else { return None };
        wide(spot).filter(|_| members.len() > 1).map(|_| {
            Change::Value(Data::List(members.iter().map(|(_, value)| value.clone()).collect()))
        })
    }),
    Kind::new("two-objects-for-one", |spot, _| {
        wide(spot).map(|_| Change::Value(Data::List(vec![spot.data.clone(), spot.data.clone()])))
    }),
    Kind::new("object-for-a-list", |spot, _| list(spot).map(|_| Change::Value(strange_object()))),
    Kind::new("commas-for-a-list", |spot, r| {
        let texts = ["1,2,3", "1, 2, 3", "1 2 3", "from 1 to 3", "1;2;3"];
        list(spot).map(|_| Change::Value(Data::text(*r.one(&texts))))
    }),
];

fn strange_object() -> Data {
    Data::Map(vec![
        ("zzyzx".to_owned(), Data::number(5)),
        ("qwop".to_owned(), Data::text("vorpal")),
    ])
}

/// A record with two properties at least that are required, so that one value is not enough.
fn wide<'s>(spot: &'s Spot<'_>) -> Option<&'s Record> {
    match (spot.of(), spot.data) {
        (Type::Record(record), Data::Map(_)) => {
            let required = record
                .properties
                .iter()
                .filter(|property| property.required && property.default.is_none());
            (required.count() > 1).then_some(record)
        }
        _ => None,
    }
}

/// A list of numbers or booleans.
fn list<'s>(spot: &'s Spot<'_>) -> Option<&'s Data> {
    match spot.of() {
        Type::List { item, .. } => matches!(
            **item,
            Type::Integer { .. } | Type::Number { .. } | Type::Boolean | Type::Level(_)
        )
        .then_some(spot.data),
        _ => None,
    }
}
