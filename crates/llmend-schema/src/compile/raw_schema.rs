//! Subschemas before merging.

use std::collections::{HashMap, HashSet};

use jsonschema::Validator;
use llmend_json::Decimal;
use serde_json::Value as Json;

use crate::compile::bound::Bound;
use crate::compile::types::Types;
use crate::instance::{Digits, Instance, Tape};

/// Index of a node.
pub(crate) type Id = u32;

/// The keywords `if`, `then` and `else`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub(crate) when: Id,
    pub(crate) then: Option<Id>,
    pub(crate) other: Option<Id>,
}

/// The keywords `contains`, `minContains` and `maxContains`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contains {
    pub(crate) item: Id,
    pub(crate) least: u64,
    pub(crate) most: u64,
}

/// A subschema.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a remark of its own")]
pub(crate) struct RawSchema {
    /// JSON Pointer in the schema.
    pub(crate) pointer: String,
    pub(crate) types: Types,
    /// Whether `3.0` is not an integer, as in draft 4.
    pub(crate) written_integers: bool,
    /// Whether this is the schema `false`.
    pub(crate) never: bool,
    /// Values of `enum`, or the single value of `const`.
    pub(crate) values: Option<Vec<Json>>,
    /// The strings and the numbers among `values`.
    pub(super) texts: HashSet<String>,
    pub(super) numbers: HashSet<Decimal>,
    pub(crate) is_const: bool,
    pub(crate) required: Vec<String>,
    pub(crate) properties: Vec<(String, Id)>,
    pub(crate) by_name: HashMap<String, Id>,
    pub(crate) patterns: Vec<(Validator<Tape>, Id)>,
    pub(crate) additional: Option<Id>,
    pub(crate) names: Option<Id>,
    pub(crate) dependents: Vec<(String, Id)>,
    pub(crate) prefix: Vec<Id>,
    pub(crate) items: Option<Id>,
    pub(crate) contains: Option<Contains>,
    /// Subschemas of `allOf` and targets of references.
    pub(crate) all: Vec<Id>,
    pub(crate) any: Option<Vec<Id>>,
    pub(crate) one: Option<Vec<Id>>,
    pub(crate) not: Option<Id>,
    pub(crate) condition: Option<Condition>,
    /// Validator of the local keywords: lengths, `pattern`, `format` and others.
    pub(crate) local: Option<Validator<Tape>>,
    /// Numeric bounds.
    pub(crate) bounds: Vec<Bound>,
    pub(crate) format: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) default: Option<Json>,
    /// Whether there are keywords that only the validator evaluates.
    pub(crate) opaque: bool,
    /// Whether the subschema applies itself to the same instance.
    pub(crate) loops: bool,
}

impl RawSchema {
    /// Creates a subschema without constraints.
    pub(super) fn empty(pointer: String) -> Self {
        Self {
            pointer,
            types: Types::ALL,
            written_integers: false,
            never: false,
            values: None,
            texts: HashSet::new(),
            numbers: HashSet::new(),
            is_const: false,
            required: Vec::new(),
            properties: Vec::new(),
            by_name: HashMap::new(),
            patterns: Vec::new(),
            additional: None,
            names: None,
            dependents: Vec::new(),
            prefix: Vec::new(),
            items: None,
            contains: None,
            all: Vec::new(),
            any: None,
            one: None,
            not: None,
            condition: None,
            local: None,
            bounds: Vec::new(),
            format: None,
            title: None,
            description: None,
            aliases: Vec::new(),
            default: None,
            opaque: false,
            loops: false,
        }
    }

    /// Returns the subschemas that apply to the same instance.
    pub(crate) fn here(&self) -> impl Iterator<Item = Id> {
        let condition = self.condition.iter().flat_map(|condition| {
            [Some(condition.when), condition.then, condition.other].into_iter().flatten()
        });
        let lists = [&self.any, &self.one].into_iter().flatten().flatten().copied();
        let dependents = self.dependents.iter().map(|(_, id)| *id);
        self.all.iter().copied().chain(lists).chain(self.not).chain(condition).chain(dependents)
    }

    /// Returns the subschemas that apply to the contents of an instance.
    pub(crate) fn within(&self) -> impl Iterator<Item = Id> {
        let properties = self.properties.iter().map(|(_, id)| *id);
        let patterns = self.patterns.iter().map(|(_, id)| *id);
        let contains = self.contains.map(|contains| contains.item);
        let prefix = self.prefix.iter().copied();
        properties
            .chain(patterns)
            .chain(prefix)
            .chain(self.additional)
            .chain(self.names)
            .chain(self.items)
            .chain(contains)
    }

    /// Returns whether an instance has an allowed type and is one of the allowed values.
    pub(crate) fn takes(&self, instance: Instance<'_>) -> bool {
        let typed = match instance.digits() {
            Some(digits) if !self.types.number() => self.types.integer() && self.is_integer(digits),
            _ => self.types.kind(instance.kind()),
        };
        let Some(values) = self.values.as_ref().filter(|_| typed) else { return typed };
        match (instance.text(), instance.digits()) {
            (Some(text), _) => self.texts.contains(text),
            (_, Some(digits)) => {
                Decimal::parse(digits).is_some_and(|number| self.numbers.contains(&number))
            }
            _ => values.iter().any(|value| instance.equals(value)),
        }
    }

    /// Returns whether a number is an integer under the schema's draft.
    pub(crate) fn is_integer(&self, digits: &str) -> bool {
        use jsonschema::json::JsonNumber;
        let digits = Digits::new(digits);
        if self.written_integers { digits.is_written_as_integer() } else { digits.is_integer() }
    }
}
