//! Compiled schemas.

use std::collections::HashSet;
use std::sync::Arc;

use llmend_json::{Node, Options, RuleSet, Search, WithoutJson};
use serde_json::Value as Json;

use crate::Error;
use crate::compile::reference::percent_decoded;
use crate::compile::{Compiled, Goal, Plain, Shape, ShapeId, check_numbers, compile, opened};

/// A compiled JSON Schema. Cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Schema {
    inner: Arc<Inner>,
}

struct Inner {
    json: Json,
    compiled: Compiled,
    hints: llmend_json::Hints,
    /// JSON Pointer of the author's schema within `json`.
    part: String,
}

impl Schema {
    /// Compiles a schema of draft 4, 6, 7, 2019-09 or 2020-12; 2020-12 if it has no `$schema`.
    ///
    /// Numbers that were rounded when `schema` was read cannot be detected here;
    /// [`from_text`](Self::from_text) and [`from_node`](Self::from_node) report them.
    ///
    /// The description of a tool or of a response format, as `OpenAI`, Anthropic and MCP have them,
    /// stands for the one schema in it.
    ///
    /// Two extensions of `OpenAPI` are supported: `nullable: true` beside a `type`, or beside an
    /// `allOf` of references, allows null; and formats such as `uint8` bound an integer.
    ///
    /// ```
    /// use llmend_schema::Schema;
    ///
    /// let schema = Schema::new(&serde_json::json!({"type": "integer", "format": "uint8"}))?;
    /// let parsed = llmend_json::parse("256")?;
    /// let violations = llmend_schema::validate(&parsed.value, &schema);
    /// assert_eq!(violations[0].message, "expected at most 255, found 256");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(schema: &Json) -> Result<Self, Error> {
        Self::within(opened(schema), "")
    }

    /// Compiles the schema at the JSON Pointer `pointer` of a document. Its references may lead to
    /// the document's `$defs`, `definitions` and `components`. The pointer may be percent-encoded, as in a
    /// URI.
    ///
    /// ```
    /// use llmend_schema::Schema;
    ///
    /// let parsed = llmend_json::parse(
    ///     r##"{"components": {"schemas": {"Id": {"type": "integer"}, "Ids": {"items": {"$ref": "#/components/schemas/Id"}}}}}"##,
    /// )?;
    /// let schema = Schema::at(parsed.value.root(), "/components/schemas/Ids")?;
    /// let parsed = llmend_json::parse("[1, false]")?;
    /// assert_eq!(llmend_schema::validate(&parsed.value, &schema).len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(document: Node<'_>, pointer: &str) -> Result<Self, Error> {
        let missing =
            || Error::Schema { message: format!("nothing at `{pointer}`"), path: String::new() };
        // A pointer in a URI may be percent-encoded.
        let decoded = || document.pointer(&percent_decoded(pointer));
        let part = document.pointer(pointer).or_else(decoded).ok_or_else(missing)?;
        check_numbers(part)?;
        let mut schema = part.to_serde().value;
        let refers = ["$ref\"", "Ref\""].iter().any(|name| part.to_string().contains(name));
        if let Json::Object(members) = &mut schema
            && refers
        {
            for key in ["$defs", "definitions", "components"] {
                if let Some(shared) = document.get(key) {
                    members.entry(key).or_insert_with(|| shared.to_serde().value);
                }
            }
        }
        Self::new(&schema)
    }

    /// Compiles a schema in which the author's schema is the part at the JSON Pointer `part`.
    /// Schema paths are reported relative to that part.
    pub(crate) fn within(schema: &Json, part: &str) -> Result<Self, Error> {
        let mut compiled = compile(schema)?;
        for raw in &mut compiled.nodes {
            raw.pointer = author_pointer(&raw.pointer, part);
        }
        let (json, hints, part) = (schema.clone(), hints(&compiled), part.to_owned());
        Ok(Self { inner: Arc::new(Inner { json, compiled, hints, part }) })
    }

    /// Compiles the schema in a JSON text. A number that cannot be represented exactly is an error,
    /// since rounding would change a bound or an enum value.
    ///
    /// ```
    /// use llmend_schema::Schema;
    ///
    /// assert!(Schema::from_text(r#"{"type": ["integer", "null"]}"#).is_ok());
    /// let error = Schema::from_text(r#"{"items": {"minimum": "1"}}"#).unwrap_err();
    /// assert_eq!(error.code(), "schema/unusable");
    /// assert_eq!(
    ///     error.to_string(),
    ///     "invalid schema: `minimum`: expected number, found \"1\" (at `/items/minimum`)",
    /// );
    /// ```
    pub fn from_text(text: &str) -> Result<Self, Error> {
        let schema = serde_json::from_str(text)?;
        let options = Options { rules: RuleSet::NONE, search: Search::Off, ..Options::default() };
        if let Ok(parsed) = llmend_json::parse_with(text, &options) {
            check_numbers(parsed.value.root())?;
        }
        Self::new(&schema)
    }

    /// Compiles the schema in a part of a value, under the same condition.
    pub fn from_node(node: Node<'_>) -> Result<Self, Error> {
        check_numbers(node)?;
        Self::new(&node.to_serde().value)
    }

    /// Derives and compiles the schema of a Rust type.
    #[cfg(feature = "schemars")]
    pub fn of<T: schemars::JsonSchema>() -> Result<Self, Error> {
        Self::new(schemars::schema_for!(T).as_value())
    }

    /// Returns the schema as JSON.
    #[must_use]
    pub fn as_json(&self) -> &Json {
        &self.inner.json
    }

    /// Returns a JSON Pointer relative to the author's schema.
    pub(crate) fn author_pointer(&self, pointer: &str) -> String {
        author_pointer(pointer, &self.inner.part)
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        &self.inner.compiled
    }

    /// Returns hints for the parser: the first 256 property names of the schema, outermost first,
    /// the first 256 strings of its enums, and whether a text without JSON may be the value, which
    /// holds for schemas of enums, numbers, booleans and null.
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

fn author_pointer(pointer: &str, part: &str) -> String {
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
    if is_scalar(&compiled.shapes) {
        hints.without_json = WithoutJson::Text;
    }
    hints
}

/// Returns whether only enum values, numbers, booleans and null are allowed. Such values can be
/// recognized in plain text; any other string or a container cannot.
fn is_scalar(shapes: &[Shape]) -> bool {
    let mut open: Vec<ShapeId> = vec![0];
    let mut seen = HashSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match shapes.get(id as usize).map(|shape| &shape.goal) {
            Some(Goal::Union { branches, .. }) => open.extend(branches),
            Some(Goal::Either { then, other, .. }) => open.extend([*then, *other]),
            Some(Goal::Plain(plain)) => {
                let Plain { types, enum_values, .. } = &**plain;
                let listed = enum_values.as_ref().is_some_and(|values| !values.all.is_empty());
                if !listed && (types.string() || types.array() || types.object()) {
                    return false;
                }
            }
            Some(Goal::Opaque) | None => return false,
        }
    }
    true
}

/// Maximum number of keys and of words in the hints.
const MAX_HINTS: usize = 256;

fn add<'s>(list: &mut Vec<String>, more: impl Iterator<Item = &'s str>) {
    for one in more {
        if list.len() < MAX_HINTS && !list.iter().any(|known| known == one) {
            list.push(one.to_owned());
        }
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Schema").field(&self.inner.json).finish()
    }
}
