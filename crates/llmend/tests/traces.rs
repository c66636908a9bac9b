//! What do traces and counters say of a question? In a process of its own, with one test.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use futures::executor::block_on;
use llmend::{
    asking::{Ask, AskOptions, Callbacks, Content, Retries},
    metrics::snapshot,
    model::{
        BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse, Finish, Usage,
    },
};
use tracing_subscriber::fmt::format::FmtSpan;

const SCHEMA: &str =
    r#"{"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}"#;

/// Answers wrongly first, and rightly when it is told of that.
struct Model;

impl ChatModel for Model {
    fn name(&self) -> &'static str {
        "gemini:demo-1"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn call<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        let is_retry = request.messages.iter().any(|message| message.content.contains("/days"));
        let text = if is_retry { r#"{"days": 3}"# } else { r#"{"days": "planted answer"}"# };
        let mut response = ChatResponse::of_text(text);
        response.usage = Some(Usage { input: 40, output: 2, estimated: false });
        response.model = Some("demo-1-0314".to_owned());
        response.finish = Finish::Stop;
        Box::pin(async move { Ok(response) })
    }
}

/// A log that can be read.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn logged(content: Content) -> String {
    logging(|| {
        let options = AskOptions { content, ..AskOptions::default() };
        let ask = Ask::of_text(SCHEMA).unwrap().options(options);
        let answered = block_on(ask.run(&Model, "planted question", &mut Callbacks::new()));
        assert_eq!(answered.unwrap().ledger.attempts.len(), 2);
    })
}

/// Answers in words.
struct Words(String);

impl ChatModel for Words {
    fn name(&self) -> &'static str {
        "words"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn call<'a>(
        &'a self,
        _request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        Box::pin(async move { Ok(ChatResponse::of_text(self.0.as_str())) })
    }
}

/// What is logged meanwhile.
fn logging(work: impl FnOnce()) -> String {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, work);
    let bytes = log.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_question_is_traced_and_counted_without_what_it_says() {
    // S1-40, S2-26: each retry with its number, among all that a trace has.
    let log = logged(Content::Hidden);
    for expected in [
        "gen_ai.operation.name=\"chat\"",
        "gen_ai.provider.name=\"gcp.gemini\"",
        "gen_ai.request.model=\"demo-1\"",
        "gen_ai.response.model=\"demo-1-0314\"",
        "gen_ai.response.finish_reasons=\"stop\"",
        "gen_ai.usage.input_tokens=80",
        "gen_ai.usage.output_tokens=2",
        "llmend.failure=\"schema\"",
        "llmend.strategy=\"full\"",
        "llmend.attempt=2",
        "llmend.attempts=2",
        "llmend.outcome=\"ok\"",
        "answer rejected",
    ] {
        assert!(log.contains(expected), "{expected}: {log}");
    }
    assert!(!log.contains("planted"), "{log}");
    let log = logged(Content::Logged);
    assert!(log.contains("planted question") && log.contains("planted answer"), "{log}");

    let numbers = snapshot();
    for (name, expected) in [
        ("llmend_attempts_total{kind=\"schema\",strategy=\"first\"}", 2),
        ("llmend_attempts_total{kind=\"ok\",strategy=\"full\"}", 2),
        ("llmend_tokens_total{attempt=\"first\"}", 84),
        ("llmend_tokens_total{attempt=\"retry\"}", 84),
        ("llmend_overhead_seconds_count", 2),
    ] {
        assert_eq!(numbers.get(name), Some(&expected), "{name}: {numbers:?}");
    }

    // S4-14: a warning with the error and the first 200 characters of the answer, where the log is to hold
    // content; and without them, where it is not.
    let words = "é".repeat(199) + "xyz";
    let warned = |content| {
        logging(|| {
            let options = AskOptions { content, retries: Retries::of(0), ..AskOptions::default() };
            let ask = Ask::of_text(SCHEMA).unwrap().options(options);
            let gave_up =
                block_on(ask.run(&Words(words.clone()), "a question", &mut Callbacks::new()));
            assert_eq!(gave_up.unwrap_err().code(), "ask/retries");
        })
    };
    let log = warned(Content::Logged);
    let warning = log.lines().find(|line| line.contains("WARN")).expect("a warning");
    assert!(warning.contains("error=\"no JSON value found"), "{warning}");
    assert!(warning.contains(&format!("preview=\"{}x\"", "é".repeat(199))), "{warning}");
    let log = warned(Content::Hidden);
    assert!(log.contains("WARN") && log.contains("extract/no-json") && !log.contains('é'), "{log}");
}
