//! Wrapper objects.

use llmend_schema::{Options, Schema, coerce};

const PERSON: &str = r#"{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"]}"#;
const NAMES: &str = r#"{"type":"array","items":{"type":"string"}}"#;
const HOUSE: &str = r#"{"type":"object","properties":{"owner":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}},"required":["owner"]}"#;

const MAP: &str = r#"{"type":"object","additionalProperties":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}"#;

/// Returns the value if it fits.
fn fit(schema: &str, text: &str) -> Option<String> {
    let schema = Schema::from_text(schema).unwrap();
    let parsed = llmend_json::parse(text).unwrap();
    let coerced = coerce(&parsed.value, &schema, &Options::default());
    coerced.violations.is_empty().then(|| coerced.value.to_string())
}

#[test]
fn a_single_wrapper_is_removed() {
    for (schema, text, expected) in [
        (PERSON, r#"{"the_result":{"name":"x","age":"3"}}"#, r#"{"name":"x","age":3}"#),
        (PERSON, r#"{"result":"{\"name\":\"x\",\"age\":3}"}"#, r#"{"name":"x","age":3}"#),
        (PERSON, r#""{\"answer\":{\"name\":\"x\",\"age\":3}}""#, r#"{"name":"x","age":3}"#),
        (NAMES, r#"{"names":["a","b"]}"#, r#"["a","b"]"#),
        (NAMES, r#"{"cities":["a","b"]}"#, r#"["a","b"]"#),
        (PERSON, r#"{"properties":{"name":"x","age":"3"}}"#, r#"{"name":"x","age":3}"#),
        // Each part may have its own.
        (HOUSE, r#"{"output":{"owner":{"data":{"name":"x"}}}}"#, r#"{"owner":{"name":"x"}}"#),
        (HOUSE, r#"{"owner":{"owner":{"name":"x"}}}"#, r#"{"owner":{"name":"x"}}"#),
        (
            r#"{"type":"object","properties":{"a":{"title":"Person","type":"object","properties":{"n":{}},"required":["n"]}}}"#,
            r#"{"a":{"person":{"n":1}}}"#,
            r#"{"a":{"n":1}}"#,
        ),
        // A property of that name is not a wrapper.
        (
            r#"{"type":"object","properties":{"error":{"type":"object"}},"required":["error"]}"#,
            r#"{"Error":{"a":1}}"#,
            r#"{"error":{"a":1}}"#,
        ),
    ] {
        assert_eq!(fit(schema, text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn denying_and_nested_wrappers_are_kept() {
    for (schema, text) in [
        (PERSON, r#"{"error":{"name":"ValueError","age":"3"}}"#),
        (PERSON, r#"{"lastError":{"name":"ValueError","age":3}}"#),
        (PERSON, r#"{"previous":{"name":"x","age":3}}"#),
        (PERSON, r#"{"not_found":{"name":"x","age":3}}"#),
        (PERSON, r#"{"example":"{\"name\":\"x\",\"age\":3}"}"#),
        (PERSON, r#"{"a":{"b":{"name":"x","age":3}}}"#),
        (PERSON, r#"{"a":"{\"b\":{\"name\":\"x\",\"age\":3}}"}"#),
        (PERSON, r#"{"expected":{"name":"x","age":3}}"#),
        // Any other key is data.
        (PERSON, r#"{"person":{"name":"x","age":3}}"#),
        (HOUSE, r#"{"owner":{"deceased":{"name":"x"}}}"#),
        (MAP, r#"{"result":{"a":{"name":"x"}}}"#),
        (MAP, r#"{"users":{"admins":{"bob":{"name":"x"}}}}"#),
        (MAP, r#"{"bob":{"data":{"name":"x"}}}"#),
        // A repeated schema is not an answer.
        (PERSON, r#"{"properties":{"name":"string","age":"3"}}"#),
        (PERSON, r#"{"properties":{"name":{"type":"string"},"age":3}}"#),
        (NAMES, r#"{"errors":["a","b"]}"#),
        (NAMES, r#"{"rejected":["a","b"]}"#),
    ] {
        assert_eq!(fit(schema, text), None, "{text}");
    }
}
