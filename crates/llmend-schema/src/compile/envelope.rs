//! Detection of objects that are not schemas.
//!
//! An object without known keywords accepts every value. If it is the description of a tool or of a
//! response format of a known API, the schema in it is meant. Anything else is refused, since
//! nothing would be checked. A schema in an unknown place is not used on a guess, because there may
//! be two, for the input and for the output of a tool.

use std::collections::VecDeque;

use serde_json::{Map, Value as Json};

use crate::Error;
use crate::compile::keywords::keyword;
use crate::compile::types::Types;
use crate::pointer::join;
use crate::quote::one_of;

/// Maximum number of objects searched for a schema.
const MAX_SEARCHED: usize = 1_000;

/// Where the APIs of OpenAI, Anthropic and MCP have the schema.
const PLACES: [&str; 6] = [
    "/json_schema/schema",
    "/schema",
    "/function/parameters",
    "/parameters",
    "/input_schema",
    "/inputSchema",
];

/// Keywords with definitions that count only where they are referred to.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// Keywords that may stand beside them and constrain nothing.
const ANNOTATIONS: [&str; 6] = ["$schema", "$id", "id", "$comment", "title", "description"];

/// Returns the schema in the description of a tool or of a response format, if it has only one.
pub(crate) fn opened(schema: &Json) -> &Json {
    let Some((map, _)) = unknown_member(schema) else { return schema };
    let two = ["outputSchema", "output_schema"].iter().any(|key| map.contains_key(*key));
    let mut inner = PLACES
        .iter()
        .filter_map(|place| schema.pointer(place)?.is_object().then(|| schema.pointer(place))?);
    match (inner.next(), inner.next(), two) {
        (Some(inner), None, false) => inner,
        _ => schema,
    }
}

/// Returns the members of an object without any keyword that constrains a value, and one that is no
/// keyword.
fn unknown_member(schema: &Json) -> Option<(&Map<String, Json>, &str)> {
    let map = schema.as_object()?;
    let asks = |key: &str| match key {
        // `"type": "function"` is not a JSON type.
        "type" => map.get(key).is_some_and(is_type),
        key => keyword(key).is_some_and(|keyword| keyword.constrains),
    };
    let known = |key: &str| {
        keyword(key).is_some_and(|_| key != "type" || asks(key)) || key.starts_with("x-")
    };
    let unknown = map.keys().find(|key| !known(key))?;
    (!map.keys().any(|key| asks(key))).then_some((map, unknown))
}

/// Refuses an object that has members but no known keyword. `{}` and `true` are schemas.
pub(super) fn check(schema: &Json) -> Result<(), Error> {
    if let Some(definitions) = only_definitions(schema) {
        let places = one_of(definitions.iter().map(|place| format!("`{place}`")));
        let message = format!("only definitions found; the schema seems to be at {places}");
        return Err(Error::Schema { message, path: String::new() });
    }
    let Some((map, unknown)) = unknown_member(schema) else { return Ok(()) };
    let message = match within(map) {
        Some(pointer) => format!("no schema keywords found; the schema seems to be at `{pointer}`"),
        // The meta-schema reports an invalid type.
        None if map.contains_key("type") => return Ok(()),
        None => format!("no schema keywords found; `{unknown}` is not a keyword"),
    };
    Err(Error::Schema { message, path: String::new() })
}

/// Returns the pointers of the definitions, if an object has nothing else that constrains a value.
fn only_definitions(schema: &Json) -> Option<Vec<String>> {
    let map = schema.as_object()?;
    let mut found = Vec::new();
    for (key, value) in map {
        if DEFINITIONS.contains(&key.as_str()) {
            let all = value.as_object()?.iter().filter(|(_, definition)| definition.is_object());
            found.extend(all.map(|(name, _)| join(&join("", key), name)));
        } else if !ANNOTATIONS.contains(&key.as_str()) {
            return None;
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Returns the pointer of the nearest schema inside an object.
fn within(map: &Map<String, Json>) -> Option<String> {
    let mut open: VecDeque<(&Map<String, Json>, String)> = VecDeque::from([(map, String::new())]);
    for _ in 0..MAX_SEARCHED {
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

/// Returns whether an object is clearly a schema, rather than data with a key of such a name.
fn looks_like_one(map: &Map<String, Json>) -> bool {
    let has = |key: &str, is: fn(&Json) -> bool| map.get(key).is_some_and(is);
    has("type", is_type)
        || has("properties", Json::is_object)
        || has("$ref", Json::is_string)
        || ["anyOf", "oneOf", "allOf", "enum"].iter().any(|key| has(key, Json::is_array))
}

/// Returns whether a value is a type name or a list of them.
fn is_type(value: &Json) -> bool {
    let one = |name: &Json| name.as_str().is_some_and(|name| Types::NAMES.contains(&name));
    one(value) || value.as_array().is_some_and(|names| names.iter().all(one))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{check, opened};

    #[test]
    fn the_envelopes_of_apis_are_opened() {
        let object = json!({"type": "object"});
        for given in [
            json!({"name": "x", "inputSchema": object}),
            json!({"name": "x", "input_schema": object}),
            json!({"name": "x", "description": "y", "parameters": object}),
            json!({"name": "x", "strict": true, "schema": object}),
            json!({"type": "json_schema", "name": "x", "schema": object}),
            json!({"type": "function", "function": {"name": "x", "parameters": object}}),
            json!({"type": "json_schema", "json_schema": {"name": "x", "schema": object}}),
        ] {
            assert_eq!(opened(&given), &object, "{given}");
        }
        for given in [
            object.clone(),
            json!({"type": "object", "name": "x", "schema": object}),
            json!({"properties": {"a": {}}, "parameters": object}),
            json!({"name": "x", "inputSchema": object, "outputSchema": object}),
            json!({"schema": object, "parameters": object}),
            json!({"name": "Ada", "schema": "a"}),
        ] {
            assert_eq!(opened(&given), &given);
        }
    }

    #[test]
    fn objects_that_contain_schemas_are_refused() {
        let object = json!({"type": "object"});
        for (given, place) in [
            (json!({"name": "x", "inputSchema": object, "outputSchema": object}), "/inputSchema"),
            (json!({"request": {"body": object}}), "/request/body"),
            (json!({"components": {"schemas": {"a/b": object}}}), "/components/schemas/a~1b"),
        ] {
            let error = check(&given).expect_err("not a schema").to_string();
            assert!(error.contains(&format!("at `{place}`")), "{given}: {error}");
        }
        for (given, expected) in [
            (
                json!({"$defs": {"a b": object}}),
                "only definitions found; the schema seems to be at `/$defs/a b`",
            ),
            (
                json!({"$schema": "x", "title": "y", "definitions": {"A": object, "B": {}}}),
                "only definitions found; the schema seems to be at `/definitions/A` or `/definitions/B`",
            ),
        ] {
            let error = check(&given).expect_err("not a schema").to_string();
            assert!(error.contains(expected), "{given}: {error}");
        }
        for given in [
            json!({"name": "Ada", "age": 3}),
            json!({"title": "A plan", "steps": []}),
            json!({"Type": "object"}),
        ] {
            let error = check(&given).expect_err("not a schema").to_string();
            assert!(error.contains("is not a keyword"), "{given}: {error}");
        }
    }

    #[test]
    fn schemas_are_accepted() {
        let object = json!({"type": "object"});
        for given in [
            json!({}),
            json!(true),
            json!(false),
            json!({"title": "anything", "description": "at all"}),
            json!({"$defs": {}, "unknown": 1}),
            json!({"$defs": {}}),
            json!({"$defs": {"a": object}, "$ref": "#/$defs/a"}),
            json!({"x-kind": 1}),
            json!({"nullable": true}),
            json!({"type": "object", "name": "x", "schema": {"type": "object"}}),
            json!({"type": ["integer", "null"], "unknown": 1}),
            // Refused by the meta-schema.
            json!({"type": "whatever"}),
        ] {
            assert!(check(&given).is_ok(), "{given}");
        }
    }
}
