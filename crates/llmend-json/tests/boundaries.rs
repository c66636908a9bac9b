//! Boundaries between a string, its neighbors and the text around a value: what belongs to which.

use llmend_json::{Class, parse};

/// The expected result: a value with its class, or an error with this code.
type Reading = Result<(&'static str, Option<Class>), &'static str>;

const PLAIN: Option<Class> = None;
const NOTATION: Option<Class> = Some(Class::Notation);
const COMPLETION: Option<Class> = Some(Class::Completion);
const GUESS: Option<Class> = Some(Class::Guess);

/// Checks the result of each text under the default policy.
#[track_caller]
fn check(rows: &[(&str, Reading)]) {
    for (text, expected) in rows {
        let found = parse(text).map(|parsed| (parsed.value.to_serde().value, parsed.report.class));
        let expected = expected.map(|(value, class)| {
            (serde_json::from_str::<serde_json::Value>(value).expect(value), class)
        });
        assert_eq!(found.map_err(|error| error.code()), expected, "{text}");
    }
}

#[test]
fn members_behind_something_unread() {
    check(&[
        ("{\n  \"date}: null,\n  \"author\": \"x\"\n}", Err("syntax/ambiguous")),
        ("{\n  @@,\n  \"hint\": \"x\"\n}", Err("extract/no-json")),
        ("5],\n  \"kind\": 1\n}", Err("extract/no-json")),
        ("rn\",\n  \"kind\": 1\n}", Err("extract/no-json")),
        ("```json\n  },\n  \"kind\": 1\n}\n```", Err("extract/no-json")),
        ("Here it is:\n\"kind\": 1\n}", Ok((r#"{"kind": 1}"#, COMPLETION))),
        ("\"kind\": 1\n},", Ok((r#"{"kind": 1}"#, GUESS))),
    ]);
}

#[test]
fn drafts_in_reasoning() {
    check(&[
        ("analysis\nMaybe {\"a\": 1}.\nassistantfinal\nNone.", Err("extract/reasoning-only")),
        ("analysis\n{\"a\": 1}\nassistantfinal\n{\"a\": 2}", Ok((r#"{"a": 2}"#, PLAIN))),
        ("## Reasoning\nMaybe {\"a\": 1}.\n## Answer\nNone found.", Err("extract/reasoning-only")),
        ("**Thinking:**\n{\"a\": 1}\n**Answer:**\nNone found.", Err("extract/reasoning-only")),
        ("## Reasoning\nIt is so.\n\n{\"a\": 1}", Ok((r#"{"a": 1}"#, PLAIN))),
        (
            "<call><name>f</name><reason>r</reason><date>{\"a\": 1}</date></call>",
            Err("syntax/part"),
        ),
    ]);
}

#[test]
fn strings_without_their_end() {
    check(&[
        // Before a key without quotes.
        (r#"{a: "kelp, b: 5}"#, Ok((r#"{"a": "kelp", "b": 5}"#, COMPLETION))),
        (r#"{a: "kelp, b: 5, c: 6}"#, Ok((r#"{"a": "kelp", "b": 5, "c": 6}"#, COMPLETION))),
        (r#"{a: "kelp, b: "x"}"#, Ok((r#"{"a": "kelp", "b": "x"}"#, COMPLETION))),
        (r#"{a: "kelp, and so on}"#, Ok((r#"{"a": "kelp, and so on"}"#, COMPLETION))),
        (r#"{"a": "kelp, b: true}"#, Ok((r#"{"a": "kelp, b: true"}"#, GUESS))),
        // At the end of a row.
        (r#"[[1, "a], [2, "b"]]"#, Ok((r#"[[1, "a"], [2, "b"]]"#, COMPLETION))),
        (r#"[(1, "a), (2, "b")]"#, Ok((r#"[[1, "a"], [2, "b"]]"#, COMPLETION))),
        ("```json\n(\"x\", 2, (3, \"z))```", Ok((r#"["x", 2, [3, "z"]]"#, COMPLETION))),
        // A line break may be one between two items.
        ("[\"a.,\n  it\"]", Ok((r#"["a.,\n  it"]"#, GUESS))),
        ("{\"x\": \"a.,\n  it\"}", Ok((r#"{"x": "a.,\n  it"}"#, NOTATION))),
    ]);
}

#[test]
fn strings_without_their_start() {
    check(&[
        (r#"["hill", a wind"]"#, Ok((r#"["hill", "a wind"]"#, GUESS))),
        (r#"["hill", a wind", "sea"]"#, Ok((r#"["hill", "a wind", "sea"]"#, GUESS))),
        (
            r#"["he said "hi", then left", "x"]"#,
            Ok((r#"["he said \"hi\", then left", "x"]"#, GUESS)),
        ),
        (r#"["x", (3, "z")]"#, Ok((r#"["x", [3, "z"]]"#, NOTATION))),
    ]);
}

#[test]
fn signs_of_keys_and_remarks() {
    check(&[
        (r#"{"m">":7}"#, Ok((r#"{"m": 7}"#, NOTATION))),
        (r#"{"m">": "x", "n": 1}"#, Ok((r#"{"m": "x", "n": 1}"#, NOTATION))),
        (r#"{"a": 1, "b": null Total tokens: 512"#, {
            Ok((r#"{"a": 1, "b": null, "Total tokens": 512}"#, GUESS))
        }),
        (r#"{"a": 1, Confidence: 0.9"#, Ok((r#"{"a": 1, "Confidence": 0.9}"#, GUESS))),
        (r#"{"a": 1, b: 2}"#, Ok((r#"{"a": 1, "b": 2}"#, NOTATION))),
        ("{\"a\": 8080#the port\n}", Ok((r#"{"a": 8080}"#, NOTATION))),
        ("{\"a\": 2.5-- half\n}", Ok((r#"{"a": 2.5}"#, NOTATION))),
    ]);
}

#[test]
fn corrected_answers() {
    let corrected =
        |title: &str| format!("{{\"a\": 1, \"b\": 1}}\n\n{title}\n{{\"a\": 2, \"b\": 1}}");
    for title in [
        "Let me revise:",
        "Revision:",
        "Amended:",
        "Better:",
        "Ignore the above:",
        "I take that back:",
        "Strike that, it should read:",
        "Instead, use:",
        "v2:",
        "Errata:",
        "Genauer:",
        "Plutôt :",
        "Mejor:",
    ] {
        check(&[(&corrected(title), Ok((r#"{"a": 2, "b": 1}"#, GUESS)))]);
    }
    check(&[(
        "I start with:\n{a: kelp b\n\nFinal answer:\n{\"a\": 1}",
        Ok((r#"{"a": 1}"#, GUESS)),
    )]);
}

#[test]
fn commands_beside_formulas() {
    check(&[
        (r#"["(\nu)", "so \pi"]"#, Ok((r#"["(\\nu)", "so \\pi"]"#, GUESS))),
        (r#"["x \notin A", "so \pi"]"#, Ok((r#"["x \\notin A", "so \\pi"]"#, GUESS))),
        (r#"["(\nu)", "so it is",]"#, Ok((r#"["(\nu)", "so it is"]"#, NOTATION))),
    ]);
}
