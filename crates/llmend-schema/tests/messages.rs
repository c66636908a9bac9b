//! Messages and locations of violations.

use llmend_json::{Class, Diagnostic};
use llmend_schema::{Options, Schema, Violation, coerce, validate};

/// Returns the only violation of `text` under `schema`.
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
fn mismatched_numbers_name_the_expected_type() {
    for (schema, text, message) in [
        (r#"{"type":"boolean"}"#, "2", "expected boolean, found number"),
        (r#"{"type":"boolean"}"#, "1.0", "expected boolean, found number"),
        (
            r#"{"type":"string","format":"date-time"}"#,
            "1712138400",
            "expected string, found number",
        ),
        (r#"{"type":"string","pattern":"^[0-9]{3}$"}"#, "7", "expected string, found number"),
        (r#"{"type":"integer"}"#, "3.7", "expected integer, found 3.7"),
        (r#"{"type":["integer","null"]}"#, "3.7", "expected null or integer, found 3.7"),
    ] {
        assert_eq!(violation(schema, text).message, message, "{text} under {schema}");
    }
}

#[test]
fn ambiguous_texts_are_reported() {
    let row = violation(r#"{"enum":["blue","red"]}"#, r#""blue/red""#);
    assert_eq!(
        (row.code, row.message.as_str()),
        ("schema/ambiguous", r#""blue/red" is ambiguous"#)
    );
}

#[test]
fn an_unknown_discriminator_is_reported_at_its_member() {
    const SHAPES: &str = r##"{"oneOf":[{"$ref":"#/$defs/circle"},{"$ref":"#/$defs/rect"}],"$defs":{
        "circle":{"type":"object","properties":{"type":{"const":"circle"},"r":{"type":"number"}},"required":["type","r"]},
        "rect":{"type":"object","properties":{"type":{"const":"rect"},"w":{"type":"number"}},"required":["type","w"]}}}"##;
    let row = violation(SHAPES, r#"{"type":"square","a":2}"#);
    assert_eq!(
        (row.code, row.path.as_str(), row.expected.as_str(), row.found.as_str()),
        ("schema/enum", "/type", r#""circle" or "rect""#, r#""square""#)
    );
    assert_eq!(row.schema_path, "/oneOf");
    // A known one is reported by its branch.
    let row = violation(SHAPES, r#"{"type":"rect","w":"wide"}"#);
    assert_eq!((row.code, row.path.as_str()), ("schema/type", "/w"));
}

#[test]
fn a_union_says_why_each_alternative_fails() {
    const SHAPES: &str = r#"{"anyOf":[
        {"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},
        {"type":"object","properties":{"b":{"type":"string"},"c":{"type":"boolean"}},"required":["b"]},
        {"type":"array"}]}"#;
    for (text, hint) in [
        (
            r#"{"x":1}"#,
            Some(
                "alternative 1: missing required property `a`; alternative 2: missing required property `b`",
            ),
        ),
        (
            r#"{"a":"x","b":[1,2]}"#,
            Some("alternative 1: `a` has to be integer; alternative 2: `b` has to be string"),
        ),
        ("null", None),
    ] {
        let row = violation(SHAPES, text);
        assert_eq!((row.code, row.hint.as_deref()), ("schema/union", hint), "{text}");
    }
    // Scalars and lists, and objects with an alternative that was likely meant.
    for (schema, text, hint) in [
        (
            r#"{"anyOf":[{"type":"integer","minimum":10},{"type":"integer","maximum":2}]}"#,
            "5",
            "alternative 1: expected at least 10, found 5; alternative 2: expected at most 2, found 5",
        ),
        (
            r#"{"oneOf":[{"type":"string","pattern":"^a"},{"type":"string","maxLength":2}]}"#,
            r#""bcd""#,
            "alternative 1: \"bcd\" does not match `^a`; alternative 2: string has more than 2 characters",
        ),
        (
            r#"{"anyOf":[{"type":"array","minItems":2},{"type":"array","items":{"type":"string"}}]}"#,
            "[1]",
            "alternative 1: array has fewer than 2 items; alternative 2: `/0`: expected string, found number",
        ),
        (
            r#"{"anyOf":[{"properties":{"a":{"type":"integer"}},"required":["a","b"]},
                {"properties":{"c":{"type":"integer"}},"required":["c"]}],"type":"object"}"#,
            r#"{"a":1}"#,
            "add `b`: any value; or alternative 2: missing required property `c`",
        ),
    ] {
        assert_eq!(violation(schema, text).hint.as_deref(), Some(hint), "{text}");
    }
}

#[test]
fn invalid_defaults_are_mentioned() {
    const COUNT: &str = r#"{"type":"object","properties":{"n":{"type":"integer","default":"five"}},"required":["n"]}"#;
    let row = violation(COUNT, "{}");
    assert_eq!((row.code, row.path.as_str()), ("schema/required", ""));
    let hint = row.hint.unwrap_or_default();
    assert!(hint.contains("the schema's default \"five\""), "{hint}");
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
fn a_diagnostic_mentions_the_expectation_once() {
    for (schema, text, message, help) in [
        (
            r#"{"enum":["red","green"]}"#,
            r#""blue""#,
            r#""blue" is not one of the allowed values"#,
            r#"expected: "red" or "green"; write one of the allowed values exactly"#,
        ),
        (r#"{"type":"integer","exclusiveMinimum":10}"#, "5", "expected more than 10, found 5", ""),
        (
            r#"{"type":"array","maxItems":1}"#,
            "[1,2]",
            "array has more than 1 item",
            "expected: at most 1 item",
        ),
        (
            r#"{"type":"array","minItems":3}"#,
            "[1,2]",
            "array has fewer than 3 items",
            "expected: at least 3 items",
        ),
        (
            r#"{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}"#,
            "{}",
            "missing required property `a`",
            "add `a`: integer",
        ),
        (
            r#"{"type":"object","properties":{"name":{}},"additionalProperties":false}"#,
            r#"{"age":1}"#,
            "unexpected property `age`",
            "expected: `name`; remove it",
        ),
        (
            r#"{"type":"boolean"}"#,
            r#""maybe""#,
            "expected boolean, found string",
            "write true or false",
        ),
    ] {
        let row = Diagnostic::from(&violation(schema, text));
        assert_eq!(
            (row.message.as_str(), row.help.as_deref().unwrap_or("")),
            (message, help),
            "{text}"
        );
    }
}

#[test]
fn a_duplicate_is_one_violation_at_the_later_value() {
    const A: &str = r#"{"properties":{"a":{"type":"integer"}}}"#;
    let row = violation(A, r#"{"a":1,"a":"1"}"#);
    assert_eq!((row.code, row.path.as_str()), ("schema/duplicate-key", "/a"));
    let text = r#"{"a":1,"a":"x","b":2}"#;
    let parsed = llmend_json::parse(text).unwrap();
    let rows = validate(&parsed.value, &Schema::from_text(A).unwrap());
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((row.path.as_str(), row.message.as_str()), ("/a", "duplicate key `a`"));
    assert_eq!(row.span.map(|span| span.of(text)), Some("\"x\""));
}

#[test]
fn violations_that_only_the_validator_finds_have_a_location() {
    for (schema, text, code, path, message, place) in [
        (
            r#"{"properties":{"p":{"properties":{"a":{}},"unevaluatedProperties":false}}}"#,
            r#"{"p":{"a":1,"zzz":2}}"#,
            "schema/extra",
            "/p",
            "unexpected property `zzz`",
            "/properties/p/unevaluatedProperties",
        ),
        (
            r#"{"items":{"prefixItems":[{}],"unevaluatedItems":false}}"#,
            "[[1],[1,2,3]]",
            "schema/extra",
            "/1",
            "2 unexpected items",
            "/items/unevaluatedItems",
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":{"dependencies":{"a":["b"]}}}"#,
            r#"[{"a":1}]"#,
            "schema/required",
            "/0",
            "missing property `b`, which another property requires",
            "/items/dependencies",
        ),
    ] {
        let row = violation(schema, text);
        let found = (row.code, row.path.as_str(), row.message.as_str(), row.schema_path.as_str());
        assert_eq!(found, (code, path, message, place), "{text}");
        assert!(row.span.is_some(), "{text}");
    }
    // Beside other violations.
    let schema = r#"{"properties":{"a":{"type":"integer"}},"unevaluatedProperties":false}"#;
    let parsed = llmend_json::parse(r#"{"a":"x","zzz":1}"#).unwrap();
    let coerced = coerce(&parsed.value, &Schema::from_text(schema).unwrap(), &Options::default());
    let codes: Vec<_> = coerced.violations.iter().map(|row| row.code).collect();
    assert_eq!(codes, ["schema/type", "schema/extra"]);
}

#[test]
fn long_lists_of_violations_are_limited() {
    let schema = Schema::from_text(r#"{"items":{"type":"integer"}}"#).unwrap();
    for (count, found) in [(1_000, 1_000), (1_001, 1_001), (5_000, 1_001)] {
        let text = format!("[{}]", vec!["true"; count].join(","));
        let parsed = llmend_json::parse(&text).unwrap();
        for rows in [
            validate(&parsed.value, &schema),
            coerce(&parsed.value, &schema, &Options::default()).violations,
        ] {
            assert_eq!(rows.len(), found, "{count}");
            let last = rows.last().map(|row| row.code);
            let more = if count > 1_000 { "limit/violations" } else { "schema/type" };
            assert_eq!(last, Some(more), "{count}");
        }
    }
}

#[test]
fn a_coercion_of_a_worse_class_than_allowed_is_a_violation() {
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
                "`grouped-number` would change \"1,234\" to 1234, but its class guess exceeds the limit completion",
            ),
        ),
        (r#"{"type":"integer"}"#, r#""42""#, Class::Notation, None),
        (
            r#"{"type":"boolean"}"#,
            r#""yes""#,
            Class::Notation,
            Some(
                "`boolean-from-word` would change \"yes\" to true, but its class completion exceeds the limit notation",
            ),
        ),
        (
            DEFAULT,
            "{}",
            Class::Completion,
            Some("`default` would add 3, but its class guess exceeds the limit completion"),
        ),
    ] {
        let coerced = coerced(schema, text, most);
        let found: Vec<_> = coerced.violations.iter().map(|row| row.message.as_str()).collect();
        assert_eq!(found, refused.into_iter().collect::<Vec<_>>(), "{text}");
        assert!(coerced.violations.iter().all(|row| row.code == "schema/unsure"), "{text}");
    }
}

#[test]
fn nullable_applies_beside_a_type() {
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
fn a_number_in_a_string_that_violates_a_bound_is_reported_with_the_bound() {
    for (schema, text, message, hint) in [
        (
            r#"{"type":"integer","multipleOf":5}"#,
            r#""7""#,
            "the string is read as 7, which is not a multiple of 5",
            "write a multiple of 5",
        ),
        (
            r#"{"type":"integer","format":"int32"}"#,
            r#""2147483648""#,
            "the string is read as 2147483648, which is more than 2147483647",
            "write at most 2147483647",
        ),
        (
            r#"{"type":"number","exclusiveMinimum":0}"#,
            r#""0.0""#,
            "the string is read as 0.0, which is not more than 0",
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
