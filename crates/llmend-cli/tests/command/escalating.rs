//! A second model for the last attempt, and what the models may cost.

use std::fs;

use llmend_model_server::{Answer, ModelServer, Reply};

use crate::{
    asking::texts,
    process::{Run, Scratch, command, finish},
};

const SCHEMA: &str = r#"{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city", "days"]}"#;
const BAD: &str = r#"{"city": "Oslo", "days": "a few"}"#;
const GOOD: &str = r#"{"city": "Oslo", "days": 3}"#;

fn ask(arguments: &str, variables: &[(&str, &str)]) -> Run {
    let scratch = Scratch::new();
    let schema = scratch.file("s.json", SCHEMA);
    let mut command = command(&format!("ask --schema {} Trip! {arguments}", schema.display()));
    for name in ["OPENAI_API_KEY", "GROQ_API_KEY"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    finish(command.spawn().expect("it starts"), b"")
}

fn openai(server: &ModelServer, name: &str) -> String {
    format!("openai+{}/v1:{name}", server.url())
}

fn models(server: &ModelServer) -> Vec<String> {
    let model = |seen: &llmend_model_server::Seen| {
        seen.json()["model"].as_str().expect("a model").to_owned()
    };
    server.requests().iter().map(model).collect()
}

#[test]
fn the_last_attempt_asks_the_other_model() {
    let (small, large) = (texts(&[BAD, r#"{"days": "some"}"#]), texts(&[GOOD]));
    let flags =
        format!("--model {} --escalate {} --report json", openai(&small, "s"), openai(&large, "l"));
    let report = ask(&flags, &[]).expect(0).json();
    assert_eq!((models(&small), models(&large)), (vec!["s".to_owned(); 2], vec!["l".to_owned()]));
    let attempts = report["ledger"]["attempts"].as_array().expect("attempts");
    let strategies: Vec<_> = attempts.iter().map(|row| row["strategy"].as_str()).collect();
    assert_eq!(strategies, [None, Some("fields"), Some("escalate")]);
    // A name alone is a model at the same server, and its key goes there with it.
    let server = texts(&[BAD, GOOD]);
    let flags = format!(
        "--provider openai --base-url {}/v1 --model s --escalate l --max-json-retries 1 --api-key-env OURS",
        server.url()
    );
    ask(&flags, &[("OURS", "planted-secret")]).expect(0);
    assert_eq!(models(&server), ["s", "l"]);
    let keys: Vec<_> = server
        .requests()
        .iter()
        .map(|seen| seen.header("authorization").map(str::to_owned))
        .collect();
    assert_eq!(keys, vec![Some("Bearer planted-secret".to_owned()); 2]);
}

#[test]
fn an_outage_is_no_matter_of_retries_and_a_mistake_is_no_outage() {
    // The status and code of the first model, and whether the other one is asked.
    let rows = [
        (429, r#"{"error": {"message": "No more.", "code": "insufficient_quota"}}"#, true),
        (402, r#"{"error": {"message": "Insufficient credits"}}"#, true),
        (401, r#"{"error": {"message": "Incorrect API key"}}"#, false),
        (404, r#"{"error": {"message": "The model `s` does not exist"}}"#, false),
    ];
    for (status, body, is_asked) in rows {
        let small = ModelServer::answering(move |_| Reply::json(status, body).into());
        let large = texts(&[GOOD]);
        let flags = format!(
            "--model {} --escalate {} --max-json-retries 0",
            openai(&small, "s"),
            openai(&large, "l")
        );
        ask(&flags, &[]).expect(if is_asked { 0 } else { 3 });
        assert_eq!(models(&large).len(), usize::from(is_asked), "{status} {body}");
    }
    // Without any retry, a bad answer ends it.
    let (small, large) = (texts(&[BAD]), texts(&[GOOD]));
    let flags = format!(
        "--model {} --escalate {} --max-json-retries 0",
        openai(&small, "s"),
        openai(&large, "l")
    );
    ask(&flags, &[]).expect(1);
    assert!(models(&large).is_empty());
}

#[test]
fn a_server_that_is_not_there_is_left_at_once() {
    let large = ModelServer::answering(|_| Answer::text(GOOD).usage(11, 7).into());
    // Nothing listens at port 9.
    let flags =
        format!("--model openai+http://127.0.0.1:9/v1:s --escalate {}", openai(&large, "l"));
    let run = ask(&flags, &[]).expect(0);
    assert!(!run.stderr.contains("retrying"), "{}", run.stderr);
    // What did not reach a server is no call, and the others are counted.
    assert!(run.stderr.contains("llmend: 1 call; 11 tokens in, 7 out"), "{}", run.stderr);
    let alone = ask("--model openai+http://127.0.0.1:9/v1:s --deadline 2", &[]).expect(3);
    assert!(!alone.stderr.contains(" call"), "{}", alone.stderr);
}

#[test]
fn the_settings_of_one_model_do_not_reach_the_other() {
    let (small, large) = (texts(&[BAD]), texts(&[GOOD]));
    let scratch = Scratch::new();
    let settings = scratch.path().join("llmend");
    fs::create_dir_all(&settings).expect("a folder");
    let file = "temperature = 0.5\n[models.s]\ntemperature = 0.9\nsystem = \"To the small one.\"\n\
                answer_tokens = 77\n[models.l]\nsystem = \"To the large one.\"\nanswer_tokens = 333\n";
    scratch.file("llmend/llmend.toml", file);
    let flags = format!(
        "--model {} --escalate {} --max-json-retries 1",
        openai(&small, "s"),
        openai(&large, "l")
    );
    let home = scratch.path().display().to_string();
    ask(&flags, &[("XDG_CONFIG_HOME", home.as_str())]).expect(0);
    for (server, temperature, tokens, own, other) in
        [(&small, 0.9, 77, "small", "large"), (&large, 0.5, 333, "large", "small")]
    {
        let body = server.requests()[0].json();
        assert_eq!(
            (&body["temperature"], &body["max_tokens"]),
            (&temperature.into(), &tokens.into())
        );
        let text = body.to_string();
        assert!(text.contains(&format!("To the {own} one.")), "{text}");
        assert!(!text.contains(&format!("To the {other} one.")), "{text}");
    }
}

#[test]
fn a_key_goes_to_the_server_alone_for_which_it_was_named() {
    let (small, large) = (texts(&[BAD]), texts(&[GOOD]));
    let flags = format!(
        "--model {} --escalate {} --max-json-retries 1 --api-key-env OURS",
        openai(&small, "s"),
        openai(&large, "l")
    );
    ask(&flags, &[("OURS", "planted-secret")]).expect(0);
    assert_eq!(large.requests()[0].header("authorization"), None);
    let (small, large) = (texts(&[BAD]), texts(&[GOOD]));
    let flags = format!(
        "--model {} --escalate {} --max-json-retries 1 --escalate-api-key-env THEIRS",
        openai(&small, "s"),
        openai(&large, "l")
    );
    ask(&flags, &[("THEIRS", "planted-secret")]).expect(0);
    assert_eq!(small.requests()[0].header("authorization"), None);
    assert_eq!(large.requests()[0].header("authorization"), Some("Bearer planted-secret"));
}

#[test]
fn no_request_asks_for_more_than_what_the_money_buys() {
    let server = ModelServer::answering(|_| Answer::text(BAD).usage(1_000, 100).into());
    let model = openai(&server, "m");
    let flags = format!(
        "--model {model} --report json --preset clickweave-planner --max-json-retries 9 --price 1/10 --budget-cost 0.005"
    );
    let report = ask(&flags, &[]).expect(1).json();
    assert_eq!(report["error"]["code"], "ask/cost");
    // Each attempt costs 0.002: of a third, not even the question could be paid.
    let calls = server.requests().len();
    assert_eq!(report["ledger"]["cost"], 2_000 * calls);
    assert!(calls == 2 || calls == 3, "{calls}");
    let most = |at: usize| {
        server.requests()[at].json()["max_completion_tokens"]
            .as_u64()
            .or_else(|| server.requests()[at].json()["max_tokens"].as_u64())
            .expect("a limit")
    };
    assert!(most(0) < 500 && most(1) < most(0) - 100, "{} {}", most(0), most(1));
}

#[test]
fn no_request_asks_for_more_tokens_than_what_is_left() {
    let server = ModelServer::answering(|_| Answer::text(BAD).usage(500, 100).into());
    let flags = format!(
        "--model {} --report json --preset clickweave-planner --max-json-retries 2 --budget-tokens 3000",
        openai(&server, "m")
    );
    let report = ask(&flags, &[]).expect(1).json();
    assert_eq!(report["ledger"]["attempts"].as_array().map(Vec::len), Some(3));
    for (at, seen) in server.requests().iter().enumerate() {
        let body = seen.json();
        let most = body["max_completion_tokens"].as_u64().or_else(|| body["max_tokens"].as_u64());
        let left = 3_000 - 600 * u64::try_from(at).expect("a few");
        assert!(most.is_some_and(|most| most < left && most + 1_500 > left), "{at}: {most:?}");
    }
    let tight = ask(&format!("--model {} --budget-tokens 20", openai(&server, "m")), &[]).expect(1);
    assert!(tight.stderr.contains("token budget exhausted"), "{}", tight.stderr);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn both_models_stand_in_one_record_without_their_keys() {
    let scratch = Scratch::new();
    let record = scratch.path().join("r.jsonl");
    let (small, large) = (texts(&[BAD]), texts(&[GOOD]));
    let flags = format!(
        "--model {} --escalate {} --max-json-retries 1 --api-key-env ONE --escalate-api-key-env TWO --record {}",
        openai(&small, "s"),
        openai(&large, "l"),
        record.display()
    );
    let keys = [("ONE", "planted-secret-one"), ("TWO", "planted-secret-two")];
    let first = ask(&flags, &keys).expect(0);
    let text = fs::read_to_string(&record).expect("a record");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(!text.contains("planted-secret"), "{text}");
    // One model that answers as both did comes to the same.
    let flags = format!(
        "--model replay:{} --max-json-retries 1 --preset clickweave-planner",
        record.display()
    );
    assert_eq!(ask(&flags, &[]).expect(0).stdout, first.stdout);
    let over = ask(&format!("--model replay:{0} --record {0}", record.display()), &[]).expect(2);
    assert!(over.stderr.contains("would overwrite"), "{}", over.stderr);
    assert_eq!(fs::read_to_string(&record).expect("a record"), text);
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_is_not_lost_with_its_record() {
    let server = texts(&[GOOD]);
    let run = ask(&format!("--model {} --record /dev/full", openai(&server, "m")), &[]);
    assert_eq!(run.json(), serde_json::json!({"city": "Oslo", "days": 3}));
    assert!(run.expect(3).stderr.contains("the recording is incomplete"));
}

#[test]
fn a_word_in_place_of_a_key_does_not_spoil_the_record() {
    let scratch = Scratch::new();
    let record = scratch.path().join("r.jsonl");
    let server = texts(&[GOOD]);
    let flags = format!(
        "--model {} --api-key-env OURS --record {}",
        openai(&server, "m"),
        record.display()
    );
    let first = ask(&flags, &[("OURS", "text")]).expect(0);
    let played = ask(&format!("--model replay:{}", record.display()), &[]).expect(0);
    assert_eq!(played.stdout, first.stdout);
}

#[test]
fn what_cannot_be_kept_is_said_at_start() {
    let rows = [
        ("--budget-cost 1", "--price"),
        ("--budget-cost 1 --price 1/2 --escalate ollama:l", "--escalate-price"),
        ("--escalate-price 1/2", "--escalate-price requires --escalate"),
        ("--escalate-api-key-env OURS", "--escalate-api-key-env requires --escalate"),
        ("--escalate opnai:l", "did you mean openai?"),
        ("--escalate groq:l", "groq needs a key: set the variable GROQ_API_KEY"),
        ("--price cheap", "such as 0.15/0.60"),
        ("--budget-cost 0", "an amount above 0"),
    ];
    for (arguments, expected) in rows {
        let run = ask(&format!("--model ollama:m {arguments}"), &[]).expect(2);
        assert!(run.stderr.contains(expected), "{arguments}: {}", run.stderr);
    }
}
