//! `llmend calls`, `batch --as calls` and `stream --as calls`: calls, text and findings.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::process::{Run, Scratch, examples, root, run, run_with};

/// The tools of the examples.
fn tools() -> String {
    format!("--tools {}", root().join("examples/tools.json").display())
}

/// Runs `llmend calls` with the tools of the examples.
fn calls(flags: &str, text: &str) -> Run {
    run(&format!("calls {} {flags}", tools()), text)
}

/// An answer with these arguments of `get_weather`.
fn answer(arguments: &str) -> String {
    format!("<tool_call>\n{{\"name\": \"get_weather\", \"arguments\": {arguments}}}\n</tool_call>")
}

const OSLO: &str = "Let me look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>";
const UNKNOWN: &str = "<tool_call>\n{\"name\": \"book_hotel\", \"arguments\": {}}\n</tool_call>";
const CUT: &str = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Os";

#[test]
fn every_family_has_an_example() {
    for (name, notation, expected) in [
        (
            "json",
            "hermes",
            json!([["get_weather", {"city": "Oslo", "days": 3}], ["get_weather", {"city": "Bergen", "days": 3}]]),
        ),
        (
            "named",
            "deepseek",
            json!([["search_flights", {"from": "OSL", "to": "BGO", "passengers": 2, "direct": true}]]),
        ),
        (
            "pythonic",
            "pythonic",
            json!([["get_weather", {"city": "Oslo", "days": 3}], ["search_flights", {"from": "OSL", "to": "BGO", "direct": true}]]),
        ),
        (
            "parameters",
            "qwen-coder",
            json!([["send_mail", {"to": ["ines@example.com"], "subject": "Your \"late arrival\"", "body": "Dear Ines,\n\nthe key is in the box by the door."}]]),
        ),
        (
            "pairs",
            "glm",
            json!([["search_flights", {"from": "OSL", "to": "BGO", "passengers": 2}]]),
        ),
        ("channel", "harmony", json!([["get_weather", {"city": "Oslo", "units": "metric"}]])),
        ("lines", "react", json!([["get_weather", {"city": "Oslo", "days": 3}]])),
        ("typed", "gemma", json!([["get_weather", {"city": "Oslo", "days": 3}]])),
        ("prose", "", json!([])),
    ] {
        let file = examples().join("calls").join(format!("{name}.txt"));
        let flags = file.display().to_string();
        let object = calls(&flags, "").expect(0).json();
        let rows = object["calls"].as_array().expect("calls");
        let found: Vec<Value> =
            rows.iter().map(|call| json!([call["name"], call["arguments"]])).collect();
        assert_eq!(json!(found), expected, "{name}");
        let report = calls(&format!("{flags} --report json"), "").expect(0).json();
        for call in report["calls"].as_array().expect("calls") {
            assert_eq!(call["notation"], notation, "{name}");
        }
        assert_eq!(report["text"], object["text"], "{name}");
    }
}

#[test]
fn the_output_has_calls_and_text() {
    for (text, expected) in [
        (
            OSLO,
            r#"{"calls":[{"name":"get_weather","arguments":{"city":"Oslo"}}],"text":"Let me look."}"#,
        ),
        ("Hello.", r#"{"calls":[],"text":"Hello."}"#),
        ("", r#"{"calls":[],"text":""}"#),
        (
            "<think>\nOslo.\n</think>\n[get_weather(city=\"Oslo\")]",
            r#"{"calls":[{"name":"get_weather","arguments":{"city":"Oslo"}}],"text":"","reasoning":"Oslo."}"#,
        ),
        (
            r#"[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Oslo"}, "id": "a1B2c3D4e"}]"#,
            r#"{"calls":[{"name":"get_weather","arguments":{"city":"Oslo"},"id":"a1B2c3D4e"}],"text":""}"#,
        ),
    ] {
        assert_eq!(calls("", text).expect(0).stdout, format!("{expected}\n"), "{text}");
    }
    let indented = calls("--pretty", OSLO).expect(0).stdout;
    assert!(indented.starts_with("{\n  \"calls\": [\n"), "{indented}");
}

#[test]
fn numbers_keep_their_digits() {
    let scratch = Scratch::new();
    let tools =
        scratch.file("tools.json", r#"{"pay": {"properties": {"sum": {"type": "number"}}}}"#);
    let text = "[pay(sum=12345678901234567890.10)]";
    for flags in
        ["", "--pretty", "--report json", "--report json --pretty", "--as mcp", "--as openai"]
    {
        let run = run(&format!("calls --tools {} {flags}", tools.display()), text).expect(0);
        assert!(run.stdout.contains("12345678901234567890.10"), "{flags}: {run:?}");
    }
}

#[test]
fn a_message_is_that_of_the_api() {
    let call = json!({"city": "Oslo"});
    for (form, expected) in [
        (
            "openai",
            json!({"role": "assistant", "content": "Let me look.", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": call.to_string()}}]}),
        ),
        (
            "anthropic",
            json!({"role": "assistant", "content": [{"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": call}]}),
        ),
        (
            "mcp",
            json!([{"jsonrpc": "2.0", "id": "call_1", "method": "tools/call",
                "params": {"name": "get_weather", "arguments": call}}]),
        ),
        (
            "gemini",
            json!({"role": "model", "parts": [{"text": "Let me look."},
                {"functionCall": {"name": "get_weather", "args": call}}]}),
        ),
    ] {
        assert_eq!(calls(&format!("--as {form}"), OSLO).expect(0).json(), expected);
        // What was read of a refused answer is written too.
        calls(&format!("--as {form}"), UNKNOWN).expect(1).json();
    }
}

#[test]
fn what_cannot_be_used_is_refused_and_what_was_read_is_written() {
    for (text, code, count) in [
        (UNKNOWN.to_owned(), "calls/unknown-tool", 0),
        (CUT.to_owned(), "calls/truncated", 0),
        (answer(r#"{"days": 2}"#), "schema/required", 1),
        (answer(r#"{"city": "Oslo", "days": "a few"}"#), "schema/type", 1),
        (format!("{OSLO}\n{UNKNOWN}"), "calls/unknown-tool", 1),
        (format!("{OSLO}\n{CUT}"), "calls/truncated", 1),
    ] {
        let plain = calls("", &text).expect(1);
        assert!(plain.stderr.contains(&format!("error[{code}]")), "{plain:?}");
        let object = plain.json();
        assert_eq!(object["calls"].as_array().map(Vec::len), Some(count), "{object}");
        assert_eq!(object.get("truncated").is_some(), code == "calls/truncated", "{object}");
        let report = calls("--report json", &text).expect(1).json();
        assert_eq!(
            (&report["status"], &report["error"]["code"]),
            (&json!("refused"), &json!(code))
        );
        assert_eq!(report["truncated"], code == "calls/truncated", "{report}");
    }
}

#[test]
fn a_report_lacks_nothing() {
    let text = format!("Sure.\n{}", answer(r#"{"city": "Oslo", "days": "2",}"#));
    let report = calls("--report json", &text).expect(0).json();
    assert_eq!((&report["status"], &report["class"]), (&json!("coerced"), &json!("notation")));
    assert_eq!(report["error"], json!(null));
    let call = &report["calls"][0];
    assert_eq!(call["repairs"][0]["rule"], "trailing-comma");
    assert_eq!(call["coercions"][0]["kind"], "number-from-text");
    assert_eq!(call["notation"], "hermes");
    let [start, end] = ["start", "end"].map(|key| call[key].as_u64().expect("an offset"));
    let [start, end] = [start, end].map(|at| usize::try_from(at).expect("an offset"));
    assert!(text[start..end].contains("get_weather"), "{call}");
    for (text, status) in [(OSLO, "extracted"), ("Hello.", "unchanged"), (UNKNOWN, "refused")] {
        let report = calls("--report json", text).json();
        assert_eq!(report["status"], status, "{report}");
    }
    let missing = calls("--report json /no/such/file", "").expect(3);
    assert_eq!(missing.json()["error"]["code"], "input/not-found");
    let broken = run(&format!("calls --report json {}", tools()), b"\xff").expect(1);
    assert_eq!(broken.json()["error"]["code"], "input/utf8");
}

#[test]
fn an_explanation_shows_calls_and_changes_in_place() {
    let run = calls("--explain", &answer(r#"{"city": "Oslo", "days": "2",}"#)).expect(0);
    insta::assert_snapshot!(run.stderr);
    let quiet = calls("--quiet", OSLO).expect(0);
    assert_eq!(quiet.stderr, "");
    let summary = calls("", "Hello.").expect(0).stderr;
    assert_eq!(summary, "llmend: no call\n");
}

#[test]
fn tools_have_many_forms() {
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let scratch = Scratch::new();
    for tools in [
        json!([{"type": "function", "function": {"name": "add", "parameters": schema}}]),
        json!([{"type": "function", "name": "add", "parameters": schema}]),
        json!([{"name": "add", "input_schema": schema}]),
        json!({"tools": [{"name": "add", "inputSchema": schema}]}),
        json!([{"functionDeclarations": [{"name": "add", "parameters":
            {"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}, "required": ["n"]}}]}]),
        json!({"add": schema}),
    ] {
        let file = scratch.file("tools.json", tools.to_string());
        let flags = format!("calls --tools {}", file.display());
        let object = run(&flags, "[add(n=\"1\")]").expect(0).json();
        assert_eq!(object["calls"], json!([{"name": "add", "arguments": {"n": 1}}]), "{tools}");
        let refused = run(&flags, "[add(n=\"one\")]").expect(1);
        assert!(refused.stderr.contains("error[schema/type]"), "{tools}: {refused:?}");
    }
}

#[test]
fn tools_that_cannot_be_read_end_the_command() {
    let scratch = Scratch::new();
    for (text, message) in [
        ("[{\"name\": \"add\",}]", "the list of tools is not strict JSON"),
        ("[1, 2]", "error[tools/unusable]: invalid tools: expected a list of tools"),
        (r#"{"add": {"type": 7}}"#, "invalid schema of tool `add`"),
        (
            r#"[{"name": "add", "parameters": {}}, {"name": "add", "parameters": {"type": "object"}}]"#,
            "two different tools are named `add`",
        ),
        ("", "the list of tools is not strict JSON"),
    ] {
        let file = scratch.file("tools.json", text);
        for command in ["calls", "batch --as calls", "stream --as calls"] {
            let run = run(&format!("{command} --tools {}", file.display()), OSLO).expect(2);
            assert!(run.stderr.contains(message), "{command}: {run:?}");
            assert_eq!(run.stdout, "", "{command}");
        }
    }
    run("calls --tools /no/such/file", OSLO).expect(3);
}

#[test]
fn usage_errors_name_the_flag() {
    for (arguments, expected) in [
        ("calls --tols x", "'--tools'"),
        ("calls --as opnai", "'openai'"),
        ("calls --as openai --report json", "cannot be used with"),
        ("calls --in-reasoning acept", "'accept'"),
        ("calls --notation pythonc", "'pythonic'"),
        ("batch --as plan --notation kimi", "'--notation' requires '--as calls'"),
        ("calls --on-extra drop", "--tools <FILE>"),
        ("batch --as cals", "'calls'"),
        ("batch --tools x", "--as <FORM>"),
        ("batch --tools-field x", "--as <FORM>"),
        ("batch --as plan --tools x", "'--tools' requires '--as calls'"),
        ("batch --as plan --marked", "'--marked' requires '--as calls'"),
        ("batch --as plan --tools-field x", "'--tools-field' requires '--as calls'"),
        ("batch --as calls --fix", "'--fix' requires '--as plan'"),
        ("batch --as calls --schema x", "cannot be used with"),
        ("batch --as calls --tools x --tools-field y", "cannot be used with"),
        ("stream --as calls --events", "cannot be used with"),
        ("stream --as calls --schema x", "cannot be used with"),
        ("stream --marked", "--as <FORM>"),
    ] {
        let run = run(arguments, "").expect(2);
        assert!(run.stderr.contains(expected), "{arguments}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments}");
    }
}

#[test]
fn flags_say_what_counts() {
    let bare = "[get_weather(city=\"Oslo\")]";
    let draft = format!("<think>\n{OSLO}\n</think>\nDone.");
    for (flags, text, count) in [
        (tools(), bare, 1),
        (tools() + " --marked", bare, 0),
        (tools() + " --marked", OSLO, 1),
        (String::new(), bare, 0),
        (String::new(), OSLO, 1),
        (tools(), &draft, 0),
        (tools() + " --in-reasoning accept", &draft, 1),
    ] {
        let object = run(&format!("calls {flags}"), text).expect(0).json();
        assert_eq!(object["calls"].as_array().map(Vec::len), Some(count), "{flags}: {text}");
    }
}

#[test]
fn options_reach_repairs_and_coercions() {
    let comma = answer(r#"{"city": "Oslo",}"#);
    calls("", &comma).expect(0);
    calls("--policy strict", &comma).expect(1);
    calls("--no-rule trailing-comma", &comma).expect(1);
    let extra = answer(r#"{"city": "Oslo", "days": "3", "mood": "fine"}"#);
    calls("", &extra).expect(0);
    calls("--on-extra fail", &extra).expect(1);
    calls("--max-bytes 10", OSLO).expect(1);
    let off = run_with(&format!("calls {}", tools()), &[("LLMEND_REPAIR", "0")], &comma).expect(1);
    assert!(off.stderr.contains("repair is disabled by LLMEND_REPAIR"), "{}", off.stderr);
}

#[test]
fn a_call_of_a_worse_class_than_allowed_is_refused() {
    // The name is misspelled.
    let guessed = "<tool_call>\n{\"name\": \"get_wether\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>";
    let read = calls("--report json", guessed).expect(0);
    assert_eq!(read.json()["calls"][0]["class"], "guess", "{}", read.stdout);
    let refused = calls("--max-class completion", guessed).expect(1);
    assert!(refused.stderr.contains("class `guess` is worse than"), "{}", refused.stderr);
}

#[test]
fn a_batch_reads_each_line_with_one_set_of_tools() {
    let mut text = String::new();
    for answer in [OSLO, UNKNOWN, "Hello.", &answer(r#"{"city": "Oslo", "days": "2"}"#)] {
        let _ = writeln!(text, "{}", json!({"a": answer}));
    }
    text.push_str("broken\n{}\n");
    let batch = run(&format!("batch --field a --as calls {}", tools()), &text).expect(0);
    let rows = batch.json_lines();
    let statuses: Vec<_> = rows.iter().map(|row| row["status"].as_str().unwrap_or("")).collect();
    assert_eq!(statuses, ["extracted", "refused", "unchanged", "coerced", "refused", "refused"]);
    let codes: Vec<_> = rows.iter().map(|row| row["error"]["code"].as_str()).collect();
    assert_eq!(
        codes,
        [None, Some("calls/unknown-tool"), None, None, Some("input/line"), Some("input/field")]
    );
    for (row, line) in rows.iter().zip(1..) {
        assert_eq!(row["line"], line);
        for key in ["calls", "text", "reasoning", "truncated", "class", "refused", "diagnostics"] {
            assert!(row.get(key).is_some(), "{key} of {row}");
        }
    }
    let summary = batch.stderr.lines().last().unwrap_or_default();
    assert_eq!(
        summary,
        "llmend: 6 lines: 1 unchanged, 1 extracted, 1 coerced, 1 refused, 2 unreadable; by class: 1 notation"
    );
    let report = calls("--report json", OSLO).expect(0).stdout;
    let first = batch.stdout.lines().next().unwrap_or_default();
    assert_eq!(format!("{first}\n"), report.replacen('{', "{\"line\":1,", 1));
}

#[test]
fn a_line_may_bring_its_tools() {
    let offered = json!([{"name": "get_weather", "input_schema": {"properties": {"city": {"type": "string"}}}}]);
    let bare = "[get_weather(city=\"Oslo\")]";
    let mut text = String::new();
    for (tools, answer) in [
        (offered.clone(), bare),
        (json!(offered.to_string()), bare),
        (json!([]), bare),
        (json!(null), OSLO),
        (json!({"add": {}}), OSLO),
        (json!(7), OSLO),
        (json!("no JSON"), OSLO),
    ] {
        let _ = writeln!(text, "{}", json!({"a": answer, "r": {"t": tools}}));
    }
    let _ = writeln!(text, "{}", json!({"a": OSLO}));
    for jobs in [1, 8] {
        let flags = format!("batch --field a --as calls --tools-field /r/t --jobs {jobs}");
        let rows = run(&flags, &text).expect(0).json_lines();
        let found: Vec<_> = rows
            .iter()
            .map(|row| (row["calls"].as_array().map_or(0, Vec::len), row["error"]["code"].as_str()))
            .collect();
        let unusable = (0, Some("tools/unusable"));
        assert_eq!(
            found,
            [
                (1, None),
                (1, None),
                (0, Some("calls/unknown-tool")),
                (1, None),
                (0, Some("calls/unknown-tool")),
                unusable,
                unusable,
                (0, Some("input/tools")),
            ]
        );
    }
}

#[test]
fn a_stream_ends_in_the_report_of_the_whole_text() {
    for entry in std::fs::read_dir(examples().join("calls")).expect("the examples are there") {
        let path = entry.expect("an example").path();
        let whole = calls(&format!("--quiet --report json {}", path.display()), "");
        for chunk in ["", "--chunk 1", "--chunk 7"] {
            let flags = format!("stream --quiet --as calls {} {chunk} {}", tools(), path.display());
            let run = run(&flags, "").expect(whole.code.expect("an exit status"));
            let mut lines = run.json_lines();
            let last = lines.pop().expect("a last line");
            assert_eq!(last["final"], whole.json(), "{} {chunk}", path.display());
            let of =
                |name: &str| lines.iter().filter(|line| line["event"] == name).collect::<Vec<_>>();
            let text = |name: &str| {
                of(name).iter().filter_map(|line| line["text"].as_str()).collect::<String>()
            };
            assert_eq!(last["final"]["text"], text("text"), "{}", path.display());
            assert_eq!(last["final"]["reasoning"], text("reasoning"), "{}", path.display());
            let done: Vec<&Value> = of("done").iter().map(|line| &line["call"]).collect();
            let calls = last["final"]["calls"].as_array().expect("calls");
            assert_eq!(json!(done), json!(calls), "{}", path.display());
            for (call, index) in calls.iter().zip(0..) {
                let deltas = of("arguments").into_iter().filter(|line| line["index"] == index);
                let deltas: String = deltas.filter_map(|line| line["delta"].as_str()).collect();
                let arguments: Value = serde_json::from_str(&deltas).expect("JSON");
                assert_eq!(arguments, call["arguments"], "{}", path.display());
            }
            assert_eq!(of("started").len(), calls.len() + of("abandoned").len());
            assert_eq!(
                of("refused").len(),
                last["final"]["refused"].as_array().map_or(0, Vec::len)
            );
        }
    }
    let broken = run(&format!("stream --as calls {}", tools()), b"Sure. \xff").expect(1);
    let last = broken.json_lines().pop().expect("a last line");
    assert_eq!(last["final"]["error"]["code"], "input/utf8");
    run(&format!("stream --as calls {} /no/such/file", tools()), "").expect(3);
}
