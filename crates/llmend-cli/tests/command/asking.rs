//! `llmend plan --ask`, `ask` and `assist`: a scripted server, asked over real HTTP.

use std::fs;

use llmend_model_server::{Answer, Form, ModelServer, Reply};

use crate::process::{Run, Scratch, command, finish};

const BAD: &str = r#"{"steps": [{"id": "a", "tool": "x", "depends_on": ["b"]}]}"#;
const GOOD: &str = r#"{"steps": [{"id": "a", "tool": "x"}]}"#;
const SCHEMA: &str = r#"{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city", "days"]}"#;
const FLOW: &str = r#"{"nodes": [{"id": "a", "type": "tool", "tool": "t"}, {"id": "b", "type": "tool", "tool": "t"}], "edges": [{"from": "a", "to": "b"}]}"#;

pub(crate) fn texts(texts: &[&str]) -> ModelServer {
    ModelServer::scripted(texts.iter().map(|text| Answer::text(text).into()))
}

/// Runs the command against a server, with `more` arguments that may hold blanks.
pub(crate) fn run_at(server: &ModelServer, arguments: &str, more: &[&str], stdin: &str) -> Run {
    // S2-30: provider, base URL, model and the flag `autonomous`, and no key but from the environment.
    let flags = "--provider openai --model m --autonomous";
    let mut command = command(&format!("{arguments} {flags} --base-url {}/v1", server.url()));
    command.args(more).stdin(std::process::Stdio::piped());
    finish(command.spawn().expect("it starts"), stdin.as_bytes())
}

#[test]
fn a_plan_is_asked_for_again_and_every_attempt_is_reported() {
    let server = texts(&[BAD, GOOD]);
    let run = run_at(&server, "plan --report json", &["--ask", "Do the thing"], "").expect(0);
    let report = run.json();
    assert_eq!(report["plan"]["steps"][0]["id"], "a");
    let attempts = report["ledger"]["attempts"].as_array().expect("attempts");
    assert_eq!(attempts.len(), 2);
    assert_eq!(attempts[0]["failure"], "structure");
    assert_eq!(attempts[1]["failure"], serde_json::Value::Null);
    // S2-22, S2-26: each attempt with its number, and what was wrong.
    for expected in ["attempt 1 of 3", "plan/unknown-dependency", "attempt 2 of 3"] {
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
    let quiet = run_at(&texts(&[BAD, GOOD]), "plan --quiet --ask go", &[], "").expect(0);
    assert_eq!(quiet.stderr, "");
    // From standard input.
    let server = texts(&[GOOD]);
    run_at(&server, "plan --ask -", &[], "Do it from here").expect(0);
    let body = server.requests()[0].json().to_string();
    assert!(body.contains("Do it from here"), "{body}");
}

#[test]
fn retries_are_bounded_by_a_flag_and_end_in_advice() {
    // S2-33, S2-32: the number that was given, and no more. S2-36, S2-27: what happened, and what to change.
    for (retries, calls) in [(0, 1), (1, 2)] {
        let server = ModelServer::answering(|_| Answer::text("not json at all").into());
        let arguments = format!("plan --report json --ask go --max-json-retries {retries}");
        let run = run_at(&server, &arguments, &[], "").expect(1);
        assert_eq!(server.requests().len(), calls);
        let report = run.json();
        assert_eq!(report["status"], "refused");
        assert_eq!(report["ledger"]["attempts"].as_array().map(Vec::len), Some(calls));
        let count = if calls == 1 { "1 attempt " } else { "2 attempts " };
        for expected in [count, "openai", "no JSON value found", "Choose a model"] {
            assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
        }
    }
}

#[test]
fn waits_and_what_was_spent_are_shown() {
    let busy = Form::OpenAi.error(429, "Rate limit reached");
    let server = ModelServer::scripted([busy.into(), Answer::text(GOOD).into()]);
    let run = run_at(&server, "plan --ask go --price 1/2", &[], "").expect(0);
    // The scripted server counts 11 tokens in and 7 out. A refused request is a call without tokens.
    for expected in ["retrying in ", "2 calls; 11 tokens in, 7 out; cost 0.000025"] {
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
    assert!(!run.stderr.contains("DEBUG"), "{}", run.stderr);
    let verbose = run_at(&texts(&[GOOD]), "plan --ask go -v", &[], "").expect(0);
    assert!(verbose.stderr.contains("DEBUG") && verbose.stderr.contains("answer received"));
}

#[test]
fn a_key_that_the_model_repeats_is_masked_everywhere() {
    const KEY: &str = "own-key-0123456789-0123456789";
    const OTHER: &str = "sk-abcdefghijklmnopqrst1234";
    const CLOSED: &str = r#"{"type": "object", "properties": {"city": {"type": "string"}, "kind": {"enum": ["a", "b"]}}, "required": ["kind"], "additionalProperties": false}"#;
    let scratch = Scratch::new();
    let schema = scratch.file("s.json", CLOSED);
    let record = scratch.path().join("record.jsonl");
    // In a value, in the message of a finding, in a name, in prose, in a guess, and beside a value that fits.
    for (answer, code) in [
        (r#"{"city": "KEYS", "kind": 1}"#, 1),
        (r#"{"kind": "KEYS"}"#, 1),
        (r#"{"KEYS": 1, "kind": "a"}"#, 1),
        ("It is KEYS.", 1),
        (r#"{"kind": "c", "city": "the "KEYS" one"}"#, 1),
        (r#"KEYS {"kind": "A"}"#, 0),
    ] {
        let server = texts(&[&answer.replace("KEYS", &format!("{KEY} {OTHER}"))]);
        let arguments = format!(
            "ask --report json --explain --max-json-retries 0 --api-key-env OWN_KEY --provider openai \
             --model m --autonomous --base-url {}/v1 --schema {} --record {}",
            server.url(),
            schema.display(),
            record.display()
        );
        let mut command = command(&arguments);
        command.arg("go").env("OWN_KEY", KEY);
        let run = finish(command.spawn().expect("it starts"), b"").expect(code);
        let record = fs::read_to_string(&record).expect("a record");
        assert!(server.requests()[0].header("authorization").is_some_and(|own| own.contains(KEY)));
        for text in [&run.stderr, &record, &run.stdout] {
            assert!(!text.contains(KEY) && !text.contains(OTHER), "{answer}: {text}");
        }
        assert!(record.contains("[REDACTED] [REDACTED]"), "{record}");
    }
    // A value that fits is given as it is, but for the key that was sent.
    let answer = format!(r#"{{"city": "{OTHER}", "kind": "a"}}"#);
    let schema = schema.display();
    let run = run_at(&texts(&[&answer]), &format!("ask --schema {schema} go"), &[], "").expect(0);
    assert_eq!(run.json()["city"], OTHER);
}

#[test]
fn a_refused_key_is_named() {
    let refuse = || Form::OpenAi.error(401, "Incorrect API key provided.").into();
    let run = run_at(&ModelServer::scripted([refuse()]), "plan --ask go", &[], "").expect(3);
    assert!(run.stderr.contains("No key was sent: that of OPENAI_API_KEY goes only to the own server of openai. Use --api-key-env"), "{}", run.stderr);
    assert!(!run.stderr.contains("..") && !run.stderr.contains("0 tokens"), "{}", run.stderr);
    let server = ModelServer::scripted([refuse()]);
    let run = run_at(&server, "plan --ask go --api-key-env PATH", &[], "");
    assert!(run.stderr.contains("The key is that of PATH"), "{}", run.stderr);
}

#[test]
fn an_answer_in_any_shape_can_be_asked_for() {
    let scratch = Scratch::new();
    let schema = scratch.file("s.json", SCHEMA);
    let server = texts(&["{'city': 'Oslo', 'days': 'a few'}", r#"{"city": "Oslo", "days": 3}"#]);
    let arguments = format!("ask --schema {}", schema.display());
    let run = run_at(&server, &arguments, &["Where, and how long?"], "").expect(0);
    assert_eq!(run.json(), serde_json::json!({"city": "Oslo", "days": 3}));
    assert!(run.stderr.contains("schema/type at /days"), "{}", run.stderr);
    let server = ModelServer::answering(|_| Answer::text(r#"{"city": "Oslo"}"#).into());
    let refused = run_at(&server, &arguments, &["Where?"], "").expect(1);
    assert_eq!(refused.stdout, "");
}

#[test]
fn a_conversation_ends_with_the_workflow_as_it_is() {
    // S3-12, S3-23: a patch and words; the number of attempts is a setting.
    let scratch = Scratch::new();
    let flow = scratch.file("flow.json", FLOW);
    let server = texts(&[r#"{"remove_nodes": ["b"]}"#, "You are welcome."]);
    let arguments = format!("assist --workflow {}", flow.display());
    let run = run_at(&server, &arguments, &[], "Drop the last one.\n\nThanks.\n").expect(0);
    assert_eq!(run.json()["nodes"].as_array().map(Vec::len), Some(1));
    assert!(run.stderr.contains("patch applied"), "{}", run.stderr);
    assert!(run.stderr.contains("You are welcome."), "{}", run.stderr);

    let server = ModelServer::answering(|_| Answer::text(r#"{"remove_nodes": ["z"]}"#).into());
    let arguments = format!("{arguments} --max-repair-attempts 2 --report json");
    let run = run_at(&server, &arguments, &["Drop z."], "").expect(1);
    assert_eq!(server.requests().len(), 2);
    let report = run.json();
    assert_eq!(report["workflow"]["nodes"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["turns"][0]["validity"], "invalid");
    assert_eq!(report["turns"][0]["said"], "patch");
}

#[test]
fn a_conversation_goes_on_where_it_was_killed() {
    let scratch = Scratch::new();
    let flow = scratch.file("flow.json", FLOW);
    let session = scratch.path().join("s.json");
    let start = format!("assist --session {} --workflow {}", session.display(), flow.display());
    let go_on = format!("assist --session {}", session.display());
    let ids = |run: &Run| -> Vec<String> {
        let nodes = run.json()["nodes"].as_array().cloned().unwrap_or_default();
        nodes.iter().map(|node| node["id"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let add = |from: &str, id: &str| {
        let node = format!(r#"{{"id": "{id}", "type": "tool", "tool": "t"}}"#);
        Answer::text(&format!(
            r#"{{"add_nodes": [{node}], "add_edges": [{{"from": "{from}", "to": "{id}"}}]}}"#
        ))
    };
    // The first run is killed while the model is asked for the third change.
    let mut steps: Vec<_> = [("b", "c"), ("c", "d")].map(|(from, id)| add(from, id).into()).into();
    steps.push(Reply::hang().into());
    let server = ModelServer::scripted(steps);
    let flags = "--provider openai --model m --autonomous";
    let mut child = command(&format!("{start} {flags} --base-url {}/v1", server.url()))
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let stdin = child.stdin.as_mut().expect("a pipe");
    std::io::Write::write_all(stdin, b"Add c.\nAdd d.\nAdd e.\n").expect("it reads");
    while server.requests().len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");

    // What was accepted is there, and so is what was said.
    let server = ModelServer::scripted([add("d", "f").into()]);
    let run = run_at(&server, &go_on, &[], "Add f.\n").expect(0);
    assert_eq!(ids(&run), ["a", "b", "c", "d", "f"]);
    let asked = server.requests()[0].json().to_string();
    assert!(asked.contains("Add c.") && asked.contains("Add d."), "{asked}");
    // Changes of the earlier run can be undone, too.
    let saved = scratch.path().join("saved.json");
    let lines = format!("/undo\n/undo\n/show\n/save {}\n", saved.display());
    let run = run_at(&ModelServer::scripted([]), &go_on, &[], &lines).expect(0);
    assert_eq!(ids(&run), ["a", "b", "c"]);
    assert!(run.stderr.contains("└─ c"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(saved).expect("it was saved"), run.stdout);
    // The file from which it was begun may be named again.
    let run = run_at(&ModelServer::scripted([]), &start, &[], "").expect(0);
    assert_eq!(ids(&run), ["a", "b", "c"]);
}

#[test]
fn what_is_asked_and_answered_can_be_recorded_and_played() {
    let scratch = Scratch::new();
    let record = scratch.path().join("r.jsonl");
    let flags = format!("plan --ask go --record {}", record.display());
    let first = run_at(&texts(&[BAD, GOOD]), &flags, &[], "").expect(0);
    assert_eq!(fs::read_to_string(&record).expect("a record").lines().count(), 2);
    #[cfg(unix)]
    {
        let mode = fs::metadata(&record).expect("a record").permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
    }
    let played = format!("plan --ask go --model replay:{}", record.display());
    let second = finish(command(&played).spawn().expect("it starts"), b"").expect(0);
    assert_eq!(second.stdout, first.stdout);
}

#[test]
fn what_cannot_be_asked_is_said_at_start() {
    let rows = [
        ("plan --ask go", "no model given"),
        ("plan --ask go --model opnai:gpt", "did you mean openai?"),
        ("plan --ask go --model groq:m", "groq needs a key: set the variable GROQ_API_KEY"),
        ("plan --ask go --model replay:no-such-file.jsonl", "no-such-file.jsonl"),
        ("plan --ask go --model ollama:m --preset gomnd", "expected standard, gomind"),
        ("plan --ask go --model ollama:m --deadline 0", "invalid value \"0\" for --deadline"),
        ("plan --ask go answer.txt --model ollama:m", "'--ask' cannot be used with FILE"),
        ("plan --model ollama:m answer.txt", "model options require '--ask'"),
        (
            "plan --ask go --model openai+http://h/v1:m --base-url http://other",
            "cannot be used with base URL",
        ),
    ];
    for (arguments, expected) in rows {
        let mut command = command(arguments);
        command.env_remove("GROQ_API_KEY");
        let run = finish(command.spawn().expect("it starts"), b"").expect(2);
        assert!(run.stderr.contains(expected), "{arguments}: {}", run.stderr);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn a_project_does_not_choose_who_gets_a_key() {
    let scratch = Scratch::new();
    scratch.file("llmend.toml", "model = \"openrouter:some/model\"\n");
    let mut stolen = command("plan --ask go --api-key-env WORK_KEY");
    stolen.current_dir(scratch.path()).env("WORK_KEY", "planted-secret");
    let run = finish(stolen.spawn().expect("it starts"), b"").expect(2);
    assert!(run.stderr.contains("name the model that may get the key"), "{}", run.stderr);
    assert!(!run.stderr.contains("planted-secret"), "{}", run.stderr);
}

#[test]
fn a_value_that_does_not_fit_is_refused_also_where_it_is_handed_back() {
    let scratch = Scratch::new();
    let schema = scratch.file("s.json", SCHEMA);
    let arguments =
        format!("ask --schema {} Where? --preset clickweave-assistant", schema.display());
    let bad = r#"{"city": "Oslo", "days": "a few"}"#;
    let always = || ModelServer::answering(move |_| Answer::text(bad).into());
    let run = run_at(&always(), &arguments, &[], "").expect(1);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("schema/type"), "{}", run.stderr);
    let report = run_at(&always(), &format!("{arguments} --report json"), &[], "").expect(1).json();
    assert_eq!((&report["status"], &report["json"]), (&"refused".into(), &serde_json::Value::Null));
    assert_eq!(report["violations"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["error"]["code"], "schema/type");
    // Where nothing is to be checked, it is written, and said.
    let run = run_at(&always(), &format!("{arguments}:0"), &[], "");
    assert_eq!(run.json()["days"], "a few");
    assert!(run.expect(0).stderr.contains("does not fit the schema (1 violation, unchecked)"));
}

#[test]
fn nothing_is_asked_where_there_is_no_question() {
    let scratch = Scratch::new();
    let schema = scratch.file("s.json", SCHEMA);
    let ask = format!("ask --schema {}", schema.display());
    let server = texts(&[]);
    let rows: [(&str, &[&str]); 4] =
        [(&ask, &[""]), (&ask, &["-"]), ("plan", &["--ask", " "]), ("plan", &["--ask", "-"])];
    for (arguments, question) in rows {
        let run = run_at(&server, arguments, question, " \n").expect(2);
        assert!(run.stderr.contains("the prompt is empty"), "{question:?}: {}", run.stderr);
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn an_answer_without_the_parts_that_were_asked_for_takes_nothing_away() {
    let scratch = Scratch::new();
    let schema = scratch.file("s.json", SCHEMA.replace(r#", "required": ["city", "days"]"#, ""));
    let arguments = format!("ask --schema {} Where? --report json", schema.display());
    let server =
        texts(&[r#"{"city": "Oslo", "days": "a few"}"#, "{}", r#"{"city": "Oslo", "days": 3}"#]);
    let report = run_at(&server, &arguments, &[], "").expect(0).json();
    assert_eq!(report["json"], r#"{"city": "Oslo", "days": 3}"#);
    assert_eq!(report["ledger"]["attempts"][1]["findings"][0]["code"], "ask/not-given");
}
