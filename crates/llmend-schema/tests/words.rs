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
