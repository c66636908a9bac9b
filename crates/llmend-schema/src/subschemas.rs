//! Schemas of the parts of a value.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use crate::Schema;
use crate::compile::{BranchChoice, Goal, ShapeId};
use crate::instance::Instance;
use crate::pointer::join;

/// Maximum number of schemas that are compiled; further parts are validated with the whole value.
const MAX_KEPT: usize = 256;

/// Key of the whole schema in the definitions of a part's schema.
const WHOLE: &str = "whole";

/// The schemas that apply to the parts of a value, compiled on first use.
///
/// ```
/// use llmend_schema::{Subschemas, Schema, validate};
///
/// let schema = Schema::from_text(
///     r##"{"properties": {"days": {"items": {"$ref": "#/$defs/day"}}}, "$defs": {"day": {"type": "integer"}}}"##,
/// )?;
/// let mut places = Subschemas::new(schema);
/// let day = places.at("/days/3").expect("the schema says what a day is");
/// assert!(validate(&llmend_json::parse("7")?.value, day).is_empty());
/// assert!(!validate(&llmend_json::parse("true")?.value, day).is_empty());
/// assert!(places.at("/city").is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Subschemas {
    schema: Schema,
    known: HashMap<ShapeId, Option<Schema>>,
}

impl Subschemas {
    /// Creates the subschemas of `schema`.
    #[must_use]
    pub fn new(schema: Schema) -> Self {
        Self { schema, known: HashMap::new() }
    }

    /// Returns the schema of the whole value.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the schema that applies at the JSON Pointer `path` of a value; `None` if the schema
    /// says nothing about it, or if it depends on other parts of the value, as within a union.
    /// Schema paths refer to the whole schema.
    pub fn at(&mut self, path: &str) -> Option<&Schema> {
        let shape = self.shape(path)?;
        if self.known.len() >= MAX_KEPT && !self.known.contains_key(&shape) {
            return None;
        }
        let schema = &self.schema;
        self.known.entry(shape).or_insert_with(|| of_shape(schema, shape)).as_ref()
    }

    fn shape(&self, path: &str) -> Option<ShapeId> {
        let compiled = self.schema.compiled();
        let tokens = path.split('/').skip(1);
        tokens.map(llmend_json::unescape_token).try_fold(0, |at, token| {
            let Goal::Plain(plain) = &compiled.shapes.get(at as usize)?.goal else { return None };
            let lists = plain.types.array() && (plain.items.is_some() || !plain.prefix.is_empty());
            let names = plain.types.object()
                && (plain.rest.is_some()
                    || !plain.properties.is_empty()
                    || !plain.patterns.is_empty());
            if lists {
                // Arrays and objects can only be result apart once the value is complete.
                let index = token.parse::<usize>().ok().filter(|_| !names)?;
                return plain.prefix.get(index).copied().or(plain.items);
            }
            if let Some(property) = plain.by_name.get(&token) {
                return Some(plain.properties.get(*property)?.shape);
            }
            let matching = plain.patterns.iter().find(|(id, at, _)| {
                let raw = compiled.nodes.get(*id as usize);
                raw.and_then(|raw| raw.patterns.get(*at))
                    .is_some_and(|(pattern, _)| pattern.is_valid(Instance::Text(&token)))
            });
            matching.map(|(.., shape)| *shape).or(plain.rest)
        })
    }
}

/// Builds a schema for a shape: references into the whole schema, which it contains as a
/// definition.
fn of_shape(schema: &Schema, shape: ShapeId) -> Option<Schema> {
    let compiled = schema.compiled();
    let holds = &compiled.shapes.get(shape as usize)?.holds;
    let json = schema.as_json().as_object()?;
    let draft = json.get("$schema").and_then(Json::as_str).unwrap_or_default();
    let old = draft.contains("draft-04");
    let id = if old { "id" } else { "$id" };
    let name = json.get(id).and_then(Json::as_str).unwrap_or("llmend:whole").trim_end_matches('#');
    let mut references = Vec::with_capacity(holds.len());
    for holds in holds {
        let raw = compiled.nodes.get(holds.id as usize)?;
        if holds.choice == BranchChoice::Made {
            return None;
        }
        references.push(json!({"$ref": format!("{name}#{}", percent_encoded(&raw.pointer))}));
    }
    let mut whole = json.clone();
    whole.insert(id.to_owned(), name.into());
    let mut outer = Map::new();
    if !draft.is_empty() {
        outer.insert("$schema".to_owned(), draft.into());
    }
    outer.insert("allOf".to_owned(), references.into());
    let within = join(&join("", "definitions"), WHOLE);
    outer.insert("definitions".to_owned(), json!({WHOLE: whole}));
    Schema::within(&Json::Object(outer), &within).ok()
}

/// Encodes a JSON Pointer as a URI fragment.
fn percent_encoded(pointer: &str) -> String {
    let mut out = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b'$' => {
                out.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Subschemas;
    use crate::{Options, Schema, coerce};

    /// Coerces `text` as the part at `path` of a value of `schema`.
    fn check(schema: &str, path: &str, text: &str) -> Option<Result<String, String>> {
        let mut places = Subschemas::new(Schema::from_text(schema).unwrap());
        let place = places.at(path)?;
        let parsed = llmend_json::parse(text).unwrap();
        let coerced = coerce(&parsed.value, place, &Options::default());
        Some(match coerced.violations.first() {
            None => Ok(coerced.value.to_string()),
            Some(row) => Err(format!("{} {}", row.code, row.schema_path)),
        })
    }

    #[test]
    fn parts_have_the_schema_of_their_place() {
        const TRIP: &str = r##"{"type":"object","properties":{"a/b":{"type":"integer","minimum":1},
            "stops":{"type":"array","prefixItems":[{"type":"null"}],"items":{"$ref":"#/$defs/stop"}},
            "either":{"anyOf":[{"type":"object","properties":{"x":{"type":"integer"}}},{"type":"null"}]},
            "näme %":{"type":"boolean"}},
            "patternProperties":{"^n_":{"type":"integer"}},"additionalProperties":{"type":"string"},
            "$defs":{"stop":{"type":"object","properties":{"id":{"type":"integer"},"next":{"$ref":"#/$defs/stop"}},"required":["id"]}}}"##;
        for (path, text, expected) in [
            ("/a~1b", r#""7""#, Some(Ok("7"))),
            ("/a~1b", "0", Some(Err("schema/range /properties/a~1b/minimum"))),
            ("/stops/0", "null", Some(Ok("null"))),
            ("/stops/4", r#"{"ID":"1"}"#, Some(Ok(r#"{"id":1}"#))),
            ("/stops/4", "{}", Some(Err("schema/required /$defs/stop/required"))),
            (
                "/stops/4/next/next/id",
                r#""x""#,
                Some(Err("schema/type /$defs/stop/properties/id/type")),
            ),
            ("/stops", "[null,{}]", Some(Err("schema/required /$defs/stop/required"))),
            ("/n_x", r#""3""#, Some(Ok("3"))),
            ("/näme %", r#""true""#, Some(Ok("true"))),
            ("/other", "3", Some(Ok(r#""3""#))),
            ("/either", r#"{"x":"1"}"#, Some(Ok(r#"{"x":1}"#))),
            // Within a union it depends on the branch.
            ("/either/x", "1", None),
            ("/a~1b/deeper", "1", None),
        ] {
            let result = check(TRIP, path, text);
            let result = result.as_ref().map(|result| result.as_deref().map_err(String::as_str));
            assert_eq!(result, expected, "{path} {text}");
        }
    }

    #[test]
    fn every_draft_is_supported() {
        for (schema, path) in [
            (
                r#"{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x.org/s#","properties":{"a":{"type":"integer"}}}"#,
                "/a",
            ),
            (
                r##"{"$schema":"http://json-schema.org/draft-07/schema#","$id":"s.json","properties":{"a":{"$ref":"#/definitions/b"}},"definitions":{"b":{"type":"integer"}}}"##,
                "/a",
            ),
            (
                r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","items":{"$ref":"#/$defs/b"},"$defs":{"b":{"type":"integer"}}}"##,
                "/5",
            ),
            (
                r#"{"$id":"https://x.org/s","properties":{"a":{"$ref":"s#b"}},"$defs":{"b":{"$anchor":"b","type":"integer"}}}"#,
                "/a",
            ),
        ] {
            assert_eq!(check(schema, path, r#""7""#), Some(Ok("7".to_owned())), "{schema}");
            let wrong = check(schema, path, "[]");
            assert!(
                matches!(&wrong, Some(Err(result)) if result.starts_with("schema/type /")),
                "{schema} {wrong:?}"
            );
        }
    }
}
