//! Does an answer have the part that a reference asks for?

use serde_json::Value;

/// A part that is not there.
#[derive(Debug, PartialEq)]
pub(super) struct Miss<'m> {
    /// Its name.
    pub(super) name: &'m str,
    /// The part that may have been meant.
    pub(super) near: Option<&'m str>,
}

/// What in a JSON Schema means that it does not say all itself.
const ELSEWHERE: [&str; 7] =
    ["$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "if", "patternProperties"];

/// The first part of `field` (`response.items.price`) that a value of `schema` likely does not have.
/// An answer stands under `response` in some dialects, whether its schema says so or not.
pub(super) fn miss<'m>(schema: &'m Value, field: &'m str) -> Option<Miss<'m>> {
    let mut at = schema;
    let mut parts = field.split('.').filter(|part| !part.is_empty()).peekable();
    if at.get("properties").is_none_or(|all| all.get("response").is_none()) {
        parts.next_if_eq(&"response");
    }
    for name in parts {
        if ELSEWHERE.iter().any(|word| at.get(word).is_some()) {
            return None;
        }
        let properties = at.get("properties")?.as_object()?;
        if let Some(inner) = properties.get(name) {
            at = inner;
            continue;
        }
        if !matches!(at.get("additionalProperties"), None | Some(Value::Bool(false))) {
            return None;
        }
        let near = llmend_json::nearest(name, properties.keys().map(String::as_str));
        return Some(Miss { name, near });
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_is_looked_for_in_the_schema() {
        let schema = json!({"type": "object", "properties": {
            "price": {"type": "number"},
            "item": {"type": "object", "properties": {"name": {}}},
            "open": {"properties": {}, "additionalProperties": true},
            "far": {"$ref": "#/x", "properties": {}},
            "list": {"type": "array", "items": {}},
        }});
        let rows: [(&str, Option<&str>); 9] = [
            ("price", None),
            ("response.price", None),
            ("", None),
            ("prize", Some("prize")),
            ("response.item.name", None),
            ("item.colour", Some("colour")),
            ("open.x", None),
            ("far.x", None),
            ("list.0.x", None),
        ];
        for (field, expected) in rows {
            assert_eq!(miss(&schema, field).map(|miss| miss.name), expected, "{field}");
        }
        assert_eq!(miss(&schema, "prize").unwrap().near, Some("price"));
    }
}
