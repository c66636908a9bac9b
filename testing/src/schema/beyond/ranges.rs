//! Values of the right type that are out of bounds.

use crate::data::Data;
use crate::random::Random;
use crate::schema::model::{Form, Text, Type};
use crate::schema::work::{Change, Kind, Spot};
use crate::words;

pub(super) const KINDS: &[Kind] = &[
    Kind::new("too-large", |spot, r| match spot.of() {
        Type::Integer { high: Some(high), .. } | Type::Number { high: Some(high), .. } => {
            number(high + 1 + i64::try_from(r.below(500)).unwrap_or(0))
        }
        _ => None,
    }),
    Kind::new("too-small", |spot, r| match spot.of() {
        Type::Integer { low: Some(low), .. } | Type::Number { low: Some(low), .. } => {
            number(low - 1 - i64::try_from(r.below(500)).unwrap_or(0))
        }
        _ => None,
    }),
    Kind::new("too-large-as-text", |spot, _| match spot.of() {
        Type::Integer { high: Some(high), .. } => {
            Some(Change::Value(Data::Text((high + 7).to_string())))
        }
        _ => None,
    }),
    Kind::new("off-step", |spot, _| match (spot.of(), spot.data) {
        (Type::Integer { step: Some(_), .. }, Data::Number(text)) => {
            number(text.parse::<i64>().ok()?.checked_add(1)?)
        }
        _ => None,
    }),
    Kind::new("too-long", |spot, r| match spot.of() {
        Type::Text(Text { high: Some(high), .. }) => {
            let mut text = String::new();
            while text.chars().count() <= *high {
                text.push_str(&words::sentence(r));
                text.push(' ');
            }
            Some(Change::Value(Data::text(text.trim_end())))
        }
        _ => None,
    }),
    Kind::new("too-short", |spot, _| match spot.of() {
        Type::Text(Text { low: Some(low), .. }) if *low > 1 => Some(Change::Value(Data::text("q"))),
        _ => None,
    }),
    Kind::new("too-many-items", too_many),
    Kind::new("too-few-items", too_few),
    Kind::new("the-same-item-twice", twice),
    Kind::new("not-of-the-form", form),
    Kind::new("date-that-may-be-two", |spot, r| match spot.of() {
        Type::Text(Text { form: Some(Form::Date), .. }) => {
            let (first, second) = (r.between(1, 6), r.between(7, 12));
            Some(Change::Value(Data::Text(format!("{first:02}/{second:02}/2024"))))
        }
        _ => None,
    }),
];

#[allow(clippy::unnecessary_wraps, reason = "it ends an arm of those that may find no place")]
fn number(number: i64) -> Option<Change> {
    Some(Change::Value(Data::number(number)))
}

fn too_many(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let (Type::List { high: Some(high), unique: false, .. }, Data::List(items)) =
        (spot.of(), spot.data)
    else {
        return None;
    };
    let last = items.last()?;
    let mut items = items.clone();
    items.resize(high + 1, last.clone());
    Some(Change::Value(Data::List(items)))
}

fn too_few(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let (Type::List { low, .. }, Data::List(items)) = (spot.of(), spot.data) else { return None };
    let left = low.checked_sub(1)?;
    Some(Change::Value(Data::List(items.iter().take(left).cloned().collect())))
}

fn twice(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let (Type::List { high, unique: true, .. }, Data::List(items)) = (spot.of(), spot.data) else {
        return None;
    };
    let mut items = items.clone();
    items.push(items.first()?.clone());
    (items.len() <= high.unwrap_or(usize::MAX)).then_some(Change::Value(Data::List(items)))
}

fn form(spot: &Spot<'_>, r: &mut Random) -> Option<Change> {
    let Type::Text(Text { form: Some(form), .. }) = spot.of() else { return None };
    let wrong: &[&str] = match form {
        Form::Date => &["next Tuesday", "2024-13-45", "2024-02-30", "soon", "14th"],
        Form::DateTime => &["yesterday at noon", "2024-03-14T25:61:00Z", "half past two"],
        Form::Uuid => &["123", "zzzzzzzz-0000-4000-a000-000000000000", "the first one"],
        Form::Uri => &["not a link", "see above", "example org"],
        Form::Email => &["someone at example", "@", "ask Lena"],
        Form::Code => &["harbour", "A-12", "AB-12345", "ab12"],
    };
    Some(Change::Value(Data::text(*r.one(wrong))))
}
