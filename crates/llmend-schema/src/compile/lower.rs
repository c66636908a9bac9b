//! Lowering of schemas to a graph of nodes.
//!
//! Each subschema becomes a node of an arena, and references become indexes. A recursive schema is
//! an ordinary graph, and nothing here recurses.

use std::collections::HashMap;

use jsonschema::Draft;
use llmend_json::Decimal;
use serde_json::{Map, Value as Json};

use crate::compile::bound::Bound;
use crate::compile::keywords::{Evaluated, is_evaluated};
use crate::compile::raw_schema::{Condition, Contains, Id, RawSchema};
use crate::compile::reference::Names;
use crate::compile::types::Types;
use crate::compile::validator::validator;
use crate::pointer::join;

/// Lowers the subschemas that can be reached from the root, which is node 0.
pub(crate) struct Lowering<'s> {
    schema: &'s Json,
    names: Names,
    draft: Draft,
    ids: HashMap<String, Id>,
    open: Vec<(Id, String)>,
}

impl<'s> Lowering<'s> {
    pub(crate) fn new(schema: &'s Json, draft: Draft) -> Self {
        Self { schema, names: Names::of(schema), draft, ids: HashMap::new(), open: Vec::new() }
    }

    pub(crate) fn run(mut self) -> Vec<RawSchema> {
        let mut nodes = Vec::new();
        self.id(String::new());
        let mut next = 0;
        while let Some((_, pointer)) = self.open.get(next).cloned() {
            nodes.push(self.node(&pointer));
            next += 1;
        }
        nodes
    }

    /// Returns the index of the node for the subschema at `pointer`.
    fn id(&mut self, pointer: String) -> Id {
        if let Some(id) = self.ids.get(&pointer) {
            return *id;
        }
        let id = Id::try_from(self.open.len()).unwrap_or(Id::MAX);
        self.ids.insert(pointer.clone(), id);
        self.open.push((id, pointer));
        id
    }

    fn node(&mut self, pointer: &str) -> RawSchema {
        let mut raw = RawSchema::empty(pointer.to_owned());
        match self.schema.pointer(pointer) {
            Some(Json::Bool(false)) => raw.never = true,
            Some(Json::Object(map)) => {
                let old = matches!(self.draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7);
                self.references(map, pointer, &mut raw);
                if old && map.contains_key("$ref") {
                    return raw;
                }
                self.values(map, &mut raw);
                self.applicators(map, pointer, &mut raw);
                self.members(map, pointer, &mut raw);
                self.items(map, pointer, &mut raw);
            }
            _ => {}
        }
        raw
    }

    fn references(&mut self, map: &Map<String, Json>, pointer: &str, raw: &mut RawSchema) {
        for key in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(reference) = map.get(key).and_then(Json::as_str) else { continue };
            let target = match key {
                "$dynamicRef" => self.names.find_dynamic(reference, pointer),
                _ => self.names.find(reference, pointer),
            };
            match target.filter(|target| self.schema.pointer(target).is_some()) {
                Some(target) => {
                    let id = self.id(target);
                    raw.all.push(id);
                }
                None => raw.opaque = true,
            }
        }
    }

    fn values(&mut self, map: &Map<String, Json>, raw: &mut RawSchema) {
        if let Some(types) = map.get("type") {
            raw.types = Types::of(types);
        }
        raw.written_integers = matches!(self.draft, Draft::Draft4);
        if let Some(Json::Array(values)) = map.get("enum") {
            raw.values = Some(values.clone());
        }
        if let Some(value) = map.get("const").filter(|_| !matches!(self.draft, Draft::Draft4)) {
            raw.values = Some(vec![value.clone()]);
            raw.is_const = true;
        }
        for value in raw.values.iter().flatten() {
            raw.texts.extend(value.as_str().map(str::to_owned));
            let digits = value.as_number().map(ToString::to_string);
            raw.numbers.extend(digits.and_then(|digits| Decimal::parse(&digits)));
        }
        raw.bounds = Bound::all(map);
        let local: Map<String, Json> = map
            .iter()
            .filter(|(key, _)| is_evaluated(key, Evaluated::Locally))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !local.is_empty() {
            raw.local = validator(&Json::Object(local), Some(self.draft));
            raw.opaque |= raw.local.is_none();
        }
        raw.opaque |= map.keys().any(|key| is_evaluated(key, Evaluated::ByValidator));
        let text = |key: &str| map.get(key).and_then(Json::as_str).map(str::to_owned);
        (raw.format, raw.title, raw.description) =
            (text("format"), text("title"), text("description"));
        raw.default = map.get("default").cloned();
        for key in ["alias", "aliases", "x-alias", "x-aliases"] {
            match map.get(key) {
                Some(Json::String(alias)) => raw.aliases.push(alias.clone()),
                Some(Json::Array(list)) => {
                    raw.aliases.extend(list.iter().filter_map(Json::as_str).map(str::to_owned));
                }
                _ => {}
            }
        }
    }

    fn applicators(&mut self, map: &Map<String, Json>, pointer: &str, raw: &mut RawSchema) {
        raw.all.extend(self.list(map, pointer, "allOf").unwrap_or_default());
        raw.any = self.list(map, pointer, "anyOf");
        raw.one = self.list(map, pointer, "oneOf");
        raw.not = self.child(map, pointer, "not");
        if let Some(when) = self.child(map, pointer, "if") {
            let then = self.child(map, pointer, "then");
            let other = self.child(map, pointer, "else");
            raw.condition = Some(Condition { when, then, other });
        }
    }

    fn members(&mut self, map: &Map<String, Json>, pointer: &str, raw: &mut RawSchema) {
        if let Some(Json::Array(required)) = map.get("required") {
            raw.required = required.iter().filter_map(Json::as_str).map(str::to_owned).collect();
        }
        raw.properties = self.named(map, pointer, "properties");
        raw.by_name = raw.properties.iter().cloned().collect();
        for (pattern, id) in self.named(map, pointer, "patternProperties") {
            match validator(&serde_json::json!({"pattern": pattern}), Some(self.draft)) {
                Some(matcher) => raw.patterns.push((matcher, id)),
                None => raw.opaque = true,
            }
        }
        raw.additional = self.child(map, pointer, "additionalProperties");
        raw.names = self.child(map, pointer, "propertyNames");
        raw.dependents = self.named(map, pointer, "dependentSchemas");
        raw.dependents.extend(self.named(map, pointer, "dependencies").into_iter().filter(
            |(key, _)| {
                map.get("dependencies")
                    .and_then(|all| all.get(key))
                    .is_some_and(|one| !one.is_array())
            },
        ));
        raw.opaque |= map
            .get("dependencies")
            .and_then(Json::as_object)
            .is_some_and(|all| all.values().any(Json::is_array));
    }

    fn items(&mut self, map: &Map<String, Json>, pointer: &str, raw: &mut RawSchema) {
        if map.get("items").is_some_and(Json::is_array) {
            raw.prefix = self.list(map, pointer, "items").unwrap_or_default();
            raw.items = self.child(map, pointer, "additionalItems");
        } else {
            raw.prefix = self.list(map, pointer, "prefixItems").unwrap_or_default();
            raw.items = self.child(map, pointer, "items");
        }
        if let Some(item) = self.child(map, pointer, "contains") {
            let bound = |key: &str| map.get(key).and_then(Json::as_u64);
            let (least, most) = (bound("minContains"), bound("maxContains"));
            raw.contains =
                Some(Contains { item, least: least.unwrap_or(1), most: most.unwrap_or(u64::MAX) });
        }
    }

    fn child(&mut self, map: &Map<String, Json>, pointer: &str, key: &str) -> Option<Id> {
        let part = map.get(key)?;
        (part.is_object() || part.is_boolean()).then(|| self.id(join(pointer, key)))
    }

    fn list(&mut self, map: &Map<String, Json>, pointer: &str, key: &str) -> Option<Vec<Id>> {
        let parts = map.get(key)?.as_array()?;
        let pointer = join(pointer, key);
        Some((0..parts.len()).map(|at| self.id(join(&pointer, &at.to_string()))).collect())
    }

    fn named(&mut self, map: &Map<String, Json>, pointer: &str, key: &str) -> Vec<(String, Id)> {
        let Some(parts) = map.get(key).and_then(Json::as_object) else { return Vec::new() };
        let pointer = join(pointer, key);
        parts.keys().map(|name| (name.clone(), self.id(join(&pointer, name)))).collect()
    }
}
