//! Ambiguous and meaningless keys.

use crate::data::Data;
use crate::random::Random;
use crate::schema::names::{self, Style, folded};
use crate::schema::work::{Change, Kind, Spot, is_scalar};

/// A key that is like no other.
pub(super) const STRANGER: &str = "zzyzx_qwop";

pub(super) const KINDS: &[Kind] = &[
    Kind::new("two-keys-for-a-property", two_keys),
    Kind::new("two-spellings-of-a-key", two_spellings),
    Kind::new("strange-key", |spot, _| {
        let (name, _, record) = spot.property()?;
        let stranger = (STRANGER.to_owned(), Data::text("vorpal"));
        record.is_closed().then(|| Change::Twice(name.to_owned(), stranger))
    }),
];

/// Another value of the same type.
fn other(data: &Data) -> Option<Data> {
    Some(match data {
        Data::Bool(truth) => Data::Bool(!truth),
        Data::Number(_) => Data::number(if data.same(&Data::number(3)) { 4 } else { 3 }),
        Data::Text(text) => Data::Text(format!("{text} too")),
        _ => return None,
    })
}

fn spellings(spot: &Spot<'_>) -> Option<Vec<String>> {
    let (name, ..) = spot.property()?;
    let like = spot.siblings().iter().filter(|(key, _)| folded(key) == folded(name)).count();
    let mut all: Vec<String> =
        Style::ALL.iter().map(|style| style.join(&names::parts(name))).collect();
    all.retain(|spelling| spelling != name && folded(spelling) == folded(name));
    all.sort_unstable();
    all.dedup();
    (is_scalar(&spot.site.of) && like == 1).then_some(all)
}

/// The right key, and another spelling of it with another value.
fn two_keys(spot: &Spot<'_>, r: &mut Random) -> Option<Change> {
    let (name, _, record) = spot.property()?;
    let spellings = spellings(spot)?;
    let spelling = spellings.get(r.below(spellings.len()))?;
    let second = (spelling.clone(), other(spot.data)?);
    record.is_closed().then(|| Change::Twice(name.to_owned(), second))
}

/// Two other spellings with two values, where the right key is required.
fn two_spellings(spot: &Spot<'_>, r: &mut Random) -> Option<Change> {
    let (_, required, _) = spot.property()?;
    let spellings = spellings(spot)?;
    let at = r.below(spellings.len());
    let first = spellings.get(at)?;
    let second = spellings.get((at + 1) % spellings.len()).filter(|second| *second != first)?;
    let second = (second.clone(), other(spot.data)?);
    required.then(|| Change::Twice(first.clone(), second))
}
