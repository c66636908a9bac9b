//! `llmend batch --ask`: every line is asked for once, whatever interrupts the run.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path, thread, time::Duration};

use llmend_model_server::{Answer, Form, ModelServer, Reply, Seen, Turn};
use serde_json::Value;

use crate::process::{Run, Scratch, command, finish};

pub(crate) const SCHEMA: &str =
    r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#;

/// Returns the number in the last prompt of a request.
pub(crate) fn number(seen: &Seen) -> u64 {
    let body = seen.json().to_string();
    let at = body.rfind("number ").expect("a prompt") + "number ".len();
    let digits: String = body[at..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

/// Answers with the number of the prompt; each twentieth line is never answered with JSON.
pub(crate) fn answer(seen: &Seen) -> Turn {
    let n = number(seen);
    let text = if n % 20 == 7 { "I cannot say.".to_owned() } else { format!("{{'n': {n},}}") };
    Answer::text(&text).usage(100, 10).into()
}

pub(crate) fn folder(files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    for (name, content) in files {
        scratch.file(name, content);
    }
    scratch
}

pub(crate) fn prompts(count: usize) -> String {
    (1..=count).fold(String::new(), |mut lines, n| {
        let _ = writeln!(lines, r#"{{"q": "number {n} please"}}"#);
        lines
    })
}

pub(crate) fn start(server: &ModelServer, scratch: &Scratch, more: &str) -> std::process::Child {
    let retries = if more.contains("--max-json-retries") { "" } else { "--max-json-retries 0" };
    let arguments = format!(
        "batch in.jsonl --ask q --schema s.json -o out.jsonl --provider openai --model m \
         {retries} --base-url {}/v1 {more}",
        server.url()
    );
    let mut command = command(&arguments);
    command.current_dir(scratch.path()).spawn().expect("it starts")
}

pub(crate) fn run(server: &ModelServer, scratch: &Scratch, more: &str) -> Run {
    finish(start(server, scratch, more), b"")
}

pub(crate) fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("the output");
    text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn every_line_is_asked_for_once_though_the_run_is_killed_three_times() {
    const LINES: usize = 10_000;
    let scratch = folder(&[("in.jsonl", prompts(LINES).as_str()), ("s.json", SCHEMA)]);
    let server = ModelServer::answering(answer);
    // A call costs 0.00012, and what was being asked for when a run is killed counts as used.
    let flags = "--jobs 8 --price 1/2 --answer-tokens 32 --budget-cost 1.3";
    for kill in 1..=3 {
        let mut child = start(&server, &scratch, flags);
        while server.requests().len() < kill * 2_000 {
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().expect("it is killed");
        child.wait().expect("it ended");
        assert!(!scratch.path().join("out.jsonl").exists());
    }
    let last = run(&server, &scratch, flags).expect(0);
    assert!(last.stderr.contains("resumed after "), "{}", last.stderr);
    let rows = rows(&scratch.path().join("out.jsonl"));
    assert_eq!(rows.len(), LINES);
    for (row, n) in rows.iter().zip(1..) {
        assert_eq!(row["line"], n);
        if n % 20 == 7 {
            assert_eq!((&row["status"], &row["json"]), (&"refused".into(), &Value::Null));
        } else {
            let value: Value = serde_json::from_str(row["json"].as_str().unwrap()).unwrap();
            assert_eq!(value["n"], n);
        }
    }
    // Only what was being asked for when a run was killed is asked again.
    let mut asked: BTreeMap<u64, usize> = BTreeMap::new();
    server.requests().iter().for_each(|seen| *asked.entry(number(seen)).or_default() += 1);
    let again: usize = asked.values().map(|count| count - 1).sum();
    assert_eq!(asked.len(), LINES);
    assert!(again <= 3 * 8, "{again} requests were repeated");
    // What the server counts is within the budget, and so is what is reported.
    let requests = server.requests().len();
    assert!(requests * 120 <= 1_300_000, "{requests} requests");
    let cost: u64 = rows.iter().map(|row| row["ledger"]["cost"].as_u64().expect("a cost")).sum();
    assert_eq!(cost, 10_000 * 120);
    let refused = rows.iter().filter(|row| row["status"] == "refused").count();
    println!(
        "| rows | refused | kills | requests | repeated | cost | budget |\n|---|---|---|---|---|---|---|\n\
         | {} | {refused} | 3 | {requests} | {again} | {} | 1.3 |\n{}",
        rows.len(),
        format_args!("{}.{:06}", requests * 120 / 1_000_000, requests * 120 % 1_000_000),
        last.stderr
    );
    assert!(!scratch.path().join("out.jsonl.unfinished").exists());
    // The finished output is not written over.
    let over = run(&server, &scratch, "").expect(2);
    assert!(over.stderr.contains("out.jsonl exists"), "{}", over.stderr);
}

#[test]
fn a_run_is_resumed_alone_and_with_the_input_it_began_with() {
    let scratch = folder(&[("in.jsonl", prompts(400).as_str()), ("s.json", SCHEMA)]);
    let server = ModelServer::answering(answer);
    let mut child = start(&server, &scratch, "--jobs 1");
    while server.requests().len() < 20 {
        thread::sleep(Duration::from_millis(2));
    }
    let second = run(&server, &scratch, "").expect(2);
    assert!(second.stderr.contains("is being written by another run"), "{}", second.stderr);
    child.kill().expect("it is killed");
    child.wait().expect("it ended");
    let input = scratch.path().join("in.jsonl");
    let lines = format!("{{\"q\": \"one more\"}}\n{}", prompts(400));
    fs::write(&input, lines).expect("written");
    let changed = run(&server, &scratch, "").expect(2);
    assert!(changed.stderr.contains("the content of the input differs"), "{}", changed.stderr);
    fs::write(&input, prompts(400)).expect("written");
    let hotter = run(&server, &scratch, "--temperature 0.9").expect(2);
    assert!(hotter.stderr.contains("--temperature or --samples differs"), "{}", hotter.stderr);
    for (flags, said) in [
        ("--answer-tokens 99", "--answer-tokens, --ladder or --escalate differs"),
        ("--ladder full", "--answer-tokens, --ladder or --escalate differs"),
        ("--on-extra drop", "a flag such as --on-extra or --units differs"),
        ("--units strip", "a flag such as --on-extra or --units differs"),
        ("--prompts texts", "the text of a prompt differs"),
    ] {
        if flags.contains("texts") {
            let text = finish(command("prompts json-only --text").spawn().expect("it starts"), b"");
            fs::create_dir_all(scratch.path().join("texts")).expect("a folder");
            scratch.file("texts/json-only.md", format!("Please.\n{}", text.stdout));
        }
        let other = run(&server, &scratch, flags).expect(2);
        assert!(other.stderr.contains(said), "{flags}: {}", other.stderr);
    }
    run(&server, &scratch, "").expect(0);
}

#[test]
fn answers_are_written_to_standard_output() {
    let scratch = folder(&[("in.jsonl", prompts(3).as_str()), ("s.json", SCHEMA)]);
    let server = ModelServer::answering(answer);
    let arguments = format!(
        "batch in.jsonl --ask q --schema s.json -o - --provider openai --model m --base-url {}/v1",
        server.url()
    );
    let mut command = command(&arguments);
    let done = finish(command.current_dir(scratch.path()).spawn().expect("it starts"), b"");
    assert_eq!(done.expect(0).stdout.lines().count(), 3);
    assert!(!scratch.path().join("-").exists());
    assert!(!scratch.path().join("in.jsonl.unfinished").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_that_it_goes_on() {
    let scratch = folder(&[("in.jsonl", prompts(9).as_str()), ("s.json", SCHEMA)]);
    let server = ModelServer::answering(|seen| match number(seen) {
        5 => Reply::hang().into(),
        _ => answer(seen),
    });
    let child = start(&server, &scratch, "--jobs 1");
    while server.requests().len() < 5 {
        thread::sleep(Duration::from_millis(2));
    }
    let pid = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &pid]).status().expect("a signal");
    let run = finish(child, b"").expect(130);
    assert!(run.stderr.contains("Run the command again to go on."), "{}", run.stderr);
}

#[test]
fn costs_of_two_currencies_are_not_added() {
    let scratch = folder(&[("in.jsonl", prompts(60).as_str()), ("s.json", SCHEMA)]);
    let server = ModelServer::answering(answer);
    let mut child = start(&server, &scratch, "--jobs 1 --price $1/2");
    while server.requests().len() < 20 {
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ended");
    for other in ["--price 1/2EUR", "--price €1/2", "--price 1/2", ""] {
        let refused = run(&server, &scratch, other).expect(2);
        let expected = "another run: the currency of the prices differs";
        assert!(refused.stderr.contains(expected), "{other}: {}", refused.stderr);
    }
    // A symbol and its code are one currency, and another price is a matter of the calls to come.
    let done = run(&server, &scratch, "--price 3/4USD").expect(0);
    assert!(done.stderr.contains(" USD"), "{}", done.stderr);
}

#[test]
fn a_model_that_is_not_asked_takes_no_budget() {
    // The price of another model, which a file has for other commands, would leave too little for one line.
    let settings = "escalate_price = \"9000/9000\"\n";
    let lines = prompts(3);
    let files = [("in.jsonl", lines.as_str()), ("s.json", SCHEMA), ("llmend.toml", settings)];
    let scratch = folder(&files);
    let server = ModelServer::answering(answer);
    let flags = "--price 1/2 --answer-tokens 32 --budget-cost 0.05";
    let done = run(&server, &scratch, flags).expect(0);
    assert!(done.stderr.contains("; 3 calls, 330 tokens, cost 0.00036"), "{}", done.stderr);
}

#[test]
fn a_budget_is_one_for_the_whole_run() {
    let scratch = folder(&[("in.jsonl", prompts(100).as_str()), ("s.json", SCHEMA)]);
    let server = ModelServer::answering(answer);
    // A call costs 0.00012, so that the budget pays for 41.
    let flags = "--price 1/2 --answer-tokens 32";
    let stopped = run(&server, &scratch, &format!("{flags} --budget-cost 0.005")).expect(1);
    let calls = server.requests().len();
    assert!(calls <= 41, "{calls} calls");
    for expected in ["ask/cost", "lines have an answer", "Run the command again"] {
        assert!(stopped.stderr.contains(expected), "{expected}: {}", stopped.stderr);
    }
    let done = run(&server, &scratch, &format!("{flags} --budget-cost 1")).expect(0);
    assert_eq!(server.requests().len(), 100);
    // Both runs together, of which nothing is estimated.
    assert!(done.stderr.contains("11,000 tokens, cost 0.012"), "{}", done.stderr);
    let ledgers: u64 = rows(&scratch.path().join("out.jsonl"))
        .iter()
        .map(|row| row["ledger"]["cost"].as_u64().expect("a cost"))
        .sum();
    assert_eq!(ledgers, 12_000);
}

#[test]
fn what_was_being_asked_when_a_run_was_killed_counts_with_what_it_probably_used() {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    const JOBS: usize = 8;
    let scratch = folder(&[("in.jsonl", prompts(100).as_str()), ("s.json", SCHEMA)]);
    // So many requests are answered; the others hang until the run is killed.
    let (seen, answered) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let allowed = Arc::clone(&answered);
    let server = ModelServer::answering(move |request| {
        if seen.fetch_add(1, Ordering::SeqCst) >= allowed.load(Ordering::SeqCst) {
            return Reply::hang().into();
        }
        Answer::text(&format!("{{\"n\": {}}}", number(request))).usage(100, 10).into()
    });
    // A line may use more than 2,500 tokens, and 24 lines more than the budget.
    let flags = "--jobs 8 --price $1/2 --answer-tokens 32 --budget-tokens 40000";
    for kill in 1..=3 {
        answered.store(20 * kill + JOBS * (kill - 1), Ordering::SeqCst);
        let mut child = start(&server, &scratch, flags);
        while server.requests().len() < (20 + JOBS) * kill {
            assert!(child.try_wait().expect("a process").is_none(), "it ended before");
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().expect("it is killed");
        child.wait().expect("it ended");
    }
    answered.store(usize::MAX, Ordering::SeqCst);
    let done = run(&server, &scratch, flags).expect(0);
    let requests = server.requests().len();
    assert_eq!(requests, 100 + 3 * JOBS);
    // All runs together: each request as the server counts it, and those that were cut off alike.
    let expected = format!("; {requests} calls, about 13,640 tokens, cost about $0.01488");
    assert!(done.stderr.contains(&expected), "{expected}: {}", done.stderr);
}

#[test]
fn each_request_counts_also_where_a_killed_line_was_asked_for_again() {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    /// A name, what comes before the answer that hangs, and how many requests are answered before that.
    type Row = (&'static str, fn() -> Turn, usize);
    let rows: [Row; 3] = [
        (
            "an overload",
            || Form::OpenAi.error(503, "overloaded").header("retry-after", "0").into(),
            1,
        ),
        ("an answer without JSON", || Answer::text("no").usage(100, 10).into(), 1),
        (
            "a refused format",
            || Form::OpenAi.error(400, "response_format is not supported").into(),
            0,
        ),
    ];
    for (what, before, answered) in rows {
        let scratch = folder(&[("in.jsonl", prompts(6).as_str()), ("s.json", SCHEMA)]);
        let (seen, is_over) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
        let over = Arc::clone(&is_over);
        let server = ModelServer::answering(move |request| {
            let at = seen.fetch_add(1, Ordering::SeqCst);
            if over.load(Ordering::SeqCst) == 0 && at == answered {
                return before();
            }
            if over.load(Ordering::SeqCst) == 0 && at > answered {
                return Reply::hang().into();
            }
            Answer::text(&format!("{{\"n\": {}}}", number(request))).usage(100, 10).into()
        });
        let flags = "--jobs 1 --max-json-retries 2 --price $1/2";
        let mut child = start(&server, &scratch, flags);
        while server.requests().len() < answered + 2 {
            assert!(child.try_wait().expect("a process").is_none(), "{what}: it ended before");
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().expect("it is killed");
        child.wait().expect("it ended");
        is_over.store(1, Ordering::SeqCst);
        let done = run(&server, &scratch, flags).expect(0);
        let expected = format!("; {} calls, about ", server.requests().len());
        assert!(done.stderr.contains(&expected), "{what}: {expected}: {}", done.stderr);
    }
}

#[test]
fn a_name_that_no_line_has_is_a_usage_error() {
    let lines = "{\"question\": \"number 1\", \"id\": 1}\n[]\n{\"id\": 2}\n";
    let scratch = folder(&[("in.jsonl", lines), ("s.json", SCHEMA), ("none.jsonl", "")]);
    let server = ModelServer::answering(answer);
    let ask = |input: &str, field: &str| {
        let mut command = command(&format!(
            "batch {input} --ask {field} --schema s.json -o out.jsonl --provider openai --model m \
             --base-url {}/v1",
            server.url()
        ));
        finish(command.current_dir(scratch.path()).spawn().expect("it starts"), b"")
    };
    for (field, hint) in [
        ("questoin", "Did you mean `question`? The first object has `question`, `id`."),
        ("/a/b", "The first object has `question`, `id`."),
    ] {
        let run = ask("in.jsonl", field).expect(2);
        let expected = format!("no line has the member `{field}`");
        assert!(run.stderr.contains(&expected) && run.stderr.contains(hint), "{}", run.stderr);
    }
    assert!(server.requests().is_empty() && !scratch.path().join("out.jsonl.unfinished").exists());
    // Some lines have it: the others are refused.
    let run = ask("in.jsonl", "question").expect(0);
    assert!(run.stderr.contains("2 unreadable"), "{}", run.stderr);
    let rows = rows(&scratch.path().join("out.jsonl"));
    let codes: Vec<_> = rows.iter().map(|row| row["error"]["code"].as_str()).collect();
    assert_eq!(codes, [None, Some("input/field"), Some("input/field")]);
    fs::remove_file(scratch.path().join("out.jsonl")).expect("the output");
    ask("none.jsonl", "question").expect(0);
}

#[test]
fn a_server_that_is_gone_ends_the_run_and_not_the_lines() {
    let scratch = folder(&[("in.jsonl", prompts(40).as_str()), ("s.json", SCHEMA)]);
    let refuse = |_: &Seen| Form::OpenAi.error(401, "Incorrect API key provided").into();
    let server = ModelServer::answering(refuse);
    let stopped = run(&server, &scratch, "").expect(3);
    for expected in [
        "0 lines have an answer",
        "No key was sent: that of OPENAI_API_KEY goes only to the own server of openai. Use --api-key-env",
    ] {
        assert!(stopped.stderr.contains(expected), "{expected}: {}", stopped.stderr);
    }
    assert!(!stopped.stderr.contains("0 tokens"), "{}", stopped.stderr);
    assert!(server.requests().len() <= 8);
    // A line that holds no prompt is none of the model's.
    let mut lines = prompts(3);
    lines.push_str("{\"other\": 1}\n");
    let scratch = folder(&[("in.jsonl", lines.as_str()), ("s.json", SCHEMA)]);
    run(&ModelServer::answering(answer), &scratch, "").expect(0);
    let rows = rows(&scratch.path().join("out.jsonl"));
    assert_eq!(rows[3]["error"]["code"], "input/field");
    // Another run's file is not gone on with.
    let scratch = folder(&[
        ("in.jsonl", lines.as_str()),
        ("s.json", SCHEMA),
        (
            "out.jsonl.unfinished",
            "{\"input\":\"a\",\"content\":1,\"ask\":\"q\",\"model\":\"m\",\"options\":\"\",\"schema\":\"\"}\n",
        ),
    ]);
    let other = run(&ModelServer::answering(answer), &scratch, "").expect(2);
    assert!(other.stderr.contains("is of another run: the input differs"), "{}", other.stderr);
}

#[test]
fn the_prompts_of_a_table_are_asked_and_the_answers_stand_beside_them() {
    use std::sync::Arc;

    use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, StringArray, cast::AsArray};
    use parquet::arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder};

    const ROWS: i32 = 300;
    let scratch = folder(&[("s.json", SCHEMA)]);
    let prompt = |n: i32| (n % 10 != 9).then(|| format!("number {} please", n + 1));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int32Array::from_iter_values(0..ROWS))),
        ("q", Arc::new((0..ROWS).map(prompt).collect::<StringArray>())),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("a table");
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_max_row_group_row_count(Some(128))
        .build();
    let file = fs::File::create(scratch.path().join("in.parquet")).expect("a file");
    let mut writer =
        ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("rows");
    writer.close().expect("a footer");

    let server = ModelServer::answering(answer);
    let flags = format!(
        "--schema s.json -o out.parquet --provider openai --model m --max-json-retries 0 \
         --base-url {}/v1",
        server.url()
    );
    let at = |arguments: &str| {
        let mut command = command(&format!("batch {arguments} {flags}"));
        command.current_dir(scratch.path()).spawn().expect("it starts")
    };
    let missing = finish(at("in.parquet --ask question"), b"").expect(2);
    assert!(missing.stderr.contains("no column `question`"), "{}", missing.stderr);
    // Killed in the middle, and gone on with.
    let mut child = at("in.parquet --ask q");
    while server.requests().len() < 100 {
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ended");
    assert!(!scratch.path().join("out.parquet").exists());
    let done = finish(at("in.parquet --ask q"), b"").expect(0);
    assert!(
        done.stderr.contains("rows") && done.stderr.contains("resumed after"),
        "{}",
        done.stderr
    );
    let asked = server.requests().len();
    assert!((270..=278).contains(&asked), "{asked}");
    assert!(!scratch.path().join("out.parquet.unfinished").exists());

    let file = fs::File::open(scratch.path().join("out.parquet")).expect("the output");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("parquet").build().unwrap();
    let mut n = 0;
    for batch in reader {
        let batch = batch.expect("rows");
        let answers = batch.column_by_name("llmend").expect("a new column").as_struct().clone();
        let ids =
            batch.column_by_name("id").unwrap().as_primitive::<arrow_array::types::Int32Type>();
        let text = |name: &str| answers.column_by_name(name).unwrap().as_string::<i32>().clone();
        for at in 0..batch.num_rows() {
            assert_eq!(ids.value(at), n);
            match prompt(n) {
                None => assert!(answers.is_null(at), "{n}"),
                Some(_) if (n + 1) % 20 == 7 => {
                    assert_eq!(text("status").value(at), "refused", "{n}");
                    let errors = answers.column_by_name("error").unwrap().as_struct();
                    let codes = errors.column_by_name("code").unwrap().as_string::<i32>();
                    assert_eq!(codes.value(at), "ask/retries");
                }
                Some(_) => {
                    assert_eq!(
                        text("value").value(at).replace(' ', ""),
                        format!("{{\"n\":{}}}", n + 1)
                    );
                    assert_eq!(text("status").value(at), "repaired");
                }
            }
            n += 1;
        }
    }
    assert_eq!(n, ROWS);
}
