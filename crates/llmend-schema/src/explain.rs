//! Why does a part of a value not fit?

use std::collections::HashSet;

use llmend_json::{Kind, Node, push_token};
use serde_json::Value as Json;

use crate::Violation;
use crate::clip::{clipped, quoted};
use crate::compile::{Id, Raw};
use crate::instance::Part;
use crate::verdict::{Judge, has_repeated, missing};
use crate::wording::{MOST_NAMED, Told, one_of};

/// Most violations that are told: who gets a thousand begins with the first.
pub(crate) const MOST_TOLD: usize = 1_000;

impl Judge<'_> {
    /// Adds every violation of a node by the part `node`, which stands at `path`. Of a union only
    /// the branch that was most likely meant is followed, so that this is linear.
    pub(crate) fn explain(
        &mut self,
        id: Id,
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        if out.len() > MOST_TOLD || self.fits(id, Part::Node(node)) || self.exhausted() {
            return;
        }
        if !self.enter() {
            return;
        }
        let before = out.len();
        if let Some(raw) = self.raw(id) {
            self.explain_own(raw, node, path, out);
            for other in &raw.all {
                self.explain(*other, node, path, out);
            }
            // A choice is only worth a word where nothing else is wrong here.
            if out.len() == before {
                self.explain_choices(raw, node, path, out);
            }
        }
        self.leave();
    }

    /// The violations of what the node itself asks for.
    pub(crate) fn explain_own(
        &mut self,
        raw: &Raw,
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        let part = Part::Node(node);
        let told = Told { raw, part, path };
        if raw.never {
            out.push(told.place().of_node("schema/extra", "nothing", "nothing may stand here"));
            return;
        }
        if !raw.takes(part) {
            out.push(told.wrong_value());
            return;
        }
        if let Some(local) = &raw.local
            && self.pay(8)
        {
            out.extend(local.iter_errors(part).map(|error| told.local(error.kind())));
        }
        let missed = raw
            .bounds
            .iter()
            .filter(|bound| part.digits().is_some_and(|digits| !bound.allows(digits)));
        out.extend(missed.map(|bound| told.bound(bound)));
        if raw.not.is_some_and(|not| self.fits(not, part)) {
            out.push(told.row(
                "schema/not",
                "not",
                "another value",
                "it is what the schema excludes",
            ));
        }
        match node.kind() {
            Kind::Array => self.explain_array(raw, node, path, out),
            Kind::Object => self.explain_object(raw, node, path, out),
            _ => {}
        }
    }

    fn explain_array(
        &mut self,
        raw: &Raw,
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        let mut prefix = raw.prefix.iter();
        for (at, item) in node.items().enumerate() {
            let Some(asked) = prefix.next().copied().or(raw.items) else { break };
            within(path, &at.to_string(), |path| self.explain(asked, item, path, out));
        }
        if let Some(contains) = raw.contains {
            let found = node.items().filter(|item| self.fits(contains.item, Part::Node(*item)));
            let found = found.count() as u64;
            if !(contains.least..=contains.most).contains(&found) {
                let message = format!("{found} of its items are of the kind that it must contain");
                let row = Told { raw, part: Part::Node(node), path };
                out.push(row.row("schema/length", "contains", "other items", &message));
            }
        }
    }

    fn explain_object(
        &mut self,
        raw: &Raw,
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        let part = Part::Node(node);
        let repeats = node.may_repeat_keys() && !raw.properties.is_empty() && has_repeated(node);
        let mut seen = HashSet::new();
        let absent = missing(raw, node, node.len());
        for key in &absent {
            let asked = raw.by_name.get(*key).and_then(|id| self.raw(*id));
            let expected = asked.map_or_else(|| "any value".to_owned(), |raw| self.wanted(raw));
            out.push(Told { raw, part, path }.place().missing(key, &expected));
        }
        for (key, value) in node.members() {
            let key = key.str().unwrap_or_default();
            if repeats && !seen.insert(key) {
                // What is wrong with the value that counts no more is not worth a word.
                within(path, key, |path| {
                    let told = Told { raw, part: Part::Node(value), path };
                    let message = format!("the key `{}` stands twice", clipped(key));
                    out.push(told.place().again(&message));
                });
                continue;
            }
            if let Some(names) = raw.names.filter(|names| !self.fits(*names, Part::Text(key))) {
                let pointer = self.raw(names).map_or("", |raw| raw.pointer.as_str());
                let message = format!("`{}` may not be a key", clipped(key));
                let told = Told { raw, part: Part::Text(key), path };
                let mut row = told.row("schema/key", "propertyNames", "another key", &message);
                pointer.clone_into(&mut row.schema_path);
                row.span = Some(node.span());
                out.push(row);
            }
            within(path, key, |path| self.explain_member(raw, key, value, path, out));
        }
        for (key, id) in &raw.dependents {
            if node.get(key).is_some() {
                self.explain(*id, node, path, out);
            }
        }
    }

    fn explain_member(
        &mut self,
        raw: &Raw,
        key: &str,
        value: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        let mut named = false;
        if let Some(id) = raw.by_name.get(key) {
            named = true;
            self.explain(*id, value, path, out);
        }
        for (pattern, id) in &raw.patterns {
            if pattern.is_valid(Part::Text(key)) {
                named = true;
                self.explain(*id, value, path, out);
            }
        }
        if named {
            return;
        }
        let forbidden =
            raw.additional.map_or(self.only_named && !raw.properties.is_empty(), |id| {
                self.raw(id).is_some_and(|asked| asked.never)
            });
        if forbidden {
            let names = raw.properties.iter().map(|(name, _)| name.as_str());
            let near = self.likely_name(key, raw.properties.len(), names.clone());
            let told = Told { raw, part: Part::Node(value), path };
            out.push(told.place().extra(key, names, near));
        } else if let Some(additional) = raw.additional {
            self.explain(additional, value, path, out);
        }
    }

    fn explain_choices(
        &mut self,
        raw: &Raw,
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) {
        let part = Part::Node(node);
        for (keyword, arms) in [("anyOf", &raw.any), ("oneOf", &raw.one)] {
            let Some(arms) = arms else { continue };
            let fitting = arms.iter().filter(|arm| self.fits(**arm, part)).take(2).count();
            let exclusive = keyword == "oneOf";
            if fitting == 1 || (fitting > 1 && !exclusive) {
                continue;
            }
            if fitting > 1 {
                let told = Told { raw, part, path };
                let message = "it fits more than one of the kinds of which it must be exactly one";
                out.push(told.row("schema/union", keyword, "exactly one kind", message));
            } else if let Some(arm) = self.likeliest(arms, node) {
                self.explain(arm, node, path, out);
            } else if !self.explain_tag(raw, keyword, arms, node, path, out) {
                let wanted: Vec<String> = arms
                    .iter()
                    .take(MOST_NAMED)
                    .filter_map(|arm| self.raw(*arm))
                    .map(|arm| self.wanted(arm))
                    .collect();
                let expected = one_of(wanted.into_iter());
                // A list of values, each with a description, is an enumeration all the same.
                let listed =
                    arms.iter().all(|arm| self.raw(*arm).is_some_and(|arm| arm.values.is_some()));
                let (code, message) = if listed {
                    (
                        "schema/enum",
                        format!("{} is none of the values that are allowed", quoted(part)),
                    )
                } else {
                    ("schema/union", "it fits none of the kinds that it may be".to_owned())
                };
                let told = Told { raw, part, path };
                out.push(told.row(code, keyword, &expected, &message));
            }
        }
        if let Some(condition) = raw.condition {
            let chosen =
                if self.fits(condition.when, part) { condition.then } else { condition.other };
            if let Some(chosen) = chosen {
                self.explain(chosen, node, path, out);
            }
        }
    }

    /// Tells of the member that says which arm is meant, where it says none of them; false if there
    /// is no such member.
    fn explain_tag(
        &mut self,
        raw: &Raw,
        keyword: &str,
        arms: &[Id],
        node: Node<'_>,
        path: &mut String,
        out: &mut Vec<Violation>,
    ) -> bool {
        for (key, value) in node.members() {
            let key = key.str().unwrap_or_default();
            if !self.pay(arms.len()) {
                return false;
            }
            let literals: Option<Vec<_>> =
                arms.iter().map(|arm| self.literals(*arm, key)).collect();
            let Some(literals) = literals else { continue };
            let part = Part::Node(value);
            let mut known = literals.into_iter().flatten();
            if known.clone().next().is_none() || known.any(|value| part.equals(value)) {
                continue;
            }
            let all = arms.iter().filter_map(|arm| self.literals(*arm, key)).flatten();
            let expected = one_of(all.map(ToString::to_string));
            let message = format!("{} is none of the values that are allowed", quoted(part));
            within(path, key, |path| {
                out.push(Told { raw, part, path }.row("schema/enum", keyword, &expected, &message));
            });
            return true;
        }
        false
    }

    /// The values that an arm allows for a member, if it lists them.
    fn literals(&self, arm: Id, key: &str) -> Option<&[Json]> {
        let mut open = vec![arm];
        let mut at = 0;
        while let Some(raw) = open.get(at).filter(|_| at < MOST_NAMED).and_then(|id| self.raw(*id))
        {
            at += 1;
            let asked = raw.by_name.get(key).and_then(|id| self.raw(*id));
            if let Some(values) = asked.and_then(|asked| asked.values.as_deref()) {
                return Some(values);
            }
            open.extend(raw.all.iter().copied());
        }
        None
    }

    /// The arm of a union that a value was most likely meant for: the only one of its kind, or the
    /// only one whose literal properties it has.
    pub(crate) fn likeliest(&mut self, arms: &[Id], node: Node<'_>) -> Option<Id> {
        let of_kind: Vec<Id> =
            arms.iter().copied().filter(|arm| self.takes_kind(*arm, node.kind(), 0)).collect();
        if let [only] = of_kind.as_slice() {
            return Some(*only);
        }
        let mut best: Option<(usize, Id)> = None;
        let mut tied = false;
        for arm in of_kind {
            let Some(likeness) = self.likeness(arm, node) else { continue };
            match best {
                Some((most, _)) if likeness < most => {}
                Some((most, _)) if likeness == most => tied = true,
                _ => (best, tied) = (Some((likeness, arm)), false),
            }
        }
        best.filter(|(likeness, _)| *likeness > 0 && !tied).map(|(_, arm)| arm)
    }

    /// Whether values of a kind may fit a node at all.
    fn takes_kind(&mut self, id: Id, kind: Kind, level: usize) -> bool {
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

    /// How many members of an object are named by an arm, literal ones counted tenfold; nothing if
    /// a literal one says something else.
    fn likeness(&mut self, id: Id, node: Node<'_>) -> Option<usize> {
        let mut open = vec![id];
        let (mut at, mut likeness) = (0, 0);
        while let Some(raw) = open.get(at).and_then(|id| self.raw(*id)) {
            at += 1;
            if at > MOST_NAMED || !self.pay(1 + node.len().min(1 << 10)) {
                break;
            }
            open.extend(raw.all.iter().copied());
            for (key, value) in node.members() {
                let Some(id) = raw.by_name.get(key.str().unwrap_or_default()) else { continue };
                match self.raw(*id) {
                    Some(asked) if asked.values.is_some() => {
                        if !asked.takes(Part::Node(value)) {
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

    /// The name that a key is a slip of, if that is cheap enough to find out for a hint.
    pub(crate) fn likely_name<'k>(
        &mut self,
        key: &str,
        count: usize,
        names: impl Iterator<Item = &'k str>,
    ) -> Option<&'k str> {
        self.can_spend(count * 8).then(|| llmend_json::nearest(key, names)).flatten()
    }

    /// What a node asks for, in a few words.
    pub(crate) fn wanted(&self, raw: &Raw) -> String {
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
            Some(title) => format!("{} ({title})", raw.types.words()),
            None => raw.types.words(),
        }
    }
}

/// Runs `inside` with the path one token longer.
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
