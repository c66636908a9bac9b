//! A planted key is looked for wherever it must not be: logs, errors, records, debug prints.

mod rig;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use llmend_model::{ChatError, ChatModel, ChatRequest, Message};
use llmend_model_server::{Answer, Form, ModelServer, Reply, Step};
use llmend_models::{HttpOptions, Keys, ModelSpec, Recorder, SecretString, open, open_recorded};
use rig::{FORMS, Waits, model_with, request, server};

/// No provider's key looks like this one, so that nothing but its value gives it away.
const PLANTED: &str = "planted/key+that-nobody-may-see";

#[derive(Clone, Debug, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Every word of every library is heard here, and of the `log` crate as well.
fn listen() -> Sink {
    let sink = Sink::default();
    let writer = sink.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .init();
    sink
}

/// A server that repeats the key wherever it can.
fn blabbing(form: Form) -> ModelServer {
    let error = |status: u16| form.error(status, &format!("the key {PLANTED} is wrong"));
    ModelServer::scripted([
        error(401).into(),
        error(400).into(),
        Reply::json(418, format!("no JSON at all, but {PLANTED}")).into(),
        Reply::status(307).header("location", &format!("http://elsewhere/{PLANTED}")).into(),
        Reply::json(200, format!("{{\"error\": {{\"message\": \"{PLANTED}\", \"code\": 401}}}}"))
            .into(),
        Reply::json(200, format!("<html>{PLANTED}")).into(),
        Reply::json(200, format!("{}{PLANTED}", "x".repeat(65530))).into(),
        error(503).into(),
        Reply::events(format!("data: {PLANTED}\n\n")).then(Step::Cut).into(),
        Answer::text("fine").into(),
    ])
}

fn shown(error: &ChatError) -> String {
    format!("{error} {error:?} {}", serde_json::to_string(error).unwrap())
}

#[tokio::test]
async fn a_planted_key_is_nowhere_but_in_the_request() {
    let logs = listen();
    let records = Sink::default();
    let mut seen = String::new();
    for (form, ..) in FORMS {
        let server = blabbing(form);
        let model = model_with(&server, form, Some(PLANTED), Waits::default().options());
        seen += &[format!("{model:?}"), format!("{model:#?}"), model.name().to_owned()].concat();
        let secret: SecretString = PLANTED.into();
        let recorder = Recorder::new(model, records.clone()).hiding(secret);
        // Somebody puts the key into a prompt, too.
        let mut request = request();
        request.messages.push(Message::user(format!("My key is {PLANTED}.")));
        let mut errors = 0;
        while server.turns_left() > 0 {
            match recorder.stream(&request, &mut |_| {}).await {
                Ok(response) => assert_eq!(response.text, "fine"),
                Err(error) => {
                    errors += 1;
                    seen += &shown(&error);
                }
            }
        }
        assert!(errors >= 6, "{form:?}: {errors}");
        recorder.finish().unwrap();
        // It was sent, and as the provider wants it.
        let name = match form {
            Form::OpenAi | Form::Responses | Form::Ollama => "authorization",
            Form::Anthropic => "x-api-key",
            Form::Gemini => "x-goog-api-key",
        };
        for sent in server.requests() {
            assert!(sent.header(name).unwrap().ends_with(PLANTED), "{form:?}");
            assert!(!sent.path.contains(PLANTED) && !sent.query.contains(PLANTED), "{form:?}");
        }
    }
    let records = records.text();
    assert!(records.contains("[REDACTED]") && records.lines().count() >= 28, "{records}");
    assert!(seen.contains("[REDACTED]") && seen.len() > 10_000);
    let logs = logs.text();
    // What is tried again is logged, with its number.
    assert!(logs.contains("retrying") && logs.contains("retry=1"), "{logs}");
    for (place, text) in [("errors", seen), ("records", records), ("logs", logs)] {
        assert!(!text.contains(PLANTED), "the key is in the {place}");
        assert!(!text.contains("nobody-may-see"), "a part of the key is in the {place}");
    }
}

#[tokio::test]
async fn a_key_from_the_environment_goes_to_its_own_server_alone() {
    let server = ModelServer::answering(|_| Answer::text("{}").into());
    let spec: ModelSpec = format!("openai+{}/v1:m", server.url()).parse().unwrap();
    let environment = |name: &str| match name {
        "OPENAI_API_KEY" | "PROXY_KEY" => Some(PLANTED.into()),
        _ => None,
    };
    let options = HttpOptions::default();
    let request = ChatRequest::new([Message::user("a")]);

    let model = open(&spec, &Keys::new(environment), &options).unwrap();
    model.call(&request).await.unwrap();
    assert_eq!(server.requests()[0].header("authorization"), None);

    let keys = Keys::new(environment).named("PROXY_KEY");
    assert!(!format!("{keys:?}").contains(PLANTED));
    let model = open(&spec, &keys, &options).unwrap();
    assert_eq!(model.name(), spec.to_string());
    model.call(&request).await.unwrap();
    let sent = format!("Bearer {PLANTED}");
    assert_eq!(server.requests()[1].header("authorization"), Some(sent.as_str()));

    // A record that is opened with a model knows the model's key.
    let file = std::env::temp_dir().join(format!("llmend-secrets-{}.jsonl", std::process::id()));
    let recorder = open_recorded(&spec, &keys, &options, &file).unwrap();
    let asks = ChatRequest::new([Message::user(format!("Is {PLANTED} fine?"))]);
    recorder.call(&asks).await.unwrap();
    recorder.finish().unwrap();
    let record = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(record.contains("Is [REDACTED] fine?") && !record.contains(PLANTED), "{record}");
}

#[tokio::test]
async fn what_looks_like_a_key_is_not_recorded_whoever_wrote_it() {
    let key = "sk-proj-0123456789abcdefghij";
    let sink = Sink::default();
    let server = server([Answer::text(&format!("the key\n{key}\nis yours")).into()]);
    let model = rig::model(&server, Form::OpenAi);
    let recorder = Recorder::new(model, sink.clone());
    let response = recorder.call(&request()).await.unwrap();
    // Whoever asked gets what was answered.
    assert!(response.text.contains(key));
    assert!(!sink.text().contains("0123456789abcdefghij"), "{}", sink.text());
}

#[tokio::test]
async fn a_secret_in_a_header_is_in_no_error_and_no_record() {
    for (form, provider, base) in FORMS {
        let server = blabbing(form);
        let mut options = Waits::default().options();
        options.headers = vec![("x-proxy".to_owned(), format!("Bearer {PLANTED}").into())];
        let spec: ModelSpec = format!("{provider}+{}{base}:m", server.url()).parse().unwrap();
        let file = record_file(provider);
        let recorder = open_recorded(&spec, &Keys::new(|_| None), &options, &file).unwrap();
        let mut seen = String::new();
        while server.turns_left() > 0 {
            if let Err(error) = recorder.stream(&request(), &mut |_| {}).await {
                seen += &shown(&error);
            }
        }
        recorder.finish().unwrap();
        seen += &std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(
            seen.contains("[REDACTED]") && !seen.contains("nobody-may-see"),
            "{form:?}: {seen}"
        );
    }
}

/// A file for the record of a provider.
fn record_file(provider: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("llmend-headers-{}-{provider}.jsonl", std::process::id()))
}

#[tokio::test]
async fn what_looks_like_a_key_is_in_no_error() {
    const OTHER: &str = "sk-abcd1234efgh5678ijkl9012mnop3456";
    for (form, ..) in FORMS {
        let error = form.error(401, &format!("Incorrect API key provided: {OTHER}."));
        let server = ModelServer::scripted([error.into()]);
        let model = model_with(&server, form, Some(PLANTED), Waits::default().options());
        let error = model.stream(&request(), &mut |_| {}).await.expect_err("it is refused");
        let shown = shown(&error);
        assert!(shown.contains("Incorrect API key") && !shown.contains(OTHER), "{form:?}: {shown}");
    }
}
