//! Is what was given a schema, or something with a schema in it?
//!
//! Whatever has no keyword fits everything: the description of a tool, an envelope of a provider,
//! an answer that was taken for the schema. That is refused, since nothing would be checked. A
//! schema within is not taken on a guess: there may be two, of what a tool takes and of what it
//! gives.

use std::collections::VecDeque;

use serde_json::{Map, Value as Json};

use crate::Error;
use crate::compile::{Types, join};

/// Keywords that ask for something, or say where it is asked for.
const ASKING: [&str; 46] = [
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "$defs",
    "definitions",
    "type",
    "enum",
    "const",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "unevaluatedProperties",
    "required",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "minProperties",
    "maxProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "contentMediaType",
];

/// Keywords that ask for nothing, and words of `OpenAPI` that are as harmless.
const REMARKS: [&str; 24] = [
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$vocabulary",
    "$comment",
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentSchema",
    "nullable",
    "discriminator",
    "xml",
    "externalDocs",
    "alias",
    "aliases",
];

/// Most parts that are looked at for a schema.
const MOST_SEARCHED: usize = 1_000;

/// Refuses what asks for nothing although it says something. `{}` and `true` are schemas.
pub(super) fn check(schema: &Json) -> Result<(), Error> {
    let Json::Object(map) = schema else { return Ok(()) };
    let asks = |key: &str| match key {
        // `"type": "function"` is none of a value.
        "type" => map.get(key).is_some_and(is_type),
        key => ASKING.contains(&key),
    };
    let known = |key: &str| asks(key) || REMARKS.contains(&key) || key.starts_with("x-");
    let unknown = map.keys().find(|key| !known(key));
    let (Some(unknown), None) = (unknown, map.keys().find(|key| asks(key))) else {
        return Ok(());
    };
    let message = match within(map) {
        Some(pointer) => format!("it asks for nothing: the schema seems to be at `{pointer}`"),
        // The drafts say what is wrong with a type that is none.
        None if map.contains_key("type") => return Ok(()),
        None => format!("it asks for nothing: `{unknown}` is no keyword of a schema"),
    };
    Err(Error::Schema { message, path: String::new() })
}

/// Where the nearest schema stands below an object that is none.
fn within(map: &Map<String, Json>) -> Option<String> {
    let mut open: VecDeque<(&Map<String, Json>, String)> = VecDeque::from([(map, String::new())]);
    for _ in 0..MOST_SEARCHED {
        let (map, pointer) = open.pop_front()?;
        for (key, value) in map {
            let Json::Object(inner) = value else { continue };
            let pointer = join(&pointer, key);
            if looks_like_one(inner) {
                return Some(pointer);
            }
            open.push_back((inner, pointer));
        }
    }
    None
}

/// Whether an object is plainly a schema, and not a part of an answer that has a key of its own by
/// such a name.
fn looks_like_one(map: &Map<String, Json>) -> bool {
    let has = |key: &str, is: fn(&Json) -> bool| map.get(key).is_some_and(is);
    has("type", is_type)
        || has("properties", Json::is_object)
        || has("$ref", Json::is_string)
        || ["anyOf", "oneOf", "allOf", "enum"].iter().any(|key| has(key, Json::is_array))
}

/// Whether a value is a type of values, or a list of them.
fn is_type(value: &Json) -> bool {
    let one = |name: &Json| name.as_str().is_some_and(|name| Types::NAMES.contains(&name));
    one(value) || value.as_array().is_some_and(|names| names.iter().all(one))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::check;

    #[test]
    fn schemas_are_told_from_what_they_stand_in() {
        let object = json!({"type": "object"});
        for (given, place) in [
            (json!({"name": "x", "inputSchema": object}), "/inputSchema"),
            (json!({"name": "x", "description": "y", "parameters": object}), "/parameters"),
            (json!({"name": "x", "strict": true, "schema": {"$ref": "#/a"}}), "/schema"),
            (
                json!({"type": "function", "function": {"name": "x", "parameters": object}}),
                "/function/parameters",
            ),
            (
                json!({"type": "json_schema", "json_schema": {"schema": {"properties": {}}}}),
                "/json_schema/schema",
            ),
            (json!({"components": {"schemas": {"a/b": object}}}), "/components/schemas/a~1b"),
        ] {
            let error = check(&given).expect_err("no schema").to_string();
            assert!(error.contains(&format!("at `{place}`")), "{given}: {error}");
        }
        for given in [
            json!({"name": "Ada", "age": 3}),
            json!({"title": "A plan", "steps": []}),
            json!({"Type": "object"}),
        ] {
            let error = check(&given).expect_err("no schema").to_string();
            assert!(error.contains("no keyword"), "{given}: {error}");
        }
    }

    #[test]
    fn what_asks_for_something_or_says_nothing_is_a_schema() {
        for given in [
            json!({}),
            json!(true),
            json!(false),
            json!({"title": "anything", "description": "at all"}),
            json!({"$defs": {}, "unknown": 1}),
            json!({"x-kind": 1}),
            json!({"nullable": true}),
            json!({"type": "object", "name": "x", "schema": {"type": "object"}}),
            json!({"type": ["integer", "null"], "unknown": 1}),
            // Refused by the drafts, with their reason.
            json!({"type": "whatever"}),
        ] {
            assert!(check(&given).is_ok(), "{given}");
        }
    }
}
