//! What the log says of a call: a line for each request, answer, wait and decision.

mod rig;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use llmend_model::ChatModel;
use llmend_model_server::{Answer, Form, Reply};
use rig::{Waits, model_with, server, shaped};

#[derive(Clone, Debug, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn each_step_of_a_call_has_its_line() {
    let sink = Sink::default();
    let writer = sink.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG)
        .with_ansi(false)
        .without_time()
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let server = server([
        Form::OpenAi.error(400, "max_tokens is too large: 83268. This model supports at most 16384 completion tokens").into(),
        Form::OpenAi.error(400, "'response_format' of type 'json_schema' is not supported with this model").into(),
        Reply::status(429).header("retry-after", "7").into(),
        Answer::text("{}").usage(11, 3).into(),
    ]);
    let mut request = shaped();
    request.max_output_tokens = Some(83_268);
    let key = Some("planted-key-of-the-test");
    let model = model_with(&server, Form::OpenAi, key, Waits::default().options());
    model.call(&request).await.unwrap();
    let log = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
    let own: Vec<_> = log.lines().filter(|line| line.contains("llmend_models")).collect();
    let expected = [
        "request sent gen_ai.request.model=\"openai:m\" attempt=1 provider=\"openai\" mode=\"json-schema\" max_tokens=83268",
        "no answer gen_ai.request.model=\"openai:m\" attempt=1 status=400 code=\"model/request\"",
        "learned from a refusal: at most 16384 output tokens",
        "attempt=2 provider=\"openai\" mode=\"json-schema\" max_tokens=16384",
        "attempt=2 status=400 code=\"model/request\"",
        "learned from a refusal: no json-schema",
        "attempt=3 provider=\"openai\" mode=\"json-object\" max_tokens=16384",
        "attempt=3 status=429 code=\"model/rate-limited\"",
        "retrying in 7.0 s",
        "attempt=4 provider=\"openai\" mode=\"json-object\"",
        "answer received gen_ai.request.model=\"openai:m\" attempt=4 status=200 bytes=",
    ];
    assert_eq!(own.len(), expected.len(), "{log}");
    for (line, expected) in own.iter().zip(expected) {
        assert!(line.contains(expected), "{line}: {expected}");
    }
    assert!(own[10].contains("input_tokens=11 output_tokens=3 milliseconds="), "{}", own[10]);
    assert!(!log.contains("planted-key"), "{log}");
}
