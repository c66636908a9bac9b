//! Renaming of misspelled optional properties.

use llmend_schema::{CoercionKind, Options, OtherSpelling, Schema, coerce};

fn renaming() -> Options {
    Options { on_other_spelling: OtherSpelling::Rename, ..Options::default() }
}

fn coerced(schema: &str, value: &str, options: &Options) -> (String, Vec<String>, Vec<String>) {
    let schema = Schema::from_text(schema).unwrap();
    let parsed = llmend_json::parse(value).unwrap();
    let made = coerce(&parsed.value, &schema, options);
    let renamed = made.coercions.iter().filter(|row| row.kind == CoercionKind::KeySpelling);
    (
        made.value.to_string(),
        renamed.map(|row| row.path.clone()).collect(),
        made.violations.iter().map(|row| row.path.clone()).collect(),
    )
}

const PERSON: &str = r##"{"$ref": "#/$defs/person", "$defs": {"person": {"type": "object",
    "properties": {
        "firstName": {"type": "string"},
        "nickName": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null},
        "zipCode": {"type": "integer", "default": 0},
        "friend": {"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]},
        "friends": {"type": "array", "items": {"$ref": "#/$defs/person"}}
    },
    "required": ["firstName"]}}}"##;

#[test]
fn misspelled_optional_properties_are_renamed() {
    for (before, after, renamed) in [
        // It fits, but a reader would not see the value.
        (
            r#"{"firstName":"A","nick_name":"K"}"#,
            r#"{"firstName":"A","nickName":"K"}"#,
            &["/nickName"][..],
        ),
        (
            r#"{"first_name":"A","Zip Code":"123"}"#,
            r#"{"firstName":"A","zipCode":123}"#,
            &["/firstName", "/zipCode"],
        ),
        (
            r#"{"firstName":"A","friend":{"firstName":"B","NICKNAME":"K"}}"#,
            r#"{"firstName":"A","friend":{"firstName":"B","nickName":"K"}}"#,
            &["/friend/nickName"],
        ),
        (
            r#"{"firstName":"A","friends":[{"firstName":"B","zip-code":1}]}"#,
            r#"{"firstName":"A","friends":[{"firstName":"B","zipCode":1}]}"#,
            &["/friends/0/zipCode"],
        ),
        // Other members are kept, also beside the property.
        (
            r#"{"firstName":"A","other":1,"zipCode":1,"zip_code":2}"#,
            r#"{"firstName":"A","other":1,"zipCode":1,"zip_code":2}"#,
            &[],
        ),
    ] {
        let (value, paths, violations) = coerced(PERSON, before, &renaming());
        assert_eq!(
            (value.as_str(), paths, violations),
            (after, renamed.iter().map(ToString::to_string).collect(), vec![]),
            "{before}"
        );
        let (value, ..) = coerced(PERSON, &value, &renaming());
        assert_eq!(value, after, "what has its name is left alone");
    }
}

#[test]
fn a_renamed_member_must_fit() {
    let (_, _, violations) = coerced(PERSON, r#"{"firstName":"A","zip_code":"x"}"#, &renaming());
    assert_eq!(violations, ["/zipCode"]);
    let twice = r#"{"firstName":"A","zip_code":1,"ZIP CODE":2}"#;
    assert!(!coerced(PERSON, twice, &renaming()).2.is_empty(), "two keys that mean one property");
}

#[test]
fn described_additional_members_are_kept() {
    for rest in ["true", r#"{"type": "integer"}"#] {
        let schema = format!(
            r#"{{"properties": {{"zipCode": {{"type": "integer"}}}}, "additionalProperties": {rest}}}"#
        );
        let value = r#"{"zip_code":1}"#;
        assert_eq!(coerced(&schema, value, &renaming()), (value.to_owned(), vec![], vec![]));
    }
}

#[test]
fn nothing_is_renamed_by_default() {
    let value = r#"{"firstName":"A","nick_name":"K"}"#;
    assert_eq!(coerced(PERSON, value, &Options::default()), (value.to_owned(), vec![], vec![]));
}

#[test]
fn the_branch_that_names_most_members_decides() {
    let schema = r#"{"anyOf": [
        {"type": "object", "properties": {"a": {"type": "integer"}}},
        {"type": "object", "properties": {"b": {"type": "integer"}, "cD": {"type": "integer"}}}
    ]}"#;
    let (value, paths, _) = coerced(schema, r#"{"b":1,"c_d":2,"A":3}"#, &renaming());
    assert_eq!((value.as_str(), paths), (r#"{"b":1,"cD":2,"A":3}"#, vec!["/cD".to_owned()]));
    let unclear = r#"{"A":3}"#;
    assert_eq!(coerced(schema, unclear, &renaming()).0, unclear);
}
