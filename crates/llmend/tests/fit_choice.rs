//! The choice among several values of an answer by the schema.

use llmend::{Class, FitOptions, FitText, Schema, fit};

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

/// Values of [`TRIP`] that fit by a guess only.
const GUESSED: [&str; 3] = [
    r#"{"city": "Bern", "days": "1,234"}"#,
    r#"{"result": {"city": "Bern", "days": 1}}"#,
    r#"{"citty": "Bern", "days": 1}"#,
];

#[test]
fn a_value_that_fits_without_a_guess_comes_first() {
    let sure = r#"{"city": "Oslo", "days": 3}"#;
    let spelled = r"{'City': 'Oslo', 'days': '3'}";
    let oslo = r#"{"city":"Oslo","days":3}"#;
    for guessed in GUESSED {
        let schema = Schema::from_text(TRIP).expect("a schema");
        let alone = fit(guessed, &schema).expect("it is one");
        assert_eq!((alone.violations.len(), alone.class()), (0, Some(Class::Guess)), "{guessed}");
        let bern = alone.value.to_string();
        for sure in [sure, spelled] {
            for (text, expected) in [
                (format!("{guessed}\n\nand\n\n{sure}"), oslo),
                (format!("```json\n{guessed}\n```\n\nIt is:\n{sure}"), oslo),
                (format!("{sure}\n\nIn its wrapper:\n```json\n{guessed}\n```"), oslo),
                (format!("The input: [1]\n\n{guessed}\n\nand\n\n{sure}"), oslo),
                // It is introduced worse, or was taken back.
                (format!("Final answer: {guessed}\n\n{sure}"), bern.as_str()),
                (format!("Example: {sure}\n\nAnswer: {guessed}"), bern.as_str()),
                (format!("{sure}\n\nSorry, that was wrong:\n\n{guessed}"), bern.as_str()),
                (format!("{sure}\n\nCorrection:\n\n{guessed}"), bern.as_str()),
            ] {
                check(TRIP, &[(&text, Ok(expected))]);
            }
        }
    }
}

#[test]
fn records_in_a_row_stay_together() {
    // Each fits alone, and all of them by a guess.
    let names = r#"{"type": "object", "properties": {"names": {"type": "array"}}, "additionalProperties": true, "required": ["names"]}"#;
    check(
        names,
        &[
            (
                "{\"names\": [1]}\n{\"names\": [2]}",
                Ok(r#"{"names":[{"names":[1]},{"names":[2]}]}"#),
            ),
            ("{\"max\": 2}\n\nSo:\n\n{\"names\": [2]}", Ok(r#"{"names":[2]}"#)),
        ],
    );
}

#[test]
fn a_scalar_that_is_corrected_in_words_is_not_the_answer() {
    let schema = Schema::from_text(NUMBER).expect("a schema");
    for (answer, expected, class) in [
        ("```json\n42\n```\nSorry, it should be 43.", "43", Some(Class::Guess)),
        ("```json\n42\n```\nWait, 43.", "43", Some(Class::Guess)),
        ("```json\n42\n```\nOops. It should be 43.", "43", Some(Class::Guess)),
        ("```json\n42\n```\n\nFinal answer: 43", "43", Some(Class::Guess)),
        ("```json\n42\n```\nCorrection: 4,300", "4300", Some(Class::Guess)),
        // It may be another one.
        ("```json\n42\n```\nSorry, it should be \"many\".", "42", Some(Class::Guess)),
        ("```json\n42\n```\nNo, it is 43.", "42", Some(Class::Guess)),
        ("```json\n42\n```\nAnswer: 43", "42", Some(Class::Guess)),
        // Nothing is said against it.
        ("```json\n42\n```\nThe answer is 42.", "42", None),
        ("```json\n42\n```\nTell me if it should be rounded.", "42", None),
        ("42", "42", None),
    ] {
        let fitted = fit(answer, &schema).expect("a value");
        assert_eq!(
            (fitted.value.to_string().as_str(), fitted.class()),
            (expected, class),
            "{answer}"
        );
        check(NUMBER, &[(answer, Ok(expected))]);
    }
    let colour = r#"{"enum": ["red", "dark blue", "green"]}"#;
    check(
        colour,
        &[
            ("```json\n\"red\"\n```\nSorry, it should be green.", Ok("\"green\"")),
            ("```json\n\"red\"\n```\nSorry, it should be \"dark blue\".", Ok("\"dark blue\"")),
        ],
    );
}
