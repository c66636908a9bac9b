//! Names and values that are near others but differ in meaning.

use llmend_schema::{Error, Options, Schema, coerce};

/// Returns the value if it fits.
fn fit(schema: &str, text: &str) -> Result<String, Vec<String>> {
    let schema = Schema::from_text(schema).unwrap();
    let parsed = llmend_json::parse(text).unwrap();
    let coerced = coerce(&parsed.value, &schema, &Options::default());
    if coerced.violations.is_empty() {
        return Ok(coerced.value.to_string());
    }
    Err(coerced.violations.iter().map(|row| format!("{} {}", row.code, row.path)).collect())
}

fn refused(rows: &[(&str, &str, &[&str])]) {
    for (schema, text, expected) in rows {
        match fit(schema, text) {
            Ok(found) => panic!("{text} under {schema}: {found}"),
            Err(violations) => assert_eq!(violations, *expected, "{text} under {schema}"),
        }
    }
}

fn fits(rows: &[(&str, &str, &str)]) {
    for (schema, text, expected) in rows {
        assert_eq!(fit(schema, text).as_deref(), Ok(*expected), "{text} under {schema}");
    }
}

/// Returns the schema of a closed object with these properties.
fn closed(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}:{{}}")).collect();
    format!(r#"{{"properties":{{{}}},"additionalProperties":false}}"#, names.join(","))
}

#[test]
fn a_key_is_not_a_typo_of_its_opposite() {
    for (name, key) in [
        ("min_price", "max_price"),
        ("isValid", "isInvalid"),
        ("is_active", "is_inactive"),
        ("hypotension", "hypertension"),
        ("sort_ascending", "sort_descending"),
        ("employee_count", "employer_count"),
        ("grade_A+", "grade_A-"),
        ("1", "-1"),
        ("v12", "v1.2"),
    ] {
        let text = format!("{{{key:?}:5}}");
        let expected = vec![format!("schema/extra /{key}")];
        assert_eq!(fit(&closed(&[name, "other"]), &text), Err(expected), "{key} for {name}");
    }
    let renamed = fit(&closed(&["customer_name", "other"]), r#"{"custmer_name":5}"#);
    assert_eq!(renamed.as_deref(), Ok(r#"{"customer_name":5}"#));
}

const TAGGED: &str = r#"{"oneOf":[
    {"type":"object","properties":{"k":{"const":"A-b"},"v":{"type":"integer"}},"required":["k","v"]},
    {"type":"object","properties":{"k":{"const":"ab"},"w":{"type":"integer"}},"required":["k","w"]}]}"#;
const MAYBE_TAGGED: &str = r#"{"anyOf":[{"type":"null"},
    {"type":"object","properties":{"k":{"const":"A"},"v":{"type":"integer"}},"required":["k","v"]},
    {"type":"object","properties":{"k":{"const":"a"},"w":{"type":"integer"}},"required":["k","w"]}]}"#;
const LOOSELY_TAGGED: &str = r#"{"anyOf":[
    {"type":"object","properties":{"k":{"const":"A"},"v":{"type":"integer"}},"required":["k","v"]},
    {"type":"object","properties":{"k":{"const":"a"},"w":{"type":"integer"}},"required":["w"]}]}"#;
const NUMBERED: &str = r#"{"oneOf":[
    {"type":"object","properties":{"k":{"const":1},"v":{"type":"integer"}},"required":["k","v"]},
    {"type":"object","properties":{"k":{"const":"1"},"w":{"type":"integer"}},"required":["k","w"]}]}"#;

#[test]
fn a_valid_discriminator_is_never_changed_to_another() {
    refused(&[
        (TAGGED, r#"{"k":"ab","v":"1"}"#, &["schema/required "]),
        (MAYBE_TAGGED, r#"{"k":"a","v":1}"#, &["schema/required "]),
        (LOOSELY_TAGGED, r#"{"k":"a","v":1}"#, &["schema/required "]),
        (NUMBERED, r#"{"k":"1","v":1}"#, &["schema/required "]),
        // A spelling of two values is ambiguous.
        (TAGGED, r#"{"k":"A B","v":"1"}"#, &["schema/enum /k"]),
    ]);
    fits(&[
        (TAGGED, r#"{"k":"ab","w":"1"}"#, r#"{"k":"ab","w":1}"#),
        (NUMBERED, r#"{"k":1.0,"v":"1"}"#, r#"{"k":1.0,"v":1}"#),
    ]);
}

#[test]
fn a_number_out_of_bounds_is_not_converted() {
    refused(&[
        (
            r#"{"anyOf":[{"type":"integer","maximum":10},{"type":"string"}]}"#,
            "50",
            &["schema/range "],
        ),
        (
            r#"{"anyOf":[{"type":"integer","minimum":2},{"type":"boolean"}]}"#,
            "1",
            &["schema/range "],
        ),
        (
            r#"{"anyOf":[{"type":"integer","maximum":10},{"type":"array","items":{"type":"number"}}]}"#,
            "50",
            &["schema/range "],
        ),
    ]);
}

const ROOMS: &str = r#"{"type":"array","items":{"type":"object","properties":{"z":{"type":"integer"}},"required":["z"]}}"#;
const MAYBE: &str = r#"{"anyOf":[{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]},{"type":"null"}]}"#;

#[test]
fn nothing_is_lost_when_values_are_wrapped() {
    refused(&[
        // The key may be the name of the room.
        (ROOMS, r#"{"alice":{"z":1}}"#, &["schema/type "]),
        (MAYBE, r#""garbage""#, &["schema/type "]),
    ]);
    fits(&[(ROOMS, r#"{"z":"1"}"#, r#"[{"z":1}]"#)]);
    for text in ["red | green", "new York, los angeles", "#red #green", "a and b"] {
        let strings = r#"{"type":"array","items":{"type":"string"}}"#;
        assert!(fit(strings, &format!("{text:?}")).is_err(), "{text}");
        // Unless it is a property.
        let listed = format!(r#"{{"type":"array","items":{{"enum":[{text:?}]}}}}"#);
        assert_eq!(fit(&listed, &format!("{text:?}")), Ok(format!("[{text:?}]")));
    }
}

#[test]
fn duplicate_keys_are_reported_without_a_schema_for_them() {
    const MAP: &str = r#"{"type":"object","additionalProperties":{"type":"integer"}}"#;
    refused(&[
        ("{}", r#"{"q":1,"q":2}"#, &["schema/duplicate-key /q"]),
        (MAP, r#"{"q":1,"q":2}"#, &["schema/duplicate-key /q"]),
        (MAP, r#"{"q":1,"q":"2"}"#, &["schema/duplicate-key /q"]),
        ("{}", r#"[{"a":{"q/":[1],"q/":[2]}}]"#, &["schema/duplicate-key /0/a/q~1"]),
    ]);
    assert!(fit("{}", r#"{"q":1,"q":1.0}"#).is_ok());
}

#[test]
fn objects_that_contain_a_schema_are_refused() {
    for (given, said) in [
        (r#"{"name":"x","arguments":{"type":"object"}}"#, "`/arguments`"),
        (r#"{"name":"Ada","age":3}"#, "`age` is not a keyword"),
    ] {
        match Schema::from_text(given) {
            Err(error @ Error::Schema { .. }) => {
                assert!(error.to_string().contains(said), "{given}: {error}");
            }
            other => panic!("{given}: {other:?}"),
        }
    }
    assert!(Schema::from_text("{}").is_ok());
}

#[test]
fn expressions_are_reported_for_optional_numbers() {
    refused(&[(
        r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#,
        r#"{"expression":"100 * 2"}"#,
        &["schema/expression "],
    )]);
}

#[test]
fn defaults_behind_references_are_found() {
    fits(&[(
        r##"{"properties":{"n":{"$ref":"#/$defs/N"}},"required":["n"],"$defs":{"N":{"type":"integer","default":4}}}"##,
        "{}",
        r#"{"n":4}"#,
    )]);
}
