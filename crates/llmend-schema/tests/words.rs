//! In which words and with which place is it said that a value does not fit?

use llmend_schema::{Options, Schema, Violation, coerce};

/// The only violation of `text` under `schema`.
fn violation(schema: &str, text: &str) -> Violation {
    let schema = Schema::from_text(schema).unwrap();
    let parsed = llmend_json::parse(text).unwrap();
    let coerced = coerce(&parsed.value, &schema, &Options::default());
    let [only] = coerced.violations.as_slice() else {
        panic!("{text}: {:?}", coerced.violations);
    };
    only.clone()
}

#[test]
fn what_is_wanted_of_a_number_is_named() {
    for (schema, text, message) in [
        (r#"{"type":"boolean"}"#, "2", "it is a number, and boolean is wanted"),
        (r#"{"type":"boolean"}"#, "1.0", "it is a number, and boolean is wanted"),
        (
            r#"{"type":"string","format":"date-time"}"#,
            "1712138400",
            "it is a number, and string is wanted",
        ),
        (
            r#"{"type":"string","pattern":"^[0-9]{3}$"}"#,
            "7",
            "it is a number, and string is wanted",
        ),
        (r#"{"type":"integer"}"#, "3.7", "3.7 is no integer"),
        (r#"{"type":["integer","null"]}"#, "3.7", "3.7 is no integer"),
    ] {
        assert_eq!(violation(schema, text).message, message, "{text} under {schema}");
    }
}

#[test]
fn what_may_mean_two_things_is_said_to() {
    let row = violation(r#"{"enum":["blue","red"]}"#, r#""blue/red""#);
    assert_eq!(
        (row.code, row.message.as_str()),
        ("schema/ambiguous", r#""blue/red" may be meant in more than one way"#)
    );
}

#[test]
fn a_tag_that_no_arm_has_is_told_at_the_tag() {
    const SHAPES: &str = r##"{"oneOf":[{"$ref":"#/$defs/circle"},{"$ref":"#/$defs/rect"}],"$defs":{
        "circle":{"type":"object","properties":{"type":{"const":"circle"},"r":{"type":"number"}},"required":["type","r"]},
        "rect":{"type":"object","properties":{"type":{"const":"rect"},"w":{"type":"number"}},"required":["type","w"]}}}"##;
    let row = violation(SHAPES, r#"{"type":"square","a":2}"#);
    assert_eq!(
        (row.code, row.path.as_str(), row.expected.as_str(), row.found.as_str()),
        ("schema/enum", "/type", r#""circle" or "rect""#, r#""square""#)
    );
    assert_eq!(row.schema_path, "/oneOf");
    // One that an arm has is told by that arm.
    let row = violation(SHAPES, r#"{"type":"rect","w":"wide"}"#);
    assert_eq!((row.code, row.path.as_str()), ("schema/type", "/w"));
}

#[test]
fn a_default_that_does_not_fit_is_the_schemas() {
    const COUNT: &str = r#"{"type":"object","properties":{"n":{"type":"integer","default":"five"}},"required":["n"]}"#;
    let row = violation(COUNT, "{}");
    assert_eq!((row.code, row.path.as_str()), ("schema/required", ""));
    let hint = row.hint.unwrap_or_default();
    assert!(hint.contains("the schema's own default, \"five\""), "{hint}");
}

#[test]
fn each_violation_names_the_keyword_in_the_schema() {
    for (schema, text, place) in [
        (
            r#"{"properties":{"p":{"type":"object","properties":{"a":{}},"additionalProperties":false}}}"#,
            r#"{"p":{"zzz":1}}"#,
            "/properties/p/additionalProperties",
        ),
        (
            r#"{"properties":{"p":{"type":"object","properties":{"a":{}}}}}"#,
            r#"{"p":{"a":1,"a":2}}"#,
            "/properties/p/properties",
        ),
    ] {
        assert_eq!(violation(schema, text).schema_path, place, "{text}");
    }
}
