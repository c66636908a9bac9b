//! Translation of `OpenAPI` extensions to standard keywords.

use serde_json::{Map, Value as Json, json};

use crate::compile::keywords::is_data;

/// Ranges of integer formats.
const RANGES: [(&str, i128, i128); 8] = [
    ("int8", i8::MIN as i128, i8::MAX as i128),
    ("int16", i16::MIN as i128, i16::MAX as i128),
    ("int32", i32::MIN as i128, i32::MAX as i128),
    ("int64", i64::MIN as i128, i64::MAX as i128),
    ("uint8", 0, u8::MAX as i128),
    ("uint16", 0, u16::MAX as i128),
    ("uint32", 0, u32::MAX as i128),
    ("uint64", 0, u64::MAX as i128),
];

/// Returns the schema with the range of an integer format as bounds, since a number beyond it would
/// fail later when read into that type, and with the type null beside `nullable: true`.
pub(crate) fn normalize(schema: &Json) -> Json {
    let mut schema = schema.clone();
    let mut open = vec![&mut schema];
    while let Some(part) = open.pop() {
        match part {
            Json::Object(map) => {
                add_range(map);
                add_null(map);
                open.extend(
                    map.iter_mut().filter(|(key, _)| !is_data(key)).map(|(_, value)| value),
                );
            }
            Json::Array(items) => open.extend(items.iter_mut()),
            _ => {}
        }
    }
    schema
}

fn add_range(map: &mut Map<String, Json>) {
    let format = map.get("format").and_then(Json::as_str).unwrap_or_default();
    let range = RANGES.iter().find(|(name, ..)| *name == format);
    let Some((_, least, most)) = range.filter(|_| map.contains_key("type")) else { return };
    for (key, bound) in [("minimum", least), ("maximum", most)] {
        let bound = i64::try_from(*bound)
            .map(Json::from)
            .or_else(|_| u64::try_from(*bound).map(Json::from));
        if let Ok(bound) = bound {
            map.entry(key).or_insert(bound);
        }
    }
}

/// `OpenAPI` 3.0.3 allows null only beside a `type`, and with an `enum` only if it contains null.
/// Generators also write `nullable` beside an `allOf` of references, because it is ignored beside a
/// reference, meaning null or the target.
fn add_null(map: &mut Map<String, Json>) {
    let nullable = map.get("nullable") == Some(&Json::Bool(true));
    if let Some(types) = map.get_mut("type").filter(|types| nullable && types.is_string()) {
        *types = json!([types.clone(), "null"]);
    } else if nullable && !map.contains_key("type") && !map.contains_key("anyOf") {
        let is_reference = |part: &Json| part.get("$ref").is_some_and(Json::is_string);
        let referring = |all: &Vec<Json>| !all.is_empty() && all.iter().all(is_reference);
        if map.get("allOf").and_then(Json::as_array).is_some_and(referring)
            && let Some(all) = map.remove("allOf")
        {
            map.insert("anyOf".to_owned(), json!([{"allOf": all}, {"type": "null"}]));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::normalize;

    #[test]
    fn openapi_keywords_become_standard_keywords() {
        for (schema, expected) in [
            (
                json!({"type": "integer", "format": "uint8"}),
                json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255}),
            ),
            (json!({"format": "uint8"}), json!({"format": "uint8"})),
            (
                json!({"items": {"type": "string", "nullable": true}}),
                json!({"items": {"type": ["string", "null"], "nullable": true}}),
            ),
            (
                json!({"type": "string", "nullable": false}),
                json!({"type": "string", "nullable": false}),
            ),
            (json!({"nullable": true}), json!({"nullable": true})),
            (
                json!({"nullable": true, "allOf": [{"$ref": "#/a"}]}),
                json!({
                    "nullable": true,
                    "anyOf": [{"allOf": [{"$ref": "#/a"}]}, {"type": "null"}],
                }),
            ),
            (
                json!({"nullable": false, "allOf": [{"$ref": "#/a"}]}),
                json!({"nullable": false, "allOf": [{"$ref": "#/a"}]}),
            ),
            (
                json!({"nullable": true, "allOf": [{"minimum": 1}]}),
                json!({"nullable": true, "allOf": [{"minimum": 1}]}),
            ),
            (
                json!({"properties": {"nullable": true, "type": {}}}),
                json!({"properties": {"nullable": true, "type": {}}}),
            ),
            (
                json!({"const": {"type": "string", "nullable": true}}),
                json!({"const": {"type": "string", "nullable": true}}),
            ),
        ] {
            assert_eq!(normalize(&schema), expected, "{schema}");
        }
    }
}
