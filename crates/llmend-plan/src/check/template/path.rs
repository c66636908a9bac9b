//! Fields of results against output schemas.

use serde_json::Value;

/// A missing field.
#[derive(Debug, PartialEq)]
pub(super) struct Missing<'m> {
    /// Name of the field.
    pub(super) name: &'m str,
    /// The field that may have been meant.
    pub(super) near: Option<&'m str>,
}

/// Keywords by which a schema takes fields from elsewhere.
const ELSEWHERE: [&str; 7] =
    ["$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "if", "patternProperties"];

/// Returns the first part of `field` (`response.items.price`) that a value of `schema` probably lacks.
/// Some dialects put results under `response`, whether the schema mentions it or not.
pub(super) fn missing<'m>(schema: &'m Value, field: &'m str) -> Option<Missing<'m>> {
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
        return Some(Missing { name, near });
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_looked_up_in_the_schema() {
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
            ("item.color", Some("color")),
            ("open.x", None),
            ("far.x", None),
            ("list.0.x", None),
        ];
        for (field, expected) in rows {
            assert_eq!(missing(&schema, field).map(|missing| missing.name), expected, "{field}");
        }
        assert_eq!(missing(&schema, "prize").unwrap().near, Some("price"));
    }
}
