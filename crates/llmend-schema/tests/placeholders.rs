//! Placeholders for absent arrays and objects.

use llmend_schema::{Options, Schema, coerce};

/// Returns the value if it fits.
fn fit(schema: &str, text: &str) -> Option<String> {
    let schema = Schema::from_text(schema).unwrap();
    let parsed = llmend_json::parse(text).unwrap();
    let coerced = coerce(&parsed.value, &schema, &Options::default());
    coerced.violations.is_empty().then(|| coerced.value.to_string())
}

const STRINGS: &str = r#"{"type":"array","items":{"type":"string"}}"#;
const MAYBE: &str = r#"{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}"#;
const LEVELS: &str = r#"{"type":"array","items":{"enum":["None","Low"]}}"#;
const QUERY: &str = r#"{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}"#;
const MAYBE_QUERY: &str = r#"{"anyOf":[{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]},{"type":"null"}]}"#;

#[test]
fn placeholders_are_not_wrapped() {
    for (schema, text, expected) in [
        (STRINGS, r#""""#, None),
        (STRINGS, r#""None""#, None),
        (STRINGS, r#""null""#, None),
        (STRINGS, r#""N/A""#, None),
        (MAYBE, r#""""#, Some("null")),
        (MAYBE, r#""None""#, Some("null")),
        (MAYBE, r#""N/A""#, None),
        (QUERY, r#""n/a""#, None),
        (QUERY, r#""""#, None),
        (MAYBE_QUERY, r#""null""#, Some("null")),
        (MAYBE_QUERY, r#""n/a""#, None),
        // Other texts and enum values are wrapped.
        (STRINGS, r#""none of them""#, Some(r#"["none of them"]"#)),
        (STRINGS, r#"["None"]"#, Some(r#"["None"]"#)),
        (LEVELS, r#""none""#, Some(r#"["None"]"#)),
        (QUERY, r#""rain""#, Some(r#"{"q":"rain"}"#)),
    ] {
        assert_eq!(fit(schema, text).as_deref(), expected, "{text} under {schema}");
    }
}
