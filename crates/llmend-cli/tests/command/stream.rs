//! `llmend stream`: the value while it is being written, and at the end what `repair` gives.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    process::Stdio,
    thread,
};

use serde_json::{Value, json};

use crate::process::{Run, command, examples, finish, run, run_with};

/// The lines before the last, and the object in the last.
#[track_caller]
fn views(run: &Run) -> (Vec<Value>, Value) {
    let mut lines = run.json_lines();
    let mut last = lines.pop().unwrap_or_else(|| panic!("no line: {run:#?}"));
    assert_eq!(last.as_object().map(serde_json::Map::len), Some(1), "{last}");
    (lines, last["final"].take())
}

/// Whether all that `before` shows is in `after` as well.
fn stays(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Array(before), Value::Array(after)) => {
            before.len() <= after.len()
                && before.iter().zip(after).all(|(old, new)| stays(old, new))
        }
        (Value::Object(before), Value::Object(after)) => {
            before.iter().all(|(key, old)| after.get(key).is_some_and(|new| stays(old, new)))
        }
        (Value::String(before), Value::String(after)) => after.starts_with(before.as_str()),
        _ => before == after,
    }
}

#[test]
fn views_grow_into_what_repair_gives() {
    for entry in fs::read_dir(examples()).expect("the examples are there") {
        let path = entry.expect("an example").path();
        if path.is_dir() {
            continue;
        }
        let text = fs::read(&path).expect("it can be read");
        for flags in ["--choice first", "--choice best", "--choice first --policy conservative"] {
            let repair = run(&format!("repair --quiet --report json {flags}"), &text);
            let wanted: Value = repair.json();
            for chunk in ["", "--chunk 1", "--chunk 7"] {
                let run = run(&format!("stream --quiet {flags} {chunk}"), &text);
                let run = run.expect(repair.code.expect("an exit status"));
                let (mut lines, last) = views(&run);
                assert_eq!(last, wanted, "{} {flags} {chunk}", path.display());
                if let Some(json) = wanted["json"].as_str() {
                    lines
                        .push(json!({"value": serde_json::from_str::<Value>(json).expect("JSON")}));
                }
                for pair in lines.windows(2) {
                    assert!(stays(&pair[0]["value"], &pair[1]["value"]), "{pair:#?}");
                    assert_ne!(pair[0], pair[1], "a line for each change");
                }
            }
        }
    }
}

#[test]
fn a_line_shows_what_is_still_open() {
    let run =
        run("stream --quiet --chunk 8", r#"{"a": {"list": [1, "so long"]}, "b": 2}"#).expect(0);
    let (lines, last) = views(&run);
    let list = json!({
        "value": {"a": {"list": [1]}},
        "state": "partial",
        "open": [
            {"path": "", "state": "partial"},
            {"path": "/a", "state": "partial"},
            {"path": "/a/list", "state": "partial"},
        ],
    });
    assert!(lines.contains(&list), "{lines:#?}");
    assert_eq!(last["status"], "unchanged");
    // Chunks have their length however the bytes come.
    let mut child = command("stream --quiet --chunk 8").stdin(Stdio::piped()).spawn().expect("it");
    let mut pipe = child.stdin.take().expect("a pipe");
    for byte in br#"{"a": {"list": [1, "so long"]}, "b": 2}"# {
        pipe.write_all(&[*byte]).expect("the command reads");
    }
    drop(pipe);
    assert_eq!(finish(child, b"").expect(0).stdout, run.stdout);
}

#[test]
fn a_view_comes_before_the_end_of_the_text() {
    let mut child = command("stream").stdin(Stdio::piped()).spawn().expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    // Each piece is sent only once the command has shown the one before it.
    for (piece, expected) in [
        ("Of course: {'steps': [{'id': 1, ", json!({"steps": [{"id": 1}]})),
        ("'say': 'Open the d", json!({"steps": [{"id": 1, "say": "Open the d"}]})),
        ("oor'}, {", json!({"steps": [{"id": 1, "say": "Open the door"}]})),
    ] {
        pipe.write_all(piece.as_bytes()).expect("the command reads");
        let mut line = String::new();
        out.read_line(&mut line).expect("the command writes");
        let line: Value = serde_json::from_str(&line).expect("a line of JSON");
        assert_eq!(line["value"], expected);
    }
    pipe.write_all(b"'id': 2}]} Done.").expect("the command reads");
    drop(pipe);
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("the command writes");
    assert!(rest.lines().last().is_some_and(|line| line.starts_with("{\"final\":")), "{rest}");
    assert!(finish(child, b"").expect(0).stderr.starts_with("llmend: repaired (notation)"));
}

#[test]
fn the_best_of_all_is_known_at_the_end_only() {
    let text = "{'draft': 1}\n\n```json\n{\"answer\": 2}\n```\n";
    let best = run("stream --choice best --chunk 1", text).expect(0);
    let (lines, last) = views(&best);
    assert_eq!(lines, Vec::<Value>::new());
    assert_eq!(last["json"], "{\"answer\": 2}");
    // The default is the first, since nothing else can be shown.
    let first = run("stream --chunk 1", text).expect(0);
    let (lines, last) = views(&first);
    assert_eq!(lines.last().map(|line| &line["value"]), Some(&json!({"draft": 1})));
    assert_eq!(last["json"], "{\"draft\": 1}");
}

#[test]
fn a_refusal_ends_with_a_report_of_it() {
    for (arguments, text, code) in [
        ("stream", &b""[..], "extract/empty"),
        ("stream", b"No idea.", "extract/no-json"),
        ("stream --chunk 1", b"{\"a\": \"\xff\"}", "input/utf8"),
        ("stream --chunk 1", b"{\"a\": \"\xc3", "input/utf8"),
        ("stream --max-bytes 5", b"{\"a\": 1}", "limit/bytes"),
        ("stream --max-depth 1 --chunk 1", b"[[1]]", "limit/depth"),
        ("stream --policy strict", b"[1,]", "repair/refused"),
    ] {
        let run = run(arguments, text).expect(1);
        let (_, last) = views(&run);
        assert_eq!(last["status"], "refused");
        assert!(run.stderr.contains("error["), "{}", run.stderr);
        assert_eq!(last["error"]["code"], code, "{arguments}: {}", run.stderr);
    }
    let off = run_with("stream", &[("LLMEND_REPAIR", "0")], "{'a': 1}").expect(1);
    assert!(off.stderr.contains("disabled by LLMEND_REPAIR"), "{}", off.stderr);
    let wide = run("stream", b"\xff\xfe[\x001\0]\0").expect(1);
    assert!(wide.stderr.contains("UTF-16"), "{}", wide.stderr);
}

#[test]
fn a_misuse_reads_nothing() {
    for arguments in ["stream --chunk 0", "stream --chunk -1", "stream --choice lats"] {
        let run = run(arguments, "[1]").expect(2);
        assert_eq!(run.stdout, "", "{arguments}");
    }
}

#[test]
fn a_reader_that_stops_early_ends_the_stream() {
    let mut child =
        command("stream --chunk 4").stdin(Stdio::piped()).spawn().expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    // A list without an end: only the command can end this.
    let feeder = thread::spawn(move || {
        let _ = pipe.write_all(b"{'a': [");
        while pipe.write_all(b"1, ").is_ok() {}
    });
    let mut first = [0; 15];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("the first line comes");
    assert_eq!(&first, b"{\"value\":{\"a\":[");
    assert_eq!(finish(child, b"").expect(3).stderr, "");
    feeder.join().expect("the feeder ends");
}

#[test]
fn events_show_what_happens_and_the_report_is_the_same() {
    for entry in fs::read_dir(examples()).expect("the examples are there") {
        let path = entry.expect("an example").path();
        if path.is_dir() {
            continue;
        }
        let text = fs::read(&path).expect("it can be read");
        let repair = run("repair --quiet --report json --choice first", &text);
        for chunk in ["", "--chunk 1", "--chunk 7"] {
            let run = run(&format!("stream --quiet --events {chunk}"), &text);
            let run = run.expect(repair.code.expect("an exit status"));
            let (events, last) = views(&run);
            assert_eq!(last, repair.json(), "{} {chunk}", path.display());
            let Some(repairs) = last["repairs"].as_array().filter(|_| last["json"].is_string())
            else {
                continue;
            };
            let count = |name| events.iter().filter(|event| event["event"] == name).count();
            assert_eq!(count("repaired"), repairs.len(), "{} {chunk}", path.display());
            assert_eq!(count("opened"), count("closed") + strings(&events), "{events:#?}");
            let end = events.iter().rfind(|event| event["event"] != "repaired");
            assert_eq!(end, Some(&json!({"event": "closed", "path": ""})));
        }
    }
    assert_eq!(run("stream --events --views", "[1]").expect(2).stdout, "");
}

/// How many of `events` open a string.
fn strings(events: &[Value]) -> usize {
    events.iter().filter(|event| event["kind"] == "string").count()
}

#[test]
fn a_step_closes_before_the_next_is_written() {
    let mut child =
        command("stream --events").stdin(Stdio::piped()).spawn().expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    pipe.write_all(b"{'steps': [{'id': 'copy', 'n': 1}, {'id'").expect("the command reads");
    let closed = json!({"event": "closed", "path": "/steps/0"});
    let mut before = Vec::new();
    loop {
        let line = out.next().expect("it comes before the end").expect("the command writes");
        let event: Value = serde_json::from_str(&line).expect("a line of JSON");
        if event == closed {
            break;
        }
        before.push(event);
    }
    let grown = json!({"event": "grew", "path": "/steps/0/id", "text": "copy"});
    assert!(before.contains(&grown), "{before:#?}");
    assert!(before.contains(&json!({"event": "completed", "path": "/steps/0/n", "value": 1})));
    drop(pipe);
    drop(out);
    child.wait().expect("the command ends");
}

#[test]
fn a_character_of_several_bytes_does_not_end_the_views() {
    let record = r#"{"say": "A "soft launch", no more 🙂.", "n": 1}, "#;
    let run = run("stream --quiet --chunk 20", format!("{{\"list\": [{}]}}", record.repeat(40)));
    let (lines, _) = views(&run.expect(0));
    let half = lines
        .iter()
        .position(|line| line["value"]["list"].as_array().is_some_and(|list| list.len() > 20));
    assert!(half.is_some_and(|half| half * 3 < lines.len() * 2), "{half:?} of {}", lines.len());
}

#[test]
fn with_a_schema_the_last_line_is_what_repair_gives() {
    for (schema, answer) in [("order.json", "order.txt"), ("ticket.json", "ticket.txt")] {
        let schema = crate::process::root().join("examples/schemas").join(schema);
        let answer = examples().join(answer);
        let flags = format!("--schema {} {}", schema.display(), answer.display());
        let repair = run(&format!("repair --choice first --report json {flags}"), "");
        for shown in ["--views", "--events"] {
            let streamed = run(&format!("stream --quiet --chunk 9 {shown} {flags}"), "");
            let streamed = streamed.expect(repair.code.expect("an exit status"));
            let (_, last) = views(&streamed);
            assert_eq!(last, repair.json(), "{flags} {shown}");
        }
    }
}

#[test]
fn violations_are_reported_as_soon_as_a_value_closes() {
    let scratch = crate::process::Scratch::new();
    let schema = r#"{"properties": {"stay": {"properties": {"days": {"type": "integer"}}}, "note": {"type": "string"}}}"#;
    let path = scratch.file("schema.json", schema);
    let text = r#"{"stay": {"days": "a few"}, "note": "none", "n": 1}"#;
    let arguments = format!("stream --quiet --events --chunk 1 --schema {}", path.display());
    let told = run(&arguments, text).expect(1);
    let (lines, last) = views(&told);
    let fitted: Vec<usize> =
        (0..lines.len()).filter(|at| lines[*at]["event"] == "fitted").collect();
    let [at] = fitted.as_slice() else { panic!("{lines:?}") };
    assert_eq!(lines[*at]["path"], "/stay/days");
    assert_eq!(lines[*at]["violations"][0]["path"], "/stay/days");
    let note = lines.iter().position(|line| line["path"] == "/note").expect("it is told");
    assert!(*at < note, "{lines:?}");
    assert_eq!(last["violations"], lines[*at]["violations"]);
    // A schema that cannot be had ends the command before anything is read.
    run("stream --schema /no/such/schema.json", text).expect(3);
    run("stream --on-extra drop", text).expect(2);
}

#[test]
fn all_values_are_written_as_they_close() {
    let text = "{\"a\": 1}\n{'a': 2}\n\n{\"a\":\n 3}\n";
    for chunk in ["", "--chunk 1"] {
        let run = run(&format!("stream --quiet --choice all {chunk}"), text).expect(0);
        let (lines, last) = views(&run);
        let values: Vec<Value> =
            (1..=3).map(|at| json!({"index": at - 1, "value": {"a": at}})).collect();
        assert_eq!(lines, values);
        assert_eq!(last, run_report("--choice all", text));
        assert_eq!(last["class"], "notation");
    }
    let bad = "{\"a\": 1}\n{\"a\": 2*3}\n{\"a\": 3}\n";
    run("stream --quiet --choice all", bad).expect(1);
    let run = run("stream --quiet --choice all --on-bad-item drop", bad).expect(0);
    let (lines, last) = views(&run);
    assert_eq!(lines.len(), 2);
    let bad = last["repairs"].as_array().expect("repairs").iter();
    let bad: Vec<&Value> = bad.filter(|repair| repair["rule"] == "unreadable-item").collect();
    assert_eq!((bad.len(), &bad[0]["start"]), (1, &json!(9)), "{last}");
}

#[test]
fn with_a_schema_all_values_are_fitted_as_they_close() {
    let scratch = crate::process::Scratch::new();
    let schema =
        r#"{"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}"#;
    let flags = format!("--choice all --schema {}", scratch.file("item.json", schema).display());
    let text = "{\"ID\": \"1\"}\n{\"id\": 2}\n{\"id\": \"x\"}\n";
    for chunk in ["", "--chunk 1"] {
        let told = run(&format!("stream --quiet {flags} {chunk}"), text).expect(1);
        let (lines, last) = views(&told);
        let values: Vec<&Value> = lines.iter().map(|line| &line["value"]).collect();
        assert_eq!(values, [&json!({"id": 1}), &json!({"id": 2}), &json!({"id": "x"})]);
        assert_eq!(lines[0]["coercions"].as_array().map(Vec::len), Some(2), "{lines:?}");
        assert_eq!(lines[1], json!({"index": 1, "value": {"id": 2}}));
        assert_eq!(lines[2]["violations"][0]["path"], "/id");
        assert_eq!(last["violations"][0]["path"], "/2/id");
        let start = text.find("\"x\"").expect("it is there");
        assert_eq!(
            (&lines[2]["violations"][0]["start"], &last["error"]["start"]),
            (&json!(start), &json!(start))
        );
    }
    let told = run(&format!("stream --quiet {flags} --on-bad-item drop"), text).expect(0);
    let (lines, last) = views(&told);
    assert_eq!((lines.len(), &last["json"]), (2, &json!(r#"[{"id":1},{"id":2}]"#)), "{last}");
    assert_eq!(last["coercions"][2]["index"], 2);
    // It is written as soon as it closes.
    let first = run(&format!("stream --quiet {flags} --chunk 12"), text);
    assert!(first.stdout.starts_with("{\"index\":0"), "{first:?}");
}

#[test]
fn with_a_schema_views_have_its_names_and_types() {
    let scratch = crate::process::Scratch::new();
    let schema = r#"{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city", "days"]}"#;
    let flags = format!("--schema {}", scratch.file("trip.json", schema).display());
    let text = "{'City': 'Oslo', 'Days': '3'}";
    let told = run(&format!("stream --quiet --chunk 1 {flags}"), text).expect(0);
    let (mut lines, last) = views(&told);
    assert_eq!(lines[0]["value"], json!({"city": "Oslo"}), "{lines:?}");
    let partial = lines.iter().rfind(|line| line["state"] != "complete").expect("it grows");
    let state = json!([{"path": "", "state": "pending"}]);
    assert_eq!((&partial["value"], &partial["open"]), (&json!({"city": "Oslo"}), &state));
    let json = last["json"].as_str().expect("a value");
    lines.push(json!({"value": serde_json::from_str::<Value>(json).expect("JSON")}));
    for pair in lines.windows(2) {
        assert!(stays(&pair[0]["value"], &pair[1]["value"]), "{pair:#?}");
    }
}

#[test]
fn lists_behind_reasoning_show_their_items_as_they_come() {
    for list in ["[1, 2, 3, 4]", "[\"red\", \"green\", \"blue\"]", "[{\"a\": 1}, {\"a\": 2}]"] {
        let shown = |text: &str| views(&run("stream --quiet --chunk 1", text).expect(0)).0;
        let alone = shown(list);
        assert!(!alone.is_empty(), "{list}");
        for before in
            ["<think>a few</think>\n", "<think>{\"x\": 1}?</think>", "[THINK]so[/THINK]\n\n"]
        {
            assert_eq!(shown(&format!("{before}{list}")), alone, "{before}");
        }
    }
}

/// Returns the report of `llmend repair` with these flags.
fn run_report(flags: &str, text: &str) -> Value {
    run(&format!("repair --quiet --report json {flags}"), text).json()
}
