//! Texts around a value that decide what the answer is, with their results and classes.

mod reading;

use llmend_json::parse;
use reading::*;

/// Checks the result of each text under the default policy.
#[track_caller]
fn check(rows: &[(&str, Reading)]) {
    for (text, expected) in rows {
        compare(text, &parse(text), expected);
    }
}

#[test]
fn answers_to_other_inputs() {
    check(&[
        ("\"x\" -> {\"a\": 1}\n\"y\" -> {\"a\": 2}\n\nSo:\n{\"a\": 3}", Ok((r#"{"a": 3}"#, GUESS))),
        (
            "{\"a\": 3}\n\n### Example 4\nInput: x\nOutput: {\"a\": 1}\n\nInput:",
            Ok((r#"{"a": 3}"#, GUESS)),
        ),
        (
            "Q: x\nA: {\"a\": 1}\n\nQ: y\nA: {\"a\": 2}\n\nNow mine:\n```json\n{\"a\": 3}\n```",
            Ok((r#"{"a": 3}"#, PLAIN)),
        ),
        ("For example, for x one would get {\"a\": 1}. The result is {\"a\": 2}.", {
            Ok((r#"{"a": 2}"#, GUESS))
        }),
        // No other value is the answer.
        ("Input: x\nOutput: {\"a\": 1}", Ok((r#"{"a": 1}"#, PLAIN))),
        ("\"x\" -> {\"a\": 1}\n\"y\" -> {\"a\": 2}", Ok((r#"[{"a": 1}, {"a": 2}]"#, GUESS))),
        ("One result is {\"a\": 1}. Another result is {\"a\": 2}.", Err("syntax/ambiguous")),
    ]);
}

#[test]
fn members_without_braces() {
    check(&[
        ("Here you go:\n\"n\": 7, \"max\": 10", Ok((r#"{"n": 7, "max": 10}"#, COMPLETION))),
        ("Here you go:\n'n': 7, 'max': 10", Ok((r#"{"n": 7, "max": 10}"#, COMPLETION))),
        (
            "'n': 7,\n'max': 10",
            Ok((
                r#"{"n": 7,
"max": 10}"#,
                COMPLETION,
            )),
        ),
        ("'Twas the night: 7 of 10", Err("extract/no-json")),
    ]);
}

#[test]
fn bars_of_progress() {
    check(&[
        ("[####--] 60%\n[1, 2]", Ok(("[1, 2]", PLAIN))),
        ("Done [=====] 5/5\n{\"a\": 1}", Ok((r#"{"a": 1}"#, PLAIN))),
    ]);
}

#[test]
fn lists_behind_a_sentence() {
    check(&[
        ("Sure! [\"red\", \"green\"]", Ok((r#"["red", "green"]"#, PLAIN))),
        ("It was shown before. [1, 2, 3]", Err("extract/no-json")),
        ("I chose two. [\"a\"] and [\"b\"] are out.", Err("extract/no-json")),
    ]);
}

#[test]
fn values_of_which_none_is_the_answer() {
    check(&[
        ("[{a/b: 5, ?: 7}, {\"a\": 1}, {\"b\": 2}]", Err("syntax/part")),
        ("It is either {\"a\": 1} or {\"a\": 2}.", Err("syntax/ambiguous")),
        (
            "```json\n{\"a\": 1}\n```\nor, if you prefer:\n```json\n{\"a\": 2}\n```",
            Err("syntax/ambiguous"),
        ),
        ("Candidate 1: [\"x\"]\nCandidate 2: [\"y\"]", Err("syntax/ambiguous")),
        ("A: {\"a\": 1}\nvs.\nB: {\"a\": 2}", Err("syntax/ambiguous")),
        ("<<<<<<< ours\n{\"a\": 1}\n=======\n{\"a\": 2}\n>>>>>>> theirs", {
            Err("syntax/ambiguous")
        }),
        ("Observation: {\"n\": 3}\nObservation: {\"n\": 0}\nThought: hm", {
            Err("syntax/ambiguous")
        }),
        ("user: {\"n\": 3}\nassistant: {\"m\": 0}\nuser: {\"n\": 1}", Ok((r#"{"m": 0}"#, GUESS))),
        ("Observation: {\"n\": 3}\nFinal: {\"m\": 0}", Ok((r#"{"m": 0}"#, GUESS))),
        (
            "The first is {\"a\": 1}.\n\nThe second is {\"b\": 2}.",
            Ok((r#"[{"a": 1}, {"b": 2}]"#, GUESS)),
        ),
    ]);
}

#[test]
fn prefixes_that_every_line_repeats() {
    check(&[
        ("w_3 | {\"q\": \"m\",\nw_3 |  \"p\": 17,\nw_3 |  \"o\": null}", {
            Ok((r#"{"q": "m", "p": 17, "o": null}"#, NOTATION))
        }),
        ("remote: {\nremote:   \"ok\": true\nremote: }", Ok((r#"{"ok": true}"#, NOTATION))),
        (
            "c.json:1:{\nc.json:2:  \"h\": \"x\",\nc.json:3:  \"p\": 8\nc.json:4:}",
            Ok((r#"{"h": "x", "p": 8}"#, NOTATION)),
        ),
        (" 1 | [\n 2 |   \"a\",\n 3 |   \"b\"\n 4 | ]", Ok((r#"["a", "b"]"#, NOTATION))),
        // Not every line has it.
        ("name: {\n\"a\": 1,\nname: 2}", Ok((r#"{"a": 1, "name": 2}"#, NOTATION))),
    ]);
}

#[test]
fn forms_before_the_answer() {
    check(&[
        (
            "Output format:\n{\"a\": \"x\" | \"y\", \"b\": [start, end]}\n---\n{\"a\": \"x\", \"b\": [1, 2]}",
            Ok((r#"{"a": "x", "b": [1, 2]}"#, GUESS)),
        ),
        (
            "```json\n{\"type\": \"object\", \"properties\": {}}\n```\nIt allows anything, such as {\"x\": 1}.",
            Ok((r#"{"type": "object", "properties": {}}"#, PLAIN)),
        ),
        ("Result:\n{\"a\": \"x\" | \"y\"}\n\nAlso:\n{\"b\": 1}", Err("syntax/ambiguous")),
    ]);
}

#[test]
fn values_that_begin_anew() {
    check(&[
        (
            "{\"a\": 1, \"b\":\nSorry, let me start over:\n{\"a\": 1, \"b\": 2}",
            Ok((r#"{"a": 1, "b": 2}"#, GUESS)),
        ),
        (
            "{\"a\": \"x\n\nFalsch. Richtig ist:\n\n{\n  \"a\": \"xy\"\n}",
            Ok((r#"{"a": "xy"}"#, GUESS)),
        ),
        // It is a member.
        (
            "{\"a\": 1, 'wait': \"no\", \"b\": [\n{\"a\": 2}]}",
            Ok((r#"{"a": 1, "wait": "no", "b": [{"a": 2}]}"#, NOTATION)),
        ),
        (
            "The `n` part is `{\"n\": \"O\"}`, the rest is `{\"h\": 9}`.\n\nPut together:\n\n{\"n\": \"O\", \"s\": {\"h\": 9}}",
            Ok((r#"{"n": "O", "s": {"h": 9}}"#, GUESS)),
        ),
        (
            "Part:\n```json\n{\"h\": 9}\n```\nAll:\n{\"n\": \"O\", \"s\": {\"h\": 9}}",
            Ok((r#"{"n": "O", "s": {"h": 9}}"#, GUESS)),
        ),
        ("One:\n```json\n{\"h\": 9}\n```\nOther:\n{\"n\": 1}", Ok((r#"{"h": 9}"#, GUESS))),
    ]);
}

#[test]
fn values_without_their_beginning() {
    check(&[
        ("\"q\": 4}, {\"s\": \"P\", \"q\": 1}], \"total\": 88.5}", Err("syntax/ambiguous")),
        ("  },\n  {\n   \"a\": 2\n  }\n ],\n \"n\": 3\n}", Err("syntax/ambiguous")),
        ("{\"a\": 1}], \"n\": 2}", Err("syntax/ambiguous")),
        ("{\"a\": 1}}, \"n\": 2}", Ok((r#"{"a": 1, "n": 2}"#, GUESS))),
        ("{\"p\": [\n<|im_end|>\n<|im_start|>assistant\n\"x\"], \"b\": 1}", Err("syntax/part")),
        ("\"a\": 1, \"b\": 2}", Ok((r#"{"a": 1, "b": 2}"#, COMPLETION))),
    ]);
}

#[test]
fn values_without_their_end() {
    check(&[
        ("[[[[[[[[[[[[", Err("syntax/ambiguous")),
        ("{\"a\": 1, \"b\": [[[[[[[[[[[[", Err("syntax/ambiguous")),
        ("{\"a\": [{\"b\": [", Ok((r#"{"a": [{"b": []}]}"#, COMPLETION))),
        ("{\"a\": 1}\n{\"b\": 1}\n{\"c", Ok((r#"[{"a": 1}, {"b": 1}]"#, LOSS))),
        (
            "```json\n{\"s\": \"had not slept when the\n```\n\nMore:\n\n```json\n radio crackled.\", \"n\": 4}\n```",
            Err("syntax/ambiguous"),
        ),
        (
            "```json\n{\"s\": \"Run\n```\nls\n```\nthen\", \"n\": 4}\n```",
            Ok(("{\"s\": \"Run\\n```\\nls\\n```\\nthen\", \"n\": 4}", NOTATION)),
        ),
    ]);
}

#[test]
fn values_in_code() {
    check(&[
        ("dict(a=1, b=['x'])", Ok((r#"{"a": 1, "b": ["x"]}"#, NOTATION))),
        ("Row(n='1', x=[Cell(p=1), Cell(p=2)])", {
            Ok((r#"{"n": "1", "x": [{"p": 1}, {"p": 2}]}"#, NOTATION))
        }),
        ("```python\nrow = Row(n=1)\nprint(row)\n```", Ok((r#"{"n": 1}"#, NOTATION))),
        ("Row(n=1) is what it prints for {\"n\": 2}.", Ok((r#"{"n": 2}"#, PLAIN))),
        ("find(n=1)", Err("extract/no-json")),
        ("P='{\"a\":\"b\"}'", Ok((r#"{"a": "b"}"#, PLAIN))),
        ("It returned \"{\\\"a\\\": \\\"b\\\"}\" again.", Ok((r#"{"a": "b"}"#, NOTATION))),
        ("x = {}\nx['a'] = {'b': 1}", Err("syntax/part")),
        ("x = {}\nx.update({\"a\": 1})", Err("syntax/part")),
        ("```python\nx = {}\nx['a'] = 1\n```", Err("syntax/part")),
        ("%{a: 1, b: %{\"c\" => 7}}", Ok((r#"{"a": 1, "b": {"c": 7}}"#, NOTATION))),
        ("~~~json {.numbers title=\"x\"}\n{\"a\": 1}\n~~~", Ok((r#"{"a": 1}"#, PLAIN))),
        ("```json {\"a\": 1}\n```", Ok((r#"{"a": 1}"#, PLAIN))),
        ("Thought: none.\nAction: None\nFinal Answer: Hello!", Err("extract/no-json")),
    ]);
}

#[test]
fn schemas_faces_and_remarks_beside_the_answer() {
    const SCHEMA: &str =
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "array"}"#;
    let block = |inside: &str| format!("```json\n{inside}\n```\n");
    let described =
        format!("{}A list that matches your schema:\n{}", block(SCHEMA), block("[1, 2]"));
    // The list that was cut off goes on in the second block, from the record that was.
    let first = block("[\n{\"a\": 1},\n{\"a\": 2, \"b\": \"x");
    let resumed =
        format!("{first}User: go on\n{}", block("{\"a\": 2, \"b\": \"xy\"},\n{\"a\": 3}\n]"));
    let closed =
        format!("{}Better:\n{}", block("[{\"a\": 1}]"), block("{\"a\": 2},\n{\"a\": 3}\n]"));
    check(&[
        (&described, Ok(("[1, 2]", GUESS))),
        (&block(SCHEMA), Ok((SCHEMA, PLAIN))),
        (&resumed, Err("syntax/part")),
        (&closed, Ok(("[{\"a\": 2},\n{\"a\": 3}\n]", GUESS))),
        ("Oh dear :{ This is the list:\n[\"a\", \"b\"]\nBye :]", Ok((r#"["a", "b"]"#, GUESS))),
        ("```\n(more below)\n```", Err("extract/no-json")),
    ]);
}
