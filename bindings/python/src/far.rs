//! How is a model asked that is a function of Python?
//!
//! The loop of the crate and whoever drives it meet at a desk. The one leaves a request there and waits; the
//! other takes it, has it answered in whatever way Python knows, and leaves the answer. Nothing here
//! runs or waits by itself.

use std::{
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
};

use llmend::{
    Diagnostic,
    asking::{Again, Asking, Callbacks, FailureKind, Rung},
    model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse, Output},
};
use pyo3::PyErr;
use serde::Serialize;

use crate::place::Places;

/// What lies between the loop and who drives it.
#[derive(Default)]
pub(crate) struct Desk {
    /// What is to be asked.
    request: Option<Request>,
    /// What came of it.
    answer: Option<Result<ChatResponse, ChatError>>,
    /// What happened, for callbacks.
    told: Vec<Told>,
    /// The text of each answer, one an attempt. Places of what was found are in it.
    texts: Vec<String>,
    /// How the attempt that is under way is made.
    rung: Option<Rung>,
    /// What a function of Python raised while an answer was looked at.
    pub(crate) raised: Option<PyErr>,
}

pub(crate) type Shared = Arc<Mutex<Desk>>;

/// A request, as Python makes it.
#[derive(Serialize)]
pub(crate) struct Request {
    /// Which model is asked, from 0.
    model: usize,
    messages: Vec<llmend::model::Message>,
    form: &'static str,
    name: Option<String>,
    schema: Option<String>,
    max_output_tokens: Option<u32>,
    temperature: Option<f64>,
    /// In seconds.
    timeout: Option<f64>,
}

/// Something that happened.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum Told {
    Attempt {
        number: u32,
        of: u32,
        model: String,
        rung: Option<Rung>,
        is_last: bool,
    },
    Repair {
        failure: FailureKind,
        findings: Vec<Diagnostic>,
        rung: Option<Rung>,
        retry: u32,
        of: u32,
    },
}

/// The desk; who panicked at it left it as it is.
pub(crate) fn at(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    pub(crate) fn take_request(&mut self) -> Option<Request> {
        self.request.take()
    }

    pub(crate) fn take_told(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.told)
    }

    pub(crate) fn answer(&mut self, answer: Result<ChatResponse, ChatError>) {
        let text = match &answer {
            Ok(response) => response.answer(),
            Err(error) => error.answer().unwrap_or_default(),
        };
        self.texts.push(text.to_owned());
        self.answer = Some(answer);
    }

    /// Moves places in what was found in an answer from bytes to code points. An answer that was put
    /// together from several has places in a text that is not known here: they are left out.
    pub(crate) fn place(&self, attempt: usize, rung: Option<Rung>, findings: &mut [Diagnostic]) {
        let is_whole = matches!(rung, None | Some(Rung::Full | Rung::Emphatic | Rung::Escalate));
        match self.texts.get(attempt).filter(|_| is_whole) {
            Some(text) => Places::new(text).of_diagnostics(findings),
            None => {
                for row in findings {
                    (row.span, row.edit) = (None, None);
                }
            }
        }
    }
}

/// A model that Python asks.
pub(crate) struct Far {
    pub(crate) name: String,
    pub(crate) number: usize,
    pub(crate) desk: Shared,
}

impl ChatModel for Far {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn call<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        let shape = request.output.shape();
        at(&self.desk).request = Some(Request {
            model: self.number,
            messages: request.messages.clone(),
            form: match request.output {
                Output::Json => "json",
                Output::Schema(_) => "schema",
                Output::Tool(_) => "tool",
                _ => "text",
            },
            name: shape.map(|shape| shape.name.clone()),
            schema: shape.map(|shape| shape.schema.clone()),
            max_output_tokens: request.max_output_tokens,
            temperature: request.temperature,
            timeout: request.timeout.map(|timeout| timeout.as_secs_f64()),
        });
        Box::pin(poll_fn(|_| at(&self.desk).answer.take().map_or(Poll::Pending, Poll::Ready)))
    }
}

/// What writes down what happens.
pub(crate) fn callbacks(desk: &Shared) -> Callbacks<'static> {
    let (attempts, repairs) = (Arc::clone(desk), Arc::clone(desk));
    Callbacks::new()
        .on_attempt(move |asking: &Asking| {
            let mut desk = at(&attempts);
            desk.rung = asking.rung;
            desk.told.push(Told::Attempt {
                number: asking.number,
                of: asking.of,
                model: asking.name.clone(),
                rung: asking.rung,
                is_last: asking.is_last,
            });
        })
        .on_repair(move |again: &Again| {
            let mut desk = at(&repairs);
            let mut findings = again.findings.clone();
            desk.place(desk.texts.len().saturating_sub(1), desk.rung, &mut findings);
            let Again { failure, rung, retry, of, .. } = *again;
            desk.told.push(Told::Repair { failure, findings, rung, retry, of });
        })
}
