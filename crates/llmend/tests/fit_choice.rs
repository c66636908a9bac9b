//! The choice among several values of an answer by the schema.

use llmend::{FitOptions, FitText, Schema, fit};

const TRIP: &str = r#"{
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city", "days"],
    "additionalProperties": false
}"#;
const WORDS: &str = r#"{"type": "array", "items": {"type": "string"}}"#;
const NUMBER: &str = r#"{"type": "integer"}"#;
const TRIPS: &str = r#"{
    "type": "array",
    "items": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}
}"#;

/// Checks the value of each answer, or the code of its first violation or of the error. A stream
/// gives the same.
#[track_caller]
fn check(schema: &str, rows: &[(&str, Result<&str, &str>)]) {
    let schema = Schema::from_text(schema).expect("a schema");
    for (answer, expected) in rows {
        let mut text = FitText::new(FitOptions::default(), schema.clone());
        for piece in answer.as_bytes().chunks(3) {
            text.push(piece);
        }
        for fitted in [fit(answer, &schema), text.finish()] {
            let found = match &fitted {
                Ok(fitted) => match fitted.violations.first() {
                    None => Ok(fitted.value.to_string()),
                    Some(row) => Err(row.code.to_owned()),
                },
                Err(error) => Err(error.diagnostics()[0].code.to_string()),
            };
            let found = found.as_deref().map_err(String::as_str);
            assert_eq!(found, *expected, "{answer}");
        }
    }
}

#[test]
fn the_only_object_that_fits_is_the_answer() {
    let oslo = Ok(r#"{"city":"Oslo","days":3}"#);
    check(
        TRIP,
        &[
            ("{\"max\": 9}\n\n{\"city\": \"Oslo\", \"days\": 3}", oslo),
            ("{\"city\": \"Oslo\", \"days\": 3}\n\n{\"source\": \"x\", \"n\": 1}", oslo),
            ("```json\n{\"max\": 9}\n```\nSo {\"city\": \"Oslo\", \"days\": 3}.", oslo),
            ("Final: {\"note\": 1}\n\nDraft: {\"city\": \"Oslo\", \"days\": \"3\"}", oslo),
            ("[1, 2, 3]\n\n{\"city\": \"Oslo\", \"days\": 3}\n\n[\"a\"]", oslo),
            ("{\"city\": 1}\n{\"city\": \"Oslo\", \"days\": 3}\n{\"days\": 3}", oslo),
            // Several fit.
            (
                "{\"city\": \"Bern\", \"days\": 1}\n\nFinal: {\"city\": \"Oslo\", \"days\": 3}\n\n{\"n\": 1}",
                oslo,
            ),
            (
                "{\"city\": \"Bern\", \"days\": 1}\n\nSorry, wrong:\n{\"city\": \"Oslo\", \"days\": 3}\n\n[1]",
                oslo,
            ),
            (
                "Answer: {\"city\": \"Bern\", \"days\": 1}\n\nFinal: {\"city\": \"Oslo\", \"days\": 3}",
                oslo,
            ),
            (
                "{\"city\": \"Bern\", \"days\": 1}\n\nand\n\n{\"city\": \"Oslo\", \"days\": 3}",
                Err("schema/ambiguous"),
            ),
            // None fits.
            ("{\"n\": 1}\n\nand\n\n{\"m\": 1}", Err("schema/ambiguous")),
            // Its rest cannot be read, or it is a part.
            (
                "{\"x\": [{\"city\": \"Oslo\", \"days\": 3}, {\"city\" \"Bern\" \"days\"",
                Err("schema/extra"),
            ),
        ],
    );
}

#[test]
fn lists_and_scalars_count() {
    check(
        WORDS,
        &[
            ("{\"max\": 2}\n\n[\"a\", \"c\"]", Ok(r#"["a","c"]"#)),
            ("Given {\"max\": 2}, I choose [\"a\", \"c\"], in that order.", Ok(r#"["a","c"]"#)),
            ("Out of {A, B, C} those are [\"A\", \"C\"], in that order.", Ok(r#"["A","C"]"#)),
            ("Either [\"a\", \"c\"] or [\"b\", \"d\"], I think.", Err("extract/no-json")),
            ("[1, 2] and [[3], [4]] do not, [\"a\", \"c\"] does.", Err("extract/no-json")),
        ],
    );
    check(NUMBER, &[("```json\n{\"a\": 1}\n```\n\n```json\n42\n```", Ok("42")), ("42", Ok("42"))]);
}

#[test]
fn a_list_of_all_values_fits_a_schema_of_lists() {
    let both = Ok(r#"[{"city":"Oslo"},{"city":"Bern"}]"#);
    check(
        TRIPS,
        &[
            ("{\"city\": \"Oslo\"}\n{\"city\": \"Bern\"}", both),
            ("{\"city\": \"Oslo\"}\n\nand\n\n{\"city\": \"Bern\"}", both),
            ("{\"n\": 2}\n\n[{\"city\": \"Oslo\"}, {\"city\": \"Bern\"}]", both),
        ],
    );
}
