//! Missing required properties.

use crate::data::Data;
use crate::random::Random;
use crate::schema::instance::Role;
use crate::schema::model::Type;
use crate::schema::names::folded;
use crate::schema::work::{Change, Kind, Spot, is_scalar};

pub(super) const KINDS: &[Kind] =
    &[Kind::new("missing", missing), Kind::new("null-for-a-value", null)];

/// A required property without a default, for which no other member can be taken.
fn missing(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let Role::Property { name, required: true, default: None, .. } = &spot.site.role else {
        return None;
    };
    let like = spot.siblings().iter().filter(|(key, _)| folded(key) == folded(name)).count();
    (like == 1).then_some(Change::Removed)
}

/// Null where a scalar is required: nothing is invented, and an item is not dropped.
fn null(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let is_needed = match &spot.site.role {
        Role::Property { required, default, .. } => *required && default.is_none(),
        Role::Item | Role::Entry => true,
        Role::Root => false,
    };
    let is_free = matches!(spot.of(), Type::Free);
    (is_needed && !is_free && is_scalar(&spot.site.of)).then_some(Change::Value(Data::Null))
}
