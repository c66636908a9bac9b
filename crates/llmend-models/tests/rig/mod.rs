//! A model of each provider's form, on a scripted server.

#![allow(dead_code, reason = "each test target uses a part of it")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use llmend_model::{ChatEvent, ChatRequest, Message, Output, Shape};
use llmend_model_server::{Form, ModelServer, Turn};
use llmend_models::{HttpModel, HttpOptions, Provider, SecretString, Sleep, Url};

/// Each form: the provider that stands for it, and where its paths begin.
pub(crate) const FORMS: [(Form, &str, &str); 5] = [
    (Form::OpenAi, "openai", "/v1"),
    (Form::Responses, "openai-responses", "/v1"),
    (Form::Anthropic, "anthropic", "/v1"),
    (Form::Gemini, "gemini", "/v1beta"),
    (Form::Ollama, "ollama", ""),
];

/// The number of steps of a stream after which a part of a text has been sent.
pub(crate) const fn steps(form: Form) -> usize {
    match form {
        Form::Responses => 6,
        _ => 4,
    }
}

/// The pieces of text in those steps of a stream of the form of OpenAI. The clock may be moved on once all of them were
/// read: each one restarts the idle timeout.
pub(crate) const PIECES: usize = 3;

/// The waits that were asked for, none of which was waited.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits(Arc<Mutex<Vec<Duration>>>);

impl Waits {
    pub(crate) fn seen(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn options(&self) -> HttpOptions {
        let waits = self.clone();
        let mut options = HttpOptions::default();
        options.sleep = Sleep::new(move |wait| {
            waits.0.lock().unwrap().push(wait);
            Box::pin(std::future::ready(()))
        });
        options
    }
}

pub(crate) fn model_with(
    server: &ModelServer,
    form: Form,
    key: Option<&str>,
    options: HttpOptions,
) -> HttpModel {
    let (_, name, base) = FORMS.into_iter().find(|(known, ..)| *known == form).unwrap();
    let provider = Provider::named(name).unwrap();
    let url = Url::parse(&format!("{}{base}", server.url())).unwrap();
    let key = key.map(SecretString::from);
    HttpModel::new(format!("{name}:m"), provider, url, "m", key, options).unwrap()
}

/// A model that does not wait between its retries.
pub(crate) fn model(server: &ModelServer, form: Form) -> HttpModel {
    model_with(server, form, None, Waits::default().options())
}

pub(crate) fn server(turns: impl IntoIterator<Item = Turn>) -> ModelServer {
    ModelServer::scripted(turns)
}

pub(crate) const SCHEMA: &str =
    r#"{"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "integer"}}}"#;

pub(crate) fn request() -> ChatRequest {
    ChatRequest::new([Message::system("Be brief."), Message::user("A city?")])
}

pub(crate) fn shaped() -> ChatRequest {
    let mut request = request();
    request.output = Output::Schema(Shape::new("city", SCHEMA));
    request
}

/// The text of the pieces that were told.
pub(crate) fn told(events: &[ChatEvent]) -> String {
    let texts = events.iter().map(|event| match event {
        ChatEvent::Text { text } => text.as_str(),
        ChatEvent::ToolCall { arguments, .. } => arguments.as_str(),
        _ => "",
    });
    texts.collect()
}

/// A clock that moves only by hand, although the server is waited for.
pub(crate) struct Stopped(#[expect(dead_code, reason = "held")] std::sync::mpsc::Sender<()>);

impl Stopped {
    pub(crate) fn new() -> Self {
        let (held, released) = std::sync::mpsc::channel::<()>();
        // tokio moves a paused clock by itself only while no blocking task runs.
        tokio::task::spawn_blocking(move || released.recv());
        tokio::time::pause();
        Self(held)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        tokio::time::resume();
    }
}
