//! Equality of differently written values.

use llmend_schema::{Options, Schema, coerce};

/// Returns the value if it fits.
fn fit(schema: &str, text: &str) -> Option<String> {
    let schema = Schema::from_text(schema).unwrap();
    let parsed = llmend_json::parse(text).unwrap();
    let coerced = coerce(&parsed.value, &schema, &Options::default());
    coerced.violations.is_empty().then(|| coerced.value.to_string())
}

const EITHER: &str = r#"{"anyOf":[{"type":"integer"},{"type":"number"}]}"#;
const TEXT: &str = r#"{"properties":{"x":{"type":"string"}}}"#;

#[test]
fn equal_numbers_are_not_ambiguous() {
    for (schema, text, expected) in [
        (EITHER, r#""1e2""#, Some("100")),
        (EITHER, r#""42.0""#, Some("42")),
        (EITHER, r#""1.5""#, Some("1.5")),
        (r#"{"const":100}"#, r#""1e2""#, Some("100")),
        (r#"{"enum":[1,2]}"#, r#""2.0""#, Some("2")),
        (r#"{"enum":[1,2]}"#, r#""2.5""#, None),
    ] {
        assert_eq!(fit(schema, text).as_deref(), expected, "{text} under {schema}");
    }
}

#[test]
fn a_string_from_a_scalar_has_its_source_text() {
    for (text, expected) in [
        ("{x: 0x1F}", r#"{"x":"0x1F"}"#),
        (r#"{"x": True}"#, r#"{"x":"True"}"#),
        (r#"{"x": 1.50}"#, r#"{"x":"1.50"}"#),
        (r#"{"x": "{}"}"#, r#"{"x":"{}"}"#),
    ] {
        assert_eq!(fit(TEXT, text).as_deref(), Some(expected), "{text}");
    }
}
