//! In which words and with which place is it said that a value does not fit?

use llmend_json::{Class, Diagnostic};
use llmend_schema::{Options, Schema, Violation, coerce, validate};

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
        (
            r#"{"properties":{"p":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}}"#,
            r#"{"p":{}}"#,
            "/properties/p/required",
        ),
        (
            r##"{"properties":{"p":{"$ref":"#/$defs/P"}},"$defs":{"P":{"maxItems":1}}}"##,
            r#"{"p":[1,2]}"#,
            "/$defs/P/maxItems",
        ),
    ] {
        assert_eq!(violation(schema, text).schema_path, place, "{text}");
    }
}

#[test]
fn a_diagnostic_says_what_is_expected_and_says_it_once() {
    for (schema, text, message, help) in [
        (
            r#"{"enum":["red","green"]}"#,
            r#""blue""#,
            r#""blue" is none of the values that are allowed"#,
            r#"expected: "red" or "green"; write one of the values as it is given"#,
        ),
        (r#"{"type":"integer","minimum":1}"#, "0", "0 is less than 1", "expected: at least 1"),
        (
            r#"{"type":"array","maxItems":1}"#,
            "[1,2]",
            "it has more than 1 item",
            "expected: at most 1 item",
        ),
        (
            r#"{"type":"array","minItems":3}"#,
            "[1,2]",
            "it has fewer than 3 items",
            "expected: at least 3 items",
        ),
        (
            r#"{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}"#,
            "{}",
            "the required property `a` is missing",
            "add `a`: integer",
        ),
        (
            r#"{"type":"object","properties":{"name":{}},"additionalProperties":false}"#,
            r#"{"age":1}"#,
            "the property `age` is not allowed",
            "expected: `name`; leave it out",
        ),
        (
            r#"{"type":"boolean"}"#,
            r#""maybe""#,
            "it is a string, and boolean is wanted",
            "write true or false",
        ),
    ] {
        let row = Diagnostic::from(&violation(schema, text));
        assert_eq!((row.message.as_str(), row.help.as_deref()), (message, Some(help)), "{text}");
    }
}

#[test]
fn one_duplicate_is_one_violation_at_the_later_value() {
    const A: &str = r#"{"properties":{"a":{"type":"integer"}}}"#;
    let row = violation(A, r#"{"a":1,"a":"1"}"#);
    assert_eq!((row.code, row.path.as_str()), ("schema/duplicate-key", "/a"));
    let text = r#"{"a":1,"a":"x","b":2}"#;
    let parsed = llmend_json::parse(text).unwrap();
    let rows = validate(&parsed.value, &Schema::from_text(A).unwrap());
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((row.path.as_str(), row.message.as_str()), ("/a", "the key `a` stands twice"));
    assert_eq!(row.span.map(|span| span.of(text)), Some("\"x\""));
}

#[test]
fn what_only_the_validator_judges_is_told_at_its_place() {
    for (schema, text, code, path, message, place) in [
        (
            r#"{"properties":{"p":{"properties":{"a":{}},"unevaluatedProperties":false}}}"#,
            r#"{"p":{"a":1,"zzz":2}}"#,
            "schema/extra",
            "/p",
            "the property `zzz` may not stand here",
            "/properties/p/unevaluatedProperties",
        ),
        (
            r#"{"items":{"prefixItems":[{}],"unevaluatedItems":false}}"#,
            "[[1],[1,2,3]]",
            "schema/extra",
            "/1",
            "2 of its items may not stand here",
            "/items/unevaluatedItems",
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":{"dependencies":{"a":["b"]}}}"#,
            r#"[{"a":1}]"#,
            "schema/required",
            "/0",
            "the property `b` is missing, which another one requires",
            "/items/dependencies",
        ),
    ] {
        let row = violation(schema, text);
        let told = (row.code, row.path.as_str(), row.message.as_str(), row.schema_path.as_str());
        assert_eq!(told, (code, path, message, place), "{text}");
        assert!(row.span.is_some(), "{text}");
    }
    // Beside what is wrong otherwise.
    let schema = r#"{"properties":{"a":{"type":"integer"}},"unevaluatedProperties":false}"#;
    let parsed = llmend_json::parse(r#"{"a":"x","zzz":1}"#).unwrap();
    let coerced = coerce(&parsed.value, &Schema::from_text(schema).unwrap(), &Options::default());
    let codes: Vec<_> = coerced.violations.iter().map(|row| row.code).collect();
    assert_eq!(codes, ["schema/type", "schema/extra"]);
}

#[test]
fn more_violations_than_are_told_are_told_of() {
    let schema = Schema::from_text(r#"{"items":{"type":"integer"}}"#).unwrap();
    for (count, told) in [(1_000, 1_000), (1_001, 1_001), (5_000, 1_001)] {
        let text = format!("[{}]", vec!["true"; count].join(","));
        let parsed = llmend_json::parse(&text).unwrap();
        for rows in [
            validate(&parsed.value, &schema),
            coerce(&parsed.value, &schema, &Options::default()).violations,
        ] {
            assert_eq!(rows.len(), told, "{count}");
            let last = rows.last().map(|row| row.code);
            let more = if count > 1_000 { "limit/violations" } else { "schema/type" };
            assert_eq!(last, Some(more), "{count}");
        }
    }
}

#[test]
fn a_coercion_graver_than_is_allowed_is_a_violation() {
    const DEFAULT: &str = r#"{"type":"object","properties":{"n":{"default":3}},"required":["n"]}"#;
    let coerced = |schema: &str, text: &str, max_class: Class| {
        let schema = Schema::from_text(schema).unwrap();
        let parsed = llmend_json::parse(text).unwrap();
        coerce(&parsed.value, &schema, &Options { max_class, ..Options::default() })
    };
    for (schema, text, most, refused) in [
        (r#"{"type":"integer"}"#, r#""1,234""#, Class::Guess, None),
        (
            r#"{"type":"integer"}"#,
            r#""1,234""#,
            Class::Completion,
            Some(
                "\"1,234\" would become 1234 by `grouped-number`, a guess, and completion is the most that is allowed",
            ),
        ),
        (r#"{"type":"integer"}"#, r#""42""#, Class::Notation, None),
        (
            r#"{"type":"boolean"}"#,
            r#""yes""#,
            Class::Notation,
            Some(
                "\"yes\" would become true by `boolean-from-word`, a completion, and notation is the most that is allowed",
            ),
        ),
        (
            DEFAULT,
            "{}",
            Class::Completion,
            Some(
                "3 would be added by `default`, a guess, and completion is the most that is allowed",
            ),
        ),
    ] {
        let coerced = coerced(schema, text, most);
        let told: Vec<_> = coerced.violations.iter().map(|row| row.message.as_str()).collect();
        assert_eq!(told, refused.into_iter().collect::<Vec<_>>(), "{text}");
        assert!(coerced.violations.iter().all(|row| row.code == "schema/unsure"), "{text}");
    }
}

#[test]
fn nullable_counts_where_a_type_is_named() {
    for (schema, text, fits) in [
        (r#"{"type":"integer","nullable":true}"#, "null", true),
        (r#"{"type":"integer","nullable":true}"#, r#""None""#, true),
        (r#"{"type":"integer","nullable":true}"#, r#""x""#, false),
        (r#"{"type":"integer","nullable":false}"#, "null", false),
        (r#"{"type":"string","enum":["a"],"nullable":true}"#, "null", false),
        (r#"{"type":"string","enum":["a",null],"nullable":true}"#, "null", true),
    ] {
        let schema_ = Schema::from_text(schema).unwrap();
        let parsed = llmend_json::parse(text).unwrap();
        let coerced = coerce(&parsed.value, &schema_, &Options::default());
        assert_eq!(coerced.violations.is_empty(), fits, "{schema} {text}");
    }
}

#[test]
fn a_numeral_in_a_string_that_breaks_a_bound_is_told_the_bound() {
    for (schema, text, message, hint) in [
        (
            r#"{"type":"integer","multipleOf":5}"#,
            r#""7""#,
            "it is a string, and read as 7 it is no multiple of 5",
            "write a multiple of 5",
        ),
        (
            r#"{"type":"integer","format":"int32"}"#,
            r#""2147483648""#,
            "it is a string, and read as 2147483648 it is more than 2147483647",
            "write at most 2147483647",
        ),
        (
            r#"{"type":"number","exclusiveMinimum":0}"#,
            r#""0.0""#,
            "it is a string, and read as 0.0 it is not more than 0",
            "write more than 0",
        ),
    ] {
        let schema = Schema::from_text(schema).unwrap();
        let parsed = llmend_json::parse(text).unwrap();
        let rows = coerce(&parsed.value, &schema, &Options::default()).violations;
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((row.code, row.message.as_str()), ("schema/type", message), "{text}");
        assert_eq!(row.hint.as_deref(), Some(hint), "{text}");
    }
}
