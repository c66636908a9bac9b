//! `llmend report` reads what `llmend serve --journal` wrote, also after that was killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Child;

use llmend_model_server::{Answer, ModelServer, Turn};
use serde_json::{Value, json};

use crate::process::{Run, Scratch, command, run};

/// A gateway in a process of its own, that keeps its exchanges in `journal`.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn new(upstream: &ModelServer, journal: &Path) -> Self {
        let flags = format!(
            "serve --listen 127.0.0.1:0 --upstream {}/v1 --journal {}",
            upstream.url(),
            journal.display()
        );
        let mut child = command(&flags).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
        let address = said.trim().strip_prefix("llmend: serving http://").unwrap_or_default();
        let address = address.trim_end_matches("/v1").to_owned();
        assert!(!address.is_empty(), "{said}");
        Self { child, address }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}",
            self.address
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 "), "{answer}");
        answer
    }

    fn chat(&self, model: &str) -> String {
        let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
        let format = json!({"type": "json_schema", "json_schema": {"name": "c", "schema": schema}});
        let body = json!({"model": model, "messages": [], "response_format": format});
        self.ask("POST", "/v1/chat/completions", &body.to_string())
    }

    /// Ends it as nothing else would: without a word.
    fn kill(mut self) {
        // What is answered to this is kept already.
        assert!(self.ask("GET", "/v1/exchanges", "").contains("\"recording\":\"file\""));
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A journal of a few exchanges, whose writer was killed.
fn written(scratch: &Scratch) -> std::path::PathBuf {
    let journal = scratch.file("journal.db", "");
    let turns: [Turn; 4] = [
        Answer::text("{'city': 'Oslo'}").usage(20, 5).into(),
        Answer::text("{\"city\": \"Oslo\"}").usage(20, 5).into(),
        Answer::text("{\"city\": 7, }").usage(20, 5).into(),
        Answer::text("Sorry.").usage(20, 5).into(),
    ];
    let upstream = ModelServer::scripted(turns);
    let served = Served::new(&upstream, &journal);
    for model in ["gpt-x", "gpt-x", "gpt-x", "<b>\u{1b}[31m"] {
        served.chat(model);
    }
    served.kill();
    journal
}

fn report(journal: &Path, flags: &str) -> Run {
    run(&format!("report {} {flags}", journal.display()), "")
}

#[test]
fn what_a_killed_gateway_kept_is_reported() {
    let scratch = Scratch::new();
    let journal = written(&scratch);

    let json = report(&journal, "--format json").expect(0).json();
    assert_eq!(json["exchanges"], 4);
    let model = &json["models"][0];
    assert_eq!((&model["model"], &model["exchanges"]), (&json!("gpt-x"), &json!(3)));
    assert_eq!((&model["tokens_in"], &model["attempts"]), (&json!(60), &json!(3)));
    let names: Vec<&Value> =
        model["findings"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert!(names.contains(&&json!("single-quotes")), "{names:?}");

    let table = report(&journal, "").expect(0).stdout;
    assert!(table.starts_with("4 exchanges, from 20"), "{table}");
    assert!(table.contains("\ngpt-x ") && table.contains("single-quotes"), "{table}");
    // What a terminal would act upon is shown.
    assert!(!table.contains('\u{1b}'), "{table}");

    let page = report(&journal, "--format html").expect(0).stdout;
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"), "{page}");
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"), "{page}");
}

#[test]
fn what_the_tokens_cost_is_reported_at_known_prices() {
    let scratch = Scratch::new();
    let journal = written(&scratch);
    // 60 tokens in and 15 out, and 20 in and 5 out.
    let one = "[models.\"openai:gpt-x\"]\nprice = \"1/2 EUR\"\n";
    let both = format!("{one}[models.\"<b>\\u001B[31m\"]\nprice = \"10/20 €\"\n");
    let mixed = both.replace('€', "$");
    for (settings, expected, all) in [
        ("", json!(null), json!(null)),
        (one, json!("0.00009 EUR"), json!(null)),
        (both.as_str(), json!("0.00009 EUR"), json!("0.00039 EUR")),
        (mixed.as_str(), json!("0.00009 EUR"), json!(null)),
        // The name in requests counts more.
        (&format!("{one}[models.gpt-x]\nprice = \"$2/4\"\n"), json!("$0.00018"), json!(null)),
    ] {
        let file = scratch.file("prices.toml", settings);
        let flags = format!("--config {}", file.display());
        let json = report(&journal, &format!("{flags} --format json")).expect(0).json();
        assert_eq!(
            (&json["models"][0]["cost"], &json["all"]["cost"]),
            (&expected, &all),
            "{settings}"
        );
        let shown = expected.as_str().unwrap_or(" - ");
        let table = report(&journal, &flags).expect(0).stdout;
        assert!(table.contains(" COST ") && table.contains(shown), "{table}");
        let page = report(&journal, &format!("{flags} --format html")).expect(0).stdout;
        let cell = format!("<td>{}</td>", expected.as_str().unwrap_or("–"));
        assert!(page.contains(&cell) && page.contains("<th>cost</th>"), "{page}");
    }
    let said = report(&journal, "--config /no/such/file").expect(2).stderr;
    assert!(said.contains("/no/such/file"), "{said}");
}

#[test]
fn a_part_of_a_journal_is_reported() {
    let scratch = Scratch::new();
    let journal = written(&scratch);
    let count = |flags: &str| {
        let flags = format!("{flags} --format json");
        report(&journal, &flags).expect(0).json()["exchanges"].as_u64().unwrap()
    };
    assert_eq!(count("--model gpt-*"), 3);
    assert_eq!(count("--model other"), 0);
    assert_eq!(count("--since 1h"), 4);
    assert_eq!(count("--since 2026-01-01 --until 2026-01-02"), 0);
    let nothing = report(&journal, "--model other").expect(0).stdout;
    assert_eq!(nothing, "No matching exchanges.\n");
    let said = report(&journal, "--since yesterday").expect(2).stderr;
    assert!(said.contains("2026-11-22T14:05Z"), "{said}");
}

#[test]
fn what_is_no_journal_is_refused() {
    let scratch = Scratch::new();
    let text = scratch.file("text.db", "no database, but a text of some length\n".repeat(99));
    let said = report(&text, "").expect(1);
    assert!(said.stderr.contains("not a journal of llmend") && said.stdout.is_empty(), "{said:?}");
    let said = report(Path::new("/no/such/file"), "").expect(3).stderr;
    assert!(said.contains("/no/such/file"), "{said}");
}

#[test]
fn flags_say_what_is_kept() {
    let upstream = "serve --check --upstream http://127.0.0.1:1";
    run(&format!("{upstream} --record 10"), "").expect(0);
    let said = run(&format!("{upstream} --record 0"), "").expect(1).stderr;
    assert!(said.contains("gateway.recording.keep"), "{said}");
}
