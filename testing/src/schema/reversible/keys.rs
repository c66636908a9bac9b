//! Other spellings of keys.

use super::words::{distance, slip};
use crate::random::Random;
use crate::schema::names::{self, Style, folded};
use crate::schema::work::{Change, Kind, Spot};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("key-in-another-style", |spot, r| {
        let style = *r.one(&Style::ALL);
        spelled(spot, |key| style.join(&names::parts(key)))
    }),
    Kind::new("key-in-capitals", |spot, _| spelled(spot, str::to_uppercase)),
    Kind::new("key-without-accents", |spot, _| spelled(spot, names::without_accents)),
    Kind::new("key-padded", |spot, _| spelled(spot, |key| format!(" {key} "))),
    Kind::new("key-with-a-slip", with_a_slip),
];

/// Another spelling that is the same but for what folding takes away, where no other key is.
fn spelled(spot: &Spot<'_>, spell: impl Fn(&str) -> String) -> Option<Change> {
    let (name, ..) = spot.property()?;
    let made = spell(name);
    let like = spot.siblings().iter().filter(|(key, _)| folded(key) == folded(name)).count();
    (made != name && folded(&made) == folded(name) && like == 1).then_some(Change::Key(made))
}

/// One slip, where no other key is allowed and none is like it.
fn with_a_slip(spot: &Spot<'_>, r: &mut Random) -> Option<Change> {
    let (name, _, record) = spot.property()?;
    let made = slip(name, r)?;
    let others = record.properties.iter().filter(|property| property.name != name);
    let is_clear = record.is_closed() && !record.split && { others }
        .all(|other| distance(&folded(&other.name), &folded(&made)) > 3);
    is_clear.then_some(Change::Key(made))
}
