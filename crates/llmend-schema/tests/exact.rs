//! Exactness of numbers with many digits.

use llmend_schema::{Error, Options, Schema, coerce, validate};

#[test]
fn bounds_are_exact() {
    for (schema, text, expected) in [
        (r#"{"minimum":0.1}"#, "0.09999999999999999999999", &["minimum"][..]),
        (r#"{"minimum":0.1}"#, "0.1000000000000000000000", &[]),
        (r#"{"minimum":0.1}"#, "0.1000000000000000000001", &[]),
        (r#"{"maximum":0.1}"#, "0.1000000000000000000001", &["maximum"]),
        // A string does not evade a bound.
        (r#"{"minimum":0.1}"#, "0.05", &["minimum"]),
        (r#"{"type":["integer","string"],"minimum":5}"#, "3", &["minimum"]),
        (r#"{"exclusiveMinimum":0}"#, "0.00000000000000000000", &["exclusiveMinimum"]),
        (r#"{"exclusiveMaximum":1}"#, "1.00000000000000000000", &["exclusiveMaximum"]),
        (r#"{"type":"integer","maximum":9007199254740992}"#, "9007199254740993", &["maximum"]),
        (r#"{"maximum":1e20}"#, "100000000000000000001", &["maximum"]),
        (r#"{"maximum":1e20}"#, "100000000000000000000", &[]),
        (
            r#"{"properties":{"n":{"minimum":0.1}}}"#,
            r#"{"n":0.09999999999999999999999}"#,
            &["minimum"],
        ),
    ] {
        let schema = Schema::from_text(schema).unwrap();
        let parsed = llmend_json::parse(text).unwrap();
        let told = |rows: &[llmend_schema::Violation]| {
            rows.iter().map(|row| row.keyword.clone()).collect::<Vec<_>>()
        };
        assert_eq!(told(&validate(&parsed.value, &schema)), expected, "{text} under {schema:?}");
        let coerced = coerce(&parsed.value, &schema, &Options::default());
        assert_eq!(told(&coerced.violations), expected, "{text} under {schema:?}");
    }
}

#[test]
fn schemas_with_rounded_numbers_are_refused() {
    for (schema, place) in [
        (r#"{"const":123456789012345678901234567890}"#, "/const"),
        (r#"{"enum":[1,0.12345678901234567890]}"#, "/enum/1"),
        (
            r#"{"properties":{"n":{"default":123456789012345678901234567890}},"required":["n"]}"#,
            "/properties/n/default",
        ),
    ] {
        match Schema::from_text(schema) {
            Err(Error::Schema { path, .. }) => assert_eq!(path, place),
            other => panic!("{schema}: {other:?}"),
        }
    }
}
