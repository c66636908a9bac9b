//! Other forms of arrays.

use crate::data::Data;
use crate::random::Random;
use crate::schema::layout::{self, Layout};
use crate::schema::model::Type;
use crate::schema::work::{Change, Kind, Spot, is_scalar};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("single-item", single_item),
    Kind::new("list-as-text", |spot, r| {
        let data = list(spot)?;
        let layout = *r.one(&[Layout::Compact, Layout::Spaced, Layout::Pretty(2)]);
        Some(Change::Value(Data::Text(layout::text(data, layout, r))))
    }),
    Kind::new("list-as-broken-text", |spot, r| broken_text(list(spot)?, r)),
    Kind::new("list-as-object", as_object),
];

fn list<'s>(spot: &'s Spot<'_>) -> Option<&'s Data> {
    match (spot.of(), spot.data) {
        (Type::List { .. } | Type::Tuple(_), Data::List(_)) => Some(spot.data),
        _ => None,
    }
}

/// Not of lists in lists, where either level may be the one that is missing; and not of a string that
/// reads as several items, or as another spelling of none.
fn single_item(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let (Type::List { item, .. }, Data::List(items)) = (spot.of(), spot.data) else { return None };
    let [only] = items.as_slice() else { return None };
    let is_clear = match only {
        Data::Text(text) => is_one_item(text) && !stands_for_null(spot, text),
        Data::List(_) | Data::Null => false,
        _ => true,
    };
    let is_clear = is_clear && (is_scalar(item) || is_record(spot, item));
    is_clear.then(|| Change::Value(only.clone()))
}

fn is_record(spot: &Spot<'_>, item: &Type) -> bool {
    let found = spot.pair.sites.iter().find(|site| {
        site.positions.len() == spot.site.positions.len() + 1
            && site.positions.starts_with(&spot.site.positions)
    });
    !matches!(item, Type::Free) && found.is_some_and(|site| matches!(*site.of, Type::Record(_)))
}

fn is_one_item(text: &str) -> bool {
    !text.contains([',', ';', '\n', '[', '{', '`'])
}

/// Whether a string is what some write for null, and null is allowed.
pub(super) fn stands_for_null(spot: &Spot<'_>, text: &str) -> bool {
    spot.site.nullable && matches!(text.trim().to_lowercase().as_str(), "" | "null" | "none")
}

/// JSON in a string that is not quite JSON.
pub(super) fn broken_text(data: &Data, r: &mut Random) -> Option<Change> {
    let text = layout::text(data, Layout::Spaced, r);
    let closer = text.chars().last()?;
    let made = if r.chance(50) {
        format!("{},{closer}", text[..text.len() - 1].trim_end())
    } else if text.contains(['\\', '\'']) {
        return None;
    } else {
        text.replace('"', "'")
    };
    let is_empty = matches!(data, Data::List(items) if items.is_empty())
        || matches!(data, Data::Map(members) if members.is_empty());
    (made != text && !is_empty).then_some(Change::Value(Data::Text(made)))
}

fn as_object(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let Data::List(items) = list(spot)? else { return None };
    let is_clear = !items.is_empty()
        && items.iter().all(|item| !matches!(item, Data::Map(_)))
        && match spot.of() {
            Type::List { item, .. } => is_scalar(item),
            _ => true,
        };
    let keyed = items.iter().enumerate().map(|(i, item)| (i.to_string(), item.clone()));
    is_clear.then(|| Change::Value(Data::Map(keyed.collect())))
}
