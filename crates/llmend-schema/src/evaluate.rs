//! Evaluation of an instance against a schema.
//!
//! Coercion evaluates many pairs of a part of the value and a part of the schema, so results are
//! cached. The validator has the final say on the whole value; the evaluator finds where it fails.

use std::collections::{HashMap, HashSet};

use jsonschema::Validator;
use llmend_json::{Kind, Node};

use crate::compile::{Id, RawSchema};
use crate::instance::{Instance, Tape};
use crate::work_budget::WorkBudget;

/// Maximum recursion depth; a stack of two megabytes has room for twice as many.
const MAX_NESTED: usize = 1_300;

/// Visits of the validator per step: each is cheap.
const VISITS_PER_STEP: usize = 4;

/// Bytes of a text that are matched against a pattern per step.
const TEXT_PER_STEP: usize = 16;

/// Cache key: the schema node, and the address and index of the part of the value.
type Pair = (Id, usize, usize);

/// Evaluates instances within a work budget.
pub(crate) struct Evaluator<'s> {
    pub(crate) nodes: &'s [RawSchema],
    memo: HashMap<Pair, bool>,
    /// Remaining steps. Without any left, evaluation fails and its results are meaningless.
    steps: usize,
    pub(crate) nested: usize,
    /// Whether members that the schema does not name are always forbidden.
    pub(crate) only_named: bool,
    exhausted: bool,
    /// Whether an alternative of a union is being explained.
    pub(crate) explains: bool,
}

impl<'s> Evaluator<'s> {
    pub(crate) fn new(nodes: &'s [RawSchema], steps: usize) -> Self {
        Self {
            nodes,
            memo: HashMap::new(),
            steps,
            nested: 0,
            only_named: false,
            exhausted: false,
            explains: false,
        }
    }

    /// Returns whether the budget was exceeded, so that results since then are meaningless.
    pub(crate) const fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// Spends `steps`; returns false if the budget does not cover them.
    pub(crate) fn spend(&mut self, steps: usize) -> bool {
        match self.steps.checked_sub(steps) {
            Some(left) if !self.exhausted => self.steps = left,
            _ => self.exhausted = true,
        }
        !self.exhausted
    }

    /// Spends `steps` on optional work; returns false, without spending, if it would take more than
    /// 1/256 of the remaining budget.
    pub(crate) fn try_spend(&mut self, steps: usize) -> bool {
        !self.exhausted && steps <= self.steps / 256 && self.spend(steps)
    }

    /// Does optional work with a sixteenth of the remaining budget. Returns `None` if that is too little.
    pub(crate) fn with_share<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.exhausted {
            return None;
        }
        let share = self.steps / 16;
        let rest = self.steps - share;
        self.steps = share;
        let made = work(self);
        if std::mem::take(&mut self.exhausted) {
            // What was found since is meaningless.
            self.memo.clear();
            self.steps = rest;
            return None;
        }
        self.steps += rest;
        Some(made)
    }

    /// Enters a nested call, unless the recursion is too deep.
    pub(crate) fn enter(&mut self) -> bool {
        if self.nested >= MAX_NESTED {
            self.exhausted = true;
            return false;
        }
        if !self.spend(1) {
            return false;
        }
        self.nested += 1;
        true
    }

    pub(crate) fn leave(&mut self) {
        self.nested -= 1;
    }

    /// Returns whether the validator accepts the whole value. If it exceeds the budget, the
    /// evaluator is exhausted and the result is false.
    pub(crate) fn validates(&mut self, validator: &Validator<Tape>, root: Node<'_>) -> bool {
        let budget = WorkBudget::new(self.steps.saturating_mul(VISITS_PER_STEP));
        let is_valid = validator.is_valid(Instance::Counted(root, &budget));
        self.exhausted |= budget.is_spent();
        is_valid && !self.exhausted
    }

    /// Returns a budget for listing the validator's errors.
    pub(crate) const fn budget(&self) -> WorkBudget {
        WorkBudget::new(self.steps.saturating_mul(VISITS_PER_STEP))
    }

    pub(crate) fn raw(&self, id: Id) -> Option<&'s RawSchema> {
        self.nodes.get(id as usize)
    }

    /// Returns whether `instance` fits the schema node and everything it refers to.
    pub(crate) fn fits(&mut self, id: Id, instance: Instance<'_>) -> bool {
        let Some(raw) = self.raw(id) else { return true };
        // Most branches of a wide union fail this cheap check, and need no caching.
        if raw.never || !raw.takes(instance) || lacks_first(raw, instance) {
            self.spend(1);
            return false;
        }
        let pair = instance
            .node()
            .filter(|_| raw.loops || is_container(instance.kind()))
            .map(|node| (id, std::ptr::from_ref(node.value()).addr(), node.index()));
        if let Some(known) = pair.and_then(|pair| self.memo.get(&pair)) {
            return *known;
        }
        if !self.enter() {
            return false;
        }
        if let Some(pair) = pair {
            // Recursion on the same pair succeeds unless something else fails.
            self.memo.insert(pair, true);
        }
        let fits = self.fits_own(id, instance)
            && raw.all.iter().all(|other| self.fits(*other, instance))
            && self.fits_choices(id, instance);
        if let Some(pair) = pair {
            self.memo.insert(pair, fits);
        }
        self.leave();
        fits
    }

    /// Returns whether `instance` fits the node's own keywords, without `allOf`, references, unions and
    /// conditions.
    pub(crate) fn fits_own(&mut self, id: Id, instance: Instance<'_>) -> bool {
        let Some(raw) = self.raw(id) else { return true };
        if raw.never || !raw.takes(instance) {
            return false;
        }
        if let Some(values) = raw.values.as_ref().filter(|_| is_container(instance.kind()))
            && !self.spend(values.len())
        {
            return false;
        }
        if let Some(local) = &raw.local {
            let size = match instance.kind() {
                Kind::Array | Kind::Object => instance.node().map_or(0, Node::len),
                // A pattern reads the whole text.
                _ => 8 + instance.text().map_or(0, str::len) / TEXT_PER_STEP,
            };
            if !self.spend(size) || !local.is_valid(instance) {
                return false;
            }
        }
        if instance
            .digits()
            .is_some_and(|digits| !raw.bounds.iter().all(|bound| bound.allows(digits)))
        {
            return false;
        }
        if raw.not.is_some_and(|not| self.fits(not, instance)) {
            return false;
        }
        match (instance.kind(), instance.node()) {
            (Kind::Array, Some(node)) => self.array(raw, node),
            (Kind::Object, Some(node)) => self.object(raw, node),
            _ => true,
        }
    }

    /// Returns whether `instance` fits the node's `anyOf`, `oneOf` and `if`.
    pub(crate) fn fits_choices(&mut self, id: Id, instance: Instance<'_>) -> bool {
        let Some(raw) = self.raw(id) else { return true };
        if let Some(any) = &raw.any
            && !any.iter().any(|branch| self.fits(*branch, instance))
        {
            return false;
        }
        if let Some(one) = &raw.one
            && one.iter().filter(|branch| self.fits(**branch, instance)).take(2).count() != 1
        {
            return false;
        }
        let Some(condition) = raw.condition else { return true };
        let chosen =
            if self.fits(condition.when, instance) { condition.then } else { condition.other };
        chosen.is_none_or(|chosen| self.fits(chosen, instance))
    }

    fn array(&mut self, raw: &RawSchema, node: Node<'_>) -> bool {
        let mut prefix = raw.prefix.iter();
        for item in node.items() {
            let Some(target) = prefix.next().copied().or(raw.items) else { break };
            if !self.fits(target, Instance::Node(item)) {
                return false;
            }
        }
        let Some(contains) = raw.contains else { return true };
        let mut found = 0;
        for item in node.items() {
            found += u64::from(self.fits(contains.item, Instance::Node(item)));
        }
        (contains.least..=contains.most).contains(&found)
    }

    fn object(&mut self, raw: &RawSchema, node: Node<'_>) -> bool {
        if node.may_repeat_keys() && !raw.properties.is_empty() && has_repeated(node) {
            return false;
        }
        let members = node.len();
        if !raw.required.is_empty() {
            if !self.spend(members.min(16) * raw.required.len() + members) {
                return false;
            }
            if !missing(raw, node, members).is_empty() {
                return false;
            }
        }
        for (key, value) in node.members() {
            let key = key.str().unwrap_or_default();
            if raw.names.is_some_and(|names| !self.fits(names, Instance::Text(key))) {
                return false;
            }
            if !self.member(raw, key, Instance::Node(value)) {
                return false;
            }
        }
        raw.dependents
            .iter()
            .all(|(key, id)| node.get(key).is_none() || self.fits(*id, Instance::Node(node)))
    }

    /// Returns whether a member fits the node's `properties`, `patternProperties` and
    /// `additionalProperties`.
    fn member(&mut self, raw: &RawSchema, key: &str, value: Instance<'_>) -> bool {
        let mut named = false;
        if let Some(id) = raw.by_name.get(key) {
            named = true;
            if !self.fits(*id, value) {
                return false;
            }
        }
        for (pattern, id) in &raw.patterns {
            if !self.spend(1 + key.len()) {
                return false;
            }
            if pattern.is_valid(Instance::Text(key)) {
                named = true;
                if !self.fits(*id, value) {
                    return false;
                }
            }
        }
        if named {
            return true;
        }
        match raw.additional {
            Some(additional) => self.fits(additional, value),
            None => !self.only_named || raw.properties.is_empty(),
        }
    }
}

const fn is_container(kind: Kind) -> bool {
    matches!(kind, Kind::Array | Kind::Object)
}

/// Returns whether a small object lacks the first required key.
fn lacks_first(raw: &RawSchema, instance: Instance<'_>) -> bool {
    let (Some(key), Some(node)) = (raw.required.first(), instance.node()) else { return false };
    node.kind() == Kind::Object
        && !node.members().take(8).any(|(name, _)| name.str() == Some(key))
        && node.members().nth(8).is_none()
}

/// Returns the required keys that an object lacks.
pub(crate) fn missing<'s>(raw: &'s RawSchema, node: Node<'_>, members: usize) -> Vec<&'s str> {
    let required = raw.required.iter().map(String::as_str);
    if members <= 16 {
        return required
            .filter(|key| !node.members().any(|(name, _)| name.str() == Some(key)))
            .collect();
    }
    let keys: HashSet<&str> = node.members().filter_map(|(key, _)| key.str()).collect();
    required.filter(|key| !keys.contains(key)).collect()
}

/// Returns whether an object has duplicate keys.
pub(crate) fn has_repeated(node: Node<'_>) -> bool {
    let mut seen = HashSet::new();
    node.members().any(|(key, _)| !seen.insert(key.str()))
}
