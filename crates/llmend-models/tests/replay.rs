//! Records: what is written is what is played, and nothing passes unnoticed.

mod rig;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use llmend_model::{
    ChatError, ChatErrorKind, ChatModel, ChatRequest, ChatResponse, Message, OutputMode,
};
use llmend_model_server::{Answer, Form, Step};
use llmend_models::{Recorder, Replay, ReplayError};
use rig::{FORMS, Waits, model_with, request, server, shaped, steps, told};

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

/// The requests of a small conversation, the last of which fails.
fn conversation() -> [ChatRequest; 4] {
    let mut again = shaped();
    again.messages.push(Message::assistant("{'city'"));
    again.messages.push(Message::user("Again, please: \"{}\"\nand «»."));
    [request(), shaped(), again, request()]
}

type Results = Vec<Result<ChatResponse, ChatError>>;

async fn ask(model: &impl ChatModel) -> (Results, String) {
    let mut results = Vec::new();
    let mut events = Vec::new();
    for (request, number) in conversation().iter().zip(0..) {
        let result = match number % 2 {
            0 => model.call(request).await,
            _ => model.stream(request, &mut |event| events.push(event)).await,
        };
        results.push(result);
    }
    (results, told(&events))
}

#[tokio::test]
async fn what_was_recorded_is_played_to_the_letter() {
    for (form, ..) in FORMS {
        let server = server([
            Answer::text("A city: Oslo").into(),
            Answer::call("city", "{\"a\":1}").into(),
            Answer::text("{\"city\": \"Oslo").cut_off().into(),
            Answer::text(&"{\"city\": \"Oslo\"}".repeat(5))
                .stream(form)
                .first_steps(steps(form))
                .then(Step::Cut)
                .into(),
        ]);
        let sink = Sink::default();
        let model = model_with(&server, form, None, Waits::default().options());
        let recorder = Recorder::new(model, sink.clone());
        let (results, told) = ask(&recorder).await;
        assert!(results[..3].iter().all(Result::is_ok), "{form:?}: {results:?}");
        assert!(results[3].as_ref().unwrap_err().context.partial.is_some(), "{form:?}");

        let record = sink.text();
        assert_eq!(record.lines().count(), 4, "{record}");
        let replay = Replay::read("record", &record).unwrap();
        assert_eq!(replay.capabilities(), recorder.capabilities(), "{form:?}");
        let (played, told_again) = ask(&replay).await;
        assert_eq!(played, results, "{form:?}");
        assert_eq!(told_again, told, "{form:?}");
        assert_eq!(replay.unused(), 0);
        replay.finish().unwrap();
    }
}

#[tokio::test]
async fn a_request_that_was_not_recorded_is_an_error_and_uses_nothing_up() {
    let record = r#"{"request": {"messages": [{"role": "user", "content": "one"}]}, "response": {"text": "1"}}

{"response": {"text": "2"}}
"#;
    let replay = Replay::read("record", record).unwrap();
    let ask = |text: &str| ChatRequest::new([Message::user(text)]);
    let error = replay.call(&ask("two")).await.unwrap_err();
    assert_eq!(error.kind, ChatErrorKind::Replay);
    assert!(error.message.contains("line 1 of the record: message 1"), "{error}");
    assert!(error.message.contains("expected \"one\", found \"two\""), "{error}");
    assert_eq!(replay.unused(), 2);
    assert_eq!(replay.call(&ask("one")).await.unwrap().text, "1");
    // Without a request, an exchange answers whatever is asked.
    assert_eq!(replay.call(&ask("anything")).await.unwrap().text, "2");
    let error = replay.call(&ask("one")).await.unwrap_err();
    assert!(error.message.contains("has only 2 exchanges"), "{error}");
    replay.finish().unwrap();
}

#[tokio::test]
async fn an_exchange_that_was_not_used_is_a_failure_for_those_who_ask() {
    let line = "{\"response\": {\"text\": \"1\"}}\n";
    let replay = Replay::read("record", &line.repeat(3)).unwrap();
    replay.call(&request()).await.unwrap();
    let error = replay.finish().unwrap_err();
    assert!(matches!(error, ReplayError::Unused { count: 2, line: 2, .. }), "{error:?}");
    let expected = "record: 2 unused exchanges, the first in line 2";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_record_that_says_something_else_is_refused() {
    let rows = [
        ("{\"reponse\": {}}", "line 1: unknown field `reponse`"),
        (
            "{\"response\": {}, \"error\": {\"kind\": \"timeout\", \"message\": \"\", \"context\": {}}}",
            "either",
        ),
        ("{}", "line 1: expected either `response` or `error`"),
        ("\n\nnot JSON", "line 3"),
    ];
    for (text, expected) in rows {
        let error = Replay::read("record", text).unwrap_err().to_string();
        assert!(error.starts_with("record: ") && error.contains(expected), "{text}: {error}");
    }
    let error = Replay::open("no/such/file.jsonl").unwrap_err();
    assert!(error.to_string().starts_with("replay:no/such/file.jsonl: "), "{error}");
}

#[tokio::test]
async fn what_a_record_omits_has_a_default() {
    let replay = Replay::read("record", "{\"response\": {\"text\": \"1\"}}").unwrap();
    assert_eq!(replay.capabilities().output, OutputMode::Prompt);
    assert_eq!(Replay::read("empty", "").unwrap().unused(), 0);
}

/// A disk that is full from the second line on.
#[derive(Debug)]
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::other("full"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0 = 0;
        Ok(())
    }
}

#[tokio::test]
async fn an_answer_is_not_lost_because_it_cannot_be_written() {
    let server = server([Answer::text("1").into(), Answer::text("2").into()]);
    let recorder = Recorder::new(rig::model(&server, Form::OpenAi), Full(1));
    assert_eq!(recorder.call(&request()).await.unwrap().text, "1");
    assert_eq!(recorder.call(&request()).await.unwrap().text, "2");
    assert_eq!(recorder.finish().unwrap_err().to_string(), "full");
}
