//! `llmend batch`: one object a line, in order, whatever the line.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::process::{Scratch, command, run, run_with};

/// A line of a log: some are fine, some need repair, some have no answer, some are no line at all.
fn line(n: usize) -> String {
    match n % 7 {
        0 => json!({"id": n, "answer": format!("{{\"n\": {n}}}")}).to_string(),
        1 => json!({"id": n, "answer": format!("Sure!\n```json\n{{'n': {n},}}\n```")}).to_string(),
        2 => json!({"id": n, "answer": "I cannot help with that."}).to_string(),
        3 => "{\"id\": broken".to_owned(),
        4 => json!({"id": n}).to_string(),
        5 => String::new(),
        // A long one, so that those after it are done first.
        _ => json!({"id": n, "answer": format!("[{}{n},]", "'x', ".repeat(n % 500))}).to_string(),
    }
}

#[test]
fn ten_thousand_lines_stay_in_order() {
    let mut text = String::new();
    for n in 1..=10_000 {
        let _ = writeln!(text, "{}", line(n));
    }
    let scratch = Scratch::new();
    let path = scratch.file("log.jsonl", &text);
    let run = run(&format!("batch --field answer --jobs 8 {}", path.display()), "").expect(0);
    let objects = run.json_lines();
    assert_eq!(objects.len(), 10_000);
    for (object, n) in objects.iter().zip(1..) {
        assert_eq!(object["line"], n);
        let (status, code) = match n % 7 {
            0 => ("unchanged", None),
            1 => ("repaired", None),
            2 => ("refused", Some("extract/no-json")),
            3 | 5 => ("refused", Some("input/line")),
            4 => ("refused", Some("input/field")),
            _ if n % 500 == 0 => ("repaired", None),
            _ => ("repaired", None),
        };
        assert_eq!(object["status"], status, "line {n}: {object}");
        assert_eq!(object["error"]["code"].as_str(), code, "line {n}: {object}");
        if let Some(json) = object["json"].as_str() {
            let value: Value = serde_json::from_str(json).expect("the text is JSON");
            let number = value.get("n").or_else(|| value.as_array().and_then(|items| items.last()));
            assert_eq!(number, Some(&json!(n)), "line {n}: {json}");
        }
    }
    let summary = run.stderr.lines().last().unwrap_or_default();
    assert!(
        summary.starts_with("llmend: 10,000 lines: 1,428 unchanged, 2,857 repaired, "),
        "{summary}"
    );
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let text: String = (1..=300).map(|n| line(n) + "\n").collect();
    let one = run("batch --field answer --jobs 1", &text).expect(0);
    let many = run("batch --field answer --jobs 16", &text).expect(0);
    assert_eq!(one.stdout, many.stdout);
}

#[test]
fn line_comes_first_and_the_rest_is_a_report() {
    let answer = "Sure: {'a': 1";
    let report = run("repair --report json", answer).expect(0).stdout;
    let batch = run("batch --field x", format!("{}\n", json!({"x": answer}))).expect(0).stdout;
    assert_eq!(batch, report.replacen('{', "{\"line\":1,", 1));
}

#[test]
fn a_field_is_a_name_or_a_pointer() {
    for (arguments, line, expected) in [
        ("batch", "\"[1,]\"", Some("[1]")),
        ("batch", "{\"a\": 1}", None),
        ("batch --field a", "{\"a\": \"[1,]\"}", Some("[1]")),
        ("batch --field a", "\"[1,]\"", None),
        ("batch --field a", "{\"a\": 1}", None),
        ("batch --field a/b", "{\"a/b\": \"[1,]\"}", Some("[1]")),
        ("batch --field /a/0/b", "{\"a\": [{\"b\": \"[1,]\"}]}", Some("[1]")),
        ("batch --field /a", "{\"/a\": \"[1,]\"}", Some("[1]")),
        ("batch --field /a/1", "{\"a\": []}", None),
    ] {
        let objects = run(arguments, line).expect(0).json_lines();
        assert_eq!(objects.len(), 1);
        assert_eq!(objects[0]["json"].as_str(), expected, "{arguments} {line}");
        assert_eq!(objects[0]["error"].is_null(), expected.is_some(), "{arguments} {line}");
    }
}

#[test]
fn a_bad_line_never_stops_the_rest() {
    let mut text = b"\xff\xfe\n".to_vec();
    text.extend_from_slice(b"\n\r\n{\n\"\\ud800\"\n\"[1]\"\n");
    let objects = run("batch", &text).expect(0).json_lines();
    let codes: Vec<_> = objects.iter().map(|object| object["error"]["code"].as_str()).collect();
    let line = Some("input/line");
    assert_eq!(codes, [Some("input/utf8"), line, line, line, line, None]);
    assert_eq!(objects[5]["line"], 6);
}

#[test]
fn a_line_beyond_the_limit_is_skipped() {
    let text = format!("\"[1]\"\n\"{}\"\n\"[2]\"\n", "x".repeat(100_000));
    let objects = run("batch --max-bytes 1000", text).expect(0).json_lines();
    let codes: Vec<_> = objects.iter().map(|object| object["error"]["code"].as_str()).collect();
    assert_eq!(codes, [None, Some("limit/bytes"), None]);
    assert_eq!(objects[2]["json"], "[2]");
}

#[test]
fn no_lines_are_no_objects() {
    let run = run("batch", "").expect(0);
    assert_eq!(run.stdout, "");
    assert_eq!(run.stderr, "llmend: 0 lines\n");
}

#[test]
fn options_reach_every_line() {
    let objects = run("batch --policy strict", "\"[1,]\"\n\"[1]\"").expect(0).json_lines();
    assert_eq!(objects[0]["status"], "refused");
    assert_eq!(objects[1]["status"], "unchanged");
    let off = run_with("batch", &[("LLMEND_REPAIR", "0")], "\"[1,]\"").expect(0);
    assert_eq!(off.json_lines()[0]["error"]["code"], "repair/refused");
    assert!(off.stderr.contains("repair is disabled by LLMEND_REPAIR"), "{}", off.stderr);
    run("batch --jobs 0", "").expect(2);
}

#[test]
fn an_object_comes_before_the_next_line_does() {
    let mut child =
        command("batch --quiet").stdin(Stdio::piped()).spawn().expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for n in 1..=3 {
        writeln!(input, "\"[{n},]\"").expect("the command reads");
        let mut object = String::new();
        output.read_line(&mut object).expect("the command writes");
        let object: Value = serde_json::from_str(&object).expect("an object a line");
        assert_eq!((&object["line"], &object["json"]), (&json!(n), &json!(format!("[{n}]"))));
    }
    drop(input);
    assert_eq!(child.wait().expect("the command ends").code(), Some(0));
}

const COUNT: &str =
    r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#;

#[test]
fn one_schema_holds_for_all_lines() {
    let scratch = Scratch::new();
    let schema = scratch.file("schema.json", COUNT);
    let answers = ["{\"n\": 1}", "{'n': '2'}", "{'n': 'many'}", "no value", "[3,]"];
    let mut text = String::new();
    for answer in answers {
        let _ = writeln!(text, "{}", json!({"a": answer}));
    }
    let arguments = format!("batch --field a --schema {}", schema.display());
    let run = run(&arguments, text + "broken\n").expect(0);
    let objects = run.json_lines();
    let told: Vec<(&Value, &Value, &Value)> = objects
        .iter()
        .map(|object| (&object["status"], &object["json"], &object["error"]["code"]))
        .collect();
    let (null, refused) = (json!(null), json!("refused"));
    assert_eq!(told[0], (&json!("unchanged"), &json!("{\"n\": 1}"), &null));
    assert_eq!(told[1], (&json!("coerced"), &json!("{\"n\": 2}"), &null));
    assert_eq!(told[2], (&refused, &null, &json!("schema/type")));
    assert_eq!(told[3], (&refused, &null, &json!("extract/no-json")));
    assert_eq!(told[4].0, &refused);
    assert_eq!(told[5], (&refused, &null, &json!("input/line")));
    for object in &objects {
        assert!(object["coercions"].is_array() && object["violations"].is_array(), "{object}");
    }
    assert_eq!(objects[2]["violations"][0]["path"], "/n");
    let summary = run.stderr.lines().last().unwrap_or_default();
    assert_eq!(
        summary,
        "llmend: 6 lines: 1 unchanged, 1 coerced, 3 refused, 1 unreadable; by class: 1 notation"
    );
}

#[test]
fn an_object_is_the_report_of_repair_with_that_schema() {
    let scratch = Scratch::new();
    let schema = scratch.file("schema.json", COUNT);
    let flags = format!("--schema {} --on-extra drop", schema.display());
    for (answer, code) in [("Sure: {'N': '1',}", 0), ("Sure: {'n': 'x'}", 1), ("none", 1)] {
        let report = run(&format!("repair --report json {flags}"), answer).expect(code).stdout;
        let line = json!({"x": answer, "s": serde_json::from_str::<Value>(COUNT).expect("JSON")});
        let expected = report.replacen('{', "{\"line\":1,", 1);
        for wanted in [flags.as_str(), "--schema-field s --on-extra drop"] {
            let batch = run(&format!("batch --field x {wanted}"), line.to_string()).expect(0);
            assert_eq!(batch.stdout, expected, "{wanted}");
        }
    }
}

#[test]
fn each_line_may_bring_its_schema_and_a_bad_one_stops_nothing() {
    let line = |schema: Value| json!({"a": "{'n': '1'}", "r": {"s": schema}}).to_string();
    let mut text = String::new();
    for row in [
        line(json!({"properties": {"n": {"type": "integer"}}})),
        line(json!({"properties": {"n": {"type": "string"}}})),
        line(json!({"properties": {"n": {"type": "boolean"}}})),
        line(json!({"type": "no such type"})),
        line(json!("{}")),
        line(json!(null)),
        json!({"a": "{}"}).to_string(),
        line(json!(true)),
        line(json!(false)),
        line(json!({"properties": {"n": {"type": "integer"}}})),
    ] {
        let _ = writeln!(text, "{row}");
    }
    let objects = run("batch --field a --schema-field /r/s", &text).expect(0).json_lines();
    let told: Vec<(Option<&str>, Option<&str>)> = objects
        .iter()
        .map(|object| (object["json"].as_str(), object["error"]["code"].as_str()))
        .collect();
    let (one, text) = (Some("{\"n\": 1}"), Some("{\"n\": \"1\"}"));
    let bad = (None, Some("input/schema"));
    assert_eq!(
        told,
        [
            (one, None),
            (text, None),
            (Some("{\"n\": true}"), None),
            (None, Some("schema/unusable")),
            bad,
            bad,
            bad,
            (text, None),
            (None, objects[8]["error"]["code"].as_str()),
            (one, None)
        ]
    );
    assert!(objects[8]["violations"].as_array().is_some_and(|rows| !rows.is_empty()));
}

#[test]
fn a_schema_that_cannot_be_had_ends_the_batch_before_it_begins() {
    let scratch = Scratch::new();
    let bad = scratch.file("bad.json", "{\"type\": 7}");
    let refused = run(&format!("batch --schema {}", bad.display()), "\"[1]\"").expect(2);
    assert_eq!(refused.stdout, "");
    assert!(refused.stderr.contains("error[schema/unusable]"), "{}", refused.stderr);
    let missing = run("batch --schema /no/such/file", "\"[1]\"").expect(3);
    assert_eq!(missing.stdout, "");
    let both = run(&format!("batch --schema {} --schema-field s", bad.display()), "").expect(2);
    assert!(both.stderr.contains("cannot be used with"), "{}", both.stderr);
}
