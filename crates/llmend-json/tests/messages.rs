//! The error messages with their advice, and the messages of diagnostics.

use llmend_json::{Options, Policy, Rule, Search, decode, parse, parse_with};

/// Checks message and advice of the error for each text under `options`.
#[track_caller]
fn check(options: &Options, rows: &[(&str, &str, &str)]) {
    for &(text, message, help) in rows {
        let error = parse_with(text, options).expect_err(text);
        assert_eq!((error.to_string().as_str(), error.kind().help()), (message, help), "{text}");
    }
}

#[test]
fn extraction_errors() {
    check(
        &Options::default(),
        &[
            (" \n", "the text is empty", "The model wrote nothing: ask again."),
            (
                "I cannot do that.",
                "no JSON value found (text starts with \"I cannot do that.\")",
                "Ask for JSON only.",
            ),
            (
                "```\n```",
                "expected a JSON value, found an empty code block (text starts with \"```\n```\")",
                "Ask for the JSON value inside the code block.",
            ),
            (
                "```json\n",
                "expected a JSON value, found the end of the text in a code block (text starts with \"```json\")",
                "The answer was probably cut off: raise the token limit or ask the model to continue.",
            ),
            (
                "<think>{\"a\": 1}</think>",
                "expected a JSON value after the reasoning, found one only inside it (text starts with \"<think>{\"a\": 1}</think>\")",
                "Ask for the final value after the reasoning.",
            ),
        ],
    );
}

#[test]
fn syntax_errors() {
    const CORRECT: &str = "Ask the model to correct the JSON here.";
    const REWRITE: &str = "Ask the model to rewrite this part as strict JSON.";
    check(
        &Options { search: Search::Off, ..Options::default() },
        &[
            ("x", "unexpected `x`, expected a value (line 1, column 1)", CORRECT),
            ("{\"a\": 1, @}", "unexpected `@`, expected a key (line 1, column 10)", CORRECT),
            ("{\"a\": {} \\", "unexpected `\\`, expected `,` or `}` (line 1, column 10)", CORRECT),
            ("[1] x", "unexpected `x`, expected end of text (line 1, column 5)", CORRECT),
            ("[1]\u{1}", "unexpected `\\u{1}`, expected end of text (line 1, column 4)", CORRECT),
            (
                "[\"a\" @]",
                "ambiguous: cannot tell where this string ends (line 1, column 2)",
                REWRITE,
            ),
            (
                "[1,000]",
                "ambiguous: this may belong to the number before it (line 1, column 4)",
                REWRITE,
            ),
            (
                "{\"a\": 1 + 2}",
                "expected a literal, found an expression (line 1, column 7)",
                "Expressions are never computed: ask for a literal or add a step that computes it.",
            ),
        ],
    );
}

#[test]
fn refusals_and_limits() {
    let options = Options {
        rules: Policy::Standard.rules().without(Rule::SingleQuotes),
        max_depth: 2,
        max_bytes: 60,
        max_repairs: 3,
        max_closers: 1,
        ..Options::policy(Policy::Conservative)
    };
    check(
        &options,
        &[
            (
                "{'a': 1}",
                "rule `single-quotes` would repair this but is disabled (line 1, column 2)",
                "Enable the rule or choose a wider policy.",
            ),
            (
                "[[[1]]]",
                "the value is nested deeper than `max_depth` (line 1, column 3)",
                "Raise `max_depth`.",
            ),
            (
                &"[1]".repeat(30),
                "the text is longer than `max_bytes`: 90 bytes (limit 60)",
                "Raise `max_bytes`.",
            ),
            (
                "[True, True, True, True]",
                "the text needs more repairs than `max_repairs` (line 1, column 20)",
                "Check that the text is JSON, or raise `max_repairs`.",
            ),
            (
                "[[1",
                "unexpected end of text: more closing brackets are missing than `max_closers` (line 1, column 4)",
                "The answer was cut off: raise the token limit or ask the model to continue.",
            ),
            (
                "{\"a\": 1 /* more than thirty percent of it */}",
                "the repair would discard 36 of 45 bytes (limit 30 %) (line 1, column 1)",
                "Too much text would be lost: ask the model for JSON only.",
            ),
        ],
    );
    let error = decode(b"[\xff]").expect_err("no UTF-8");
    assert_eq!(error.to_string(), "invalid UTF-8 (line 1, column 2)");
    assert_eq!(error.kind().help(), "Encode the text as UTF-8.");
}

#[test]
fn diagnostics() {
    let messages = |text: &str| -> Vec<String> {
        let rows = parse(text).expect(text).report.diagnostics;
        rows.into_iter().map(|row| row.message).collect()
    };
    assert_eq!(messages("Sure: {\"a\": 1}"), ["ignored text around the value"]);
    assert_eq!(
        messages("```json\n{\"a\": 1}\n```\nor {\"b\": 2}").last().map(String::as_str),
        Some("ignored another value in the text")
    );
    assert_eq!(messages("{\"a\": [1"), ["the text is cut off before the value is complete"]);
    // Valid JSON keeps its form feed.
    assert_eq!(
        messages(r#"{"a": "see \nu", "b": "\frac{1}{2}"}"#),
        ["`\\f` or `\\b` before a word is a control character in JSON"]
    );
    assert!(messages(r#"{"a": "\b", "b": "\\frac", "c": "\u000c"}"#).is_empty());
    assert_eq!(
        messages("{\"a\": 1, \"a\": 2}"),
        ["duplicate key \"a\"; parsers keep the last value"]
    );
    let unknown = "trailing-coma".parse::<Rule>().map_err(|error| error.to_string());
    assert_eq!(
        unknown,
        Err("unknown rule `trailing-coma`; did you mean `trailing-comma`?".to_owned())
    );
    let unknown = "loose".parse::<Policy>().map_err(|error| error.to_string());
    assert_eq!(
        unknown,
        Err("unknown value `loose`, expected one of: strict, extract, conservative, standard, lenient"
            .to_owned())
    );
}
