//! Texts with a plausible wrong reading, with their results and classes.
//!
//! Each group is a class of texts with its traps: a row that must be repaired, one that must stay
//! unchanged, and an ambiguous one that must be refused.

mod reading;

use llmend_json::{Class, Options, Policy, Status, parse, parse_with};
use reading::*;

/// Checks the result of each text under the default policy.
#[track_caller]
fn check(rows: &[(&str, Reading)]) {
    for (text, expected) in rows {
        compare(text, &parse(text), expected);
    }
}

#[test]
fn prose_after_a_value_is_no_member() {
    check(&[
        (r#"With {"q": "x"}, we get: 5"#, Ok((r#"{"q": "x"}"#, PLAIN))),
        (r#"{"ok": true}, note: see below"#, Ok((r#"{"ok": true}"#, PLAIN))),
        ("Given {\"q\": \"x\"}, the answer is:\n\nyes", Ok((r#"{"q": "x"}"#, PLAIN))),
        ("With {q: 'x'}, we get: 5", Ok((r#"{"q": "x"}"#, NOTATION))),
        ("{\"q\": \"x\"}\n\"b\"", Ok((r#"{"q": "x"}"#, GUESS))),
        (r#"{"a": 1}, "b": 2}"#, Ok((r#"{"a": 1, "b": 2}"#, GUESS))),
        ("{a: 1}, b: 2}", Ok((r#"{"a": 1, "b": 2}"#, GUESS))),
    ]);
}

#[test]
fn a_key_right_after_a_text_belongs_to_the_next_member() {
    check(&[
        (r#"{"a":"b""c":"d"}"#, Ok((r#"{"a": "b", "c": "d"}"#, COMPLETION))),
        (
            r#"{"a":"b""c":{"x":"y""z":1}}"#,
            Ok((r#"{"a": "b", "c": {"x": "y", "z": 1}}"#, COMPLETION)),
        ),
        (r"{'a':'b''c':'d'}", Ok((r#"{"a": "b", "c": "d"}"#, COMPLETION))),
        ("{“a”:“b”“c”:“d”}", Ok((r#"{"a": "b", "c": "d"}"#, COMPLETION))),
        ("{`a`:`b``c`:`d`}", Ok((r#"{"a": "b", "c": "d"}"#, COMPLETION))),
        // Doubled marks, as some write a quote inside a text.
        (r#"{"a":"say ""b"": now"}"#, Ok((r#"{"a": "say \"b\": now"}"#, GUESS))),
        (r#"{"a":"b""c": d}"#, Err("syntax/ambiguous")),
    ]);
}

#[test]
fn a_backslash_before_the_end_is_text() {
    check(&[
        (r#"{"path": "C:\\dir\", "b": 1}"#, Ok((r#"{"path": "C:\\dir\\", "b": 1}"#, GUESS))),
        (r#"["C:\", "x"]"#, Ok((r#"["C:\\", "x"]"#, GUESS))),
        (r#"{"sep": "\", "esc": "\"}"#, Ok((r#"{"sep": "\\", "esc": "\\"}"#, GUESS))),
        // A pair of escaped quotes is a quotation, and the end quote is missing.
        (
            r#"{"a": "he said \"hi\", "b": 1}"#,
            Ok((r#"{"a": "he said \"hi\"", "b": 1}"#, COMPLETION)),
        ),
        (r#"{"h": "5'10\", "b": 1}"#, Err("syntax/ambiguous")),
        (r#"{"a": "C:\\", "b": "\""}"#, Ok((r#"{"a": "C:\\", "b": "\""}"#, PLAIN))),
    ]);
}

#[test]
fn quotes_that_differ_are_a_guess() {
    check(&[
        ("{\"a\": \"x”, \"b\": 1}", Ok((r#"{"a": "x", "b": 1}"#, GUESS))),
        (r#"{"a": 'x"}"#, Ok((r#"{"a": "x"}"#, GUESS))),
        (r#"["a", 'b", "c"]"#, Ok((r#"["a", "b", "c"]"#, GUESS))),
        ("{\"a”: 1}", Ok((r#"{"a": 1}"#, GUESS))),
        (r#"{'a": 1}"#, Ok((r#"{"a": 1}"#, GUESS))),
        ("{“a\": \"x\", \"b”: \"y\"}", Ok((r#"{"a": "x", "b": "y"}"#, GUESS))),
        // A quotation that ends the text is part of it.
        (r#"{"a": "say 'hi', "b": 1}"#, Ok((r#"{"a": "say 'hi'", "b": 1}"#, COMPLETION))),
        ("{\"a\": \"say “hi”\", \"b\": 1}", Ok(("{\"a\": \"say “hi”\", \"b\": 1}", PLAIN))),
        ("{“a\": 1}", Ok((r#"{"a": 1}"#, NOTATION))),
        (r#"{"a b: 1}"#, Err("syntax/ambiguous")),
    ]);
}

#[test]
fn doubled_quotes_are_notation_if_all_are_doubled() {
    check(&[
        (r#"{""a"": ""x"", ""b"": 1}"#, Ok((r#"{"a": "x", "b": 1}"#, NOTATION))),
        (r#"{"a": ""x"", "b": "y"}"#, Ok((r#"{"a": "x", "b": "y"}"#, GUESS))),
        (
            r#"{"a": "He said "Hi"", "b": ""Bye""}"#,
            Ok((r#"{"a": "He said \"Hi\"", "b": "\"Bye\""}"#, GUESS)),
        ),
        (r#"{"a": "", "b": ""}"#, Ok((r#"{"a": "", "b": ""}"#, PLAIN))),
    ]);
}

#[test]
fn a_number_is_cut_off_only_at_the_end() {
    check(&[
        (r#"{"id": 7e, "b": 2}"#, Ok((r#"{"id": "7e", "b": 2}"#, GUESS))),
        ("[1e, 2]", Ok((r#"["1e", 2]"#, GUESS))),
        (r#"{"a": 1e}"#, Ok((r#"{"a": 1}"#, GUESS))),
        (r#"{"a": 1e"#, Ok((r#"{"a": 1}"#, GUESS))),
        ("[1e5]", Ok(("[1e5]", PLAIN))),
    ]);
}

#[test]
fn only_a_comma_makes_a_tuple() {
    check(&[
        (r#"{"p": ("a")}"#, Ok((r#"{"p": "a"}"#, NOTATION))),
        (r#"{"p": ((1))}"#, Ok((r#"{"p": 1}"#, NOTATION))),
        (r#"{"p": ({"b": ")"})}"#, Ok((r#"{"p": {"b": ")"}}"#, NOTATION))),
        (r#"{"p": ("a",)}"#, Ok((r#"{"p": ["a"]}"#, NOTATION))),
        (r#"{"p": ((1), 2)}"#, Ok((r#"{"p": [1, 2]}"#, NOTATION))),
        (r#"{"p": ()}"#, Ok((r#"{"p": []}"#, NOTATION))),
        (r#"{"p": ("x") + "y"}"#, Err("syntax/expression")),
    ]);
}

#[test]
fn f_strings_with_placeholders_are_expressions() {
    check(&[
        (r#"{"a": f"Hello {name}"}"#, Err("syntax/expression")),
        (r#"{"a": f"Hello {{name}}"}"#, Ok((r#"{"a": "Hello {{name}}"}"#, NOTATION))),
        (r#"{"a": u"Hello {name}"}"#, Ok((r#"{"a": "Hello {name}"}"#, NOTATION))),
    ]);
}

#[test]
fn a_closed_string_stays_closed() {
    check(&[
        (r#"{"name": "Lee", (optional) "nick": "L"}"#, Err("syntax/unexpected")),
        (
            r#"{"name": "Lee" (optional), "nick": "L"}"#,
            Ok((r#"{"name": "Lee", "nick": "L"}"#, GUESS)),
        ),
        (r#"{"a": "x"., "b": "y"}"#, Ok((r#"{"a": "x", "b": "y"}"#, GUESS))),
        (r"{'a': 'x' 'b': 'y'}", Ok((r#"{"a": "x", "b": "y"}"#, COMPLETION))),
        (r#"{a: "x" b: "y"}"#, Ok((r#"{"a": "x", "b": "y"}"#, COMPLETION))),
        (r#"{"a": "x" "b": "say "y" z"}"#, Ok((r#"{"a": "x", "b": "say \"y\" z"}"#, GUESS))),
        (r#"{"a": "the "big" one", "b": 1}"#, Ok((r#"{"a": "the \"big\" one", "b": 1}"#, GUESS))),
    ]);
}

#[test]
fn operators_between_literals_make_an_expression() {
    check(&[
        (r#"{"a": "x" or "y"}"#, Err("syntax/expression")),
        (r#"{"a": "1" - "2"}"#, Err("syntax/expression")),
        (r#"{"a": "a" if b else "c"}"#, Err("syntax/expression")),
        (r#"{"a": "x" . y, "n": 1}"#, Err("syntax/unexpected")),
        (r#"{"a": "x" . "y" - "z", "n": 1}"#, Err("syntax/expression")),
        (r#"{"key" + "1": "v", "b": 2}"#, Err("syntax/unexpected")),
        ("x = [i for i in range(10)]", Err("syntax/expression")),
        (r#"{"a": "x or y"}"#, Ok((r#"{"a": "x or y"}"#, PLAIN))),
        (r#"{"a": "is it "x" or "y"?"}"#, Ok((r#"{"a": "is it \"x\" or \"y\"?"}"#, GUESS))),
        (r#"{"a": "x" . "y", "n": 1}"#, Ok((r#"{"a": "xy", "n": 1}"#, NOTATION))),
        (r#"["x" .. 'y', "z"]"#, Ok((r#"["xy", "z"]"#, NOTATION))),
        ("{\"a\": \"x \"\n  \"y\", \"b\": 1}", Ok((r#"{"a": "x y", "b": 1}"#, NOTATION))),
        ("{\"a\": \"x \" \\\n \"y\", \"b\": 1}", Ok((r#"{"a": "x y", "b": 1}"#, NOTATION))),
    ]);
}

#[test]
fn a_repeated_key_starts_another_object() {
    check(&[
        (r#"{"t": [{"k": 1}, "k": 2}]}"#, Ok((r#"{"t": [{"k": 1}, {"k": 2}]}"#, COMPLETION))),
        (
            r#"{"t": [{"i": "a", "o": "b"}, "i": "c", "o": "d"}], "n": 2}"#,
            Ok((r#"{"t": [{"i": "a", "o": "b"}, {"i": "c", "o": "d"}], "n": 2}"#, COMPLETION)),
        ),
        (r#"{"t": [{"k": 1}, "l": 2}]}"#, Ok((r#"{"t": [{"k": 1, "l": 2}]}"#, GUESS))),
    ]);
}

#[test]
fn commented_out_values_are_no_answers() {
    check(&[
        ("/* was\n * {\"a\": 0}\n */\n{\"a\": 1}", Ok((r#"{"a": 1}"#, PLAIN))),
        ("// {\"a\": 0}\n{\"a\": 1}", Ok((r#"{"a": 1}"#, PLAIN))),
        ("{\"a\": 1}\n<!-- was {\"a\": 0} -->", Ok((r#"{"a": 1}"#, PLAIN))),
        ("{\"a\": \"// {\"}", Ok((r#"{"a": "// {"}"#, PLAIN))),
    ]);
}

#[test]
fn comments_after_a_value() {
    check(&[
        ("{\"a\": 3 #max\n}", Ok((r#"{"a": 3}"#, NOTATION))),
        ("{\"a\": \"x\" #c\n}", Ok((r#"{"a": "x"}"#, NOTATION))),
        ("{\"a\": 1 --c\n}", Ok((r#"{"a": 1}"#, NOTATION))),
        ("{\"a\": 1, --c\n\"b\": 2}", Ok((r#"{"a": 1, "b": 2}"#, NOTATION))),
        ("{\"a\": room #5\n}", Ok((r#"{"a": "room #5"}"#, GUESS))),
        ("{\"a\": \"the \"big\" #1 item\"}", Ok((r#"{"a": "the \"big\" #1 item"}"#, GUESS))),
    ]);
}

#[test]
fn text_around_the_answer() {
    check(&[
        (r#"<think>["x"] or ["y"]?</think>["y"]"#, Ok((r#"["y"]"#, PLAIN))),
        (
            "<|channel|>analysis<|message|>{\"a\": 0}?<|end|><|channel|>final<|message|>{\"a\": 1}",
            Ok((r#"{"a": 1}"#, PLAIN)),
        ),
        ("```python\nimport json\nx = {\"a\": 1}\n```", Ok((r#"{"a": 1}"#, PLAIN))),
        (r#"{"a": <b>x</b>, "c": 1}"#, Ok((r#"{"a": "<b>x</b>", "c": 1}"#, GUESS))),
    ]);
}

#[test]
fn a_byte_order_mark_is_not_prose() {
    check(&[
        ("\u{feff}[1, 2]", Ok(("[1, 2]", PLAIN))),
        ("\u{feff}\n {}\n", Ok(("{}", PLAIN))),
        ("\u{feff}[\"a\"]", Ok((r#"["a"]"#, PLAIN))),
        ("\u{feff}-1.5e3", Ok(("-1.5e3", PLAIN))),
        ("\u{feff}[1, 2,]", Ok(("[1, 2]", NOTATION))),
        ("\u{feff}Nothing here [1].", Err("extract/no-json")),
        ("\u{feff}", Err("extract/no-json")),
    ]);
    let report = parse("\u{feff}{}").expect("a value").report;
    assert_eq!(report.status, Status::Extracted, "strict readers refuse the mark");
    let strict = Options::policy(Policy::Strict);
    assert!(parse_with("\u{feff}{}", &strict).is_err());
}

#[test]
fn parts_of_an_ambiguous_value_are_no_answers() {
    for text in [
        "[\"ok\"\n  {\"a\": 1},\n 2]",
        r#"{"a": "x" {"b": 1}, "c": 2}"#,
        r#"["it", "ok" {"size": 3}, 2]"#,
    ] {
        check(&[(text, Err("syntax/ambiguous"))]);
    }
    check(&[
        (r#"I have ["green" {"a": 1}, "red"] for you."#, Err("syntax/ambiguous")),
        // It ends before the answer begins.
        (r#"The field ["name" or "id"] comes first: {"a": 1}"#, Ok((r#"{"a": 1}"#, PLAIN))),
        // Its end is unknown.
        (r#"Use ["a" or this: {"plan": 1}"#, Ok((r#"{"plan": 1}"#, GUESS))),
    ]);
}

#[test]
fn words_in_a_block_are_followed_by_a_whole_value() {
    check(&[
        ("```json\n<pre>[\n  {},\n  \"a\"\n]</pre>\n```", Ok((r#"[{}, "a"]"#, PLAIN))),
        ("```\n<b>[8.5, [\"e\", 1], \"x\"]</b>\n```", Ok((r#"[8.5, ["e", 1], "x"]"#, PLAIN))),
        ("```\nis: {\"a\":\n[1, 2]}\n```", Ok((r#"{"a": [1, 2]}"#, PLAIN))),
        ("```\nsee [1] and\n{\"a\": 1}\n```", Ok((r#"{"a": 1}"#, PLAIN))),
    ]);
}

#[test]
fn the_first_item_of_a_list_without_its_bracket_is_partial() {
    check(&[
        (r#"{"items": true}, [3], [{}]]"#, Ok((r#"{"items": true}"#, LOSS))),
        (r#"[{"a": 1}, [2]], [3]]"#, Ok((r#"[{"a": 1}, [2]]"#, LOSS))),
        (r#"{"a": 1}, "b"]"#, Ok((r#"{"a": 1}"#, LOSS))),
        (r#"{"a": 1}, {"a": 2}, 3]"#, Ok((r#"[{"a": 1}, {"a": 2}]"#, LOSS))),
        (r#"{"a": 1}, null, true]"#, Ok((r#"{"a": 1}"#, LOSS))),
        // An item between them is left behind, or one of a tuple.
        (r#"{"a": 1}, 3, {"a": 2}]"#, Err("syntax/part")),
        (r#"("a", {"x": 1}), ("b", {"x": 2})"#, Err("syntax/part")),
        (r#"{"a": 1}, ("b", 2)"#, Err("syntax/part")),
        (r#"({"x": 1}, {"x": 2})"#, Ok((r#"[{"x": 1}, {"x": 2}]"#, GUESS))),
        // Values of one kind are items, and nothing is lost.
        (r#"{"a": 1}, {"a": 2}]"#, Ok((r#"[{"a": 1}, {"a": 2}]"#, GUESS))),
        // Nothing closes a value around it.
        (r#"{"a": 1}, [see above]"#, Ok((r#"{"a": 1}"#, PLAIN))),
        (r#"{"a": 1}, "as you asked""#, Ok((r#"{"a": 1}"#, PLAIN))),
    ]);
}

#[test]
fn lines_without_braces_end_with_the_text() {
    for text in ["name: Bob\ncity: Paris", "name: Bob\ncity: Paris\n"] {
        let report = parse(text).expect(text).report;
        assert!(!report.truncated(), "{text}");
        assert_eq!(report.class, GUESS, "{text}");
    }
}

#[test]
fn members_with_equals_signs() {
    check(&[
        ("{key=value, n=3}", Ok((r#"{"key": "value", "n": 3}"#, GUESS))),
        ("{a = x y, b = z}", Ok((r#"{"a": "x y", "b": "z"}"#, GUESS))),
        (r#"{"a": x, n=3}"#, Ok((r#"{"a": "x, n=3"}"#, GUESS))),
        (r#"{"r": "\b\w{2,}\b"}"#, Ok((r#"{"r": "\\b\\w{2,}\\b"}"#, GUESS))),
    ]);
}

#[test]
fn a_part_of_a_truncated_value_is_reported() {
    for text in [
        "{&quot;q&quot;: {&quot;s&quot;: 0}, &",
        r#"{\\\"k\\\": {\\\"l\\\": 4}, \\"#,
        r#"{"{\"kelp\": \"mortar\", \"n\": [1, 2]}""#,
        "[\n  [\"quay\", 7e+2, false],\n  [\"<a href=\"h",
        "<answer>[TOOL_CALLS] {",
    ] {
        assert!(parse(text).is_ok_and(|parsed| parsed.report.truncated()), "{text}");
    }
    // Brackets in prose before a whole value do not contain it.
    for text in ["A lone { here. {\"a\": 1}", "Use {x} and [ so: {\"a\": [1]}"] {
        assert!(parse(text).is_ok_and(|parsed| !parsed.report.truncated()), "{text}");
    }
}

#[test]
fn keys_with_a_prefix() {
    check(&[
        ("{u'a': u'b'}", Ok((r#"{"a": "b"}"#, NOTATION))),
        ("{u'a': 1, u'b': {b'c': None}}", Ok((r#"{"a": 1, "b": {"c": null}}"#, NOTATION))),
        (r#"{b": 1, "c": 2}"#, Ok((r#"{"b": 1, "c": 2}"#, GUESS))),
    ]);
}

#[test]
fn lists_in_entities() {
    check(&[
        ("[&quot;a&quot;, &quot;b&quot;]", Ok((r#"["a", "b"]"#, NOTATION))),
        ("[&quot;a &amp;quot; b&quot;]", Ok((r#"["a &quot; b"]"#, NOTATION))),
        ("[&amp; so on]", Err("syntax/ambiguous")),
    ]);
}

#[test]
fn values_that_may_not_be_completed_are_refused() {
    let options = Options::policy(Policy::Conservative);
    for text in ["[1, [2", "{\"a\": [1"] {
        let code = parse_with(text, &options).map(|_| ()).map_err(|error| error.code());
        assert_eq!(code, Err("syntax/unexpected-end"), "{text}");
    }
    let code = parse_with("so [1, [2", &options).map(|_| ()).map_err(|error| error.code());
    assert_eq!(code, Err("extract/no-json"));
}

#[test]
fn indentation_locates_missing_closers() {
    check(&[
        ("{\n  \"a\": {\n    \"b\": 1,\n  \"c\": 2\n}", Ok((r#"{"a": {"b": 1}, "c": 2}"#, GUESS))),
        (
            "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n  },\n  \"d\": 2\n}",
            Ok((r#"{"a": {"b": {"c": 1}}, "d": 2}"#, GUESS)),
        ),
        (
            "{\n  \"r\": [\n    {\n      \"t\": \"x\"\n    {\n      \"t\": \"y\"\n    }\n  ]\n}",
            Ok((r#"{"r": [{"t": "x"}, {"t": "y"}]}"#, GUESS)),
        ),
        (
            "{\n  \"l\": [\n    \"x\",\n    \"y\"\n  \"n\": 1\n}",
            Ok((r#"{"l": ["x", "y"], "n": 1}"#, GUESS)),
        ),
        // Balanced brackets count more than indentation.
        (
            "{\n  \"a\": {\n    \"b\": 1,\n  \"c\": 2\n}\n}",
            Ok((r#"{"a": {"b": 1, "c": 2}}"#, PLAIN)),
        ),
    ]);
}

#[test]
fn sentences_around_several_values() {
    check(&[
        (r#"{"a": "x"}, and {"a": "y"}"#, Ok((r#"[{"a": "x"}, {"a": "y"}]"#, GUESS))),
        (r#"{"a": "x"}, or {"a": "y"}"#, Err("syntax/ambiguous")),
        (r#"I chose {"k": "v"}, because "k" fits."#, Ok((r#"{"k": "v"}"#, PLAIN))),
        (
            r#"{"a": "say "x"}, or so", "b": 1}"#,
            Ok((r#"{"a": "say \"x\"}, or so", "b": 1}"#, GUESS)),
        ),
        ("{\"a\": 1}\n\"c\": 2}", Ok((r#"{"a": 1, "c": 2}"#, GUESS))),
        ("{\"a\": 1}\n\"c\": see there", Ok((r#"{"a": 1}"#, PLAIN))),
        (r#"{"a": 1}<|im_end|>{"b": 2}"#, Ok((r#"[{"a": 1}, {"b": 2}]"#, GUESS))),
        (
            r#"<tool_call>{"n": "a"}</tool_call><tool_call>{"n": "b",}</tool_call>"#,
            Ok((r#"[{"n": "a"}, {"n": "b"}]"#, GUESS)),
        ),
    ]);
}

#[test]
fn fences_and_cuts_end_a_string() {
    check(&[
        ("```json\n[\n  \"a\",\n  \"b\"\n```", Ok((r#"["a", "b"]"#, COMPLETION))),
        ("```json\n[\n  {\"a\": \"b\"},\n```\nDone.", Ok((r#"[{"a": "b"}]"#, COMPLETION))),
        (
            "{\"md\": \"so \"go\"\n```\ncode\n```\n on\"}",
            Ok((r#"{"md": "so \"go\"\n```\ncode\n```\n on"}"#, GUESS)),
        ),
        (r#"{"c": "say "hi" and "yo"#, Ok((r#"{"c": "say \"hi\" and \"yo"}"#, GUESS))),
        (r#"{"a": "x "b": [1, {"c": 2}"#, Err("syntax/ambiguous")),
        (
            r#"[{"w": "beta}, {"w": "gamma"}]"#,
            Ok((r#"[{"w": "beta"}, {"w": "gamma"}]"#, COMPLETION)),
        ),
    ]);
}

#[test]
fn words_after_dots_are_removed_with_them() {
    const LOSS: Option<Class> = Some(Class::Loss);
    check(&[
        (r#"[{"a": 1}, ... 40 more rows ...]"#, Ok((r#"[{"a": 1}]"#, LOSS))),
        (r#"{"d": [1, ... (97 more), 9], "n": 2}"#, Ok((r#"{"d": [1, 9], "n": 2}"#, LOSS))),
        (r#"["a", "... and more"]"#, Ok((r#"["a", "... and more"]"#, PLAIN))),
    ]);
}

#[test]
fn backspace_escapes_are_literal() {
    check(&[
        (r#"{"r": "grep '\b[0-9]+\b|\$'"}"#, Ok((r#"{"r": "grep '\\b[0-9]+\\b|\\$'"}"#, GUESS))),
        (r#"{"p": "C:\temp\_x"}"#, Ok((r#"{"p": "C:\\temp\\_x"}"#, GUESS))),
        (r#"{"f": "\sqrt{2}.\nNext"}"#, Ok((r#"{"f": "\\sqrt{2}.\nNext"}"#, GUESS))),
        (r#"{"f": "p \lor \neg q"}"#, Ok((r#"{"f": "p \\lor \\neg q"}"#, GUESS))),
        (r#"{"b": "a\bc", "t": "x\ty"}"#, Ok((r#"{"b": "a\bc", "t": "x\ty"}"#, PLAIN))),
    ]);
}

#[test]
fn quoted_brackets_open_nothing() {
    let answer: Reading = Ok((r#"{"plan_id": "p"}"#, PLAIN));
    for text in [
        r#"Use {braces} as in "{": {"plan_id": "p"}"#,
        r#"The character "{" opens it: {"plan_id": "p"}"#,
        "The character '{' opens it: {\"plan_id\": \"p\"}",
        "Lists begin with `[`, objects with `{`: {\"plan_id\": \"p\"}",
        "It begins with “{”: {\"plan_id\": \"p\"}",
        r#"It begins with "{" and ends with "}": {"plan_id": "p"}"#,
        r#"Begin with "{", then the keys: {"plan_id": "p"}"#,
        "Begin with \"{\"\n{\"plan_id\": \"p\"}",
        r#"Loops like "for (;;) {" have none. {"plan_id": "p"}"#,
        r#"{"plan_id": "p"} begins with "{": that is all"#,
    ] {
        check(&[(text, answer)]);
    }
    check(&[
        (r#"A list begins with "[": [1, 2]"#, Ok(("[1, 2]", PLAIN))),
        (r#"It begins with "{" and breaks off"#, Err("extract/no-json")),
        // In a value it is ordinary text.
        (
            r#"{"a": "it is '{': an opener", "b": 1}"#,
            Ok((r#"{"a": "it is '{': an opener", "b": 1}"#, PLAIN)),
        ),
        (r#"["{", "["]"#, Ok((r#"["{", "["]"#, PLAIN))),
        // A quoted value does not mention its bracket.
        (r#"The answer is "{'a': 1}"."#, Ok((r#"{"a": 1}"#, NOTATION))),
        (r#"Answer: "{"plan_id": "p", "x": [1]}"."#, Ok((r#"{"plan_id": "p", "x": [1]}"#, PLAIN))),
        (r#"It says "{\"a\": 1}""#, Ok((r#"{"a": 1}"#, NOTATION))),
    ]);
}

#[test]
fn a_time_is_no_key() {
    check(&[
        ("{time: 06:45, days: 1}", Ok((r#"{"time": "06:45", "days": 1}"#, GUESS))),
        ("{days: 1, time: 06:45}", Ok((r#"{"days": 1, "time": "06:45"}"#, GUESS))),
        ("{time: 16:45, days: 1}", Ok((r#"{"time": "16:45", "days": 1}"#, GUESS))),
        ("{a: 0b: 2}", Ok((r#"{"a": 0, "b": 2}"#, COMPLETION))),
        ("{6: 45, 7: 50}", Ok((r#"{"6": 45, "7": 50}"#, NOTATION))),
    ]);
}

#[test]
fn a_token_of_a_template_ends_a_value() {
    check(&[
        (r#"{"a": 45<end_of_turn>"#, Ok((r#"{"a": 45}"#, COMPLETION))),
        (r#"{"a": "x"<eos>"#, Ok((r#"{"a": "x"}"#, COMPLETION))),
        ("{\"a\": [1, 2<eos>\n", Ok((r#"{"a": [1, 2]}"#, COMPLETION))),
        (r#"{"a": "x"</s>"#, Ok((r#"{"a": "x"}"#, COMPLETION))),
        (r#"{"a": "x", <end_of_turn>"#, Ok((r#"{"a": "x"}"#, COMPLETION))),
        (r#"{"a": "x<eos>", "b": 1}"#, Ok((r#"{"a": "x<eos>", "b": 1}"#, PLAIN))),
        (r#"{"a": <eos>, "b": 1}"#, Ok((r#"{"a": "<eos>", "b": 1}"#, GUESS))),
        (r#"{"a": "x"<b>"#, Err("syntax/ambiguous")),
    ]);
}

#[test]
fn a_full_stop_of_east_asia_behind_a_string() {
    check(&[
        (r#"{"a": "x"。}"#, Ok((r#"{"a": "x"}"#, GUESS))),
        (r#"{"a": "x"。, "b": 1}"#, Ok((r#"{"a": "x", "b": 1}"#, GUESS))),
        (r#"["x"。, "y"．]"#, Ok((r#"["x", "y"]"#, GUESS))),
        (r#"{"a": "x。", "b": 1}"#, Ok((r#"{"a": "x。", "b": 1}"#, PLAIN))),
        (r#"{"a": "say "x"。Then, go"}"#, Ok((r#"{"a": "say \"x\"。Then, go"}"#, GUESS))),
    ]);
}

#[test]
fn digits_in_groups_are_text() {
    check(&[
        (r#"{"a": 4202 31 00, "b": 1}"#, Ok((r#"{"a": "4202 31 00", "b": 1}"#, GUESS))),
        (r#"{"a": 0087 1234 5567}"#, Ok((r#"{"a": "0087 1234 5567"}"#, GUESS))),
        (r#"{"a": 12 500}"#, Ok((r#"{"a": 12500}"#, GUESS))),
        (r#"{"a": 12 34}"#, Err("syntax/ambiguous")),
        (r#"["a", 0087 1234]"#, Err("syntax/ambiguous")),
        ("[1 2 3]", Ok(("[1, 2, 3]", COMPLETION))),
    ]);
}

#[test]
fn a_key_without_an_opening_quote_behind_a_missing_comma() {
    check(&[
        ("{\"a\": 31.07\nb\": \"x\"\n\"c\": 1}", Ok((r#"{"a": 31.07, "b": "x", "c": 1}"#, GUESS))),
        ("{\"a\": \"x\"\nb\": 2}", Ok((r#"{"a": "x", "b": 2}"#, GUESS))),
        ("{\"a\": [1] b\": 2}", Ok((r#"{"a": [1], "b": 2}"#, GUESS))),
        ("{\"a\": [1]\nsee \"b\": 2}", Err("repair/refused")),
    ]);
}

#[test]
fn a_record_without_its_brace_ends_before_the_next_one() {
    check(&[
        (
            "{\"a\": \"x\", \"n\": 5\n{\"a\": \"y\", \"n\": 1}",
            Ok((r#"[{"a": "x", "n": 5}, {"a": "y", "n": 1}]"#, GUESS)),
        ),
        (
            "{\"a\": 1}\n{\"a\": \"x\"\n{\"a\": 3}",
            Ok((r#"[{"a": 1}, {"a": "x"}, {"a": 3}]"#, GUESS)),
        ),
        (
            "{\"a\": 1, \"b\": {\"c\": 1\n{\"a\": 2, \"b\": {\"c\": 2}}",
            Ok((r#"[{"a": 1, "b": {"c": 1}}, {"a": 2, "b": {"c": 2}}]"#, GUESS)),
        ),
        ("{\"a\": 1\n{\"b\": 2}", Err("syntax/unexpected")),
        ("{\"a\": \"x\n{\\\"a\\\": 1}\"}", Ok((r#"{"a": "x\n{\"a\": 1}"}"#, NOTATION))),
    ]);
}

#[test]
fn a_backtick_at_the_end_opens_no_string() {
    check(&[
        ("So:\n```json\n`", Err("extract/no-json")),
        ("So:\n```json\n[1, `b", Ok((r#"[1, "b"]"#, COMPLETION))),
    ]);
}

#[test]
fn bullets_before_words() {
    check(&[
        ("{\"a\": [\n - leash\n - bowl\n]}", Ok((r#"{"a": ["leash", "bowl"]}"#, GUESS))),
        ("{\"a\": [\n* big leash,\n* bowl\n]}", Ok((r#"{"a": ["big leash", "bowl"]}"#, GUESS))),
        ("{\"a\": [\n - 5\n - 3\n]}", Err("syntax/expression")),
        ("{\"a\": [\n x\n - y\n]}", Err("syntax/expression")),
        ("{\"a\": [\n \"- leash\"\n]}", Ok((r#"{"a": ["- leash"]}"#, PLAIN))),
    ]);
}

#[test]
fn lists_closed_before_their_last_items() {
    check(&[
        (
            r#"{"w": 1, "plan": [{"d": "Mo"}], {"d": "Di"}, {"d": "Mi"}], "n": 2}"#,
            Ok((r#"{"w": 1, "plan": [{"d": "Mo"}, {"d": "Di"}, {"d": "Mi"}], "n": 2}"#, GUESS)),
        ),
        (
            r#"[{"id": 1, "t": "a"}], {"id": 2, "t": "b"}, {"id": 3, "t": "c"}]"#,
            Ok((r#"[{"id": 1, "t": "a"}, {"id": 2, "t": "b"}, {"id": 3, "t": "c"}]"#, GUESS)),
        ),
        // The object around the list was not closed.
        (
            r#"[{"a": [{"b": 1}], {"a": [{"b": 2}]}]"#,
            Ok((r#"[{"a": [{"b": 1}]}, {"a": [{"b": 2}]}]"#, GUESS)),
        ),
        (r#"{"a": [{"b": 1}], {"c": 2}}"#, Err("syntax/unexpected")),
        (r#"{"a": [{"b": 1}], {"b": 2}}"#, Err("syntax/unexpected")),
    ]);
}

#[test]
fn members_on_deeper_lines_belong_to_the_key_before_them() {
    check(&[
        (
            "{\n  \"n\": 1,\n  \"at\":\n    \"x\": 2,\n    \"y\": [3,\n      4],\n  \"z\": 5\n}",
            Ok((r#"{"n": 1, "at": {"x": 2, "y": [3, 4]}, "z": 5}"#, GUESS)),
        ),
        (
            "{\n  \"n\": 1,\n  \"at\":\n    \"x\": 2,\n    \"in\":\n      \"y\": 3\n}",
            Ok((r#"{"n": 1, "at": {"x": 2, "in": {"y": 3}}}"#, GUESS)),
        ),
        ("{\n  \"at\":\n    \"x\": 2\n  \"z\": 5\n}", Ok((r#"{"at": {"x": 2}, "z": 5}"#, GUESS))),
        // The columns do not agree with each other, or a line is between.
        ("{\n  \"at\":\n    \"x\": 2,\n   \"z\": 5\n}", Err("syntax/ambiguous")),
        ("{\n  \"at\":\n    \"x\": 2,\n\n  \"z\": 5\n}", Err("syntax/ambiguous")),
    ]);
}

#[test]
fn keys_written_twice_before_one_value() {
    check(&[
        (r#"{"n": 1, "age": "age": 58}"#, Ok((r#"{"n": 1, "age": 58}"#, GUESS))),
        (r#"{"n": 1, "age" "age": 58}"#, Ok((r#"{"n": 1, "age": 58}"#, GUESS))),
        ("{n: 1, age: age: 58}", Ok((r#"{"n": 1, "age": 58}"#, GUESS))),
        (r#"{"age": "age"}"#, Ok((r#"{"age": "age"}"#, PLAIN))),
        // The brackets say that an object begins.
        (r#"{"age": "age": 58}}"#, Err("syntax/ambiguous")),
    ]);
}

#[test]
fn what_is_struck_out_is_no_value() {
    check(&[
        (r#"{"qty": ~~4~~ 5, "n": 1}"#, Ok((r#"{"qty": 5, "n": 1}"#, GUESS))),
        (r#"{"s": ~~"open"~~ "closed"}"#, Ok((r#"{"s": "closed"}"#, GUESS))),
        (r#"{"n": 5 ~~4~~, "s": 1}"#, Err("syntax/ambiguous")),
        (r#"{"s": "closed" ~~"open"~~, "n": 1}"#, Err("syntax/ambiguous")),
        (r#"["a", ~~"b",~~ "c"]"#, Ok((r#"["a", "c"]"#, GUESS))),
        (r#"{"s": "~~open~~ closed"}"#, Ok((r#"{"s": "~~open~~ closed"}"#, PLAIN))),
        (r#"{"s": ~~"open"~~, "n": 1}"#, Err("syntax/ambiguous")),
    ]);
}

#[test]
fn straight_quotes_close_low_ones() {
    check(&[
        (
            "{\"a\": \"Was heißt „gut\" für Sie?\", \"b\": \"Ein „öko\" zu viel.\"}",
            Ok((
                "{\"a\": \"Was heißt „gut\\\" für Sie?\", \"b\": \"Ein „öko\\\" zu viel.\"}",
                GUESS,
            )),
        ),
        (
            "{\"a\": \"„Zimna woda\"\", \"b\": 1}",
            Ok(("{\"a\": \"„Zimna woda\\\"\", \"b\": 1}", GUESS)),
        ),
        ("{\"a\": \"„Ja“, „nein“\", \"b\": 1}", Ok(("{\"a\": \"„Ja“, „nein“\", \"b\": 1}", PLAIN))),
    ]);
}

#[test]
fn citations_behind_values() {
    check(&[
        (
            "{\n  \"c\": \"Paris\" [1],\n  \"n\": 5 [2],\n  \"m\": \"A. H.\" [1][3]\n}\n\n[1] paris.fr",
            Ok((r#"{"c": "Paris", "n": 5, "m": "A. H."}"#, GUESS)),
        ),
        (
            r#"{"a": ["Up in Q3."[2], "Down."[2][5], "Same."], "ids": [2, 5]}"#,
            Ok((r#"{"a": ["Up in Q3.", "Down.", "Same."], "ids": [2, 5]}"#, GUESS)),
        ),
        (
            "{\"a\": 12 <sup>1</sup>, \"b\": \"x\" [Quelle: Archiv], \"c\": true citeturn0search1}",
            Ok((r#"{"a": 12, "b": "x", "c": true}"#, GUESS)),
        ),
        (r#"["a" [2]]"#, Ok((r#"["a", [2]]"#, COMPLETION))),
        (r#"{"a": "x"[2:]}"#, Err("syntax/ambiguous")),
    ]);
}

#[test]
fn text_behind_a_comma_that_is_no_member() {
    check(&[
        ("{\"a\": \"x\",其中\n \"b\": 1}", Ok((r#"{"a": "x", "b": 1}"#, GUESS))),
        ("{\"a\": 1, (as of 7,5 / 2)\n \"b\": 1}", Ok((r#"{"a": 1, "b": 1}"#, GUESS))),
        ("[{\"a\": 1}, ✅ checked\n {\"a\": 2}]", Ok((r#"[{"a": 1}, {"a": 2}]"#, GUESS))),
    ]);
}

#[test]
fn what_looks_like_a_note_and_is_a_value() {
    check(&[
        // Values behind a comma or a record.
        ("{\"pos\": 33.9, -18.4\n\"d\": 1}", Err("syntax/unexpected")),
        (
            r#"[{"n":1}[true],{"n":2}[false]]"#,
            Ok((r#"[{"n":1},[true],{"n":2},[false]]"#, COMPLETION)),
        ),
        (r#"[["lbl"[0.1,0.2]]]"#, Err("syntax/ambiguous")),
        (
            "[\nLesson 1 of 2,\nLesson 2 of 2\n]",
            Ok((r#"["Lesson 1 of 2", "Lesson 2 of 2"]"#, GUESS)),
        ),
        // A value that begins with the name of its key, and an object with the key of the one around it.
        ("{image: image:latest, b: 2}", Ok((r#"{"image": "image:latest", "b": 2}"#, GUESS))),
        (r#"{"user" {"user": 1}}"#, Ok((r#"{"user": {"user": 1}}"#, COMPLETION))),
        // Two tildes that strike nothing out.
        (r"[~~5, ~~6, 7]", Ok((r#"["~~5", "~~6", 7]"#, GUESS))),
        // A comment, and a string that is joined to another one.
        ("{\"a\": \"„x\" # note\n}", Ok(("{\"a\": \"„x\"}", NOTATION))),
        // Escapes of patterns.
        (r#"{"l": \[1\], "re": "a\.b"}"#, Ok((r#"{"l": [1], "re": "a.b"}"#, GUESS))),
        // Members on one line of an object without braces.
        (
            "{\n  \"a\":\n    \"b\": 1, \"c\": 2,\n    \"e\": 3,\n  \"d\": 3\n}",
            Ok((r#"{"a": {"b": 1, "c": 2, "e": 3}, "d": 3}"#, GUESS)),
        ),
        (
            r#"{"m": {{-1, 0}, {0, 1}}, "n": 1}"#,
            Ok((r#"{"m": [[-1, 0], [0, 1]], "n": 1}"#, NOTATION)),
        ),
    ]);
}
