//! Answers that must not be coerced: the intended value is missing or ambiguous. One module per
//! group.

mod booleans;
mod keys;
mod missing;
mod numbers;
mod ranges;
mod structure;
mod words;

use super::instance::{Role, pointer};
use super::names::folded;
use super::work::{Damage, Kind, Plan, find};
use super::{Case, Pair, layout, pair, reversible};
use crate::data::Data;
use crate::random::Random;
use crate::schema::layout::Layout;

const GROUPS: &[&[Kind]] = &[
    missing::KINDS,
    ranges::KINDS,
    numbers::KINDS,
    booleans::KINDS,
    words::KINDS,
    structure::KINDS,
    keys::KINDS,
];

/// Every kind, in order.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    GROUPS.iter().copied().flatten()
}

/// Instances that may have no place for a kind before the generator gives up.
const TRIES: usize = 400;

/// Case number `index` of answers beyond repair. The kinds take turns; in some answers there is one slip
/// beside that could be taken back.
///
/// # Panics
/// When no instance has a place for the kind.
#[must_use]
pub fn case(seed: u64, index: usize) -> Case {
    let mut r = Random::for_case(seed ^ 0xbad, index);
    let all: Vec<&Kind> = kinds().collect();
    let kind = all[index % all.len()];
    for _ in 0..TRIES {
        let pair = pair(&mut r, |pair, r| pair.has_place(kind, r));
        let Some(plan) = pair.plan(kind, &mut r) else { continue };
        let mut plans = vec![plan];
        if r.chance(25) {
            let slips: Vec<&Kind> = reversible::kinds().collect();
            let slip = pair.plan(slips[r.below(slips.len())], &mut r);
            plans.extend(slip.filter(|slip| is_elsewhere(&plans[0], slip)));
        }
        let harm = plans[0].clone();
        if let Some(damaged) = pair.all_done(&mut plans) {
            return finish(pair, &harm, &damaged, format!("schema-beyond-{seed}-{index}"), &mut r);
        }
    }
    panic!("no instance has a place for {}", kind.name);
}

/// Whether the slip is a scalar's, and not around, within or beside the harm.
fn is_elsewhere(harm: &Plan<'_>, slip: &Plan<'_>) -> bool {
    let (a, b) = (&harm.site.positions, &slip.site.positions);
    let parent = &a[..a.len().saturating_sub(1)];
    let is_beside = b.starts_with(parent) && b.len() == a.len();
    let moves_members = ["key", "default"].iter().any(|kind| slip.kind.name.starts_with(kind));
    let touches = is_beside || moves_members || a.starts_with(b) || b.starts_with(a);
    super::work::is_scalar(&slip.site.of) && !touches
}

fn finish(pair: Pair, harm: &Plan<'_>, damaged: &Data, id: String, r: &mut Random) -> Case {
    let layout = Layout::any(r);
    Case {
        id,
        schema: pair.schema,
        text: layout::text(damaged, layout, r),
        instance: pair.instance,
        damages: vec![damage(harm, damaged)],
    }
}

/// A member that is missing is reported at its object; one that is too much, or that says what another one
/// says, at its own key or at the object; what a union does not take, at the union; a tag that is none, at
/// the object that it tells apart.
fn damage(harm: &Plan<'_>, damaged: &Data) -> Damage {
    let path = harm.site.path.clone();
    let mut also: Vec<String> = harm.site.union.iter().cloned().collect();
    let holds = |group: &[Kind]| group.iter().any(|kind| kind.name == harm.kind.name);
    let of_object =
        holds(missing::KINDS) || holds(keys::KINDS) || harm.kind.name == "constant-of-nothing";
    if let (Role::Property { name, .. }, Some((_, above)), true) =
        (&harm.site.role, harm.site.positions.split_last(), of_object)
    {
        let parent = path.rfind('/').map_or("", |at| &path[..at]);
        if let Some(Data::Map(members)) = find(damaged, above) {
            let is_meant = |key: &str| key == keys::STRANGER || folded(key) == folded(name);
            let keys = members.iter().map(|(key, _)| key).filter(|key| is_meant(key));
            also.extend(keys.map(|key| pointer(parent, key)));
        }
        also.push(parent.to_owned());
    }
    Damage { kind: harm.kind.name, path, also }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_finds_a_place_and_does_damage() {
        for index in 0..kinds().count() * 4 {
            let case = case(6, index);
            let oracle = crate::schema::oracle::Oracle::new(&case.schema).expect("a schema");
            assert!(!oracle.accepts(&case.text), "{}", case.text);
        }
    }
}
