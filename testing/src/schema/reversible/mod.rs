//! Damage that coercion must fix: other spellings of a value that no careful reader would
//! misunderstand. One module per group.

mod booleans;
mod dates;
mod defaults;
mod keys;
mod lists;
mod nulls;
mod numbers;
mod objects;
mod strings;
mod words;

use super::work::{Damage, Kind, Plan};
use super::{Case, Pair, layout, pair};
use crate::data::Data;
use crate::random::Random;
use crate::schema::layout::Layout;

const GROUPS: &[&[Kind]] = &[
    numbers::KINDS,
    booleans::KINDS,
    strings::KINDS,
    nulls::KINDS,
    words::KINDS,
    lists::KINDS,
    objects::KINDS,
    keys::KINDS,
    defaults::KINDS,
    dates::KINDS,
];

/// Every kind, in order.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    GROUPS.iter().copied().flatten()
}

/// Instances that may have no place for a kind before the generator gives up.
const TRIES: usize = 400;

/// Case number `index` of damaged answers. The kinds take turns; with the first come up to two others.
///
/// # Panics
/// When no instance has a place for the kind.
#[must_use]
pub fn case(seed: u64, index: usize) -> Case {
    let mut r = Random::for_case(seed ^ 0x0dd5, index);
    let all: Vec<&Kind> = kinds().collect();
    let first = all[index % all.len()];
    let id = format!("schema-reversible-{seed}-{index}");
    for _ in 0..TRIES {
        let more = match r.below(10) {
            0..5 => 0,
            5..8 => 1,
            _ => 2,
        };
        let pair = pair(&mut r, |pair, r| pair.has_place(first, r));
        let Some(plan) = pair.plan(first, &mut r) else { continue };
        let mut plans = vec![plan];
        for _ in 0..more {
            let kind = all[r.below(all.len())];
            let other = pair.plan(kind, &mut r);
            plans.extend(other.filter(|other| plans.iter().all(|plan| is_apart(plan, other))));
        }
        if let Some(damaged) = pair.all_done(&mut plans) {
            return finish(pair, &plans, &damaged, id, &mut r);
        }
    }
    panic!("no instance has a place for {}", first.name);
}

/// Whether two damages have different places.
fn is_apart(a: &Plan<'_>, b: &Plan<'_>) -> bool {
    a.site.positions != b.site.positions
}

fn finish(pair: Pair, plans: &[Plan<'_>], damaged: &Data, id: String, r: &mut Random) -> Case {
    let layout = Layout::any(r);
    let damage = |plan: &Plan<'_>| Damage {
        kind: plan.kind.name,
        path: plan.site.path.clone(),
        also: Vec::new(),
    };
    Case {
        id,
        schema: pair.schema,
        text: layout::text(damaged, layout, r),
        instance: pair.instance,
        damages: plans.iter().map(damage).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_finds_a_place_and_does_damage() {
        for index in 0..kinds().count() * 4 {
            let case = case(5, index);
            assert!(!case.damages.is_empty());
            assert_ne!(Data::read(&case.text), Ok(case.instance.clone()), "{}", case.text);
        }
    }
}
