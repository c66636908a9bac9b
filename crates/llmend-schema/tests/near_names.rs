//! Warnings about members that resemble missing properties.

use llmend_json::Severity;
use llmend_schema::{Options, Schema, coerce, near_names};

/// Returns the warnings about the coerced `text` as `path key`.
fn warnings(schema: &str, text: &str) -> Vec<String> {
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
fn misspelled_optional_properties_are_reported() {
    let open = r#"{"properties":{"nick_name":{}},"additionalProperties":true}"#;
    let list = r#"{"type":"array","items":{"properties":{"nick_name":{}}}}"#;
    let optional = r##"{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}},"$defs":{"a":{"type":"object","properties":{"due_date":{}}}}}"##;
    let records = r#"{"additionalProperties":{"type":"object","properties":{"due_date":{}}}}"#;
    for (schema, text, expected) in [
        (PERSON, r#"{"first_name":"a","nickName":"b"}"#, vec![r#"/nickName "nickName""#]),
        // A required property is renamed; an optional one is reported.
        (PERSON, r#"{"firstName":"a","nickName":"b"}"#, vec![r#"/nickName "nickName""#]),
        (open, r#"{"Nick Name":"b"}"#, vec![r#"/Nick Name "Nick Name""#]),
        (list, r#"[{"nick_name":1},{"nickName":"b"}]"#, vec![r#"/1/nickName "nickName""#]),
        (optional, r#"{"a":{"dueDate":1}}"#, vec![r#"/a/dueDate "dueDate""#]),
        (records, r#"{"x":{"dueDate":1}}"#, vec![r#"/x/dueDate "dueDate""#]),
    ] {
        assert_eq!(warnings(schema, text), expected, "{text} under {schema}");
    }
}

#[test]
fn other_members_are_not_reported() {
    for (schema, text) in [
        (PERSON, r#"{"first_name":"a","nick_name":"c","nickName":"b"}"#),
        (PERSON, r#"{"first_name":"a","nickNames":"b"}"#),
        (PERSON, r#"{"first_name":"a","other":"b"}"#),
        // Two properties match.
        (r#"{"properties":{"nick_name":{},"nick-name":{}}}"#, r#"{"nickName":1}"#),
        // Maps.
        (
            r#"{"properties":{"nick_name":{}},"additionalProperties":{"type":"string"}}"#,
            r#"{"nickName":"b"}"#,
        ),
        (r#"{"properties":{"nick_name":{}},"patternProperties":{"^n":{}}}"#, r#"{"nickName":"b"}"#),
        // It fits both branches, and one of them names it.
        (
            r#"{"anyOf":[{"properties":{"nick_name":{}}},{"properties":{"nickName":{}}}]}"#,
            r#"{"nickName":"b"}"#,
        ),
    ] {
        assert_eq!(warnings(schema, text), [""; 0], "{text} under {schema}");
    }
}

#[test]
fn at_most_a_hundred_are_reported() {
    let schema = r#"{"type":"array","items":{"properties":{"nick_name":{}}}}"#;
    let text = format!("[{}]", vec![r#"{"nickName":1}"#; 300].join(","));
    assert_eq!(warnings(schema, &text).len(), 100);
}
