//! Diagnosis of mismatches.

use std::collections::HashSet;

use llmend_json::{Kind, Node, push_token};
use serde_json::Value as Json;

use crate::Violation;
use crate::compile::{Id, RawSchema};
use crate::evaluate::{Evaluator, has_repeated, missing};
use crate::instance::Instance;
use crate::message::Mismatch;
use crate::quote::{MAX_LISTED, clipped, one_of, quoted};

/// Maximum number of violations reported for one value.
pub(crate) const MAX_VIOLATIONS: usize = 1_000;

impl Evaluator<'_> {
    /// Adds every violation of a schema node by the instance `node` at `path`. Of a union, only the
    /// branch that was most likely meant is diagnosed, which keeps the work linear.
    pub(crate) fn diagnose(
        &mut self,
        id: Id,
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        if out.len() > MAX_VIOLATIONS || self.fits(id, Instance::Node(node)) || self.exhausted() {
            return;
        }
        if !self.enter() {
            return;
        }
        let before = out.len();
        if let Some(raw) = self.raw(id) {
            self.diagnose_own(raw, node, path, out);
            for other in &raw.all {
                self.diagnose(*other, node, path, out);
            }
            // Unions are diagnosed only if nothing else is wrong here.
            if out.len() == before {
                self.diagnose_choices(raw, node, path, out);
            }
        }
        self.leave();
    }

    /// Adds the violations of the node's own keywords.
    pub(crate) fn diagnose_own(
        &mut self,
        raw: &RawSchema,
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        let instance = Instance::Node(node);
        let mismatch = Mismatch { raw, instance, path };
        if raw.never {
            out.push(mismatch.location().of_node(
                "schema/extra",
                "nothing",
                "no value is allowed here",
            ));
            return;
        }
        if !raw.takes(instance) {
            out.push(mismatch.wrong_value());
            return;
        }
        if let Some(local) = &raw.local
            && self.spend(8)
        {
            out.extend(local.iter_errors(instance).map(|error| mismatch.local(error.kind())));
        }
        let missed = raw
            .bounds
            .iter()
            .filter(|bound| instance.digits().is_some_and(|digits| !bound.allows(digits)));
        out.extend(missed.map(|bound| mismatch.bound(bound)));
        if raw.not.is_some_and(|not| self.fits(not, instance)) {
            out.push(mismatch.row(
                "schema/not",
                "not",
                "another value",
                "value is excluded by `not`",
            ));
        }
        match node.kind() {
            Kind::Array => self.diagnose_array(raw, node, path, out),
            Kind::Object => self.diagnose_object(raw, node, path, out),
            _ => {}
        }
    }

    fn diagnose_array(
        &mut self,
        raw: &RawSchema,
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        let mut prefix = raw.prefix.iter();
        for (at, item) in node.items().enumerate() {
            let Some(target) = prefix.next().copied().or(raw.items) else { break };
            within(path, &at.to_string(), |path| self.diagnose(target, item, path, out));
        }
        if let Some(contains) = raw.contains {
            let found = node.items().filter(|item| self.fits(contains.item, Instance::Node(*item)));
            let found = found.count() as u64;
            if !(contains.least..=contains.most).contains(&found) {
                let expected = match (contains.least, contains.most) {
                    (least, u64::MAX) => format!("at least {least} matching items"),
                    (0, most) => format!("at most {most} matching items"),
                    (least, most) => format!("{least} to {most} matching items"),
                };
                let message = format!("expected {expected}, found {found}");
                let row = Mismatch { raw, instance: Instance::Node(node), path };
                out.push(row.row("schema/length", "contains", &expected, &message));
            }
        }
    }

    fn diagnose_object(
        &mut self,
        raw: &RawSchema,
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        let instance = Instance::Node(node);
        let repeats = node.may_repeat_keys() && !raw.properties.is_empty() && has_repeated(node);
        let mut seen = HashSet::new();
        let absent = missing(raw, node, node.len());
        for key in &absent {
            let target = raw.by_name.get(*key).and_then(|id| self.raw(*id));
            let expected = target.map_or_else(|| "any value".to_owned(), |raw| self.expected(raw));
            out.push(Mismatch { raw, instance, path }.location().missing(key, &expected));
        }
        for (key, value) in node.members() {
            let key = key.str().unwrap_or_default();
            if repeats && !seen.insert(key) {
                // The first value is overridden, so only the duplicate is reported.
                within(path, key, |path| {
                    let mismatch = Mismatch { raw, instance: Instance::Node(value), path };
                    let message = format!("duplicate key `{}`", clipped(key));
                    out.push(mismatch.location().duplicate(&message));
                });
                continue;
            }
            if let Some(names) = raw.names.filter(|names| !self.fits(*names, Instance::Text(key))) {
                let pointer = self.raw(names).map_or("", |raw| raw.pointer.as_str());
                let message = format!("invalid property name `{}`", clipped(key));
                let mismatch = Mismatch { raw, instance: Instance::Text(key), path };
                let mut row = mismatch.row("schema/key", "propertyNames", "another name", &message);
                pointer.clone_into(&mut row.schema_path);
                row.span = Some(node.span());
                out.push(row);
            }
            within(path, key, |path| self.diagnose_member(raw, key, value, path, out));
        }
        for (key, id) in &raw.dependents {
            if node.get(key).is_some() {
                self.diagnose(*id, node, path, out);
            }
        }
    }

    fn diagnose_member(
        &mut self,
        raw: &RawSchema,
        key: &str,
        value: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        let mut named = false;
        if let Some(id) = raw.by_name.get(key) {
            named = true;
            self.diagnose(*id, value, path, out);
        }
        for (pattern, id) in &raw.patterns {
            if pattern.is_valid(Instance::Text(key)) {
                named = true;
                self.diagnose(*id, value, path, out);
            }
        }
        if named {
            return;
        }
        let forbidden =
            raw.additional.map_or(self.only_named && !raw.properties.is_empty(), |id| {
                self.raw(id).is_some_and(|target| target.never)
            });
        if forbidden {
            let names = raw.properties.iter().map(|(name, _)| name.as_str());
            let near = self.likely_name(key, raw.properties.len(), names.clone());
            let mismatch = Mismatch { raw, instance: Instance::Node(value), path };
            out.push(mismatch.location().extra(key, names, near));
        } else if let Some(additional) = raw.additional {
            self.diagnose(additional, value, path, out);
        }
    }

    fn diagnose_choices(
        &mut self,
        raw: &RawSchema,
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        let instance = Instance::Node(node);
        for (keyword, branches) in [("anyOf", &raw.any), ("oneOf", &raw.one)] {
            let Some(branches) = branches else { continue };
            let fitting =
                branches.iter().filter(|branch| self.fits(**branch, instance)).take(2).count();
            let exclusive = keyword == "oneOf";
            if fitting == 1 || (fitting > 1 && !exclusive) {
                continue;
            }
            if fitting > 1 {
                let mismatch = Mismatch { raw, instance, path };
                let message = "value fits more than one of the `oneOf` alternatives";
                out.push(mismatch.row("schema/union", keyword, "exactly one alternative", message));
            } else if let Some(branch) = self.likeliest(branches, node) {
                let before = out.len();
                self.diagnose(branch, node, path, out);
                if let Some(row) = out.get_mut(before) {
                    self.explain_others(branches, branch, node, row);
                }
            } else if !self.diagnose_tag(raw, keyword, branches, node, path, out) {
                let expected: Vec<String> = branches
                    .iter()
                    .take(MAX_LISTED)
                    .filter_map(|branch| self.raw(*branch))
                    .map(|branch| self.expected(branch))
                    .collect();
                let expected = one_of(expected.into_iter());
                // A union of constants with descriptions is an enum too.
                let listed = branches
                    .iter()
                    .all(|branch| self.raw(*branch).is_some_and(|branch| branch.values.is_some()));
                let (code, message) = if listed {
                    (
                        "schema/enum",
                        format!("{} is not one of the allowed values", quoted(instance)),
                    )
                } else {
                    ("schema/union", format!("value fits none of the `{keyword}` alternatives"))
                };
                let mut row =
                    Mismatch { raw, instance, path }.row(code, keyword, &expected, &message);
                row.hint = if listed { None } else { self.why_not(branches, None, node) };
                out.push(row);
            }
        }
        if let Some(condition) = raw.condition {
            let chosen =
                if self.fits(condition.when, instance) { condition.then } else { condition.other };
            if let Some(chosen) = chosen {
                self.diagnose(chosen, node, path, out);
            }
        }
    }

    /// Reports the discriminating member if its value selects no branch; returns false if there is
    /// no such member.
    fn diagnose_tag(
        &mut self,
        raw: &RawSchema,
        keyword: &str,
        branches: &[Id],
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) -> bool {
        for (key, value) in node.members() {
            let key = key.str().unwrap_or_default();
            if !self.spend(branches.len()) {
                return false;
            }
            let literals: Option<Vec<_>> =
                branches.iter().map(|branch| self.literals(*branch, key)).collect();
            let Some(literals) = literals else { continue };
            let instance = Instance::Node(value);
            let mut known = literals.into_iter().flatten();
            if known.clone().next().is_none() || known.any(|value| instance.equals(value)) {
                continue;
            }
            let all = branches.iter().filter_map(|branch| self.literals(*branch, key)).flatten();
            let expected = one_of(all.map(ToString::to_string));
            let message = format!("{} is not one of the allowed values", quoted(instance));
            within(path, key, |path| {
                out.push(Mismatch { raw, instance, path }.row(
                    "schema/enum",
                    keyword,
                    &expected,
                    &message,
                ));
            });
            return true;
        }
        false
    }

    /// Returns the values that a branch lists for a property.
    fn literals(&self, branch: Id, key: &str) -> Option<&[Json]> {
        let mut open = vec![branch];
        let mut at = 0;
        while let Some(raw) = open.get(at).filter(|_| at < MAX_LISTED).and_then(|id| self.raw(*id))
        {
            at += 1;
            let target = raw.by_name.get(key).and_then(|id| self.raw(*id));
            if let Some(values) = target.and_then(|target| target.values.as_deref()) {
                return Some(values);
            }
            open.extend(raw.all.iter().copied());
        }
        None
    }

    /// Returns the branch that was most likely meant: the only one for the kind of the value, or
    /// the one whose properties match best.
    pub(crate) fn likeliest(&mut self, branches: &[Id], node: Node<'_>) -> Option<Id> {
        let of_kind: Vec<Id> = branches
            .iter()
            .copied()
            .filter(|branch| self.takes_kind(*branch, node.kind(), 0))
            .collect();
        if let [only] = of_kind.as_slice() {
            return Some(*only);
        }
        let mut best: Option<(usize, Id)> = None;
        let mut tied = false;
        for branch in of_kind {
            let Some(likeness) = self.likeness(branch, node) else { continue };
            match best {
                Some((most, _)) if likeness < most => {}
                Some((most, _)) if likeness == most => tied = true,
                _ => (best, tied) = (Some((likeness, branch)), false),
            }
        }
        best.filter(|(likeness, _)| *likeness > 0 && !tied).map(|(_, branch)| branch)
    }

    /// Returns whether a node may accept values of a kind.
    pub(crate) fn takes_kind(&mut self, id: Id, kind: Kind, level: usize) -> bool {
        let Some(raw) = self.raw(id) else { return true };
        let by_value = raw
            .values
            .as_ref()
            .is_none_or(|values| values.iter().any(|value| kind_of(value) == kind));
        !raw.never
            && raw.types.kind(kind)
            && by_value
            && (level > 8 || raw.all.iter().all(|other| self.takes_kind(*other, kind, level + 1)))
    }

    /// Returns the number of members that a branch names, with constants counted tenfold; `None` if
    /// a constant differs.
    pub(crate) fn likeness(&mut self, id: Id, node: Node<'_>) -> Option<usize> {
        let mut open = vec![id];
        let (mut at, mut likeness) = (0, 0);
        while let Some(raw) = open.get(at).and_then(|id| self.raw(*id)) {
            at += 1;
            if at > MAX_LISTED || !self.spend(1 + node.len().min(1 << 10)) {
                break;
            }
            open.extend(raw.all.iter().copied());
            for (key, value) in node.members() {
                let Some(id) = raw.by_name.get(key.str().unwrap_or_default()) else { continue };
                match self.raw(*id) {
                    Some(target) if target.values.is_some() => {
                        if !target.takes(Instance::Node(value)) {
                            return None;
                        }
                        likeness += 10;
                    }
                    _ => likeness += 1,
                }
            }
        }
        Some(likeness)
    }

    /// Returns the name that `key` is a near miss of, if the search is cheap enough for a hint.
    pub(crate) fn likely_name<'k>(
        &mut self,
        key: &str,
        count: usize,
        names: impl Iterator<Item = &'k str>,
    ) -> Option<&'k str> {
        self.try_spend(count * 8).then(|| llmend_json::nearest(key, names)).flatten()
    }

    /// Describes what a node expects, in a few words.
    pub(crate) fn expected(&self, raw: &RawSchema) -> String {
        let mut raw = raw;
        for _ in 0..8 {
            match raw.all.as_slice() {
                [only] if raw.values.is_none() && raw.types == crate::compile::Types::ALL => {
                    match self.raw(*only) {
                        Some(next) => raw = next,
                        None => break,
                    }
                }
                _ => break,
            }
        }
        if let Some(values) = &raw.values {
            return one_of(values.iter().map(ToString::to_string));
        }
        match raw.title.as_ref().filter(|_| raw.types.object()) {
            Some(title) => format!("{} ({title})", raw.types.list()),
            None => raw.types.list(),
        }
    }
}

/// Calls `inside` with the path extended by one token.
pub(crate) fn within<T>(
    path: &mut String,
    token: &str,
    inside: impl FnOnce(&mut String) -> T,
) -> T {
    let length = path.len();
    push_token(path, token);
    let result = inside(path);
    path.truncate(length);
    result
}

fn kind_of(value: &Json) -> Kind {
    match value {
        Json::Null => Kind::Null,
        Json::Bool(_) => Kind::Bool,
        Json::Number(_) => Kind::Number,
        Json::String(_) => Kind::String,
        Json::Array(_) => Kind::Array,
        Json::Object(_) => Kind::Object,
    }
}
