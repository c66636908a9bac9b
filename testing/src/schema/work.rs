//! Damage to instances, single and combined.

use std::rc::Rc;

use super::Pair;
use super::instance::{Role, Site};
use super::model::{Record, Type};
use crate::data::Data;
use crate::random::Random;

/// Damage to an instance.
#[derive(Clone, Debug)]
pub struct Damage {
    /// Its kind.
    pub kind: &'static str,
    /// JSON Pointer of the damaged part in the valid instance.
    pub path: String,
    /// Other paths for the violation: the enclosing union, or a part inside.
    pub also: Vec<String>,
}

/// Effect of damage.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Another value.
    Value(Data),
    /// Another key.
    Key(String),
    /// The member is missing.
    Removed,
    /// Another key, and an additional member at the end.
    Twice(String, (String, Data)),
}

/// A part with its current value.
pub(crate) struct Spot<'p> {
    pub(crate) pair: &'p Pair,
    pub(crate) site: &'p Site,
    pub(crate) data: &'p Data,
}

impl Spot<'_> {
    pub(crate) fn of(&self) -> &Type {
        &self.site.of
    }

    /// The property name and the record of this value.
    pub(crate) fn property(&self) -> Option<(&str, bool, &Record)> {
        match &self.site.role {
            Role::Property { name, required, record, .. } => match &**record {
                Type::Record(record) => Some((name, *required, record)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether values of another type are valid here.
    pub(crate) fn is_of_several_types(&self) -> bool {
        self.site.union.as_ref() == Some(&self.site.path)
    }

    /// Returns the members of the object around this part.
    pub(crate) fn siblings(&self) -> &[(String, Data)] {
        let positions = &self.site.positions;
        let above = &positions[..positions.len().saturating_sub(1)];
        match find(&self.pair.instance, above) {
            Some(Data::Map(members)) => members,
            _ => &[],
        }
    }
}

/// A kind of damage.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    pub(crate) apply: fn(&Spot<'_>, &mut Random) -> Option<Change>,
}

impl Kind {
    pub(crate) const fn new(
        name: &'static str,
        apply: fn(&Spot<'_>, &mut Random) -> Option<Change>,
    ) -> Self {
        Self { name, apply }
    }
}

/// The affected positions.
pub(crate) fn find<'d>(data: &'d Data, positions: &[usize]) -> Option<&'d Data> {
    let mut found = data;
    for &at in positions {
        found = match found {
            Data::List(items) => items.get(at)?,
            Data::Map(members) => &members.get(at)?.1,
            _ => return None,
        };
    }
    Some(found)
}

fn find_mut<'d>(data: &'d mut Data, positions: &[usize]) -> Option<&'d mut Data> {
    let mut found = data;
    for &at in positions {
        found = match found {
            Data::List(items) => items.get_mut(at)?,
            Data::Map(members) => &mut members.get_mut(at)?.1,
            _ => return None,
        };
    }
    Some(found)
}

/// Applies the damage; returns false if there is no place for it.
pub(crate) fn change(data: &mut Data, positions: &[usize], change: Change) -> bool {
    let above = positions.split_last();
    match (change, above) {
        (Change::Value(value), _) => {
            find_mut(data, positions).map(|place| *place = value).is_some()
        }
        (change, Some((&at, above))) => {
            let Some(Data::Map(members)) = find_mut(data, above) else { return false };
            match change {
                Change::Key(key) => members[at].0 = key,
                Change::Removed => drop(members.remove(at)),
                Change::Twice(key, more) => {
                    members[at].0 = key;
                    members.push(more);
                }
                Change::Value(_) => return false,
            }
            true
        }
        (_, None) => false,
    }
}

/// A chosen kind with its place and random seed.
#[derive(Clone)]
pub(crate) struct Plan<'k> {
    pub(crate) kind: &'k Kind,
    pub(crate) site: Site,
    luck: Random,
}

impl Pair {
    /// Returns whether the kind applies to the value.
    pub(crate) fn has_place(&self, kind: &Kind, r: &mut Random) -> bool {
        self.sites.iter().any(|site| {
            let data = find(&self.instance, &site.positions);
            let spot = data.map(|data| Spot { pair: self, site, data });
            spot.is_some_and(|spot| (kind.apply)(&spot, r).is_some())
        })
    }

    /// Returns a place for this kind of damage that makes the instance invalid by itself.
    pub(crate) fn plan<'k>(&self, kind: &'k Kind, r: &mut Random) -> Option<Plan<'k>> {
        let mut order: Vec<&Site> = self.sites.iter().collect();
        for i in (1..order.len()).rev() {
            order.swap(i, r.below(i + 1));
        }
        order.into_iter().take(60).find_map(|site| {
            let plan = Plan { kind, site: site.clone(), luck: Random::new(r.bits()) };
            let mut damaged = self.instance.clone();
            let fits = !self.done(&plan, &mut damaged) || self.accepts(&damaged);
            (!fits).then_some(plan)
        })
    }

    /// Applies one kind of damage; returns false if there is no place for it.
    pub(crate) fn done(&self, plan: &Plan<'_>, damaged: &mut Data) -> bool {
        let Some(data) = find(damaged, &plan.site.positions).cloned() else { return false };
        let spot = Spot { pair: self, site: &plan.site, data: &data };
        let Some(made) = (plan.kind.apply)(&spot, &mut plan.luck.clone()) else { return false };
        change(damaged, &plan.site.positions, made)
    }

    /// Applies several kinds of damage, innermost and last first, so that positions remain valid.
    pub(crate) fn all_done(&self, plans: &mut [Plan<'_>]) -> Option<Data> {
        plans.sort_by(|a, b| {
            let order = |plan: &Plan<'_>| (plan.site.positions.len(), plan.site.positions.clone());
            order(b).cmp(&order(a))
        });
        let mut damaged = self.instance.clone();
        let done = plans.iter().all(|plan| self.done(plan, &mut damaged));
        (done && !self.accepts(&damaged)).then_some(damaged)
    }
}

/// Returns whether values of this type are scalars.
pub(crate) fn is_scalar(of: &Rc<Type>) -> bool {
    match &**of {
        Type::Nullable(inner) => is_scalar(inner),
        other => matches!(
            other,
            Type::Integer { .. }
                | Type::Number { .. }
                | Type::Boolean
                | Type::Text(_)
                | Type::Word(_)
                | Type::Level(_)
                | Type::Constant(_)
        ),
    }
}
