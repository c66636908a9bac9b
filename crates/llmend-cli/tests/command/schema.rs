//! `llmend repair --schema`: a value that fits, or all reasons why not.

use serde_json::{Value, json};

use crate::process::{Run, Scratch, examples, root, run, run_with};

const TRIP: &str = r#"{
  "type": "object",
  "properties": {
    "city": {"type": "string"},
    "days": {"type": "integer", "minimum": 1},
    "sights": {"type": "array", "items": {"type": ["integer", "null"]}}
  },
  "required": ["city", "days"],
  "additionalProperties": false
}"#;

/// What `llmend repair` with `flags` makes of `text` for the schema above.
fn trip(flags: &str, text: &str) -> Run {
    with_schema(TRIP, flags, text)
}

fn with_schema(schema: &str, flags: &str, text: &str) -> Run {
    let scratch = Scratch::new();
    let path = scratch.file("schema.json", schema);
    run(&format!("repair --schema {} {flags}", path.display()), text)
}

/// The coercions of a report: kind, class, path.
fn coercions(report: &Value) -> Vec<(&str, &str, &str)> {
    let rows = report["coercions"].as_array().map(Vec::as_slice).unwrap_or_default();
    rows.iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap_or("?");
            (text("kind"), text("class"), text("path"))
        })
        .collect()
}

#[test]
fn a_value_that_fits_is_the_repaired_text_byte_for_byte() {
    let text = "Gladly:\n{ 'city' :  'Oslo',\n\t'days':3 ,}\n";
    let plain = run("repair --quiet", text).expect(0);
    let held = trip("--quiet", text).expect(0);
    assert_eq!(held.stdout, plain.stdout);
    let valid = "\n{\"days\": 3,   \"city\": \"Os\\u006co\"}\n\n";
    let held = trip("", valid).expect(0);
    assert_eq!(held.stdout, valid);
    assert_eq!(held.stderr, "llmend: unchanged: valid JSON; fits the schema\n");
}

#[test]
fn a_value_is_made_to_fit_and_every_coercion_is_on_record() {
    let text = "{\n  \"City\": \"Oslo\",\n  \"days\": \"3\",\n  \"sights\": [ 1, 2 ]\n}\n";
    let fitted = trip("", text).expect(0);
    // What was not touched stands as it stood.
    assert_eq!(
        fitted.stdout,
        "{\n  \"city\": \"Oslo\",\n  \"days\": 3,\n  \"sights\": [ 1, 2 ]\n}\n"
    );
    assert!(
        fitted.stderr.starts_with("llmend: coerced (notation): valid JSON; coerced by"),
        "{}",
        fitted.stderr
    );
    let report = trip("--report json", text).expect(0).json();
    assert_eq!(report["status"], "coerced");
    assert_eq!(report["class"], "notation");
    assert_eq!(report["json"], fitted.stdout.as_str());
    assert_eq!(report["repairs"], json!([]));
    assert_eq!(report["violations"], json!([]));
    assert_eq!(report["error"], json!(null));
    assert_eq!(
        coercions(&report),
        [("key-spelling", "notation", "/city"), ("number-from-text", "notation", "/days")]
    );
    let days = &report["coercions"][1];
    let place = text.find("\"3\"").expect("it is there");
    assert_eq!(
        *days,
        json!({
            "kind": "number-from-text", "class": "notation", "path": "/days",
            "start": place, "end": place + 3, "before": "\"3\"", "after": "3", "index": null
        })
    );
}

#[test]
fn the_class_is_the_worst_of_repairs_and_coercions() {
    for (text, class) in [
        ("{\"city\": \"Oslo\", \"days\": 3}", json!(null)),
        ("{\"city\": \"Oslo\", \"days\": \"3\"}", json!("notation")),
        ("{\"city\": \"Oslo\" \"days\": \"3\"}", json!("completion")),
        ("{\"city\": \"Oslo\", \"days\": \"1,234\"}", json!("guess")),
        ("{\"city\": \"Oslo\", \"days\": 3, \"sights\": 7}", json!("completion")),
    ] {
        let report = trip("--report json", text).expect(0).json();
        assert_eq!(report["class"], class, "{report}");
    }
}

#[test]
fn what_does_not_fit_is_refused_with_every_violation() {
    let text = "Here: {'city': ['Oslo'], 'days': 'a few', 'sights': [1, 'x'],}";
    let refused = trip("", text).expect(1);
    assert_eq!(refused.stdout, "");
    for place in ["/days", "/sights/1"] {
        assert!(refused.stderr.contains(&format!("note: at {place}\n")), "{}", refused.stderr);
    }
    let report = trip("--report json", text).expect(1).json();
    assert_eq!((&report["status"], &report["json"]), (&json!("refused"), &json!(null)));
    let violations = report["violations"].as_array().expect("an array");
    let paths: Vec<&Value> = violations.iter().map(|row| &row["path"]).collect();
    assert!(paths.contains(&&json!("/days")) && paths.contains(&&json!("/sights/1")), "{report}");
    for row in violations {
        let keys: Vec<&String> = row.as_object().expect("an object").keys().collect();
        assert_eq!(keys.len(), 10, "{row}");
        assert!(row["code"].as_str().is_some_and(|code| code.starts_with("schema/")), "{row}");
        assert!(row["schema_path"].as_str().is_some_and(|path| path.starts_with('/')), "{row}");
        assert!(row["message"].is_string() && row["expected"].is_string(), "{row}");
    }
    let days = violations.iter().find(|row| row["path"] == "/days").expect("it is there");
    assert_eq!(days["keyword"], "type");
    assert_eq!(days["found"], "\"a few\"");
    let place = text.find("'a few'").expect("it is there");
    assert_eq!((&days["start"], &days["end"]), (&json!(place), &json!(place + 7)));
    // As of any other refusal: what is wrong first, and what was done on the way.
    assert_eq!(report["error"]["code"], violations[0]["code"]);
    assert_eq!(report["diagnostics"][0]["code"], violations[0]["code"]);
    assert!(report["repairs"].as_array().is_some_and(|repairs| !repairs.is_empty()), "{report}");
    assert_eq!(report["candidate"]["start"], 6);
}

#[test]
fn a_bad_item_fails_is_dropped_or_becomes_null() {
    let text = "{\"city\": \"Oslo\", \"days\": 3, \"sights\": [1, \"x\", 2]}";
    assert_eq!(trip("", text).expect(1).stdout, "");
    assert_eq!(trip("--on-bad-item fail", text).expect(1).stdout, "");
    for (action, sights, kind) in
        [("drop", json!([1, 2]), "dropped-item"), ("null", json!([1, null, 2]), "nulled-item")]
    {
        let report = trip(&format!("--on-bad-item {action} --report json"), text).expect(0).json();
        assert_eq!(report["class"], "loss", "{report}");
        let value: Value =
            serde_json::from_str(report["json"].as_str().expect("a text")).expect("JSON");
        assert_eq!(value["sights"], sights);
        assert_eq!(report["coercions"][0]["kind"], kind);
        assert_eq!(report["coercions"][0]["index"], 1, "{report}");
    }
}

#[test]
fn an_extra_member_is_kept_refused_or_dropped() {
    let open = r#"{"type": "object", "properties": {"a": {}}}"#;
    let closed = r#"{"type": "object", "properties": {"a": {}}, "additionalProperties": false}"#;
    let text = "{\"a\": 1, \"zzz\": 2}";
    for (schema, flags, expected) in [
        (open, "", Some(json!({"a": 1, "zzz": 2}))),
        (open, "--on-extra keep", Some(json!({"a": 1, "zzz": 2}))),
        (open, "--on-extra fail", None),
        (open, "--on-extra drop", Some(json!({"a": 1, "zzz": 2}))),
        (closed, "--on-extra keep", None),
        (closed, "--on-extra fail", None),
        (closed, "--on-extra drop", Some(json!({"a": 1}))),
    ] {
        let run = with_schema(schema, flags, text).expect(i32::from(expected.is_none()));
        assert_eq!(serde_json::from_str(&run.stdout).ok(), expected, "{schema} {flags}");
    }
}

#[test]
fn units_and_near_misses_are_options() {
    for (schema, flags, text, expected) in [
        (r#"{"type": "number"}"#, "", "\"50%\"", None),
        (r#"{"type": "number"}"#, "--units strip", "\"50%\"", Some("50\n")),
        (r#"{"enum": ["pending", "completed"]}"#, "", "\"compleeted\"", Some("\"completed\"\n")),
        (r#"{"enum": ["pending", "completed"]}"#, "--near off", "\"compleeted\"", None),
    ] {
        let run = with_schema(schema, flags, text).expect(i32::from(expected.is_none()));
        assert_eq!(run.stdout, expected.unwrap_or_default(), "{schema} {flags}");
    }
}

#[test]
fn guesses_can_be_refused() {
    const GROUPED: &str = "{\"city\": \"Oslo\", \"days\": \"1,234\"}";
    trip("--max-class guess", GROUPED).expect(0);
    let refused = trip("--max-class completion", GROUPED).expect(1);
    assert_eq!(refused.stdout, "");
    assert!(refused.stderr.contains("error[schema/unsure]"), "{}", refused.stderr);
    let report = trip("--max-class completion --report json", GROUPED).expect(1).json();
    assert_eq!(report["violations"][0]["path"], "/days");
    assert_eq!(report["violations"][0]["expected"], "1234");
    // What is milder is made.
    let plain = "{\"city\": \"Oslo\", \"days\": \"12\"}";
    trip("--max-class notation", plain).expect(0);
    // Repairs of the text count as well, with a schema and without.
    for command in ["repair", "stream"] {
        run(&format!("{command} --max-class notation"), "{city: 'Oslo'}").expect(0);
        let refused = run(&format!("{command} --max-class notation"), "{city: Oslo}").expect(1);
        assert!(refused.stderr.contains("error[repair/class]"), "{}", refused.stderr);
    }
    trip("--max-class notation", "{city: Oslo, days: '12'}").expect(1);
    let near = trip("--max-class guss", "{}").expect(2);
    assert!(near.stderr.contains("guess"), "{}", near.stderr);
}

#[test]
fn a_word_alone_reaches_the_schema() {
    for (schema, text, expected) in [
        (r#"{"enum": ["red", "green"]}"#, "red", Some("\"red\"\n")),
        (r#"{"enum": ["red", "green"]}"#, "**Red**\n", Some("\"red\"\n")),
        (r#"{"enum": ["red", "green"]}"#, "red or green", None),
        (r#"{"type": "boolean"}"#, "yes", Some("true\n")),
        (r#"{"type": "integer"}"#, "42", Some("42\n")),
        (r#"{"type": "string"}"#, "red", None),
    ] {
        let run = with_schema(schema, "", text).expect(i32::from(expected.is_none()));
        assert_eq!(run.stdout.trim_end(), expected.unwrap_or_default().trim_end(), "{text}");
    }
}

#[test]
fn what_is_expected_is_said_once_and_in_full() {
    let colors = |count: usize| {
        let names: Vec<String> = (0..count).map(|at| format!("\"color number {at}\"")).collect();
        format!("{{\"enum\": [{}]}}", names.join(", "))
    };
    // Beside the mark if there is room, below it if not.
    for (count, beside) in [(2, true), (6, false)] {
        let shown = with_schema(&colors(count), "", "\"blue\"").expect(1).stderr;
        assert_eq!(shown.matches("expected: ").count(), 1, "{shown}");
        assert_eq!(shown.contains("^ expected: "), beside, "{shown}");
        assert!(shown.contains(&format!("\"color number {}\"", count - 1)), "{shown}");
    }
}

#[test]
fn no_mark_stands_beside_what_it_marks() {
    let text = "{\"city\": \"Oslo, which is a rather long way to go\", \"days\": \"a few\"}";
    let scratch = Scratch::new();
    let path = scratch.file("schema.json", TRIP);
    for columns in ["30", "80", "nonsense"] {
        let arguments = format!("repair --schema {}", path.display());
        let shown = run_with(&arguments, &[("COLUMNS", columns)], text).expect(1).stderr;
        let mut lines = shown.lines().skip_while(|line| !line.starts_with("1 |"));
        let (marked, marks) = (lines.next().expect("a line"), lines.next().expect("marks"));
        let places = |line: &str, mark: &str| line.find(mark).map(|at| line[..at].chars().count());
        assert_eq!(places(marked, "\"a few\""), places(marks, "^^^^^^^"), "{shown}");
        if let Ok(columns) = columns.parse::<usize>() {
            assert!(marked.chars().count() <= columns, "{shown}");
        }
    }
}

#[test]
fn pretty_indents_the_fitted_value() {
    let fitted = trip("--pretty --quiet", "{'City': 'Oslo', 'days': '3'}").expect(0);
    assert_eq!(fitted.stdout, "{\n  \"city\": \"Oslo\",\n  \"days\": 3\n}\n");
}

#[test]
fn a_schema_that_cannot_be_used_is_a_misuse_that_says_where() {
    for (schema, code, said) in [
        ("", "extract/empty", "the schema is not strict JSON"),
        ("{'type': 'object'}", "repair/refused", "the schema is not strict JSON"),
        ("{\"type\": \"object\"", "repair/refused", "the schema is not strict JSON"),
        ("{\"type\": \"objekt\"}", "schema/unusable", "/type"),
        (
            "{\"properties\": {\"a\": {\"minimum\": \"1\"}}}",
            "schema/unusable",
            "/properties/a/minimum",
        ),
        ("[1]", "schema/unusable", "invalid schema"),
        ("{\"$ref\": \"#/$defs/none\"}", "schema/unusable", "none"),
        ("{\"$ref\": \"file:///etc/passwd\"}", "schema/unusable", "passwd"),
        ("{\"$ref\": \"https://example.com/s.json\"}", "schema/unusable", "example.com"),
    ] {
        let refused = with_schema(schema, "", "{}").expect(2);
        assert_eq!(refused.stdout, "", "{schema}");
        assert!(refused.stderr.contains(&format!("error[{code}]")), "{schema}: {}", refused.stderr);
        assert!(refused.stderr.contains(said), "{schema}: {}", refused.stderr);
        let report = with_schema(schema, "--report json", "{}").expect(2).json();
        assert_eq!(report["status"], "refused");
        assert_eq!(report["error"]["code"], code, "{report}");
        assert_eq!((&report["coercions"], &report["violations"]), (&json!([]), &json!([])));
    }
    let deep = format!("{}{}{}", "{\"not\":".repeat(2_000), "{}", "}".repeat(2_000));
    let refused = with_schema(&deep, "", "{}").expect(2);
    assert!(refused.stderr.contains("error[limit/depth]"), "{}", refused.stderr);
    let scratch = Scratch::new();
    let binary = scratch.file("schema.json", b"{\"a\": \"\xff\"}");
    let refused = run(&format!("repair --schema {}", binary.display()), "{}").expect(2);
    assert!(refused.stderr.contains("error[input/utf8]"), "{}", refused.stderr);
}

#[test]
fn a_schema_that_cannot_be_read_is_a_failure_of_the_input() {
    let refused = run("repair --schema /no/such/schema.json", "{}").expect(3);
    assert_eq!(refused.stdout, "");
    assert!(refused.stderr.contains("cannot read `/no/such/schema.json`"), "{}", refused.stderr);
    let folder = run(&format!("repair --schema {}", examples().display()), "{}").expect(3);
    assert!(folder.stderr.contains("error[input/"), "{}", folder.stderr);
    let report = run("repair --report json --schema /no/such/schema.json", "{}").expect(3).json();
    assert_eq!(report["error"]["code"], "input/not-found");
}

#[test]
#[cfg(unix)]
fn a_schema_without_an_end_is_not_read_to_it() {
    let refused = run("repair --schema /dev/zero", "{}").expect(2);
    assert!(refused.stderr.contains("error[limit/bytes]"), "{}", refused.stderr);
}

#[test]
fn a_schema_may_begin_with_a_byte_order_mark_and_doubts_are_reported() {
    let fitted = with_schema("\u{feff}{\"type\": \"integer\"}\r\n", "-q", "\"7\"").expect(0);
    assert_eq!((fitted.stdout.as_str(), fitted.stderr.as_str()), ("7\n", ""));
    let twice = with_schema("{\"type\": \"string\", \"type\": \"integer\"}", "-q", "7").expect(0);
    assert!(twice.stderr.contains("warning[value/duplicate-key]"), "{}", twice.stderr);
    assert!(twice.stderr.contains("schema.json:1:20"), "{}", twice.stderr);
}

#[test]
fn flags_of_coercion_need_a_schema() {
    for flag in ["--on-extra drop", "--units strip", "--near off"] {
        for command in ["repair", "batch"] {
            let misused = run(&format!("{command} {flag}"), "{}").expect(2);
            assert_eq!(misused.stdout, "");
            assert!(misused.stderr.contains("--schema"), "{flag}: {}", misused.stderr);
        }
    }
    let near = trip("--on-bad-item dorp", "{}").expect(2);
    assert!(near.stderr.contains("similar") && near.stderr.contains("drop"), "{}", near.stderr);
    run("repair --schema", "{}").expect(2);
}

#[test]
fn without_a_schema_a_report_is_what_it_was() {
    let report = run("repair --report json", "[1,]").expect(0).json();
    assert!(report.get("coercions").is_none() && report.get("violations").is_none(), "{report}");
    // With one, both lists are there whatever becomes of the text.
    for text in ["{\"city\": \"Oslo\", \"days\": 3}", "no value at all", "", "{\"city\": 2 * 3}"] {
        let run = trip("--report json", text);
        let report: Value = serde_json::from_str(&run.stdout).expect("a report");
        assert_eq!(
            (&report["coercions"], &report["violations"]),
            (&json!([]), &json!([])),
            "{report}"
        );
    }
    let missing = run("repair --report json --schema /dev/null /no/such/file", "").expect(2).json();
    assert_eq!(missing["violations"], json!([]));
}

#[test]
fn the_switch_that_ends_repair_ends_coercion() {
    // S0-37: without a change to the command.
    let scratch = Scratch::new();
    let path = scratch.file("schema.json", TRIP);
    let arguments = format!("repair --report json --schema {}", path.display());
    let off = [("LLMEND_REPAIR", "0")];
    let refused = run_with(&arguments, &off, "{\"city\": \"Oslo\", \"days\": \"3\"}").expect(1);
    assert_eq!(refused.json()["violations"][0]["path"], "/days");
    assert!(refused.stderr.contains("disabled by LLMEND_REPAIR"), "{}", refused.stderr);
    run_with(&arguments, &off, "{\"city\": \"Oslo\", \"days\": 3}").expect(0);
}

#[test]
fn a_value_that_is_nested_too_deeply_is_refused() {
    let text = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let run = with_schema("{}", "--max-depth 20000 --report json", &text);
    let report: Value = serde_json::from_str(&run.stdout).expect("a report");
    assert_eq!((run.code, &report["error"]["code"]), (Some(1), &json!("limit/depth")));
}

/// What the answer `name` becomes under the schema `schema`, both of the examples.
fn example(flags: &str, schema: &str, name: &str) -> Run {
    let schema = root().join("examples/schemas").join(schema);
    let answer = examples().join(name);
    run(&format!("repair {flags} --schema {} {}", schema.display(), answer.display()), "")
}

#[test]
fn a_ticket_is_made_to_fit() {
    let fitted = example("", "ticket.json", "ticket.txt").expect(0);
    assert_eq!(
        fitted.json(),
        json!({
            "title": "Export fails for file names of 200 characters",
            "priority": "very_high",
            "estimate": 6.5,
            "due_date": "2026-12-01",
            "labels": ["export"],
            "blocked": false
        })
    );
    let report = example("--report json", "ticket.json", "ticket.txt").expect(0).json();
    assert_eq!(
        coercions(&report),
        [
            ("key-spelling", "notation", "/title"),
            ("enum-spelling", "notation", "/priority"),
            ("number-from-text", "notation", "/estimate"),
            ("key-spelling", "notation", "/due_date"),
            ("single-item", "completion", "/labels"),
            ("boolean-from-word", "completion", "/blocked")
        ]
    );
    assert_eq!(report["class"], "completion");
    insta::assert_snapshot!(
        "ticket_explained",
        example("--explain", "ticket.json", "ticket.txt")
            .expect(0)
            .stderr
            .replace(&path_of("ticket.txt"), "ticket.txt")
    );
}

#[test]
fn an_order_that_does_not_fit_is_reported_in_full() {
    let refused = example("", "order.json", "order.txt").expect(1);
    assert_eq!(refused.stdout, "");
    insta::assert_snapshot!(
        "order_refused",
        refused.stderr.replace(&path_of("order.txt"), "order.txt")
    );
    let explained = example("--explain", "order.json", "order.txt").expect(1);
    // What was coerced on the way is shown before what could not be.
    let at =
        |what: &str| explained.stderr.find(what).unwrap_or_else(|| panic!("{}", explained.stderr));
    assert!(at("2 coercions") < at("error["));
}

fn path_of(name: &str) -> String {
    examples().join(name).display().to_string()
}
