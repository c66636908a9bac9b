//! Which arm of a union is a value meant for?

use std::collections::HashSet;

use llmend_json::{Kind, Node};

use super::document::At;
use super::reading::Refusal;
use super::{Attempt, Walk, expression, integer};
use crate::compile::{Goal, Plain, Property, Shape, ShapeId, Tags, Types};
use crate::fold::folded;
use crate::instance::Part;

/// The arms whose literal property says what the object says there.
pub(super) fn tagged<'s>(tags: Option<&'s Tags>, at: At<'_>) -> Option<&'s [ShapeId]> {
    let tags = tags?;
    tags.arms(at.node.get(&tags.property)?)
}

/// What is seen of a value at a glance, so that an arm that no coercion leads to is not tried.
struct Glance {
    kind: Kind,
    /// The keys of an object, folded, if it cannot be a wrapper of what is wanted.
    keys: Option<HashSet<String>>,
    /// Whether a string may hold JSON.
    holds: bool,
    /// Whether it may be nothing instead, so that what says little is no object's only property.
    optional: bool,
}

impl Glance {
    fn at(node: Node<'_>) -> Self {
        let mut members = node.members();
        let wraps = match (members.next(), members.next()) {
            (Some((_, value)), None) => !matches!(value.kind(), Kind::Number | Kind::Bool),
            _ => false,
        };
        let keys = (node.kind() == Kind::Object && !wraps)
            .then(|| node.members().filter_map(|(key, _)| key.str()).map(folded).collect());
        let holds = node.str().is_some_and(|text| text.trim_start().starts_with(['{', '[', '`']));
        Self { kind: node.kind(), keys, holds, optional: false }
    }

    fn rules_out(&self, shape: &Shape) -> bool {
        let Goal::Plain(plain) = &shape.goal else { return false };
        let types = plain.types;
        let single = plain.properties.len() == 1 && !self.optional;
        match self.kind {
            Kind::Object if types.array() => false,
            Kind::Object => {
                !types.object()
                    || self.keys.as_ref().is_some_and(|keys| {
                        !plain.closed
                            && plain.properties.iter().any(|property| lacks(property, keys))
                    })
            }
            Kind::Array => !types.array() && !types.object(),
            _ => {
                let scalar = types.null() || types.boolean() || types.integer() || types.string();
                !scalar && !types.array() && !single && !self.holds
            }
        }
    }
}

/// How the literal properties of an arm stand in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Literal {
    /// None of them does.
    Silent,
    /// At least one is spelt otherwise.
    Spelt,
    Exact,
}

/// Whether a number or a boolean is of a type that is wanted, and not of a list of values.
fn is_typed(plain: &Plain, at: At<'_>) -> bool {
    let of_type = match at.node.number() {
        Some(digits) => {
            plain.types.number() || (plain.types.integer() && integer::whole(digits).is_ok())
        }
        None => plain.types.kind(at.node.kind()),
    };
    of_type && plain.words.is_none()
}

/// Whether a property is required and no key may be meant for it.
fn lacks(property: &Property, keys: &HashSet<String>) -> bool {
    property.required
        && property.default.is_none()
        && !keys.contains(&property.name.folded)
        && !property.aliases.iter().any(|alias| keys.contains(alias))
}

/// How many members of an object bear the name of a property.
fn named(plain: &Plain, node: Node<'_>) -> usize {
    node.members()
        .filter(|(key, _)| key.str().is_some_and(|key| plain.by_name.contains_key(key)))
        .count()
}

impl<'s, 'v> Walk<'s, 'v> {
    /// Writes a value as the arm that it fits: strictly if it can, else as the one that it is
    /// literally, else with the fewest and mildest coercions. Two that are equally good and differ
    /// in what they give are no answer.
    pub(super) fn union(&mut self, id: ShapeId, shape: &'s Shape, arms: &'s [ShapeId], at: At<'v>) {
        let (value, index) = at.key();
        let key = (id, value, index);
        let chosen = if let Some(known) = self.arms.get(&key) {
            Ok(*known)
        } else {
            let found = self.best_arm(arms, at);
            if !self.judge.exhausted() {
                self.arms.insert(key, *found.as_ref().unwrap_or(&None));
            }
            found
        };
        match chosen {
            Ok(Some(arm)) => self.fit(arm, at),
            Ok(None) => self.no_arm(shape, arms, at),
            Err(refusal) => self.fail(shape, at, Some(refusal)),
        }
    }

    /// The arm that a value is which fits: of several, the one that names most of its members, as
    /// whoever reads it into a type would choose. Nothing where that is not clear.
    pub(super) fn fitting_arm(
        &mut self,
        tags: Option<&'s Tags>,
        arms: &'s [ShapeId],
        at: At<'v>,
    ) -> Option<ShapeId> {
        let mut fitting: Vec<(usize, ShapeId)> = Vec::new();
        for arm in tagged(tags, at).unwrap_or(arms) {
            let shape = self.shapes.get(*arm as usize)?;
            if self.fits(shape, Part::Node(at.node)) {
                let names = self.plain_goal(*arm).map_or(0, |plain| named(plain, at.node));
                fitting.push((names, *arm));
            }
        }
        let most = fitting.iter().map(|(names, _)| *names).max()?;
        let mut best = fitting.into_iter().filter(|(names, _)| *names == most);
        let (_, arm) = best.next()?;
        best.next().is_none().then_some(arm)
    }

    fn best_arm(&mut self, arms: &'s [ShapeId], at: At<'v>) -> Result<Option<ShapeId>, Refusal> {
        for arm in arms {
            if let Some(shape) = self.shapes.get(*arm as usize)
                && self.fits(shape, Part::Node(at.node))
            {
                return Ok(Some(*arm));
            }
        }
        let mut best: Option<(Attempt, ShapeId)> = None;
        let mut tied = false;
        let glance = self.glance(arms, at);
        for arm in self.likely_arms(arms, at) {
            if self.shapes.get(arm as usize).is_some_and(|shape| glance.rules_out(shape)) {
                self.judge.pay(1);
                continue;
            }
            let attempt = self.rehearse(|walk| walk.fit(arm, at));
            if self.judge.exhausted() {
                return Ok(None);
            }
            match best {
                _ if !attempt.fits => {}
                Some((least, _)) if attempt.score > least.score => {}
                Some((least, _)) if attempt.score == least.score => {
                    tied |= attempt.result != least.result;
                }
                _ => (best, tied) = (Some((attempt, arm)), false),
            }
        }
        if tied {
            return Err(Refusal::coded(
                "schema/ambiguous",
                "it may be meant as more than one of the kinds: say which",
            ));
        }
        Ok(best.map(|(_, arm)| arm))
    }

    fn glance(&self, arms: &[ShapeId], at: At<'v>) -> Glance {
        let mut known = arms.iter().filter_map(|arm| self.plain_goal(*arm));
        let optional = known.any(|arm| arm.types == Types::NULL);
        Glance { optional, ..Glance::at(at.node) }
    }

    /// What an arm is, if its types are known.
    fn plain_goal(&self, arm: ShapeId) -> Option<&'s Plain> {
        match self.shapes.get(arm as usize).map(|shape| &shape.goal) {
            Some(Goal::Plain(plain)) => Some(plain),
            _ => None,
        }
    }

    /// The arms that are tried: of an object, those that its literal properties speak for; of a
    /// number or a boolean, those of its type, if there are any. One that breaks a bound there is no
    /// text that keeps it.
    fn likely_arms(&mut self, arms: &'s [ShapeId], at: At<'v>) -> Vec<ShapeId> {
        match at.node.kind() {
            Kind::Object => self.literal_arms(arms, at),
            Kind::Number | Kind::Bool => {
                let typed: Vec<ShapeId> = arms
                    .iter()
                    .copied()
                    .filter(|arm| self.plain_goal(*arm).is_some_and(|plain| is_typed(plain, at)))
                    .collect();
                if typed.is_empty() { arms.to_vec() } else { typed }
            }
            _ => arms.to_vec(),
        }
    }

    /// The arms that the literal properties of an object speak for as they are written, or else as
    /// they may be spelt; all that its kind speaks for, if none do.
    fn literal_arms(&mut self, arms: &'s [ShapeId], at: At<'v>) -> Vec<ShapeId> {
        if at.node.kind() != Kind::Object {
            return arms.to_vec();
        }
        let named: Vec<(ShapeId, Literal)> =
            arms.iter().filter_map(|arm| Some((*arm, self.literals(*arm, at)?))).collect();
        let surest = named.iter().map(|(_, literal)| *literal).max();
        let of = named.iter().filter(|(_, literal)| Some(*literal) == surest);
        if named.is_empty() { arms.to_vec() } else { of.map(|(arm, _)| *arm).collect() }
    }

    /// How an object has the values of an arm's literal properties; nothing if it has something
    /// else.
    fn literals(&mut self, arm: ShapeId, at: At<'v>) -> Option<Literal> {
        let Some(plain) = self.plain_goal(arm) else { return Some(Literal::Silent) };
        let mut found = Literal::Silent;
        for property in plain.properties.iter().filter(|property| property.literal) {
            if !self.judge.pay(1) {
                return None;
            }
            let Some(value) = at.node.get(&property.name.text) else { continue };
            let shape = self.shapes.get(property.shape as usize)?;
            let exact = self.fits(shape, Part::Node(value));
            if !exact && !self.rehearse(|walk| walk.fit(property.shape, at.of(value))).fits {
                return None;
            }
            found = match found {
                Literal::Spelt => Literal::Spelt,
                _ if exact => Literal::Exact,
                _ => Literal::Spelt,
            };
        }
        Some(found)
    }

    /// Tells why a value fits none of the arms: by the one that it was most likely meant for.
    fn no_arm(&mut self, shape: &'s Shape, arms: &'s [ShapeId], at: At<'v>) {
        self.failed = true;
        if self.trying > 0 {
            return;
        }
        let of_kind: Vec<ShapeId> = arms
            .iter()
            .copied()
            .filter(|arm| {
                self.plain_goal(*arm).is_none_or(|plain| match &plain.words {
                    Some(_) => at.node.kind() == Kind::String,
                    None => plain.types.kind(at.node.kind()),
                })
            })
            .collect();
        let literal = self.literal_arms(arms, at);
        let only = match (literal.as_slice(), of_kind.as_slice()) {
            ([only], _) if literal.len() < arms.len() => Some(*only),
            (_, [only]) => Some(*only),
            _ => self.wanted_scalar(arms, at),
        };
        let asked = only.and_then(|arm| self.shapes.get(arm as usize));
        let scalar = !matches!(at.node.kind(), Kind::Array | Kind::Object);
        match (only, asked) {
            // What was not even tried is not what it becomes.
            (_, Some(asked)) if scalar && self.glance(arms, at).rules_out(asked) => {
                let hint = "write what is asked for itself, or null";
                self.fail(asked, at, Some(Refusal::new(hint)));
            }
            (Some(arm), _) => self.fit(arm, at),
            (None, _) => self.fail(shape, at, None),
        }
    }

    /// The only arm besides null, for a scalar, or what is to be computed, that is none of them.
    fn wanted_scalar(&self, arms: &[ShapeId], at: At<'v>) -> Option<ShapeId> {
        let container = matches!(at.node.kind(), Kind::Array | Kind::Object);
        if container && !expression::is_computation(at.node) {
            return None;
        }
        let is_null =
            |arm: &ShapeId| self.plain_goal(*arm).is_some_and(|plain| plain.types == Types::NULL);
        let mut others = arms.iter().copied().filter(|arm| !is_null(arm));
        match (others.next(), others.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }
}
