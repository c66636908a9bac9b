//! What was asked for?

use std::collections::HashSet;
use std::sync::Arc;

use llmend_json::{Node, Options, RuleSet, Search, WithoutJson};
use serde_json::Value as Json;

use crate::Error;
use crate::compile::{Compiled, Goal, Plain, Shape, ShapeId, check_numbers, compile};

/// A JSON Schema, compiled once. Cheap to clone, and to share between threads.
#[derive(Clone)]
pub struct Schema {
    inner: Arc<Inner>,
}

struct Inner {
    json: Json,
    compiled: Compiled,
    hints: llmend_json::Hints,
    /// JSON Pointer of the author's schema in this one.
    part: String,
}

impl Schema {
    /// Compiles a schema of draft 4, 6, 7, 2019-09 or 2020-12; without `$schema`, of 2020-12. Its
    /// numbers are those that `schema` holds: what was rounded when it was read is not known here,
    /// but to [`from_text`](Self::from_text) and [`from_node`](Self::from_node).
    ///
    /// Of the words of `OpenAPI` that the drafts do not know, two count: `nullable: true` beside a
    /// `type`, or an `allOf` of references, allows null, and a format such as `uint8` bounds an
    /// integer.
    pub fn new(schema: &Json) -> Result<Self, Error> {
        Self::within(schema, "")
    }

    /// Compiles a schema of which the author's is the part at the JSON Pointer `part`: paths are
    /// told as they are in that.
    pub(crate) fn within(schema: &Json, part: &str) -> Result<Self, Error> {
        let mut compiled = compile(schema)?;
        for raw in &mut compiled.nodes {
            raw.pointer = told_as(&raw.pointer, part);
        }
        let (json, hints, part) = (schema.clone(), hints(&compiled), part.to_owned());
        Ok(Self { inner: Arc::new(Inner { json, compiled, hints, part }) })
    }

    /// Compiles the schema that `text` is, as JSON. A number of more digits than can be kept is an
    /// error: rounded, it would be another bound, or another value.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        let schema = serde_json::from_str(text)?;
        let options = Options { rules: RuleSet::NONE, search: Search::Off, ..Options::default() };
        if let Ok(parsed) = llmend_json::parse_with(text, &options) {
            check_numbers(parsed.value.root())?;
        }
        Self::new(&schema)
    }

    /// Compiles the schema that a part of a value is, under the same condition.
    pub fn from_node(node: Node<'_>) -> Result<Self, Error> {
        check_numbers(node)?;
        Self::new(&node.to_serde().value)
    }

    /// The schema of a type.
    #[cfg(feature = "schemars")]
    pub fn of<T: schemars::JsonSchema>() -> Result<Self, Error> {
        Self::new(schemars::schema_for!(T).as_value())
    }

    /// The schema as JSON.
    #[must_use]
    pub fn as_json(&self) -> &Json {
        &self.inner.json
    }

    /// A place in this schema as its author knows it.
    pub(crate) fn told_as(&self, pointer: &str) -> String {
        told_as(pointer, &self.inner.part)
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        &self.inner.compiled
    }

    /// What the engine may know of the value beforehand: the first 256 keys that the schema names,
    /// from the root downward, and the first 256 texts of its enumerations; and where only a word,
    /// a number, a boolean or null can fit, that a text without JSON may be it.
    ///
    /// ```
    /// let schema = llmend_schema::Schema::from_text(
    ///     r#"{"properties": {"level": {"enum": ["None", "Low"]}}}"#,
    /// )?;
    /// let options = llmend_json::Options { hints: schema.hints(), ..Default::default() };
    /// let parsed = llmend_json::parse_with("Not {\"a\": 1}, but {\"level\": None}", &options)?;
    /// assert_eq!(parsed.value.to_string(), r#"{"level":"None"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn hints(&self) -> llmend_json::Hints {
        self.inner.hints.clone()
    }
}

fn told_as(pointer: &str, part: &str) -> String {
    pointer.strip_prefix(part).unwrap_or(pointer).to_owned()
}

fn hints(compiled: &Compiled) -> llmend_json::Hints {
    let mut hints = llmend_json::Hints::default();
    for raw in &compiled.nodes {
        let keys = raw.properties.iter().map(|(key, _)| key.as_str());
        let words = raw.values.iter().flatten().filter_map(Json::as_str);
        add(&mut hints.keys, keys);
        add(&mut hints.words, words);
    }
    if is_word(&compiled.shapes) {
        hints.without_json = WithoutJson::Text;
    }
    hints
}

/// Whether the value is a word of a list, a number, a boolean or null, whatever else holds: of any
/// text it can be told whether it says one. A free string could be anything, and so could what a
/// list or an object makes of one.
fn is_word(shapes: &[Shape]) -> bool {
    let mut open: Vec<ShapeId> = vec![0];
    let mut seen = HashSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match shapes.get(id as usize).map(|shape| &shape.goal) {
            Some(Goal::Union { arms, .. }) => open.extend(arms),
            Some(Goal::Either { then, other, .. }) => open.extend([*then, *other]),
            Some(Goal::Plain(plain)) => {
                let Plain { types, words, .. } = &**plain;
                let listed = words.as_ref().is_some_and(|words| !words.all.is_empty());
                if !listed && (types.string() || types.array() || types.object()) {
                    return false;
                }
            }
            Some(Goal::Opaque) | None => return false,
        }
    }
    true
}

/// Most keys, and most words, that are handed on.
const MOST_HINTS: usize = 256;

fn add<'s>(list: &mut Vec<String>, more: impl Iterator<Item = &'s str>) {
    for one in more {
        if list.len() < MOST_HINTS && !list.iter().any(|known| known == one) {
            list.push(one.to_owned());
        }
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Schema").field(&self.inner.json).finish()
    }
}
