//! Schemas of tools in the dialects of providers, made JSON Schema.

use serde_json::Value as Json;

/// Maximum depth to which a schema is normalized.
const DEPTH: usize = 64;

/// Type names of other languages, and JSON Schema's name; an empty name for any type.
const TYPES: &[(&str, &str)] = &[
    ("dict", "object"),
    ("map", "object"),
    ("hashmap", "object"),
    ("list", "array"),
    ("tuple", "array"),
    ("set", "array"),
    ("arraylist", "array"),
    ("str", "string"),
    ("char", "string"),
    ("text", "string"),
    ("int", "integer"),
    ("long", "integer"),
    ("short", "integer"),
    ("byte", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("decimal", "number"),
    ("bool", "boolean"),
    ("none", "null"),
    ("any", ""),
];

const KNOWN: &[&str] = &["object", "array", "string", "integer", "number", "boolean", "null"];

/// Replaces type names such as Gemini's `STRING` and Python's `dict` in a schema with those of JSON
/// Schema, and removes types that are unknown. Returns the unknown ones.
pub(super) fn schema(schema: &mut Json) -> Vec<String> {
    let mut unknown = Vec::new();
    within(schema, DEPTH, &mut unknown);
    unknown
}

fn within(schema: &mut Json, depth: usize, unknown: &mut Vec<String>) {
    let Some(object) = schema.as_object_mut().filter(|_| depth > 0) else { return };
    match object.get_mut("type") {
        Some(Json::String(name)) => {
            if let Some(known) = standard(name) {
                known.clone_into(name);
            } else {
                unknown.extend(unnamed(name));
                object.remove("type");
            }
        }
        Some(Json::Array(names)) => {
            let known: Option<Vec<&str>> =
                names.iter().map(|name| name.as_str().and_then(standard)).collect();
            if let Some(known) = known {
                *names = known.into_iter().map(Json::from).collect();
            } else {
                unknown.extend(names.iter().filter_map(|name| unnamed(name.as_str()?)));
                object.remove("type");
            }
        }
        _ => {}
    }
    if object.get("required").is_some_and(|required| !required.is_array()) {
        object.remove("required");
    }
    for key in ["properties", "patternProperties", "$defs", "definitions"] {
        for part in object.get_mut(key).and_then(Json::as_object_mut).into_iter().flatten() {
            within(part.1, depth - 1, unknown);
        }
    }
    for key in ["items", "additionalProperties", "not"] {
        if let Some(part) = object.get_mut(key) {
            within(part, depth - 1, unknown);
        }
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        for part in object.get_mut(key).and_then(Json::as_array_mut).into_iter().flatten() {
            within(part, depth - 1, unknown);
        }
    }
}

/// Returns a type name that no language has.
fn unnamed(name: &str) -> Option<String> {
    let lower = name.trim().to_ascii_lowercase();
    let is_known =
        KNOWN.contains(&lower.as_str()) || TYPES.iter().any(|(other, _)| *other == lower);
    (!is_known).then(|| name.to_owned())
}

/// Returns JSON Schema's name of a type; `None` if any type is meant or the name is unknown.
fn standard(name: &str) -> Option<&'static str> {
    let lower = name.trim().to_ascii_lowercase();
    if let Some(known) = KNOWN.iter().find(|known| **known == lower) {
        return Some(known);
    }
    TYPES
        .iter()
        .find(|(other, _)| *other == lower)
        .map(|(_, known)| *known)
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn types_of_other_languages_become_those_of_json_schema() {
        let mut schema = json!({"type": "dict", "properties": {
            "a": {"type": "STRING"}, "b": {"type": "tuple", "items": {"type": "float"}},
            "c": {"type": "any"}, "d": {"type": ["int", "NULL"]},
            "e": {"type": "nothing"}, "f": {"anyOf": [{"type": ["string", "File"]}]}}});
        assert_eq!(super::schema(&mut schema), ["nothing", "File"]);
        assert_eq!(
            schema,
            json!({"type": "object", "properties": {
                "a": {"type": "string"}, "b": {"type": "array", "items": {"type": "number"}},
                "c": {}, "d": {"type": ["integer", "null"]}, "e": {}, "f": {"anyOf": [{}]}}})
        );
    }
}
