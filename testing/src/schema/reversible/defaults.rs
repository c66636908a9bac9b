//! Missing required properties with a default.

use crate::random::Random;
use crate::schema::instance::Role;
use crate::schema::names::folded;
use crate::schema::work::{Change, Kind, Spot};

pub(super) const KINDS: &[Kind] = &[Kind::new("default-left-out", left_out)];

fn left_out(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let Role::Property { name, required: true, default: Some(default), .. } = &spot.site.role
    else {
        return None;
    };
    // A member with nearly this name would be taken for it.
    let like = spot.siblings().iter().filter(|(key, _)| folded(key) == folded(name)).count();
    (default.same(spot.data) && like == 1).then_some(Change::Removed)
}
