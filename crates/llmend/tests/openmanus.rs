//! The repair passes of the `OpenManus` planning documents, and texts that those passes would damage.
//!
//! S0-47: a test for each pass and one for all of them stand here; those of the whole way to a
//! plan, of the budget of retries and of the strict schema stand in `planning.rs`.

use llmend::{Options, Policy, Status, repair_with};
use serde_json::{Value, json};

/// What `text` becomes under `policy`, read by a strict parser.
fn mended(text: &str, policy: Policy) -> Result<Value, llmend::json::Error> {
    // S0-18: what comes out is read by a strict parser.
    repair_with(text, &Options::policy(policy)).map(|repaired| {
        serde_json::from_str(&repaired.text).unwrap_or_else(|error| panic!("{text}: {error}"))
    })
}

/// `text` is mended to `expected` by what the documents describe, and by the default policy too.
fn check(text: &str, expected: &Value) {
    for policy in [Policy::Conservative, Policy::Standard] {
        match mended(text, policy) {
            Ok(found) => assert_eq!(&found, expected, "{policy}: {text}"),
            Err(error) => panic!("{policy}: {text}: {error}"),
        }
    }
}

/// `text` is valid and stays as it is, byte for byte.
fn keep(text: &str) {
    for policy in Policy::ALL {
        let repaired = repair_with(text, &Options::policy(policy))
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(
            (&*repaired.text, repaired.report.status),
            (text, Status::Unchanged),
            "{policy}"
        );
    }
}

#[test]
fn fences_and_words_around_the_value_go() {
    // S0-01: tagged and untagged fences. S0-02: words before and after.
    check("```json\n{\"a\":1,\"b\":2,}\n```\nThat is all.", &json!({"a": 1, "b": 2}));
    check("```JSON\n{\"a\": 1}\n```", &json!({"a": 1}));
    check("```\n{\"a\": 1}\n```", &json!({"a": 1}));
    check("Here is it: {\"a\": 1} - have fun", &json!({"a": 1}));
    check("Before {x}. ```json\n{\"k\": 1}\n``` After {\"other\"}.", &json!({"k": 1}));
}

#[test]
fn smart_quotes_count_as_quotes_where_quotes_belong() {
    // S0-04
    check("{“name”: \"Joao\", /* y */ \"age\": 21,}", &json!({"name": "Joao", "age": 21}));
    check(
        "{‘objective’: “Find the trail that is open”}",
        &json!({"objective": "Find the trail that is open"}),
    );
    keep(r#"{"a": "he said “hi”, ‘ho’ and «he»"}"#);
}

#[test]
fn comments_go_outside_of_strings_only() {
    // S0-05, S0-06: line and block comments. S0-07: in a string they are text.
    check("{\"a\": 1, // one\n\"b\": 2}", &json!({"a": 1, "b": 2}));
    check("{\"first\": /* a\n */ 1, \"second\": [2 /**/]}", &json!({"first": 1, "second": [2]}));
    check(
        "{\"u\": \"https://x.example/*a*/?q=1 // no\", /* yes */ \"b\": 2}",
        &json!({
            "u": "https://x.example/*a*/?q=1 // no",
            "b": 2,
        }),
    );
    keep(r#"{"u": "https://x.example/*a*/?q=1 // no"}"#);
}

#[test]
fn a_comma_before_a_closer_goes() {
    // S0-08, S0-09: before either bracket. S0-10: whatever white space stands between.
    check("[1, 2,]", &json!([1, 2]));
    check("{\"a\": [1,  ], \"b\": 2,\r\n\t }", &json!({"a": [1], "b": 2}));
    keep(r#"{"a": ",]", "b": ",}"}"#);
}

#[test]
fn control_characters_are_escaped_in_strings_only() {
    // S0-11, S0-12, S0-13: line feed, carriage return, tab.
    check("{\n\t\"a\": \"1\n2\"\r\n}", &json!({"a": "1\n2"}));
    check("{\"a\": \"1\r2\"}", &json!({"a": "1\r2"}));
    check("{\"a\": \"1\r\n2\"}", &json!({"a": "1\r\n2"}));
    check("{\"a\": \"1\t2\"}", &json!({"a": "1\t2"}));
    keep("{\n\t\"a\" :\r\n 1 }");
}

#[test]
fn one_closer_is_put_at_the_end() {
    // S0-14: if that restores the balance.
    check("{\"a\": 1", &json!({"a": 1}));
    check("[1, {\"a\": \"}{[\"}", &json!([1, {"a": "}{["}]));
    check("{\"a\": {\"b\": 1}", &json!({"a": {"b": 1}}));
    // S0-15: never more than one under that policy; by default all of them, and with a flag.
    for (text, expected) in [
        ("{\"steps\": [{\"id\": \"s1\"}", json!({"steps": [{"id": "s1"}]})),
        ("{\"a\": [[1, 2", json!({"a": [[1, 2]]})),
    ] {
        let error = mended(text, Policy::Conservative).expect_err(text);
        assert!(error.span().is_some(), "{text}: {error}");
        let repaired = repair_with(text, &Options::default()).expect(text);
        assert!(repaired.report.truncated(), "{text}");
        assert_eq!(mended(text, Policy::Standard), Ok(expected), "{text}");
    }
}

#[test]
fn all_passes_work_together() {
    check(
        "Sure:\n```json\n{“x”: 1, // the first\n\"arr\": [1,2,], \"note\": \"line\nbreak\"}\n```",
        &json!({"x": 1, "arr": [1, 2], "note": "line\nbreak"}),
    );
}

#[test]
fn what_the_passes_of_the_documents_damage_is_left_alone() {
    // S0-44: every edit knows whether it stands in a string.
    for text in [
        "{\"a\": \"```py\\nprint(1)\\n```\", \"b\": 1}",
        "[{\"a\": 1}, {\"b\": 2}]",
        "{\"a\": \"1 > 0 ? “yes” : 'no' // {[\", \"b\": \"None, True, /* */\"}",
    ] {
        keep(text);
    }
    check(
        "```json\n{\"a\": \"```py\\nx\\n```\", \"b\": 1,}\n```",
        &json!({"a": "```py\nx\n```", "b": 1}),
    );
    check(
        "Use {braces} and [brackets]: [{\"a\": 1}, {\"b\": 2},] (see {above}).",
        &json!([{"a": 1}, {"b": 2}]),
    );
}

#[test]
fn the_conservative_policy_does_what_the_documents_describe_and_no_more() {
    for text in
        ["{'a': 1}", "{a: 1}", "{\"a\": True}", "[1 2]", "{\"a\": \"x \"y\" z\"}", "[1,, 2]"]
    {
        assert!(mended(text, Policy::Conservative).is_err(), "{text}");
    }
}
