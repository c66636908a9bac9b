//! Other forms of objects.

use super::lists::{broken_text, stands_for_null};
use super::words::distance;
use crate::data::Data;
use crate::random::Random;
use crate::schema::layout::{self, Layout};
use crate::schema::model::{Record, Type};
use crate::schema::names::folded;
use crate::schema::work::{Change, Kind, Spot, is_scalar};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("object-as-text", |spot, r| {
        let data = object(spot)?;
        let layout = *r.one(&[Layout::Compact, Layout::Spaced, Layout::Pretty(2)]);
        Some(Change::Value(Data::Text(layout::text(data, layout, r))))
    }),
    Kind::new("object-as-broken-text", |spot, r| broken_text(object(spot)?, r)),
    Kind::new("object-in-a-list", |spot, _| {
        let (record, data) = record(spot)?;
        can_be_put_in(record).then(|| Change::Value(Data::List(vec![data.clone()])))
    }),
    Kind::new("object-in-a-wrapper", wrapped),
    Kind::new("property-alone", alone),
];

fn object<'s>(spot: &'s Spot<'_>) -> Option<&'s Data> {
    match (spot.of(), spot.data) {
        (Type::Record(_) | Type::Map { .. }, Data::Map(_)) => Some(spot.data),
        _ => None,
    }
}

fn record<'s>(spot: &'s Spot<'_>) -> Option<(&'s Record, &'s Data)> {
    match (spot.of(), spot.data) {
        (Type::Record(record), Data::Map(_)) => Some((record, spot.data)),
        _ => None,
    }
}

/// An object with one property might as well be what is missing around that property's value.
fn can_be_put_in(record: &Record) -> bool {
    match record.properties.as_slice() {
        [only] => is_scalar(&only.value),
        _ => true,
    }
}

fn wrapped(spot: &Spot<'_>, r: &mut Random) -> Option<Change> {
    const NAMES: &[&str] =
        &["result", "data", "response", "output", "plan", "answer", "properties", "json"];
    let (record, data) = record(spot)?;
    let name = *r.one(NAMES);
    let is_clear = record.properties.iter().all(|property| {
        let property = folded(&property.name);
        distance(&property, name) > 3 && !property.contains(name)
    });
    (is_clear && can_be_put_in(record))
        .then(|| Change::Value(Data::Map(vec![(name.to_owned(), data.clone())])))
}

/// The value of the only property, where it cannot be taken for an object or for none.
fn alone(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let (record, Data::Map(members)) = record(spot)? else { return None };
    let ([property], [(key, value)]) = (record.properties.as_slice(), members.as_slice()) else {
        return None;
    };
    let is_clear = *key == property.name
        && property.required
        && match value {
            Data::Text(text) => !text.contains(['{', '[', '`']) && !stands_for_null(spot, text),
            Data::List(items) => !items.iter().any(|item| matches!(item, Data::Map(_))),
            Data::Map(_) | Data::Null => false,
            _ => true,
        };
    is_clear.then(|| Change::Value(value.clone()))
}
