//! Schemas of the parts of a value.

use std::collections::HashMap;

use llmend_json::Kind;
use serde_json::{Map, Value as Json};

use crate::coerce::keys::{KeyMatch, match_keys};
use crate::compile::{BranchChoice, Goal, Plain, ShapeId};
use crate::instance::Instance;
use crate::{Options, OtherSpelling, Schema, enclosing};

/// Maximum number of schemas that are compiled; further parts are validated with the whole value.
const MAX_KEPT: usize = 256;

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

/// Where a part of a value stands in a schema.
#[derive(Clone, Copy, Debug)]
pub struct Place(Option<Spot>);

/// A place that is known: it does not depend on other parts of the value.
#[derive(Clone, Copy, Debug)]
enum Spot {
    /// The schema says nothing about it.
    Free,
    Shape(ShapeId),
}

impl Place {
    /// A place about which the schema says nothing.
    pub const FREE: Self = Self(Some(Spot::Free));

    /// Returns whether the schema says nothing about it.
    #[must_use]
    pub const fn is_free(self) -> bool {
        matches!(self.0, Some(Spot::Free))
    }
}

/// A member of an object that is still arriving.
#[derive(Clone, Copy, Debug)]
pub struct Member<'k> {
    /// Its name in the coerced value.
    pub name: &'k str,
    /// Where its value stands.
    pub place: Place,
    /// Whether the schema names it, or names no members.
    pub is_known: bool,
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
        self.compiled(shape)
    }

    /// Returns the schema that applies at `place`, likewise.
    pub fn of(&mut self, place: Place) -> Option<&Schema> {
        match place {
            Place(Some(Spot::Shape(shape))) => self.compiled(shape),
            Place(_) => None,
        }
    }

    fn compiled(&mut self, shape: ShapeId) -> Option<&Schema> {
        if self.known.len() >= MAX_KEPT && !self.known.contains_key(&shape) {
            return None;
        }
        let schema = &self.schema;
        self.known.entry(shape).or_insert_with(|| of_shape(schema, shape)).as_ref()
    }

    /// Returns the place of the whole value.
    #[must_use]
    pub const fn root(&self) -> Place {
        Place(Some(Spot::Shape(0)))
    }

    /// Returns whether a value of this kind at `place` keeps what has arrived of it, whatever follows: it is
    /// neither converted nor replaced by one of several words.
    #[must_use]
    pub fn keeps(&self, place: Place, kind: Kind) -> bool {
        let shape = match place.0 {
            None => return false,
            Some(Spot::Free) => return true,
            Some(Spot::Shape(shape)) => shape,
        };
        self.plain(shape, kind)
            .is_some_and(|plain| plain.enum_values.is_none() && plain.format.is_none())
    }

    /// Returns the place of an item of the array at `place`.
    #[must_use]
    pub fn item(&self, place: Place, index: usize) -> Place {
        match place.0 {
            Some(Spot::Shape(shape)) => Place(self.plain(shape, Kind::Array).map(|plain| {
                let item = plain.prefix.get(index).copied().or(plain.items);
                item.map_or(Spot::Free, Spot::Shape)
            })),
            other => Place(other),
        }
    }

    /// Returns the name that a member of the object at `place` has in the coerced value, and its place; `None`
    /// if that depends on the other members.
    #[must_use]
    pub fn member<'k>(
        &'k self,
        place: Place,
        key: &'k str,
        options: &Options,
    ) -> Option<Member<'k>> {
        let shape = match place.0? {
            Spot::Free => return Some(Member { name: key, place, is_known: true }),
            Spot::Shape(shape) => shape,
        };
        let plain = self.plain(shape, Kind::Object)?;
        let known =
            |name, shape| Member { name, place: Place(Some(Spot::Shape(shape))), is_known: true };
        let [found] = match_keys(plain, &[key], |_| false)[..] else { return None };
        if let KeyMatch::Property(property, kind) = found {
            let property = plain.properties.get(property)?;
            let renames = options.on_other_spelling == OtherSpelling::Rename;
            let sure = kind.is_none() || plain.closed || property.required || renames;
            return sure.then(|| known(&property.name.text, property.shape));
        }
        if let Some(shape) = self.unnamed(plain, key) {
            return Some(known(key, shape));
        }
        let is_known = plain.properties.is_empty();
        (!plain.closed).then_some(Member { name: key, place: Place(Some(Spot::Free)), is_known })
    }

    /// Returns what describes values of this kind in a shape. Of a union it is the only branch that allows
    /// them.
    fn plain(&self, shape: ShapeId, kind: Kind) -> Option<&Plain> {
        let shapes = &self.schema.compiled().shapes;
        let of = |shape: ShapeId| match &shapes.get(shape as usize)?.goal {
            Goal::Plain(plain) => Some(plain.as_ref()),
            _ => None,
        };
        let allows = |plain: &&Plain| match kind {
            Kind::Array => plain.types.array(),
            Kind::Object => plain.types.object(),
            Kind::String => plain.types.string(),
            _ => false,
        };
        let Goal::Union { branches, .. } = &shapes.get(shape as usize)?.goal else {
            return of(shape).filter(allows);
        };
        let branches: Vec<&Plain> =
            branches.iter().map(|&branch| of(branch)).collect::<Option<_>>()?;
        match branches.into_iter().filter(allows).collect::<Vec<_>>()[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the shape of a member that is not a property.
    fn unnamed(&self, plain: &Plain, key: &str) -> Option<ShapeId> {
        let compiled = self.schema.compiled();
        let matching = plain.patterns.iter().find(|(id, at, _)| {
            let raw = compiled.nodes.get(*id as usize);
            raw.and_then(|raw| raw.patterns.get(*at))
                .is_some_and(|(pattern, _)| pattern.is_valid(Instance::Text(key)))
        });
        matching.map(|(.., shape)| *shape).or(plain.rest)
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
            self.unnamed(plain, &token)
        })
    }
}

/// Builds a schema for a shape: references into the whole schema, which it contains as a
/// definition.
fn of_shape(schema: &Schema, shape: ShapeId) -> Option<Schema> {
    let compiled = schema.compiled();
    let holds = &compiled.shapes.get(shape as usize)?.holds;
    let mut pointers = Vec::with_capacity(holds.len());
    for holds in holds {
        let raw = compiled.nodes.get(holds.id as usize)?;
        if holds.choice == BranchChoice::Made {
            return None;
        }
        pointers.push(raw.pointer.as_str());
    }
    let outer = |reference: &dyn Fn(&str) -> Json| {
        let all: Vec<Json> = pointers.into_iter().map(reference).collect();
        Map::from_iter([("allOf".to_owned(), all.into())])
    };
    enclosing::around(schema.as_json().as_object()?, outer).ok()
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
    fn members_have_the_names_that_they_get() {
        const OPEN: &str = r#"{"type":"object","properties":{"due_date":{"type":"string"},"n":{"type":"integer"}},"required":["due_date"]}"#;
        const CLOSED: &str = r#"{"type":"object","properties":{"due_date":{"type":"string"},"n":{}},"additionalProperties":false}"#;
        const MAP: &str = r#"{"type":"object","additionalProperties":{"type":"integer"}}"#;
        const MAYBE: &str = r#"{"anyOf":[{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},{"type":"null"}]}"#;
        const EITHER: &str = r#"{"anyOf":[{"type":"object","properties":{"n":{}}},{"type":"object","properties":{"m":{}}}]}"#;
        for (schema, key, expected) in [
            (OPEN, "due_date", Some(("due_date", true))),
            (OPEN, "dueDate", Some(("due_date", true))),
            // It stays as it is unless another one follows.
            (OPEN, "N", None),
            (OPEN, "other", Some(("other", false))),
            (CLOSED, "N", Some(("n", true))),
            (CLOSED, "due_dat", None),
            (MAP, "Any key", Some(("Any key", true))),
            (MAYBE, "N", Some(("n", true))),
            (EITHER, "n", None),
            ("{}", "x", Some(("x", true))),
        ] {
            let places = Subschemas::new(Schema::from_text(schema).unwrap());
            let member = places.member(places.root(), key, &Options::default());
            let found = member.map(|member| (member.name, member.is_known));
            assert_eq!(found, expected, "{key}");
        }
    }

    #[test]
    fn what_has_arrived_stays_unless_it_may_be_converted() {
        use llmend_json::Kind::{Array, Object, String};
        for (schema, kind, expected) in [
            (r#"{"type":"string"}"#, String, true),
            (r#"{"type":["string","null"]}"#, String, true),
            (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, String, true),
            (r#"{"type":"integer"}"#, String, false),
            (r#"{"enum":["a","b"]}"#, String, false),
            (r#"{"type":"string","format":"date"}"#, String, false),
            (r#"{"type":"array"}"#, Array, true),
            (r#"{"type":"array"}"#, Object, false),
            (r#"{"anyOf":[{"type":"object"},{"type":"array"}]}"#, Object, true),
            ("{}", Object, true),
        ] {
            let places = Subschemas::new(Schema::from_text(schema).unwrap());
            assert_eq!(places.keeps(places.root(), kind), expected, "{schema}");
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
