//! Which arm of a union is a value meant for?

use std::collections::HashSet;

use llmend_json::{Kind, Node};

use super::document::At;
use super::reading::Refusal;
use super::{Attempt, Walk};
use crate::compile::{Goal, Property, Shape, ShapeId, Tags};
use crate::fold::folded;
use crate::instance::Part;

/// The arms whose literal property says what the object says there.
pub(super) fn tagged<'s>(tags: Option<&'s Tags>, at: At<'_>) -> Option<&'s [ShapeId]> {
    let tags = tags?;
    let value = at.node.get(&tags.property)?;
    let text = value.str().or_else(|| value.number())?;
    tags.arms.get(&folded(text)).map(Vec::as_slice)
}

/// What is seen of a value at a glance, so that an arm that no coercion leads to is not tried.
struct Glance {
    kind: Kind,
    /// The keys of an object, folded, if it cannot be a wrapper of what is wanted.
    keys: Option<HashSet<String>>,
    /// Whether a string may hold JSON.
    holds: bool,
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
        Self { kind: node.kind(), keys, holds }
    }

    fn rules_out(&self, shape: &Shape) -> bool {
        let Goal::Plain(plain) = &shape.goal else { return false };
        let types = plain.types;
        let single = plain.properties.len() == 1;
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

/// Whether a property is required and no key may be meant for it.
fn lacks(property: &Property, keys: &HashSet<String>) -> bool {
    property.required
        && property.default.is_none()
        && !keys.contains(&property.folded)
        && !property.aliases.iter().any(|alias| keys.contains(alias))
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
        let glance = Glance::at(at.node);
        for arm in self.literal_arms(arms, at) {
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

    /// The arms that the literal properties of an object speak for; all that its kind speaks for,
    /// if none do.
    fn literal_arms(&mut self, arms: &'s [ShapeId], at: At<'v>) -> Vec<ShapeId> {
        if at.node.kind() != Kind::Object {
            return arms.to_vec();
        }
        let named: Vec<(ShapeId, bool)> =
            arms.iter().filter_map(|arm| Some((*arm, self.literals(*arm, at)?))).collect();
        if named.iter().any(|(_, literal)| *literal) {
            return named.into_iter().filter(|(_, literal)| *literal).map(|(arm, _)| arm).collect();
        }
        if named.is_empty() {
            arms.to_vec()
        } else {
            named.into_iter().map(|(arm, _)| arm).collect()
        }
    }

    /// Whether an arm has a property with a list of values, and the object one of them there;
    /// nothing if it has something else.
    fn literals(&mut self, arm: ShapeId, at: At<'v>) -> Option<bool> {
        let Some(Shape { goal: Goal::Plain(plain), .. }) = self.shapes.get(arm as usize) else {
            return Some(false);
        };
        let mut literal = false;
        for property in plain.properties.iter().filter(|property| property.literal) {
            if !self.judge.pay(1) {
                return None;
            }
            let Some(value) = at.node.get(&property.name) else { continue };
            let shape = self.shapes.get(property.shape as usize)?;
            let fits = self.fits(shape, Part::Node(value))
                || self.rehearse(|walk| walk.fit(property.shape, at.of(value))).fits;
            if !fits {
                return None;
            }
            literal = true;
        }
        Some(literal)
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
            .filter(|arm| match self.shapes.get(*arm as usize).map(|shape| &shape.goal) {
                Some(Goal::Plain(plain)) => match &plain.words {
                    Some(_) => at.node.kind() == Kind::String,
                    None => plain.types.kind(at.node.kind()),
                },
                _ => true,
            })
            .collect();
        let literal = self.literal_arms(arms, at);
        let only = match (literal.as_slice(), of_kind.as_slice()) {
            ([only], _) if literal.len() < arms.len() => Some(*only),
            (_, [only]) => Some(*only),
            _ => self.wanted_scalar(arms, at),
        };
        match only {
            Some(arm) => self.fit(arm, at),
            None => self.fail(shape, at, None),
        }
    }

    /// The only arm besides null, for a scalar that is none of them.
    fn wanted_scalar(&self, arms: &[ShapeId], at: At<'v>) -> Option<ShapeId> {
        if matches!(at.node.kind(), Kind::Array | Kind::Object) {
            return None;
        }
        let mut others = arms.iter().copied().filter(|arm| {
            match self.shapes.get(*arm as usize).map(|shape| &shape.goal) {
                Some(Goal::Plain(plain)) => plain.types != crate::compile::Types::NULL,
                _ => true,
            }
        });
        match (others.next(), others.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }
}
