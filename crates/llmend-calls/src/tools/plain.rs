//! Schemas that say no more than which members there are, and which values.

use serde_json::Value as Json;

/// Keywords that say no more of an object than which members it has.
const OBJECT_KEYWORDS: &[&str] =
    &["type", "properties", "required", "additionalProperties", "strict", "$defs", "definitions"];
/// Keywords that say nothing of a value.
const ANNOTATIONS: &[&str] = &[
    "title",
    "description",
    "default",
    "examples",
    "example",
    "$comment",
    "$schema",
    "$id",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Returns whether nothing but the members themselves decides whether arguments fit.
pub(super) fn is_plain_object(schema: &Json) -> bool {
    let known = |key: &String| {
        OBJECT_KEYWORDS.contains(&key.as_str()) || ANNOTATIONS.contains(&key.as_str())
    };
    schema.as_object().is_some_and(|schema| schema.keys().all(known))
}

/// Returns whether any string is a value of the parameter, and no string is changed by coercion.
pub(super) fn is_free_text(schema: &Json, key: &str) -> bool {
    let schema = schema.get("properties").and_then(|all| all.get(key));
    schema.and_then(Json::as_object).is_some_and(|schema| {
        schema.get("type").is_some_and(|name| name == "string")
            && schema.keys().all(|key| key == "type" || ANNOTATIONS.contains(&key.as_str()))
    })
}
