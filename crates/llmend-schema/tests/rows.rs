//! Coercions and violations, by row.

use llmend_schema::{Options, Schema, coerce, validate};

/// Coerces `text`: returns the value and the coercions, or the violations as
/// `code path`.
fn fit(schema: &str, text: &str) -> Result<(String, Vec<String>), Vec<String>> {
    let schema = Schema::from_text(schema).unwrap();
    let parsed = llmend_json::parse(text).unwrap();
    let coerced = coerce(&parsed.value, &schema, &Options::default());
    let valid = validate(&coerced.value, &schema).is_empty();
    assert!(valid || !coerced.violations.is_empty(), "{text}: a success that is not valid");
    if coerced.violations.is_empty() {
        let made = coerced
            .coercions
            .iter()
            .map(|row| format!("{} {}", row.kind.name(), row.path))
            .collect();
        Ok((coerced.value.to_string(), made))
    } else {
        Err(coerced.violations.iter().map(|row| format!("{} {}", row.code, row.path)).collect())
    }
}

/// Rows of schema, text, result and coercions.
fn fits(rows: &[(&str, &str, &str, &[&str])]) {
    for (schema, text, value, made) in rows {
        let (found, coercions) = match fit(schema, text) {
            Ok(found) => found,
            Err(violations) => panic!("{text} under {schema}: {violations:?}"),
        };
        assert_eq!(found, *value, "{text} under {schema}");
        assert_eq!(coercions, *made, "{text} under {schema}");
    }
}

/// Rows of schema, text and violations.
fn refused(rows: &[(&str, &str, &[&str])]) {
    for (schema, text, expected) in rows {
        match fit(schema, text) {
            Ok(found) => panic!("{text} under {schema}: {found:?}"),
            Err(violations) => assert_eq!(violations, *expected, "{text} under {schema}"),
        }
    }
}

const INTEGER: &str = r#"{"type":"integer"}"#;
const NUMBER: &str = r#"{"type":"number"}"#;
const BOOLEAN: &str = r#"{"type":"boolean"}"#;
const STRING: &str = r#"{"type":"string"}"#;
const INTEGERS: &str = r#"{"type":"array","items":{"type":"integer"}}"#;
const STRINGS: &str = r#"{"type":"array","items":{"type":"string"}}"#;
const COLOR: &str = r#"{"enum":["DARK_BLUE","BLUE","RED"]}"#;
const PERSON: &str = r#"{"type":"object","properties":{"first_name":{"type":"string"},"age":{"type":"integer"}},"required":["first_name","age"]}"#;
const CLOSED: &str = r#"{"type":"object","properties":{"first_name":{"type":"string"},"age":{"type":"integer"}},"required":["first_name"],"additionalProperties":false}"#;

#[test]
fn valid_values_are_not_changed() {
    for (schema, text) in [
        (STRING, r#""4""#),
        (STRING, r#""true""#),
        (STRING, r#""[1]""#),
        (STRING, r#""**Paris**""#),
        (STRING, r#""null""#),
        (r#"{"type":["string","integer"]}"#, r#""4""#),
        (r#"{"anyOf":[{"type":"integer"},{"type":"string"}]}"#, r#""4""#),
        (NUMBER, "1.50"),
        (NUMBER, "12345678901234567890.000000000000000001"),
        (INTEGER, "3.0"),
        (INTEGER, "12345678901234567890123"),
        ("{}", r#"{"a":1,"a":1}"#),
        (PERSON, r#"{"age":4.0,"first_name":"x","firstName":"y"}"#),
        (r#"{"type":"string","format":"date"}"#, r#""2024-04-03""#),
    ] {
        let (value, made) = fit(schema, text).unwrap();
        assert_eq!((value.as_str(), made.len()), (text, 0), "{text} under {schema}");
    }
}

#[test]
fn scalars() {
    fits(&[
        (INTEGER, r#""42.0""#, "42", &["number-from-text "]),
        (INTEGER, r#"" 7 ""#, "7", &["number-from-text "]),
        (INTEGER, r#""**7**""#, "7", &["number-from-text "]),
        (NUMBER, r#""1e3""#, "1e3", &["number-from-text "]),
        (r#"{"type":"integer","maximum":255}"#, r#""200""#, "200", &["number-from-text "]),
        (BOOLEAN, "0", "false", &["boolean-from-word "]),
        (BOOLEAN, r#""off""#, "false", &["boolean-from-word "]),
        (STRING, "12345678901234567890", r#""12345678901234567890""#, &["text-from-scalar "]),
        (STRING, "true", r#""true""#, &["text-from-scalar "]),
        (r#"{"type":["integer","boolean"]}"#, r#""yes""#, "true", &["boolean-from-word "]),
        (r#"{"type":["integer","null"]}"#, r#""null""#, "null", &["null-from-text "]),
        (
            r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#,
            r#""""#,
            "null",
            &["null-from-empty "],
        ),
        (r#"{"type":["string","null"],"minLength":1}"#, r#""""#, "null", &["null-from-empty "]),
    ]);
    refused(&[
        (INTEGER, "3.7", &["schema/type "]),
        (INTEGER, r#""3.7""#, &["schema/type "]),
        (INTEGER, r#""3,14""#, &["schema/type "]),
        (INTEGER, r#""12 apples""#, &["schema/type "]),
        (INTEGER, r#""1/2""#, &["schema/expression "]),
        (INTEGER, r#""100 * 2""#, &["schema/expression "]),
        (INTEGER, "true", &["schema/type "]),
        (INTEGER, "null", &["schema/type "]),
        (r#"{"type":"integer","format":"int64"}"#, r#""99999999999999999999""#, &["schema/type "]),
        (r#"{"type":"integer","format":"uint8"}"#, "256", &["schema/range "]),
        (r#"{"type":"integer","maximum":255}"#, r#""300""#, &["schema/type "]),
        (NUMBER, r#""100 * price""#, &["schema/expression "]),
        (NUMBER, r#"{"expression":"100 * price"}"#, &["schema/expression "]),
        (NUMBER, r#""NaN""#, &["schema/type "]),
        (NUMBER, r#""50%""#, &["schema/type "]),
        (NUMBER, r#""$1.50""#, &["schema/type "]),
        (BOOLEAN, r#""untrue""#, &["schema/type "]),
        (BOOLEAN, r#""It is not true""#, &["schema/type "]),
        (BOOLEAN, "2", &["schema/type "]),
        (STRING, "null", &["schema/type "]),
        (STRING, r#"{"a":1}"#, &["schema/type "]),
        (STRING, "[1]", &["schema/type "]),
        (r#"{"type":["integer","null"]}"#, r#""garbage""#, &["schema/type "]),
        (r#"{"type":"string","format":"date"}"#, r#""03/04/2024""#, &["schema/format "]),
        (r#"{"type":"string","format":"uuid"}"#, r#""x""#, &["schema/format "]),
    ]);
}

#[test]
fn enums() {
    fits(&[
        (COLOR, r#""dark blue""#, r#""DARK_BLUE""#, &["enum-spelling "]),
        (COLOR, r#""The answer is **red**.""#, r#""RED""#, &["enum-in-text "]),
        (COLOR, r#"["red"]"#, r#""RED""#, &["enum-from-item ", "enum-spelling "]),
        (r#"{"const":"RED"}"#, r#""red""#, r#""RED""#, &["enum-spelling "]),
        (r#"{"enum":[1,2,3]}"#, r#""2""#, "2", &["enum-spelling "]),
        (r#"{"enum":["1","2"]}"#, "2", r#""2""#, &["text-from-scalar "]),
        (r#"{"enum":["a",null]}"#, r#""None""#, "null", &["null-from-text "]),
        (
            r#"{"anyOf":[{"enum":["a","b"]},{"type":"null"}]}"#,
            r#""A""#,
            r#""a""#,
            &["enum-spelling "],
        ),
    ]);
    refused(&[
        (r#"{"enum":["BLUE","RED"]}"#, r#""dark blue""#, &["schema/enum "]),
        (COLOR, r#""not blue""#, &["schema/enum "]),
        (COLOR, r#""blue or red""#, &["schema/ambiguous "]),
        (COLOR, "7", &["schema/enum "]),
        (COLOR, "null", &["schema/enum "]),
        (COLOR, r#"["RED", "BLUE"]"#, &["schema/enum "]),
        (r#"{"enum":[1,2,3]}"#, r#""Rating: 2""#, &["schema/enum "]),
    ]);
}

#[test]
fn arrays() {
    fits(&[
        (INTEGERS, r#""[1, 2]""#, "[1,2]", &["json-in-string "]),
        (INTEGERS, r#""[1, '2',]""#, "[1,2]", &["json-in-string ", "number-from-text /1"]),
        (INTEGERS, r#"["1", 2.0]"#, "[1,2.0]", &["number-from-text /0"]),
        (INTEGERS, r#"{"0":1,"1":"2"}"#, "[1,2]", &["array-from-object ", "number-from-text /1"]),
        (INTEGERS, r#"{"items":[1,2]}"#, "[1,2]", &["unwrapped "]),
        (INTEGERS, r#""7""#, "[7]", &["single-item ", "number-from-text /0"]),
        (STRINGS, r#""a""#, r#"["a"]"#, &["single-item "]),
        (
            STRINGS,
            r#""a remark, with a comma""#,
            r#"["a remark, with a comma"]"#,
            &["single-item "],
        ),
        (
            r#"{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}"#,
            r#"{"a":"1"}"#,
            r#"[{"a":1}]"#,
            &["single-item ", "number-from-text /0/a"],
        ),
        (
            r#"{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}"#,
            r#""a""#,
            r#"["a"]"#,
            &["single-item "],
        ),
    ]);
    refused(&[
        (INTEGERS, r#""1,2,3""#, &["schema/type "]),
        (STRINGS, r#""red, green""#, &["schema/type "]),
        (STRINGS, "null", &["schema/type "]),
        (INTEGERS, r#"[1, "x", {"y": 2}]"#, &["schema/type /1", "schema/type /2"]),
        (INTEGERS, r#"{"1":1,"2":2}"#, &["schema/type "]),
        (INTEGERS, r#""[1, \"x\"]""#, &["schema/type /1"]),
        (r#"{"type":"array","minItems":2}"#, "[1]", &["schema/length "]),
        (r#"{"type":"array","uniqueItems":true}"#, "[1, 1.0]", &["schema/unique "]),
    ]);
}

#[test]
fn objects() {
    fits(&[
        (
            PERSON,
            r#"{"firstName":"x","AGE":"4"}"#,
            r#"{"first_name":"x","age":4}"#,
            &["key-spelling /first_name", "key-spelling /age", "number-from-text /age"],
        ),
        (
            PERSON,
            r#""{'first_name': 'x', 'age': 4}""#,
            r#"{"first_name":"x","age":4}"#,
            &["json-in-string "],
        ),
        (
            PERSON,
            r#"[{"first_name":"x","age":4}]"#,
            r#"{"first_name":"x","age":4}"#,
            &["object-from-item "],
        ),
        (
            PERSON,
            r#"{"data":{"first_name":"x","age":"4"}}"#,
            r#"{"first_name":"x","age":4}"#,
            &["unwrapped ", "number-from-text /age"],
        ),
        (
            PERSON,
            r#"{"first_name":1,"age":4,"first_name":1}"#,
            r#"{"first_name":"1","age":4}"#,
            &["text-from-scalar /first_name", "duplicate-member /first_name"],
        ),
        (
            CLOSED,
            r#"{"first_name":"x","agee":4}"#,
            r#"{"first_name":"x","age":4}"#,
            &["key-typo /age"],
        ),
        (
            CLOSED,
            r#"{"first_name":"x","firstName":"x"}"#,
            r#"{"first_name":"x"}"#,
            &["duplicate-member /firstName"],
        ),
        (
            r#"{"type":"object","properties":{"n":{"type":"integer","default":3}},"required":["n"]}"#,
            "{}",
            r#"{"n":3}"#,
            &["default /n"],
        ),
        (
            r#"{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}}},"required":["names"]}"#,
            r#"["a","b"]"#,
            r#"{"names":["a","b"]}"#,
            &["single-property "],
        ),
        (
            r#"{"type":"object","additionalProperties":{"type":"integer"}}"#,
            r#"{"a":"1","b":2}"#,
            r#"{"a":1,"b":2}"#,
            &["number-from-text /a"],
        ),
        (
            r#"{"type":"object","patternProperties":{"^n_":{"type":"integer"}}}"#,
            r#"{"n_a":"1","b":"2"}"#,
            r#"{"n_a":1,"b":"2"}"#,
            &["number-from-text /n_a"],
        ),
    ]);
    refused(&[
        (PERSON, r#"["x", 4]"#, &["schema/type "]),
        (PERSON, r#"{"age":4}"#, &["schema/required "]),
        (PERSON, "{}", &["schema/required ", "schema/required "]),
        (
            PERSON,
            r#"{"first_name":null,"age":"x"}"#,
            &["schema/type /first_name", "schema/type /age"],
        ),
        (PERSON, r#"{"first_name":"x","age":4,"age":5}"#, &["schema/duplicate-key /age"]),
        (CLOSED, r#"{"first_name":"x","firstName":"y"}"#, &["schema/duplicate-key /firstName"]),
        (CLOSED, r#"{"first_name":"x","height":4}"#, &["schema/extra /height"]),
        (
            r#"{"type":"object","properties":{"tags":{"type":"array"},"name":{"type":"string"}},"required":["tags","name"]}"#,
            r#"{"name":"x"}"#,
            &["schema/required "],
        ),
    ]);
}

#[test]
fn unions() {
    const PET: &str = r##"{"oneOf":[{"$ref":"#/$defs/cat"},{"$ref":"#/$defs/dog"}],"$defs":{
        "cat":{"type":"object","properties":{"kind":{"const":"cat"},"lives":{"type":"integer"}},"required":["kind","lives"]},
        "dog":{"type":"object","properties":{"kind":{"const":"dog"},"lives":{"type":"string"}},"required":["kind","lives"]}}}"##;
    fits(&[
        (
            PET,
            r#"{"kind":"Dog","lives":3}"#,
            r#"{"kind":"dog","lives":"3"}"#,
            &["enum-spelling /kind", "text-from-scalar /lives"],
        ),
        (
            PET,
            r#"{"kind":"cat","lives":"3"}"#,
            r#"{"kind":"cat","lives":3}"#,
            &["number-from-text /lives"],
        ),
        (
            r#"{"anyOf":[{"type":"integer"},{"type":"boolean"}]}"#,
            r#""1""#,
            "1",
            &["number-from-text "],
        ),
        (
            r#"{"anyOf":[{"type":"integer"},{"type":"number"}]}"#,
            r#""1""#,
            "1",
            &["number-from-text "],
        ),
        (
            r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}]}"#,
            r#"{"b":"1"}"#,
            r#"{"b":1}"#,
            &["number-from-text /b"],
        ),
        (
            r#"{"type":"object","properties":{"unit":{"enum":["a","b"]}},"if":{"properties":{"unit":{"const":"a"}}},"then":{"properties":{"n":{"type":"integer"}}},"else":{"properties":{"n":{"type":"string"}}}}"#,
            r#"{"unit":"a","n":"4"}"#,
            r#"{"unit":"a","n":4}"#,
            &["number-from-text /n"],
        ),
    ]);
    refused(&[
        (PET, r#"{"kind":"cat","lives":"many"}"#, &["schema/type /lives"]),
        (
            r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false},{"type":"object","properties":{"A":{"type":"number"}},"required":["A"],"additionalProperties":false}]}"#,
            r#"{"á":1}"#,
            &["schema/ambiguous "],
        ),
        (r#"{"anyOf":[{"type":"integer"},{"type":"boolean"}]}"#, r#""maybe""#, &["schema/union "]),
        (r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#, r#""maybe""#, &["schema/type "]),
    ]);
}

#[test]
fn references_and_recursion() {
    const TREE: &str = r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"value":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["value"]}}}"##;
    const ALL: &str = r#"{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{"type":"boolean"}}}]}"#;
    fits(&[
        (
            TREE,
            r#"{"value":"1","children":[{"value":"2","children":{"value":3}}]}"#,
            r#"{"value":1,"children":[{"value":2,"children":[{"value":3}]}]}"#,
            &[
                "number-from-text /value",
                "number-from-text /children/0/value",
                "single-item /children/0/children",
            ],
        ),
        (
            ALL,
            r#"{"a":"1","b":"true"}"#,
            r#"{"a":1,"b":true}"#,
            &["number-from-text /a", "boolean-from-text /b"],
        ),
        (
            r##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"integer"}},"properties":{"x":{"$ref":"#/definitions/n"}}}"##,
            r#"{"x":"1"}"#,
            r#"{"x":1}"#,
            &["number-from-text /x"],
        ),
    ]);
    refused(&[(
        TREE,
        r#"{"value":1,"children":[{"value":"x"}]}"#,
        &["schema/type /children/0/value"],
    )]);
}

#[test]
fn spans_refer_to_the_callers_text() {
    let schema = Schema::from_text(
        r#"{"properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{"type":"integer"}}}"#,
    )
    .unwrap();
    let text = r#"Sure: {"a": "[1, '22']", "b": " 7 "}"#;
    let parsed = llmend_json::parse(text).unwrap();
    let coerced = coerce(&parsed.value, &schema, &Options::default());
    let places: Vec<_> = coerced.coercions.iter().map(|row| row.span.unwrap().of(text)).collect();
    assert_eq!(places, [r#""[1, '22']""#, "'22'", r#"" 7 ""#]);
    let rows: Vec<_> =
        coerced.coercions.iter().map(|row| (row.before.as_str(), row.after.as_str())).collect();
    assert_eq!(rows, [(r#""[1, '22']""#, "[1,22]"), (r#""22""#, "22"), (r#"" 7 ""#, "7")]);
    let item = coerced.value.root().pointer("/a/1").unwrap();
    assert_eq!(item.span().of(text), "'22'");
}

#[test]
fn nullable_beside_an_all_of_a_reference_allows_null() {
    let schema = r##"{"properties":{"a":{"allOf":[{"$ref":"#/$defs/day"}],"nullable":true}},"$defs":{"day":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}"##;
    fits(&[
        (schema, r#"{"a":null}"#, r#"{"a":null}"#, &[]),
        (schema, r#"{"a":{"n":"3"}}"#, r#"{"a":{"n":3}}"#, &["number-from-text /a/n"]),
    ]);
    refused(&[(schema, r#"{"a":{"n":"x"}}"#, &["schema/type /a/n"])]);
}
