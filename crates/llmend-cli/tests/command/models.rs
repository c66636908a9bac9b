//! Settings of models, requests that are only shown, prompts of one's own, and patches from a model.

use llmend_model_server::{Answer, Form, ModelServer};
use serde_json::json;

use crate::{asking::texts, config::Place};

mod costs;
mod headers;
mod retries;

const SCHEMA: &str = r#"{"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"], "additionalProperties": false}"#;
const FLOW: &str = r#"{"nodes": [{"id": "a", "type": "tool", "tool": "t"}, {"id": "b", "type": "tool", "tool": "t"}], "edges": [{"from": "a", "to": "b"}]}"#;
const GOOD: &str = r#"{"days": 3}"#;
const BAD: &str = r#"{"days": "some"}"#;

fn place(own: &str, project: &str) -> Place {
    let place = Place::new(own, project);
    place.write("project/deep/inside/s.json", SCHEMA);
    place.write("project/deep/inside/flow.json", FLOW);
    place
}

#[test]
fn a_model_has_its_own_temperature_instructions_headers_context_and_ladder() {
    let server = texts(&["no JSON", BAD, GOOD]);
    let own = format!(
        "model = \"ollama:m\"\nbase_url = \"{}\"\ntemperature = 0.1\n[models.\"ollama:m\"]\n\
         temperature = 0.9\nsystem = \"Answer as a sailor would.\"\nnum_ctx = 8192\n\
         ladder = \"emphatic, fields\"\nheaders = {{ x-team = \"seven\", X-Trace = \"a:b\" }}\n\
         [models.other]\nsystem = \"Never.\"\n",
        server.url()
    );
    let place = place(&own, "");
    let run = place.run("ask --schema s.json --report json Trip!", &[], "").expect(0);
    let requests = server.requests();
    for seen in &requests {
        let body = seen.json();
        assert_eq!(body["options"], json!({"temperature": 0.9, "num_ctx": 8192}));
        assert_eq!((seen.header("x-team"), seen.header("x-trace")), (Some("seven"), Some("a:b")));
        let rules = body["messages"][0]["content"].as_str().expect("a text");
        assert!(rules.starts_with("Answer as a sailor would.\n\nYou are a JSON API."), "{rules}");
    }
    let attempts = run.json()["ledger"]["attempts"].clone();
    assert_eq!(
        (&attempts[1]["strategy"], &attempts[2]["strategy"]),
        (&json!("emphatic"), &json!("fields"))
    );
    // What may be a secret is not shown.
    let shown = place.run("config", &[], "").expect(0).stdout;
    assert!(shown.contains("[hidden]") && !shown.contains("seven"), "{shown}");
}

#[test]
fn a_dry_run_prints_what_would_be_sent_and_sends_nothing() {
    let server = texts(&[GOOD]);
    let place = place("", "");
    let variables = [("OURS", "planted-secret")];
    let model = format!("--model openai+{}/v1:m --api-key-env OURS", server.url());
    let flags = format!("ask --schema s.json {model} Trip!");
    let shown = place.run(&format!("{flags} --dry-run"), &variables, "").expect(0).stdout;
    assert!(server.requests().is_empty());
    assert!(shown.starts_with(&format!("POST {}/v1/chat/completions\n", server.url())), "{shown}");
    assert!(shown.contains("authorization: [hidden]\n") && !shown.contains("planted"), "{shown}");
    place.run(&flags, &variables, "").expect(0);
    let body = shown.lines().last().expect("a body");
    assert_eq!(server.requests()[0].body, body, "exactly what is sent");

    // By the name of the prompt, for each command, without a key.
    place.write("project/deep/inside/tools.json", r#"{"tools": [{"name": "search"}]}"#);
    for (arguments, expected) in [
        (
            "plan --dry-run --model openai:gpt-4o --catalog tools.json --ask Go",
            r#"{\"name\":\"search\"}"#,
        ),
        (
            "ask --dry-run --model anthropic:claude-sonnet-4-5 --schema s.json Go",
            "\"output_config\"",
        ),
        ("patch --dry-run --model gemini:g flow.json --ask Go", "generationConfig"),
    ] {
        let shown = place.run(&format!("prompts {arguments}"), &[], "").expect(0).stdout;
        assert!(shown.contains(expected), "{arguments}: {shown}");
    }
    let run = place.run("prompts mistakes --dry-run", &[], "").expect(2);
    assert!(run.stderr.contains("expects one of plan, ask, patch"), "{}", run.stderr);
    let run = place.run("prompts plan --dry-run --modle x", &[], "").expect(2);
    assert!(run.stderr.contains("--modle"), "{}", run.stderr);
}

#[test]
fn prompts_are_replaced_by_files_with_the_same_placeholders() {
    let server = texts(&[GOOD, GOOD]);
    let place = place("", "prompts = \"mine\"\n");
    place.write("project/mine/json-schema.md", "Make it fit <<schema>>, as <<example>> does.\n");
    place.write("project/mine/README.md", "What is here.\n");
    let ask = format!("ask --schema s.json --model openai+{}/v1:m Trip!", server.url());
    place.run(&ask, &[], "").expect(0);
    let body = server.requests()[0].json();
    let rules = body["messages"][0]["content"].as_str().expect("a text").to_owned();
    let fits = rules.split("Make it fit ").nth(1).expect("the text of the file");
    assert!(fits.starts_with("{\"type\":") && fits.ends_with(", as {\"days\":1} does."), "{rules}");
    let shown = place.run("prompts json-schema --text", &[], "").expect(0).stdout;
    assert_eq!(shown, "Make it fit <<schema>>, as <<example>> does.\n");

    for (name, text, expected) in [
        ("json-schema", "Fit <<schema>>.", "json-schema` lacks the placeholder <<example>>"),
        ("json-schema", "<<schema>> <<example>> <<tools>>", "has no placeholder <<tools>>"),
        ("json-shema", "", "did you mean `json-schema`?"),
    ] {
        let folder = Place::new("", "");
        folder.write("project/deep/inside/s.json", SCHEMA);
        folder.write(&format!("project/mine/{name}.md"), &format!("{text}\n"));
        let run = folder.run(&format!("{ask} --prompts ../../mine"), &[], "").expect(2);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    let run = place.run(&format!("{ask} --prompts none"), &[], "").expect(2);
    assert!(run.stderr.contains("none: "), "{}", run.stderr);
    assert_eq!(server.requests().len(), 1, "nothing is asked with a prompt that cannot be used");
}

#[test]
fn what_a_server_refuses_is_kept_across_runs() {
    let strict = ModelServer::answering(|seen| {
        if seen.json()["response_format"].is_null() {
            return Answer::text(GOOD).into();
        }
        // No word about what is wrong.
        Form::OpenAi.error(400, "Bad Request").into()
    });
    let place = place("refusals = \"refusals.json\"\n", "");
    let ask = format!("ask --schema s.json --model openai+{}/v1:m Trip!", strict.url());
    let mut before = 0;
    for calls in [2, 1, 1] {
        place.run(&ask, &[], "").expect(0);
        let now = strict.requests().len();
        assert_eq!(now - before, calls);
        before = now;
    }
}

#[test]
fn a_patch_is_asked_for_and_once_more_if_it_is_wrong() {
    // S3-10, S3-07.
    let good = r#"{"remove_nodes": ["b"]}"#;
    let bad = r#"{"remove_nodes": ["x"]}"#;
    let place = place("", "");
    let patch = |server: &ModelServer, more: &str| {
        let model = format!("--model openai+{}/v1:m", server.url());
        place.run(&format!("patch flow.json {model} {more} --ask Remove_b"), &[], "")
    };
    let server = texts(&[bad, good]);
    let run = patch(&server, "").expect(0);
    assert_eq!(server.requests().len(), 2);
    assert_eq!(run.json()["nodes"].as_array().map(Vec::len), Some(1));
    // The last patch is handed back, and no more than one retry is made.
    let server = ModelServer::answering(move |_| Answer::text(bad).into());
    let run = patch(&server, "--report json").expect(1);
    assert_eq!(server.requests().len(), 2);
    assert!(
        run.stderr.contains("the last patch, which is not applied:\n{\"remove_nodes\": [\"x\"]}"),
        "{}",
        run.stderr
    );
    assert_eq!(run.json()["ledger"]["attempts"][1]["answer"]["text"], bad);
    let run = patch(&server, "").expect(1);
    assert_eq!(run.stdout, "");
    // Another preset has its own number.
    let server = ModelServer::answering(move |_| Answer::text(bad).into());
    patch(&server, "--preset anton").expect(1);
    assert_eq!(server.requests().len(), 1);
    let run = place.run("patch flow.json p.json --model x:y", &[], "").expect(2);
    assert!(run.stderr.contains("model options require '--ask'"), "{}", run.stderr);
}

#[test]
fn another_model_is_asked_where_the_first_is_down() {
    let down =
        ModelServer::answering(|_| Form::OpenAi.error(500, "The server is overloaded.").into());
    let server = texts(&[GOOD]);
    let models = format!(
        "--model openai+{}/v1:a --escalate openai+{}/v1:b --deadline 60",
        down.url(),
        server.url()
    );
    let run = place("", "").run(&format!("ask --schema s.json {models} Trip!"), &[], "").expect(0);
    assert_eq!(run.stdout, format!("{GOOD}\n"));
    assert_eq!(server.requests().len(), 1);
    let told = format!(
        "llmend: no answer arrived\n  model/server: The server is overloaded.\nllmend: asking openai+{}/v1:b instead\n",
        server.url()
    );
    assert!(run.stderr.contains(&told), "{}", run.stderr);
    assert_eq!(run.stderr.matches("attempt 1 of 3").count(), 1, "{}", run.stderr);
    // After an answer that cannot be used, it is another attempt.
    let (first, last) = (texts(&[BAD]), texts(&[GOOD]));
    let models = format!(
        "--model openai+{}/v1:a --escalate openai+{}/v1:b --max-json-retries 1",
        first.url(),
        last.url()
    );
    let run = place("", "").run(&format!("ask --schema s.json {models} Trip!"), &[], "").expect(0);
    let expected =
        format!("escalating to openai+{}/v1:b, attempt 2 of 2, last attempt\n", last.url());
    assert!(run.stderr.contains(&expected), "{}", run.stderr);
    // Without any answer nothing is known of tokens, and no sentence ends twice.
    let models = format!("--model openai+{}/v1:a --deadline 60", down.url());
    let run = place("", "").run(&format!("ask --schema s.json {models} Trip!"), &[], "").expect(3);
    assert!(!run.stderr.contains("0 tokens") && !run.stderr.contains(".."), "{}", run.stderr);
}

#[test]
fn several_samples_are_asked_and_their_disagreement_is_reported() {
    let answers = [r#"{"days": 3}"#, r#"{"days": 2}"#, r#"{"days": 3}"#];
    let server = texts(&answers);
    let model = format!("--model openai+{}/v1:m", server.url());
    let ask = format!("ask --samples 3 --schema s.json {model} --report json Trip!");
    let report = place("", "").run(&ask, &[], "").expect(0).json();
    assert_eq!(report["json"], r#"{"days": 3}"#);
    let rows = report["diagnostics"].as_array().expect("findings");
    let row = rows.iter().find(|row| row["code"] == "ask/disagreement").expect("a disagreement");
    assert_eq!((&row["path"], &row["severity"]), (&json!("/days"), &json!("warning")));
    assert_eq!(row["message"], "answers differ: 3 (2 of 3), 2 (1 of 3)");
    let numbers: Vec<_> =
        report["ledger"]["attempts"].as_array().expect("attempts").iter().collect();
    let numbers: Vec<_> = numbers.iter().filter_map(|row| row["number"].as_u64()).collect();
    assert_eq!(numbers, [1, 2, 3]);

    let server = texts(&answers);
    let place = place("", "");
    place.write("project/deep/inside/in.jsonl", "{\"q\": \"Trip!\"}\n");
    let model = format!("--model openai+{}/v1:m", server.url());
    place
        .run(
            &format!("batch in.jsonl --ask q --samples 3 --schema s.json -o o.jsonl {model}"),
            &[],
            "",
        )
        .expect(0);
    assert_eq!(server.requests().len(), 3);
    for samples in ["0", "101", "x"] {
        place.run(&format!("ask --samples {samples} --schema s.json Trip!"), &[], "").expect(2);
    }
}

#[test]
fn samples_without_a_majority_are_refused_with_the_votes_of_each_field() {
    const FIELDS: &str = r#"{"type": "object", "properties": {"days": {"type": "integer"}, "city": {"type": "string"}}}"#;
    let place = place("", "");
    place.write("project/deep/inside/fields.json", FIELDS);
    place.write("project/deep/inside/in.jsonl", "{\"q\": \"Trip!\"}\n");
    let oslo = |days: u32| format!(r#"{{"city": "Oslo", "days": {days}}}"#);
    let ask = |answers: &[String], command: &str| {
        let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
        let server = texts(&answers);
        let model = format!("--model openai+{}/v1:m", server.url());
        place.run(
            &format!("{command} --schema fields.json --samples {} {model}", answers.len()),
            &[],
            "",
        )
    };
    // Two values with as many votes each: no value, but the votes.
    let run = ask(&[oslo(3), oslo(2)], "ask Trip!").expect(1);
    assert_eq!(run.stdout, "");
    for expected in [
        "llmend: sample 1 of 2\n",
        "llmend: sample 2 of 2\n",
        "error[ask/no-majority]: no usable answer after 2 attempts",
        "no majority: 3 (1 of 2), 2 (1 of 2)",
        "at /days",
    ] {
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
    assert!(!run.stderr.contains("/city"), "{}", run.stderr);
    // With a majority there is a value, and who differs is said all the same.
    let run = ask(&[oslo(3), oslo(2), oslo(3)], "ask Trip!").expect(0);
    assert_eq!(run.json(), json!({"city": "Oslo", "days": 3}));
    assert!(run.stderr.contains("answers differ: 3 (2 of 3), 2 (1 of 3)"), "{}", run.stderr);
    let quiet = ask(&[oslo(3), oslo(2), oslo(3)], "ask --quiet Trip!").expect(0);
    assert_eq!(quiet.stderr, "");
    // In a batch it is a refused line.
    ask(&[oslo(3), oslo(2)], "batch in.jsonl --ask q -o out.jsonl").expect(0);
    let row = place.read("project/deep/inside/out.jsonl");
    let row: serde_json::Value = serde_json::from_str(&row).expect("an object");
    assert_eq!(
        (&row["status"], &row["error"]["code"]),
        (&json!("refused"), &json!("ask/no-majority"))
    );
}

#[test]
fn prompt_and_schema_agree_where_the_answer_is_wrapped() {
    let place = place("", "");
    place.write(
        "project/deep/inside/list.json",
        r#"{"type": "array", "items": {"type": "integer"}}"#,
    );
    let server = texts(&[r#"{"answer": [1, 2]}"#]);
    let rows = [
        (format!("openai+{}/v1:m", server.url()), true),
        ("openai:gpt-4o".to_owned(), true),
        ("anthropic:claude-sonnet-4-5".to_owned(), true),
        ("ollama:llama3".to_owned(), false),
    ];
    for (model, is_wrapped) in &rows {
        let ask = format!("ask --schema list.json --model {model} Three!");
        let shown = place.run(&format!("{ask} --dry-run"), &[], "").expect(0).stdout;
        let says_array = shown.contains("one raw JSON array") || shown.contains("Begin with [");
        let says_object = shown.contains("one raw JSON object")
            && shown.contains(r#"Its only member, \"answer\", holds the array"#);
        let sends_object = shown.contains(r#""properties":{"answer":"#);
        assert_eq!(
            (says_array, says_object, sends_object),
            (!is_wrapped, *is_wrapped, *is_wrapped),
            "{model}: {shown}"
        );
    }
    // Exactly that is sent, and what comes back is unwrapped.
    let ask = format!("ask --schema list.json --model {} Three!", rows[0].0);
    let shown = place.run(&format!("{ask} --dry-run"), &[], "").expect(0).stdout;
    let run = place.run(&ask, &[], "").expect(0);
    assert_eq!(run.json(), json!([1, 2]));
    assert_eq!(Some(server.requests()[0].body.as_str()), shown.lines().last());
}

#[test]
fn what_is_only_shown_is_what_every_command_sends() {
    let place = place("", "");
    place.write("project/deep/inside/in.jsonl", "{\"other\": 1}\n{\"q\": \"Where?\"}\n");
    let patch = r#"{"remove_nodes": ["b"]}"#;
    for (command, by_name, answer) in [
        ("assist --workflow flow.json Drop_b", "prompts assist --workflow flow.json Drop_b", patch),
        (
            "batch in.jsonl --ask q --schema s.json",
            "prompts batch in.jsonl --ask q --schema s.json",
            GOOD,
        ),
        ("patch flow.json --ask Drop_b", "prompts patch flow.json --ask Drop_b", patch),
    ] {
        let server = texts(&[answer]);
        let model = format!("--model openai+{}/v1:m", server.url());
        let output = if command.starts_with("batch") { "-o out.jsonl" } else { "" };
        let shown = place.run(&format!("{command} {model} --dry-run"), &[], "").expect(0).stdout;
        assert!(server.requests().is_empty(), "{command}");
        // `--dry-run` is that of `prompts` if it comes first.
        let (name, rest) = by_name.split_at(by_name[8..].find(' ').expect("options") + 8);
        let named =
            place.run(&format!("{name} --dry-run {rest} {model}"), &[], "").expect(0).stdout;
        assert_eq!(named, shown);
        place.run(&format!("{command} {model} {output}"), &[], "").expect(0);
        let sent = server.requests()[0].body.clone();
        assert_eq!(Some(sent.as_str()), shown.lines().last(), "{command}");
    }
    for (arguments, expected) in [
        ("prompts plan --dry-run", "required arguments were not provided: --ask <OBJECTIVE>"),
        ("batch in.jsonl --ask q --schema s.json --model ollama:m", "'--ask' requires '--output'"),
        ("assist --dry-run --model ollama:m", "<MESSAGE>"),
    ] {
        let run = place.run(arguments, &[], "").expect(2);
        assert!(run.stderr.contains(expected), "{arguments}: {}", run.stderr);
    }
}

#[test]
fn the_model_for_the_last_attempt_has_settings_of_its_own() {
    let (first, last) = (texts(&[BAD]), texts(&[GOOD]));
    let own = format!(
        "headers = {{ x-all = \"1\" }}\nbudget_cost = 1\nprice = \"1/2\"\n\
         escalate = \"ollama+{}:big\"\n[models.small]\nheaders = {{ x-small = \"2\" }}\n\
         [models.\"ollama+{}:big\"]\nprice = \"3/4\"\nnum_ctx = 4096\nheaders = {{ x-big = \"3\" }}\n",
        last.url(),
        last.url()
    );
    let ask = format!(
        "ask --schema s.json --max-json-retries 1 --report json --model openai+{}/v1:small Trip!",
        first.url()
    );
    let report = place(&own, "").run(&ask, &[], "").expect(0).json();
    let (first, last) = (&first.requests()[0], &last.requests()[0]);
    assert_eq!((first.header("x-small"), first.header("x-big")), (Some("2"), None));
    assert_eq!(
        (last.header("x-big"), last.header("x-small"), last.header("x-all")),
        (Some("3"), None, None)
    );
    assert_eq!(last.json()["options"]["num_ctx"], 4096);
    // 11 tokens in and 7 out at either price, rounded up.
    assert_eq!(report["ledger"]["attempts"][0]["cost"], 25);
    assert_eq!(report["ledger"]["attempts"][1]["cost"], 61);
}
