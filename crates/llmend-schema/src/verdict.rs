//! Does a part of a value fit a part of the schema?
//!
//! Coercion asks this of every part, so each pair is judged once and remembered. The last word on
//! the whole value has the validator; this one says where it fails.

use std::collections::{HashMap, HashSet};

use jsonschema::Validator;
use llmend_json::{Kind, Node};

use crate::compile::{Id, Raw};
use crate::instance::{Part, Tape};
use crate::meter::Meter;

/// Most calls within calls: a thread with two megabytes of stack has room for twice as many.
const MOST_NESTED: usize = 1_300;

/// Looks of the validator for each step: it remembers little, and each look is a glance.
const LOOKS_A_STEP: usize = 4;

/// Bytes of a text that are matched against a pattern in about a step.
const TEXT_A_STEP: usize = 16;

/// What is remembered of a pair: the node of the schema, and the part's value and number.
type Pair = (Id, usize, usize);

/// Judges, and counts what it costs.
pub(crate) struct Judge<'s> {
    pub(crate) nodes: &'s [Raw],
    memo: HashMap<Pair, bool>,
    /// Steps that are left; a judge without any says no, and is not to be trusted.
    steps: usize,
    nested: usize,
    /// Whether members that a schema does not name are forbidden everywhere.
    pub(crate) only_named: bool,
    exhausted: bool,
}

impl<'s> Judge<'s> {
    pub(crate) fn new(nodes: &'s [Raw], steps: usize) -> Self {
        Self { nodes, memo: HashMap::new(), steps, nested: 0, only_named: false, exhausted: false }
    }

    /// Whether the work was too much, so that no verdict since is worth anything.
    pub(crate) const fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// Pays for some work; false if it cannot be paid for.
    pub(crate) fn pay(&mut self, steps: usize) -> bool {
        match self.steps.checked_sub(steps) {
            Some(left) if !self.exhausted => self.steps = left,
            _ => self.exhausted = true,
        }
        !self.exhausted
    }

    /// Pays for work that can be left out; false, and nothing is paid, where it would take more
    /// than a small share of what is left.
    pub(crate) fn can_spend(&mut self, steps: usize) -> bool {
        !self.exhausted && steps <= self.steps / 256 && self.pay(steps)
    }

    /// Enters a call, if there is room for one more within the others.
    pub(crate) fn enter(&mut self) -> bool {
        if self.nested >= MOST_NESTED {
            self.exhausted = true;
            return false;
        }
        if !self.pay(1) {
            return false;
        }
        self.nested += 1;
        true
    }

    pub(crate) fn leave(&mut self) {
        self.nested -= 1;
    }

    /// Whether the validator says that the whole value is valid; not if it would have to look at more
    /// than is paid for, and then the work was too much.
    pub(crate) fn validates(&mut self, validator: &Validator<Tape>, root: Node<'_>) -> bool {
        let meter = Meter::new(self.steps.saturating_mul(LOOKS_A_STEP));
        let is_valid = validator.is_valid(Part::Counted(root, &meter));
        self.exhausted |= meter.is_spent();
        is_valid && !self.exhausted
    }

    /// Counts what the validator looks at when it says what is wrong.
    pub(crate) const fn meter(&self) -> Meter {
        Meter::new(self.steps.saturating_mul(LOOKS_A_STEP))
    }

    pub(crate) fn raw(&self, id: Id) -> Option<&'s Raw> {
        self.nodes.get(id as usize)
    }

    /// Whether `part` fits all that the node asks for.
    pub(crate) fn fits(&mut self, id: Id, part: Part<'_>) -> bool {
        let Some(raw) = self.raw(id) else { return true };
        // Most arms of a wide union are ruled out at a glance, and need no remembering.
        if raw.never || !raw.takes(part) || lacks_first(raw, part) {
            self.pay(1);
            return false;
        }
        let pair = part
            .node()
            .filter(|_| raw.loops || is_container(part.kind()))
            .map(|node| (id, std::ptr::from_ref(node.value()).addr(), node.index()));
        if let Some(known) = pair.and_then(|pair| self.memo.get(&pair)) {
            return *known;
        }
        if !self.enter() {
            return false;
        }
        if let Some(pair) = pair {
            // A part that depends on itself fits if nothing else speaks against it.
            self.memo.insert(pair, true);
        }
        let fits = self.own(id, part)
            && raw.all.iter().all(|other| self.fits(*other, part))
            && self.choices(id, part);
        if let Some(pair) = pair {
            self.memo.insert(pair, fits);
        }
        self.leave();
        fits
    }

    /// Whether `part` fits what the node itself asks for: without `allOf`, references and choices.
    pub(crate) fn own(&mut self, id: Id, part: Part<'_>) -> bool {
        let Some(raw) = self.raw(id) else { return true };
        if raw.never || !raw.takes(part) {
            return false;
        }
        if let Some(values) = raw.values.as_ref().filter(|_| is_container(part.kind()))
            && !self.pay(values.len())
        {
            return false;
        }
        if let Some(local) = &raw.local {
            let size = match part.kind() {
                Kind::Array | Kind::Object => part.node().map_or(0, Node::len),
                // A pattern goes through the whole text.
                _ => 8 + part.text().map_or(0, str::len) / TEXT_A_STEP,
            };
            if !self.pay(size) || !local.is_valid(part) {
                return false;
            }
        }
        if part.digits().is_some_and(|digits| !raw.bounds.iter().all(|bound| bound.allows(digits)))
        {
            return false;
        }
        if raw.not.is_some_and(|not| self.fits(not, part)) {
            return false;
        }
        match (part.kind(), part.node()) {
            (Kind::Array, Some(node)) => self.array(raw, node),
            (Kind::Object, Some(node)) => self.object(raw, node),
            _ => true,
        }
    }

    /// Whether `part` fits one of each list of choices.
    pub(crate) fn choices(&mut self, id: Id, part: Part<'_>) -> bool {
        let Some(raw) = self.raw(id) else { return true };
        if let Some(any) = &raw.any
            && !any.iter().any(|arm| self.fits(*arm, part))
        {
            return false;
        }
        if let Some(one) = &raw.one
            && one.iter().filter(|arm| self.fits(**arm, part)).take(2).count() != 1
        {
            return false;
        }
        let Some(condition) = raw.condition else { return true };
        let chosen = if self.fits(condition.when, part) { condition.then } else { condition.other };
        chosen.is_none_or(|chosen| self.fits(chosen, part))
    }

    fn array(&mut self, raw: &Raw, node: Node<'_>) -> bool {
        let mut prefix = raw.prefix.iter();
        for item in node.items() {
            let Some(asked) = prefix.next().copied().or(raw.items) else { break };
            if !self.fits(asked, Part::Node(item)) {
                return false;
            }
        }
        let Some(contains) = raw.contains else { return true };
        let mut found = 0;
        for item in node.items() {
            found += u64::from(self.fits(contains.item, Part::Node(item)));
        }
        (contains.least..=contains.most).contains(&found)
    }

    fn object(&mut self, raw: &Raw, node: Node<'_>) -> bool {
        if node.may_repeat_keys() && !raw.properties.is_empty() && has_repeated(node) {
            return false;
        }
        let members = node.len();
        if !raw.required.is_empty() {
            if !self.pay(members.min(16) * raw.required.len() + members) {
                return false;
            }
            if !missing(raw, node, members).is_empty() {
                return false;
            }
        }
        for (key, value) in node.members() {
            let key = key.str().unwrap_or_default();
            if raw.names.is_some_and(|names| !self.fits(names, Part::Text(key))) {
                return false;
            }
            if !self.member(raw, key, Part::Node(value)) {
                return false;
            }
        }
        raw.dependents
            .iter()
            .all(|(key, id)| node.get(key).is_none() || self.fits(*id, Part::Node(node)))
    }

    /// Whether a member fits what the node asks of members with its key.
    fn member(&mut self, raw: &Raw, key: &str, value: Part<'_>) -> bool {
        let mut named = false;
        if let Some(id) = raw.by_name.get(key) {
            named = true;
            if !self.fits(*id, value) {
                return false;
            }
        }
        for (pattern, id) in &raw.patterns {
            if !self.pay(1 + key.len()) {
                return false;
            }
            if pattern.is_valid(Part::Text(key)) {
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

/// Whether an object lacks the first of the required keys.
fn lacks_first(raw: &Raw, part: Part<'_>) -> bool {
    let (Some(key), Some(node)) = (raw.required.first(), part.node()) else { return false };
    node.kind() == Kind::Object
        && !node.members().take(8).any(|(name, _)| name.str() == Some(key))
        && node.members().nth(8).is_none()
}

/// The required keys that an object lacks.
pub(crate) fn missing<'s>(raw: &'s Raw, node: Node<'_>, members: usize) -> Vec<&'s str> {
    let required = raw.required.iter().map(String::as_str);
    if members <= 16 {
        return required
            .filter(|key| !node.members().any(|(name, _)| name.str() == Some(key)))
            .collect();
    }
    let keys: HashSet<&str> = node.members().filter_map(|(key, _)| key.str()).collect();
    required.filter(|key| !keys.contains(key)).collect()
}

/// Whether a key stands twice.
pub(crate) fn has_repeated(node: Node<'_>) -> bool {
    let mut seen = HashSet::new();
    node.members().any(|(key, _)| !seen.insert(key.str()))
}
