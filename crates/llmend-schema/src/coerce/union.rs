//! Coercion to unions.

use std::collections::HashSet;

use llmend_json::{Kind, Node};

use super::conversion::Refusal;
use super::document::SourceNode;
use super::{Coercer, attempt::Attempt, expression, integer};
use crate::compile::{Goal, Plain, Property, Shape, ShapeId, Tags, Types};
use crate::fold::folded;
use crate::instance::Instance;

/// Returns the branches that the object's discriminator selects.
pub(super) fn tagged<'s>(tags: Option<&'s Tags>, at: SourceNode<'_>) -> Option<&'s [ShapeId]> {
    let tags = tags?;
    tags.branches(at.node.get(&tags.property)?)
}

/// Properties of a value that cheaply rule out branches that no coercion leads to.
struct Outline {
    kind: Kind,
    /// The folded keys of an object, unless it may be a wrapper.
    keys: Option<HashSet<String>>,
    /// Whether a string may hold JSON.
    holds: bool,
    /// Whether null is allowed, so that a scalar is not made an object's only property.
    optional: bool,
}

impl Outline {
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

/// How the constant properties of a branch appear in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Literal {
    /// None is present.
    Absent,
    /// At least one is spelled differently.
    Respelled,
    Exact,
}

/// Returns whether a number or boolean has an expected type, without a list of values.
fn is_typed(plain: &Plain, at: SourceNode<'_>) -> bool {
    let of_type = match at.node.number() {
        Some(digits) => {
            plain.types.number() || (plain.types.integer() && integer::whole(digits).is_ok())
        }
        None => plain.types.kind(at.node.kind()),
    };
    of_type && plain.enum_values.is_none()
}

/// Returns whether a property is required and no key may match it.
fn lacks(property: &Property, keys: &HashSet<String>) -> bool {
    property.required
        && property.default.is_none()
        && !keys.contains(&property.name.folded)
        && !property.aliases.iter().any(|alias| keys.contains(alias))
}

/// Returns the number of members that are properties.
fn named(plain: &Plain, node: Node<'_>) -> usize {
    node.members()
        .filter(|(key, _)| key.str().is_some_and(|key| plain.by_name.contains_key(key)))
        .count()
}

impl<'s, 'v> Coercer<'s, 'v> {
    /// Coerces a value to the best branch: one that it fits, or else the one that its constants
    /// select, or else the one with the lowest cost. Equal costs with different results are
    /// ambiguous.
    pub(super) fn union(
        &mut self,
        id: ShapeId,
        shape: &'s Shape,
        branches: &'s [ShapeId],
        at: SourceNode<'v>,
    ) {
        let (value, index) = at.key();
        let key = (id, value, index);
        let chosen = if let Some(known) = self.branches.get(&key) {
            Ok(*known)
        } else {
            let found = self.best_branch(branches, at);
            if !self.evaluator.exhausted() {
                self.branches.insert(key, *found.as_ref().unwrap_or(&None));
            }
            found
        };
        match chosen {
            Ok(Some(branch)) => self.fit(branch, at),
            Ok(None) => self.report_no_branch(shape, branches, at),
            Err(refusal) => self.fail(shape, at, Some(refusal)),
        }
    }

    /// Returns the branch for a value that fits: of several, the one that names most of its
    /// members, as a reader into a type would choose. `None` if that is ambiguous.
    pub(super) fn fitting_branch(
        &mut self,
        tags: Option<&'s Tags>,
        branches: &'s [ShapeId],
        at: SourceNode<'v>,
    ) -> Option<ShapeId> {
        let mut fitting: Vec<(usize, ShapeId)> = Vec::new();
        for branch in tagged(tags, at).unwrap_or(branches) {
            let shape = self.shapes.get(*branch as usize)?;
            if self.fits(shape, Instance::Node(at.node)) {
                let names = self.plain_goal(*branch).map_or(0, |plain| named(plain, at.node));
                fitting.push((names, *branch));
            }
        }
        let most = fitting.iter().map(|(names, _)| *names).max()?;
        let mut best = fitting.into_iter().filter(|(names, _)| *names == most);
        let (_, branch) = best.next()?;
        best.next().is_none().then_some(branch)
    }

    fn best_branch(
        &mut self,
        branches: &'s [ShapeId],
        at: SourceNode<'v>,
    ) -> Result<Option<ShapeId>, Refusal> {
        for branch in branches {
            if let Some(shape) = self.shapes.get(*branch as usize)
                && self.fits(shape, Instance::Node(at.node))
            {
                return Ok(Some(*branch));
            }
        }
        let mut best: Option<(Attempt, ShapeId)> = None;
        let mut tied = false;
        let outline = self.outline(branches, at);
        for branch in self.likely_branches(branches, at) {
            if self.shapes.get(branch as usize).is_some_and(|shape| outline.rules_out(shape)) {
                self.evaluator.spend(1);
                continue;
            }
            let attempt = self.dry_run(|coercer| coercer.fit(branch, at));
            if self.evaluator.exhausted() {
                return Ok(None);
            }
            match best {
                _ if !attempt.fits => {}
                Some((least, _)) if attempt.cost > least.cost => {}
                Some((least, _)) if attempt.cost == least.cost => {
                    tied |= attempt.result != least.result;
                }
                _ => (best, tied) = (Some((attempt, branch)), false),
            }
        }
        if tied {
            return Err(Refusal::coded(
                "schema/ambiguous",
                "write it so that only one alternative fits",
            ));
        }
        Ok(best.map(|(_, branch)| branch))
    }

    fn outline(&self, branches: &[ShapeId], at: SourceNode<'v>) -> Outline {
        let mut known = branches.iter().filter_map(|branch| self.plain_goal(*branch));
        let optional = known.any(|branch| branch.types == Types::NULL);
        Outline { optional, ..Outline::at(at.node) }
    }

    /// Returns the goal of a branch, if its types are known.
    fn plain_goal(&self, branch: ShapeId) -> Option<&'s Plain> {
        match self.shapes.get(branch as usize).map(|shape| &shape.goal) {
            Some(Goal::Plain(plain)) => Some(plain),
            _ => None,
        }
    }

    /// Returns the branches to try: for an object, those that its constants select; for a number or
    /// boolean, those of its type, if there are any. A number that violates a bound is not turned
    /// into a string.
    fn likely_branches(&mut self, branches: &'s [ShapeId], at: SourceNode<'v>) -> Vec<ShapeId> {
        match at.node.kind() {
            Kind::Object => self.literal_branches(branches, at),
            Kind::Number | Kind::Bool => {
                let typed: Vec<ShapeId> = branches
                    .iter()
                    .copied()
                    .filter(|branch| {
                        self.plain_goal(*branch).is_some_and(|plain| is_typed(plain, at))
                    })
                    .collect();
                if typed.is_empty() { branches.to_vec() } else { typed }
            }
            _ => branches.to_vec(),
        }
    }

    /// Returns the branches that the constants of an object select exactly, or else by another
    /// spelling; all branches if none do.
    fn literal_branches(&mut self, branches: &'s [ShapeId], at: SourceNode<'v>) -> Vec<ShapeId> {
        if at.node.kind() != Kind::Object {
            return branches.to_vec();
        }
        let named: Vec<(ShapeId, Literal)> = branches
            .iter()
            .filter_map(|branch| Some((*branch, self.literals(*branch, at)?)))
            .collect();
        let surest = named.iter().map(|(_, literal)| *literal).max();
        let of = named.iter().filter(|(_, literal)| Some(*literal) == surest);
        if named.is_empty() { branches.to_vec() } else { of.map(|(branch, _)| *branch).collect() }
    }

    /// Compares the constants of a branch with an object; `None` if one differs.
    fn literals(&mut self, branch: ShapeId, at: SourceNode<'v>) -> Option<Literal> {
        let Some(plain) = self.plain_goal(branch) else { return Some(Literal::Absent) };
        let mut found = Literal::Absent;
        for property in plain.properties.iter().filter(|property| property.literal) {
            if !self.evaluator.spend(1) {
                return None;
            }
            let Some(value) = at.node.get(&property.name.text) else { continue };
            let shape = self.shapes.get(property.shape as usize)?;
            let exact = self.fits(shape, Instance::Node(value));
            if !exact && !self.dry_run(|coercer| coercer.fit(property.shape, at.of(value))).fits {
                return None;
            }
            found = match found {
                Literal::Respelled => Literal::Respelled,
                _ if exact => Literal::Exact,
                _ => Literal::Respelled,
            };
        }
        Some(found)
    }

    /// Reports why a value fits no branch, by the branch that it was most likely meant for.
    fn report_no_branch(&mut self, shape: &'s Shape, branches: &'s [ShapeId], at: SourceNode<'v>) {
        self.failed = true;
        if self.attempts > 0 {
            return;
        }
        let of_kind: Vec<ShapeId> = branches
            .iter()
            .copied()
            .filter(|branch| {
                self.plain_goal(*branch).is_none_or(|plain| match &plain.enum_values {
                    Some(_) => at.node.kind() == Kind::String,
                    None => plain.types.kind(at.node.kind()),
                })
            })
            .collect();
        let literal = self.literal_branches(branches, at);
        let only = match (literal.as_slice(), of_kind.as_slice()) {
            ([only], _) if literal.len() < branches.len() => Some(*only),
            (_, [only]) => Some(*only),
            _ => self.wanted_scalar(branches, at),
        };
        let target = only.and_then(|branch| self.shapes.get(branch as usize));
        let scalar = !matches!(at.node.kind(), Kind::Array | Kind::Object);
        match (only, target) {
            // A branch that was ruled out is reported, not coerced to.
            (_, Some(target)) if scalar && self.outline(branches, at).rules_out(target) => {
                let hint = "write the expected value itself, or null";
                self.fail(target, at, Some(Refusal::new(hint)));
            }
            (Some(branch), _) => self.fit(branch, at),
            (None, _) => self.fail(shape, at, None),
        }
    }

    /// Returns the only branch besides null, for a scalar or a computation.
    fn wanted_scalar(&self, branches: &[ShapeId], at: SourceNode<'v>) -> Option<ShapeId> {
        let container = matches!(at.node.kind(), Kind::Array | Kind::Object);
        if container && !expression::is_computation(at.node) {
            return None;
        }
        let is_null = |branch: &ShapeId| {
            self.plain_goal(*branch).is_some_and(|plain| plain.types == Types::NULL)
        };
        let mut others = branches.iter().copied().filter(|branch| !is_null(branch));
        match (others.next(), others.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }
}
