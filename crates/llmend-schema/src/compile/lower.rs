//! Which parts does a schema have, and what does each ask for?
//!
//! Each part becomes a node of an arena, and references become numbers. So a schema that refers to
//! itself is a graph like any other, and nothing here recurses.

use std::collections::{HashMap, HashSet};

use jsonschema::{Draft, PatternOptions, Validator};
use llmend_json::Kind;
use serde_json::{Map, Value as Json};

use crate::compile::exact::{self, Bound, Exact};
use crate::compile::locate::{Names, join};
use crate::decimal::Decimal;
use crate::instance::{Part, Tape};
use crate::wording::one_of;

/// Number of a node.
pub(crate) type Id = u32;

/// A set of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const ALL: Self = Self(0b111_1111);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const NAMES: [&str; 7] =
        ["null", "boolean", "integer", "number", "string", "array", "object"];

    fn of(keyword: &Json) -> Self {
        let one = |name: &Json| {
            let at = Self::NAMES.iter().position(|known| Some(*known) == name.as_str());
            match at {
                // Every integer is a number.
                Some(3) => 0b1100,
                Some(at) => 1 << at,
                None => 0,
            }
        };
        match keyword {
            Json::Array(names) => Self(names.iter().map(one).fold(0, |all, one| all | one)),
            name => Self(one(name)),
        }
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn null(self) -> bool {
        self.0 & 1 != 0
    }

    pub(crate) const fn boolean(self) -> bool {
        self.0 & 2 != 0
    }

    pub(crate) const fn integer(self) -> bool {
        self.0 & 4 != 0
    }

    pub(crate) const fn number(self) -> bool {
        self.0 & 8 != 0
    }

    pub(crate) const fn string(self) -> bool {
        self.0 & 16 != 0
    }

    pub(crate) const fn array(self) -> bool {
        self.0 & 32 != 0
    }

    pub(crate) const fn object(self) -> bool {
        self.0 & 64 != 0
    }

    /// Whether a value of this kind may be one of these; whether a number is an integer is not
    /// looked at.
    pub(crate) const fn kind(self, kind: Kind) -> bool {
        match kind {
            Kind::Null => self.null(),
            Kind::Bool => self.boolean(),
            Kind::Number => self.integer(),
            Kind::String => self.string(),
            Kind::Array => self.array(),
            Kind::Object => self.object(),
        }
    }

    /// The types in words, such as `integer or null`.
    pub(crate) fn words(self) -> String {
        let names = Self::NAMES.iter().enumerate().filter(|(at, name)| {
            self.0 & (1 << at) != 0 && !(**name == "integer" && self.number())
        });
        if self == Self::ALL {
            return "any value".to_owned();
        }
        one_of(names.map(|(_, name)| (*name).to_owned()))
    }
}

/// Values of `if`, `then` and `else`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub(crate) when: Id,
    pub(crate) then: Option<Id>,
    pub(crate) other: Option<Id>,
}

/// Values of `contains`, `minContains` and `maxContains`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contains {
    pub(crate) item: Id,
    pub(crate) least: u64,
    pub(crate) most: u64,
}

/// One part of a schema.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a remark of its own")]
pub(crate) struct Raw {
    /// Where it stands in the schema.
    pub(crate) pointer: String,
    pub(crate) types: Types,
    /// Draft 4 tells `3.0` from an integer.
    pub(crate) written_integers: bool,
    /// The schema `false`.
    pub(crate) never: bool,
    /// `enum`, or the one value of `const`.
    pub(crate) values: Option<Vec<Json>>,
    /// The texts and the numbers among them.
    texts: HashSet<String>,
    numbers: HashSet<Decimal>,
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
    /// `allOf`, and what is referred to.
    pub(crate) all: Vec<Id>,
    pub(crate) any: Option<Vec<Id>>,
    pub(crate) one: Option<Vec<Id>>,
    pub(crate) not: Option<Id>,
    pub(crate) condition: Option<Condition>,
    /// What is asked of the value alone: lengths, `pattern`, `format`, …
    pub(crate) local: Option<Validator<Tape>>,
    /// The bounds of a number.
    pub(crate) bounds: Vec<Bound>,
    pub(crate) format: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) default: Option<Json>,
    /// Whether there is a keyword that only the validator understands.
    pub(crate) opaque: bool,
    /// Whether it depends on itself, at one place of the value.
    pub(crate) loops: bool,
}

/// Keywords that are asked of the value alone, and of nothing within it but as a whole.
const LOCAL: [&str; 12] = [
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "dependentRequired",
];

/// Keywords that need the schemas around them, so that only the validator judges them.
pub(crate) const OPAQUE: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

/// Lowers the parts of a schema that can be reached from its root, which is node 0.
pub(crate) struct Lowering<'s> {
    schema: &'s Json,
    names: Names,
    draft: Draft,
    ids: HashMap<String, Id>,
    open: Vec<(Id, String)>,
}

/// Validators with the settings that all of them share.
pub(crate) fn validator(schema: &Json, draft: Option<Draft>) -> Option<Validator<Tape>> {
    build(schema, draft).ok()
}

/// Patterns are matched in linear time. One that looks around or back has to be tried by
/// backtracking, within a bound.
pub(crate) fn build(
    schema: &Json,
    draft: Option<Draft>,
) -> Result<Validator<Tape>, jsonschema::ValidationError<'static>> {
    let options = || {
        let options = jsonschema::options_for::<Tape>().offline().should_validate_formats(true);
        let options = exact::KEYWORDS.into_iter().fold(options, |options, keyword| {
            options.with_keyword(keyword, move |parent: &Map<String, Json>, _: &Json, _| {
                Ok(Box::new(Exact(Bound::of(keyword, parent))))
            })
        });
        match draft {
            Some(draft) => options.with_draft(draft),
            None => options,
        }
    };
    options()
        .with_pattern_options(PatternOptions::regex().size_limit(MOST_PATTERN))
        .build(schema)
        .or_else(|_| {
            let patterns = PatternOptions::fancy_regex()
                .backtrack_limit(MOST_BACKTRACKING)
                .size_limit(MOST_PATTERN);
            options().with_pattern_options(patterns).build(schema)
        })
}

/// Bytes of a compiled pattern.
const MOST_PATTERN: usize = 1 << 20;
/// Steps back of a pattern that cannot be matched in linear time.
const MOST_BACKTRACKING: usize = 20_000;

impl<'s> Lowering<'s> {
    pub(crate) fn new(schema: &'s Json, draft: Draft) -> Self {
        Self { schema, names: Names::of(schema), draft, ids: HashMap::new(), open: Vec::new() }
    }

    pub(crate) fn run(mut self) -> Vec<Raw> {
        let mut nodes = Vec::new();
        self.id(String::new());
        let mut next = 0;
        while let Some((_, pointer)) = self.open.get(next).cloned() {
            nodes.push(self.node(&pointer));
            next += 1;
        }
        nodes
    }

    /// The number of the part at `pointer`.
    fn id(&mut self, pointer: String) -> Id {
        if let Some(id) = self.ids.get(&pointer) {
            return *id;
        }
        let id = Id::try_from(self.open.len()).unwrap_or(Id::MAX);
        self.ids.insert(pointer.clone(), id);
        self.open.push((id, pointer));
        id
    }

    fn node(&mut self, pointer: &str) -> Raw {
        let mut raw = empty(pointer.to_owned());
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

    fn references(&mut self, map: &Map<String, Json>, pointer: &str, raw: &mut Raw) {
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

    fn values(&mut self, map: &Map<String, Json>, raw: &mut Raw) {
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
            raw.numbers.extend(digits.and_then(|digits| Decimal::read(&digits)));
        }
        raw.bounds = Bound::all(map);
        let local: Map<String, Json> = map
            .iter()
            .filter(|(key, _)| LOCAL.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !local.is_empty() {
            raw.local = validator(&Json::Object(local), Some(self.draft));
            raw.opaque |= raw.local.is_none();
        }
        raw.opaque |= OPAQUE.iter().any(|key| map.contains_key(*key));
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

    fn applicators(&mut self, map: &Map<String, Json>, pointer: &str, raw: &mut Raw) {
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

    fn members(&mut self, map: &Map<String, Json>, pointer: &str, raw: &mut Raw) {
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

    fn items(&mut self, map: &Map<String, Json>, pointer: &str, raw: &mut Raw) {
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

/// A part that asks for nothing.
fn empty(pointer: String) -> Raw {
    Raw {
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

impl Raw {
    /// The parts that hold for the same value, or are tried on it.
    pub(crate) fn here(&self) -> impl Iterator<Item = Id> {
        let condition = self.condition.iter().flat_map(|condition| {
            [Some(condition.when), condition.then, condition.other].into_iter().flatten()
        });
        let lists = [&self.any, &self.one].into_iter().flatten().flatten().copied();
        let dependents = self.dependents.iter().map(|(_, id)| *id);
        self.all.iter().copied().chain(lists).chain(self.not).chain(condition).chain(dependents)
    }

    /// The parts that hold for what a value contains.
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

    /// Whether a scalar is of the types, and one of the values.
    pub(crate) fn takes(&self, part: Part<'_>) -> bool {
        let typed = match part.digits() {
            Some(digits) if !self.types.number() => self.types.integer() && self.is_integer(digits),
            _ => self.types.kind(part.kind()),
        };
        let Some(values) = self.values.as_ref().filter(|_| typed) else { return typed };
        match (part.text(), part.digits()) {
            (Some(text), _) => self.texts.contains(text),
            (_, Some(digits)) => {
                Decimal::read(digits).is_some_and(|number| self.numbers.contains(&number))
            }
            _ => values.iter().any(|value| part.equals(value)),
        }
    }

    /// Whether these digits say an integer, as the draft understands it.
    pub(crate) fn is_integer(&self, digits: &str) -> bool {
        use jsonschema::json::JsonNumber;
        let digits = crate::instance::Digits::new(digits);
        if self.written_integers { digits.is_written_as_integer() } else { digits.is_integer() }
    }
}
