//! Which members are told to bear the name of an absent property in another spelling.

use llmend_json::Severity;
use llmend_schema::{Options, Schema, coerce, near_names};

/// The rows `path key` of what is told of `text`, once it is made to fit.
fn told(schema: &str, text: &str) -> Vec<String> {
    let schema = Schema::from_text(schema).unwrap();
    let parsed = llmend_json::parse(text).unwrap();
    let coerced = coerce(&parsed.value, &schema, &Options::default());
    assert!(coerced.violations.is_empty(), "{text}: {:?}", coerced.violations);
    let rows = near_names(&coerced.value, &schema);
    assert!(rows.iter().all(|row| row.severity == Severity::Warning));
    assert!(rows.iter().all(|row| row.code == "schema/near-name"));
    rows.iter()
        .map(|row| {
            let key = row.span.map_or("nowhere", |span| span.of(text));
            format!("{} {key}", row.path.as_deref().unwrap_or_default())
        })
        .collect()
}

const PERSON: &str =
    r#"{"properties":{"first_name":{},"nick_name":{"type":"string"}},"required":["first_name"]}"#;

#[test]
fn an_absent_property_that_is_spelt_otherwise_is_told() {
    let open = r#"{"properties":{"nick_name":{}},"additionalProperties":true}"#;
    let list = r#"{"type":"array","items":{"properties":{"nick_name":{}}}}"#;
    let optional = r##"{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}},"$defs":{"a":{"type":"object","properties":{"due_date":{}}}}}"##;
    let records = r#"{"additionalProperties":{"type":"object","properties":{"due_date":{}}}}"#;
    for (schema, text, expected) in [
        (PERSON, r#"{"first_name":"a","nickName":"b"}"#, vec![r#"/nickName "nickName""#]),
        // A required property is taken from its spelling; an optional one is told either way.
        (PERSON, r#"{"firstName":"a","nickName":"b"}"#, vec![r#"/nickName "nickName""#]),
        (open, r#"{"Nick Name":"b"}"#, vec![r#"/Nick Name "Nick Name""#]),
        (list, r#"[{"nick_name":1},{"nickName":"b"}]"#, vec![r#"/1/nickName "nickName""#]),
        (optional, r#"{"a":{"dueDate":1}}"#, vec![r#"/a/dueDate "dueDate""#]),
        (records, r#"{"x":{"dueDate":1}}"#, vec![r#"/x/dueDate "dueDate""#]),
    ] {
        assert_eq!(told(schema, text), expected, "{text} under {schema}");
    }
}

#[test]
fn what_is_no_spelling_of_one_absent_property_is_not_told() {
    for (schema, text) in [
        (PERSON, r#"{"first_name":"a","nick_name":"c","nickName":"b"}"#),
        (PERSON, r#"{"first_name":"a","nickNames":"b"}"#),
        (PERSON, r#"{"first_name":"a","other":"b"}"#),
        // Two properties that it may be.
        (r#"{"properties":{"nick_name":{},"nick-name":{}}}"#, r#"{"nickName":1}"#),
        // Maps.
        (
            r#"{"properties":{"nick_name":{}},"additionalProperties":{"type":"string"}}"#,
            r#"{"nickName":"b"}"#,
        ),
        (r#"{"properties":{"nick_name":{}},"patternProperties":{"^n":{}}}"#, r#"{"nickName":"b"}"#),
        // It fits both arms, and has the name that one of them gives it.
        (
            r#"{"anyOf":[{"properties":{"nick_name":{}}},{"properties":{"nickName":{}}}]}"#,
            r#"{"nickName":"b"}"#,
        ),
    ] {
        assert_eq!(told(schema, text), [""; 0], "{text} under {schema}");
    }
}

#[test]
fn a_hundred_are_told_and_no_more() {
    let schema = r#"{"type":"array","items":{"properties":{"nick_name":{}}}}"#;
    let text = format!("[{}]", vec![r#"{"nickName":1}"#; 300].join(","));
    assert_eq!(told(schema, &text).len(), 100);
}
