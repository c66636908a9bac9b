//! The requirements on the engine, as rows of a text and its result.
//!
//! The ids are those of `docs/reference/requirements.md`. Where the systems behind them disagree, the rows
//! follow the table at the head of that page.

use std::borrow::Cow;

use llmend_json::{
    Choice, Class, EmphasisInValues, Error, ErrorKind, Options, Origin, Policy, Rule, RuleSet,
    Status, apply, extract, parse, parse_with, repair, repair_with,
};

/// The expected result: strict JSON, or an error with this code.
type Outcome = Result<&'static str, &'static str>;

/// Checks that `text` becomes `expected` under `options`, and the invariants of every result.
#[track_caller]
fn check_with(text: &str, expected: Outcome, options: &Options) {
    match (repair_with(text, options), expected) {
        (Ok(repaired), Ok(expected)) => {
            assert_eq!(repaired.text, expected, "{text}");
            // S0-18: a strict parser accepts the output.
            let strict: serde_json::Value = serde_json::from_str(&repaired.text)
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            let report = repaired.report;
            assert_eq!(apply(text, report.candidate.span, &report.repairs), expected, "{text}");
            let parsed =
                parse_with(text, options).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(parsed.value.to_serde().value, strict, "{text}");
            assert_eq!(parsed.report.repairs, report.repairs, "{text}");
            // S0-43: the same text gives the same result.
            assert_eq!(repair_with(text, options).map(|again| again.report), Ok(report), "{text}");
        }
        (Err(error), Err(code)) => assert_eq!(error.code(), code, "{text}: {error}"),
        (Ok(repaired), Err(code)) => panic!("{text} becomes {}, not {code}", repaired.text),
        (Err(error), Ok(expected)) => panic!("{text} is refused and not {expected}: {error}"),
    }
}

/// Checks that `text` becomes `expected` under the default policy.
#[track_caller]
fn check(text: &str, expected: Outcome) {
    check_with(text, expected, &Options::default());
}

/// Checks that `text` becomes `expected` under the conservative and the default policy.
#[track_caller]
fn check_described(text: &str, expected: &'static str) {
    check_with(text, Ok(expected), &Options::policy(Policy::Conservative));
    check(text, Ok(expected));
}

/// Checks that every policy returns `text`, which is valid, unchanged.
#[track_caller]
fn keep(text: &'static str) {
    for policy in Policy::ALL {
        let options = Options::policy(policy);
        check_with(text, Ok(text), &options);
        let report = parse_with(text, &options).expect(text).report;
        assert_eq!((report.status, report.class), (Status::Unchanged, None), "{policy}: {text}");
    }
}

/// Returns the error for `text`.
#[track_caller]
fn refused(text: &str) -> Error {
    parse(text).map(|parsed| parsed.value.to_string()).expect_err(text)
}

/// Returns the rules that repair `text`, each once.
#[track_caller]
fn rules(text: &str) -> Vec<Rule> {
    let report = parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).report;
    report.repairs.iter().map(|repair| repair.rule).collect::<RuleSet>().iter().collect()
}

#[test]
fn fences_and_words_are_removed_before_measuring() {
    // S0-01, S1-05: fences with a tag and without. S0-02, S1-06, S1-07, S2-08: the value's own
    // bounds, with words before and after it.
    for (text, expected) in [
        ("```json\n{\"a\": 1}\n```", "{\"a\": 1}"),
        ("```JSON\n{\"a\": 1}\n```", "{\"a\": 1}"),
        ("```\n[1, 2]\n```", "[1, 2]"),
        ("~~~json\n{\"a\": 1}\n~~~", "{\"a\": 1}"),
        ("Here you are:\n\n```json\n{\"a\": {\"b\": [1]}}\n```\n\nMore?", "{\"a\": {\"b\": [1]}}"),
        ("The answer is {\"a\": {\"b\": \"}\"}} as you asked.", "{\"a\": {\"b\": \"}\"}}"),
        ("Use {braces} and [brackets], then {\"a\": 1}, I'd say (see {above}).", "{\"a\": 1}"),
        ("Sure: [{\"a\": 1}, {\"b\": 2}] That's all.", "[{\"a\": 1}, {\"b\": 2}]"),
    ] {
        check_described(text, expected);
    }
    // S0-03: text around the value does not count as removed.
    let (before, after) = ("Words. ".repeat(500), "More. ".repeat(500));
    check_described(&format!("{before} ```json\n{{\"a\": 1,}}\n``` {after}"), "{\"a\": 1}");
}

#[test]
fn smart_quotes_are_delimiters_only_around_strings() {
    // S0-04
    check_described("{“a”: “b”}", "{\"a\": \"b\"}");
    check_described("{‘a’: ‘b’}", "{\"a\": \"b\"}");
    check_described("{“a”: \"it’s “quoted”\"}", "{\"a\": \"it’s “quoted”\"}");
    keep(r#"{"a": "“b”", "c": "it’s", "d": "«e»"}"#);
}

#[test]
fn comments_are_removed_outside_of_strings_only() {
    // S0-05, S0-06: both kinds. S0-07, S0-44: not in strings.
    for (text, expected) in [
        ("{\"a\": 1, // one\n\"b\": 2}", "{\"a\": 1, \n\"b\": 2}"),
        ("{\"a\": 1} // end", "{\"a\": 1}"),
        ("[\"one, and\", /* b */ \"two\"]", "[\"one, and\",  \"two\"]"),
        ("{/*b*/\"some_key\": \"/* c */\"}", "{\"some_key\": \"/* c */\"}"),
        (
            "{\"url\": \"https://x.example/a\", // yes\n\"b\": 2}",
            "{\"url\": \"https://x.example/a\", \n\"b\": 2}",
        ),
    ] {
        check_described(text, expected);
    }
    keep(r#"{"u": "https://x.example/a?b=1#c", "d": "/* e */ // f"}"#);
}

#[test]
fn trailing_commas_are_removed() {
    // S0-08, S2-06: in arrays. S0-09, S2-05: in objects. S0-10: with any white space between.
    // S1-13: all of that without a retry.
    for (text, expected) in [
        ("[1, 2,]", "[1, 2]"),
        ("{\"a\": 1,}", "{\"a\": 1}"),
        ("[1,\n  ]", "[1\n  ]"),
        ("{\"a\": [1 , ] ,\r\n\t}", "{\"a\": [1  ] \r\n\t}"),
        ("{\"a\": \",}\", }", "{\"a\": \",}\" }"),
    ] {
        check_described(text, expected);
        assert_eq!(rules(text), [Rule::TrailingComma], "{text}");
    }
    keep(r#"[",]", {"a": ",}"}]"#);
}

#[test]
fn control_characters_are_escaped_in_strings_only() {
    // S0-11, S0-12, S0-13
    for (text, expected) in [
        ("{\"a\": \"b\nc\"}", r#"{"a": "b\nc"}"#),
        ("{\"a\": \"b\rc\"}", r#"{"a": "b\rc"}"#),
        ("{\"a\": \"b\r\nc\"}", r#"{"a": "b\r\nc"}"#),
        ("{\"a\": \"b\tc\"}", r#"{"a": "b\tc"}"#),
        ("{\n\t\"a\": \"b\n\"\r\n}", "{\n\t\"a\": \"b\\n\"\r\n}"),
    ] {
        check_described(text, expected);
    }
    keep("{\r\n\t\"a\"\t:\r1\n}");
}

#[test]
fn missing_closers_are_added_and_the_cut_is_reported() {
    // S0-14: one closer that restores the balance.
    for (text, expected) in [
        ("{\"a\": 1", "{\"a\": 1}"),
        ("[1, 2", "[1, 2]"),
        ("{\"a\": [{\"b\": \"]\"}]", "{\"a\": [{\"b\": \"]\"}]}"),
    ] {
        check_described(text, expected);
        assert!(parse(text).expect(text).report.truncated(), "{text}");
    }
    // S0-15: never more than one under the conservative policy; by default all, with a flag.
    for (text, expected) in
        [("{\"a\": [1, 2", "{\"a\": [1, 2]}"), ("[{\"a\": {\"b\": 1", "[{\"a\": {\"b\": 1}}]")]
    {
        check_with(text, Err("syntax/unexpected-end"), &Options::policy(Policy::Conservative));
        check(text, Ok(expected));
        assert!(parse(text).expect(text).report.truncated(), "{text}");
    }
}

#[test]
fn a_repair_that_removes_too_much_is_refused() {
    // S0-16: under the conservative policy every removal counts.
    let conservative = Options::policy(Policy::Conservative);
    let long = "{\"a\": 1, /* a remark far longer than the value that it belongs to */ \"b\": 2}";
    check_with(long, Err("repair/unsafe-delta"), &conservative);
    let short = "{\"a\": \"a value of some length\", /* short */ \"b\": 2}";
    check_with(short, Ok("{\"a\": \"a value of some length\",  \"b\": 2}"), &conservative);
    // By default only lost data counts, and comments are none.
    check(long, Ok("{\"a\": 1,  \"b\": 2}"));
    // S0-45: the error says what happened and what to do.
    let error = repair_with(long, &conservative).expect_err(long);
    assert!(error.to_string().contains("the repair would discard"), "{error}");
    assert!(error.kind().help().contains("ask the model"), "{}", error.kind().help());
    // Even with all rules, more stray words than data are too much.
    let lenient = Options::policy(Policy::Lenient);
    check_with("{\"a\": 1, NOTE \"b\": 2}", Ok("{\"a\": 1, \"b\": 2}"), &lenient);
    let words = "{\"a\": 1, NOTE THAT THIS IS MORE THAN ALL OF THE REST \"b\": 2}";
    check_with(words, Err("repair/unsafe-delta"), &lenient);
}

#[test]
fn extraction_precedes_strict_parsing() {
    // S0-17: a fence, smart quotes, a comment, a trailing comma and a raw line break in one text.
    check_described(
        "Plan:\n```json\n{“x”: 1, // first\n\"arr\": [1, 2,], \"note\": \"a\nb\"}\n```\nDone.",
        "{\"x\": 1, \n\"arr\": [1, 2], \"note\": \"a\\nb\"}",
    );
    // The refusal names the disabled rule.
    let conservative = Options::policy(Policy::Conservative);
    let error = repair_with("{'a': True}", &conservative).expect_err("single quotes");
    assert_eq!(error.kind(), ErrorKind::Refused(Rule::SingleQuotes));
}

#[test]
fn emphasis_is_stripped_on_demand_around_whole_values() {
    // S1-02, S1-03: bold and italic. S1-04: valid JSON is never touched without the option.
    let strip = Options { emphasis: EmphasisInValues::Strip, ..Options::default() };
    for (text, kept, stripped) in [
        (r#"{"city": "**Oslo**"}"#, r#"{"city": "**Oslo**"}"#, r#"{"city": "Oslo"}"#),
        (r#"{"city": "*Oslo*"}"#, r#"{"city": "*Oslo*"}"#, r#"{"city": "Oslo"}"#),
        (r"{'city': '**Oslo**',}", r#"{"city": "**Oslo**"}"#, r#"{"city": "Oslo"}"#),
    ] {
        check(text, Ok(kept));
        check_with(text, Ok(stripped), &strip);
    }
    // S1-11: a multiplication, a glob and a list are no emphasis, and a part of a text is not
    // the whole.
    for text in [
        r#"{"a": "5 * 3 * 2"}"#,
        r#"{"a": "2**3", "b": "4**5"}"#,
        r#"{"a": "src/*/a/*.go", "b": "**/*.rs"}"#,
        r#"{"a": "SELECT * FROM b", "c": "COUNT(*)"}"#,
        r#"{"a": "the **bold** word and the *other*"}"#,
        r#"{"a": "* one\n* two"}"#,
    ] {
        keep(text);
        check_with(text, Ok(text), &strip);
    }
}

#[test]
fn an_expression_is_an_error_and_is_never_computed() {
    // S1-10: a class of its own, with its place and what to ask for.
    for (text, place) in [
        ("{\"total\": 100 * 1.25}", "100 * 1.25"),
        ("{\"a\": 1, \"total\": 60*60*24}", "60*60*24"),
        ("{\"rest\": 1200 - 450}", "1200 - 450"),
        ("{\"total\": 100 * {{step-1.response.price}}}", "100 * {{step-1.response.price}}"),
        ("{\"label\": \"Total: \" + str(n)}", "\"Total: \" + str(n)"),
    ] {
        check(text, Err("syntax/expression"));
        let error = refused(text);
        assert_eq!(error.span().map(|span| span.of(text)), Some(place), "{text}");
        assert!(error.kind().help().contains("never computed"), "{}", error.kind().help());
    }
    let lenient = Options::policy(Policy::Lenient);
    check_with("{\"total\": 100 * 1.25}", Ok("{\"total\": \"100 * 1.25\"}"), &lenient);
    // Dates, ranges and versions use the same characters and are no expressions.
    for (text, expected) in [
        ("{\"a\": 2024-05-01}", "{\"a\": \"2024-05-01\"}"),
        ("{\"a\": 3-5}", "{\"a\": \"3-5\"}"),
        ("{\"a\": 1.2.3}", "{\"a\": \"1.2.3\"}"),
    ] {
        check(text, Ok(expected));
    }
}

#[test]
fn template_references_survive() {
    // S1-12: unchanged in strings, quoted elsewhere.
    keep(r#"{"price": "{{step-1.response.price}}", "text": "from {{a.b}} to {{c}}"}"#);
    let single = "{'price': '{{step-1.response.price}}',}";
    check(single, Ok(r#"{"price": "{{step-1.response.price}}"}"#));
    let bare = r#"{"price": {{step-1.response.price}}, "b": 2}"#;
    check(bare, Ok(r#"{"price": "{{step-1.response.price}}", "b": 2}"#));
}

#[test]
fn missing_quotes_are_inserted() {
    // S1-14: at a key, at either end of a string, or around a word. S2-01: keys without quotes.
    for (text, expected, class) in [
        ("{a: 1, b_2: [true]}", "{\"a\": 1, \"b_2\": [true]}", Class::Notation),
        ("{$id: 1, kebab-case: 2}", "{\"$id\": 1, \"kebab-case\": 2}", Class::Notation),
        ("{\"a\": \"b, \"c\": 1}", "{\"a\": \"b\", \"c\": 1}", Class::Completion),
        ("{\"a\": \"b\n}", "{\"a\": \"b\"\n}", Class::Completion),
        ("{\"a\": b\", \"c\": 1}", "{\"a\": \"b\", \"c\": 1}", Class::Guess),
        ("{\"a: 1, \"b\": 2}", "{\"a\": 1, \"b\": 2}", Class::Completion),
        ("{\"a\": hello}", "{\"a\": \"hello\"}", Class::Guess),
    ] {
        check(text, Ok(expected));
        assert_eq!(parse(text).expect(text).report.class, Some(class), "{text}");
    }
}

#[test]
fn notation_of_other_languages_is_repaired() {
    // S2-02: single quotes. S2-03, S2-04: literals. S2-07: an escaped single quote.
    for (text, expected) in [
        ("{'a': 'b'}", "{\"a\": \"b\"}"),
        ("{'a': 'it is \"b\" here'}", r#"{"a": "it is \"b\" here"}"#),
        (r"{'a': 'it\'s'}", r#"{"a": "it's"}"#),
        (r#"{"a": "it\'s"}"#, r#"{"a": "it's"}"#),
        ("{'a': 'it's'}", r#"{"a": "it's"}"#),
        ("{\"a\": True, \"b\": False, \"c\": None}", "{\"a\": true, \"b\": false, \"c\": null}"),
        ("[TRUE, Null, nil]", "[true, null, null]"),
    ] {
        check(text, Ok(expected));
    }
    keep(r#"{"a": "None of it is True, it's False", "b": "d'Artagnan 'and' co"}"#);
}

#[test]
fn a_missing_comma_has_a_name() {
    // S2-09
    let off = Policy::Standard.rules().without(Rule::MissingComma);
    let off = Options { rules: off, ..Options::default() };
    for (text, expected) in [
        ("{\"a\": 1 \"b\": 2}", "{\"a\": 1, \"b\": 2}"),
        ("{\"a\": \"x\"\n \"b\": \"y\"}", "{\"a\": \"x\",\n \"b\": \"y\"}"),
        ("[{\"a\": 1} {\"b\": 2}]", "[{\"a\": 1}, {\"b\": 2}]"),
        ("[\"a\" \"b\"\n\"c\"]", "[\"a\", \"b\",\n\"c\"]"),
    ] {
        check(text, Ok(expected));
        assert_eq!(rules(text), [Rule::MissingComma], "{text}");
        let error = repair_with(text, &off).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::Refused(Rule::MissingComma), "{text}");
    }
}

#[test]
fn an_error_names_line_and_column() {
    // S2-28: from 1, in characters. S1-17: after the engine's own words.
    for (text, (line, column)) in [
        ("{\"a\": 1 + 2}", (1, 7)),
        ("{\n  \"a\": 1,\n  \"é\": 2 * b\n}", (3, 8)),
        ("Sure:\n```json\n{\"total\": 3 * 4}\n```", (3, 11)),
    ] {
        let error = refused(text);
        assert_eq!(error.line_column(), Some((line, column)), "{error}");
        let said = error.to_string();
        assert!(said.ends_with(&format!("(line {line}, column {column})")), "{said}");
        assert!(said.starts_with("expected a literal, found an expression"), "{said}");
    }
}

#[test]
fn valid_json_is_borrowed_unchanged() {
    // S2-31, S4-27: nothing is done on the way of success. S4-02, S4-22: a raw value is taken as
    // it is. S4-03: an object or an array. S4-04: with white space around it. S4-19: borrowed.
    for text in [
        "{}",
        "[]",
        "{\"a\": [1, 2.50, \"x\"]}",
        "[{\"a\": null}]",
        "\n  {\"a\": 1}\t\n",
        " 12.50 ",
        "\"a\"\n",
    ] {
        let repaired = repair(text).expect(text);
        assert!(matches!(repaired.text, Cow::Borrowed(_)), "{text}");
        assert_eq!(repaired.text, text);
        let report = repaired.report;
        assert_eq!((report.status, report.class), (Status::Unchanged, None), "{text}");
        assert_eq!(report.candidate.origin, Origin::Whole, "{text}");
        assert!(report.repairs.is_empty() && report.diagnostics.is_empty(), "{text}");
    }
    // So is a value with text around it.
    let repaired = repair("Here: {\"a\": 1} (done)").expect("a value");
    assert!(matches!(repaired.text, Cow::Borrowed("{\"a\": 1}")));
    assert_eq!((repaired.report.status, repaired.report.class), (Status::Extracted, None));
}

#[test]
fn a_block_with_a_tag_and_one_without_are_found() {
    // S4-05, S4-06. S4-24: with the edge cases of a block.
    for (text, expected) in [
        ("```json\n{\"a\": 1}\n```", "{\"a\": 1}"),
        ("```\n{\"a\": 1}\n```", "{\"a\": 1}"),
        ("``` json\n{\"a\": 1}\n```", "{\"a\": 1}"),
        ("```json {\"a\": 1} ```", "{\"a\": 1}"),
        ("```json\r\n{\"a\": 1}\r\n```\r\n", "{\"a\": 1}"),
        ("```json5\n{\"a\": 1}\n```", "{\"a\": 1}"),
        ("```json title=\"x\"\n{\"a\": 1}\n```", "{\"a\": 1}"),
        ("  ```json\n  [1, 2]\n  ```", "[1, 2]"),
        ("```json\n{\"a\": 1}", "{\"a\": 1}"),
        ("```json\n{\"a\": \"```\"}\n```", "{\"a\": \"```\"}"),
    ] {
        check(text, Ok(expected));
        assert_eq!(parse(text).expect(text).report.candidate.origin, Origin::Fence, "{text}");
    }
}

#[test]
fn each_cause_of_missing_json_has_its_error() {
    // S4-01: a clear error and never a fallback. S4-07, S4-09: a block with nothing in it. S4-08,
    // S4-10, S4-20: one that opens and holds nothing.
    for (text, code) in [
        ("", "extract/empty"),
        (" \n\t", "extract/empty"),
        ("```json\n```", "extract/empty-block"),
        ("```json\n\n   \n```", "extract/empty-block"),
        ("Here:\n```\n```\nDone.", "extract/empty-block"),
        ("```json\n", "extract/unclosed-block"),
        ("```json", "extract/unclosed-block"),
        ("Of course! ```json\n", "extract/unclosed-block"),
        ("```\n", "extract/unclosed-block"),
        ("I apologize, but I cannot do that.", "extract/no-json"),
        ("See [1] and {name}.", "extract/no-json"),
        ("<think>{\"a\": 1} or not?</think>\nI do not know.", "extract/reasoning-only"),
    ] {
        check(text, Err(code));
        let error = refused(text);
        assert!(!error.to_string().contains("line 1 column 1"), "{error}");
        assert!(!error.kind().help().is_empty(), "{text}");
    }
    // S4-15: a value that was found and cannot be read is another matter, and has a place.
    let broken = refused("```json\n{\"a\": 2 * 3}\n```");
    assert!(broken.code().starts_with("syntax/") && broken.span().is_some(), "{broken}");
}

#[test]
fn extraction_errors_show_a_preview() {
    // S4-11, S4-29: the first 100 characters, always. S4-12: characters and not bytes. S4-13: what
    // was looked for, and what stood there. S4-21: of a refusal, its text.
    for text in [
        "I apologize, but I cannot help with that.".to_owned(),
        "Désolé, je ne peux pas répondre à cela. ".repeat(10),
        "申し訳ありませんが、その質問にはお答えできません。".repeat(20),
        format!("Well:\n```json\n{}", "not yet ".repeat(40)),
    ] {
        let error = refused(&text);
        let shown: String = text.chars().take(100).collect();
        let more: String = text.chars().take(101).collect();
        let said = error.to_string();
        assert!(said.contains(&shown), "{said}");
        assert!(shown == more || !said.contains(&more), "{said}");
        assert!(said.contains("JSON value"), "{said}");
    }
}

#[test]
fn every_function_extracts_the_same() {
    // S4-18, S4-28: `extract`, `repair` and `parse` share it. S1-08: whatever the value is for.
    for text in [
        "```json\n{\"a\": 1,}\n```",
        "Here: {'a': [1]} and that was it",
        "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>",
        "{\"a\": 1}",
    ] {
        let found = extract(text, &Options::default()).expect(text).candidates;
        let repaired = repair(text).expect(text).report;
        let parsed = parse(text).expect(text).report;
        assert_eq!(found, [repaired.candidate], "{text}");
        assert_eq!(parsed, repaired, "{text}");
    }
}

#[test]
fn the_choice_first_takes_the_first_block() {
    // S4-30: the choice `first`; by default all blocks are looked at.
    let text = "```json\n{\"a\": 1}\n```\nthen\n```json\n{\"a\": 2}\n```";
    let first = Options { choice: Choice::First, ..Options::default() };
    check_with(text, Ok("{\"a\": 1}"), &first);
    let report = parse_with(text, &first).expect(text).report;
    assert!(report.diagnostics.iter().any(|row| row.code == "extract/more-json"), "{report:?}");
    let last = Options { choice: Choice::Last, ..Options::default() };
    check_with(text, Ok("{\"a\": 2}"), &last);
    check_with(&format!("{text}\nSee [3]."), Ok("{\"a\": 2}"), &last);
    check_with(&format!("{{\"a\" \"b\" 4}}\n{text}"), Ok("{\"a\": 2}"), &last);
    let report = parse_with(text, &last).expect(text).report;
    assert!(report.diagnostics.iter().any(|row| row.code == "extract/more-json"), "{report:?}");
    // Equal blocks are one value.
    let twice = "```json\n{\"a\": 1}\n```\nAgain:\n```json\n{\"a\": 1}\n```";
    check(twice, Ok("{\"a\": 1}"));
    // Different blocks form an array, which is a guess.
    let parsed = parse(text).expect(text);
    assert_eq!(parsed.report.class, Some(Class::Guess));
    assert_eq!(parsed.value.to_string(), "[{\"a\":1},{\"a\":2}]");
}

/// The error type of a tool that parses answers.
#[derive(Debug)]
struct ToolError(Error);

impl From<Error> for ToolError {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

/// The type into which a tool parses answers.
fn read<T: serde::de::DeserializeOwned>(answer: &str) -> Result<T, ToolError> {
    Ok(parse(answer)?.value.deserialize()?)
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Divergent {
    perspectives: Vec<String>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Tree {
    branch: String,
    score: f64,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Reflection {
    strengths: Vec<String>,
    confidence: Option<f64>,
}

#[test]
fn answers_deserialize_into_caller_types() {
    // S4-17: three kinds of answer, by one function. S1-09, S0-19: typed, after the repair.
    assert_eq!(
        read::<Divergent>("```json\n{'perspectives': ['a', 'b',]}\n```").expect("an answer"),
        Divergent { perspectives: vec!["a".to_owned(), "b".to_owned()] }
    );
    assert_eq!(
        read::<Tree>("{branch: \"left\", score: .75}").expect("an answer"),
        Tree { branch: "left".to_owned(), score: 0.75 }
    );
    assert_eq!(
        read::<Reflection>("So: {\"strengths\": [], \"confidence\": None}").expect("an answer"),
        Reflection { strengths: Vec::new(), confidence: None }
    );
    // S4-23: the error converts into the tool's own.
    let ToolError(error) = read::<Tree>("I cannot.").expect_err("no answer");
    assert_eq!(error.code(), "extract/no-json");
    let ToolError(error) = read::<Tree>("{\"branch\": 7, \"score\": 1}").expect_err("no tree");
    assert_eq!((error.code(), error.line_column()), ("value/shape", Some((1, 12))), "{error}");
}

/// Judgments read ahead only so far, which must not make valid text suspect.
#[test]
fn valid_json_indented_in_any_way_is_unchanged_at_any_size() {
    let odd = |before: &str, after: &str| {
        format!("{{\n  {before}\"a\": {{\n    \"b\": 1,\n  \"c\": 2}},\n  {after}\n}}")
    };
    let long = format!("\"pad\": \"{}\"", "x".repeat(2 << 20));
    let strict = Options::policy(Policy::Strict);
    let text = odd("\"f\": \"\\theta\", ", &long);
    assert_eq!(repair_with(&text, &strict).unwrap().text, text);
    // Behind a value whose brackets are missing up to the end of a long text.
    let lacking = "{\n  \"a\": {\n    \"b\": 1,\n  \"c\": 2\n}\n";
    let valid = odd("", "\"d\": 3");
    let text = format!("{lacking}{valid}\n{{{long}}}");
    let options = Options { choice: Choice::All, ..Options::default() };
    let value = parse_with(&text, &options).unwrap().value;
    let second = value.root().items().nth(1).unwrap();
    assert_eq!(second.to_string(), r#"{"a":{"b":1,"c":2},"d":3}"#);
}
