//! Other notations of numbers.

use crate::data::Data;
use crate::random::Random;
use crate::schema::model::Type;
use crate::schema::work::{Change, Kind, Spot};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("number-as-text", |spot, _| text(spot, str::to_owned)),
    Kind::new("number-padded", |spot, r| {
        let pad = r.pick(&[" ", "  ", "\t", "\n"]).to_owned();
        text(spot, |number| format!("{pad}{number}{pad}"))
    }),
    Kind::new("number-emphasized", |spot, _| text(spot, |number| format!("**{number}**"))),
    Kind::new("number-grouped", grouped),
    Kind::new("integer-with-fraction-as-text", |spot, _| {
        integer(spot).map(|number| Change::Value(Data::text(format!("{number}.0"))))
    }),
    // Draft 4 alone tells the two apart.
    Kind::new("integer-with-fraction", |spot, _| {
        integer(spot).map(|number| Change::Value(Data::number(format!("{number}.0"))))
    }),
];

fn number<'s>(spot: &'s Spot<'_>) -> Option<&'s str> {
    match (spot.of(), spot.data) {
        (
            Type::Integer { .. } | Type::Number { .. } | Type::Level(_) | Type::Constant(_),
            Data::Number(text),
        ) => Some(text),
        _ => None,
    }
}

fn text(spot: &Spot<'_>, spell: impl Fn(&str) -> String) -> Option<Change> {
    number(spot).map(|number| Change::Value(Data::Text(spell(number))))
}

/// A number that is written without a fraction, of moderate size.
fn integer<'s>(spot: &'s Spot<'_>) -> Option<&'s str> {
    let is_integer = matches!(spot.of(), Type::Integer { .. });
    number(spot).filter(|text| is_integer && text.len() < 10)
}

fn grouped(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let (sign, digits) = match number(spot)? {
        text if text.contains(['.', 'e', 'E']) => return None,
        text => text.strip_prefix('-').map_or(("", text), |digits| ("-", digits)),
    };
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out.contains(',').then(|| Change::Value(Data::Text(format!("{sign}{out}"))))
}
