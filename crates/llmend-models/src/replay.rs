//! What did a model answer when it was recorded?

use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use llmend_model::{
    BoxFuture, Capabilities, ChatError, ChatErrorKind, ChatEvent, ChatModel, ChatRequest,
    ChatResponse, OnEvent,
};

use crate::exchange::Exchange;
use crate::scrub::Scrubber;

/// Characters of a piece of an answer that is played as a stream.
const PIECE_CHARS: usize = 16;

/// A model that answers as a record says, in the order of the record.
///
/// The record is JSON Lines, as [`Recorder`](crate::Recorder) writes it and [`Exchange`] has it. A request
/// that does not match the next exchange, or that comes after the last one, fails with
/// [`ChatErrorKind::Replay`], and uses nothing up. A request matches that has the same messages and the
/// same wish for an output; its limits and its temperature do not count.
///
/// ```
/// use llmend_models::Replay;
///
/// let replay = Replay::read("demo", "{\"response\": {\"text\": \"{'a': 1}\"}}\n")?;
/// assert_eq!(replay.unused(), 1);
/// assert!(replay.finish().unwrap_err().to_string().contains("1 exchange was not used"));
/// # Ok::<(), llmend_models::ReplayError>(())
/// ```
#[derive(Debug)]
pub struct Replay {
    name: String,
    exchanges: Vec<(usize, Exchange)>,
    next: Mutex<usize>,
}

/// A record cannot be played, or was not played to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("{name}: {error}")]
    Io {
        /// The name of the record.
        name: String,
        /// Why not.
        error: io::Error,
    },
    /// A line is no exchange.
    #[error("{name}: line {line}: {problem}")]
    BadLine {
        /// The name of the record.
        name: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// Exchanges are left.
    #[error(
        "{name}: {count} {} not used, the first of them in line {line}",
        if *.count == 1 { "exchange was" } else { "exchanges were" }
    )]
    Unused {
        /// The name of the record.
        name: String,
        /// How many, from 1.
        count: usize,
        /// The line of the first of them, from 1.
        line: usize,
    },
}

impl Replay {
    /// Reads a record from a file. Its name is `replay:FILE`.
    pub fn open(file: impl AsRef<Path>) -> Result<Self, ReplayError> {
        let name = format!("replay:{}", file.as_ref().display());
        match std::fs::read_to_string(file) {
            Ok(text) => Self::read(name, &text),
            Err(error) => Err(ReplayError::Io { name, error }),
        }
    }

    /// Reads a record from a text.
    pub fn read(name: impl Into<String>, text: &str) -> Result<Self, ReplayError> {
        let name = name.into();
        let mut exchanges = Vec::new();
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
            let bad = |problem| ReplayError::BadLine { name: name.clone(), line: number, problem };
            let exchange: Exchange =
                serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
            if exchange.outcome().is_none() {
                return Err(bad("there has to be either a response or an error".to_owned()));
            }
            exchanges.push((number, exchange));
        }
        Ok(Self { name, exchanges, next: Mutex::new(0) })
    }

    /// How many exchanges were not used yet.
    #[must_use]
    pub fn unused(&self) -> usize {
        self.exchanges.len() - *self.next()
    }

    /// Ends the replay. Exchanges that were not used are an error: what was recorded did not happen.
    pub fn finish(self) -> Result<(), ReplayError> {
        let next = *self.next();
        match self.exchanges.get(next) {
            None => Ok(()),
            Some(&(line, _)) => {
                let count = self.exchanges.len() - next;
                Err(ReplayError::Unused { name: self.name, count, line })
            }
        }
    }

    /// The answer to a request, which uses an exchange up.
    fn answer(&self, request: &ChatRequest) -> Result<ChatResponse, ChatError> {
        let mut next = self.next();
        let Some((line, exchange)) = self.exchanges.get(*next) else {
            let count = self.exchanges.len();
            let exchanges = if count == 1 { "exchange" } else { "exchanges" };
            let message = format!("the record has {count} {exchanges}, and this is one more");
            return Err(self.error(message));
        };
        if let Some(difference) = exchange.difference(request, &Scrubber::default()) {
            return Err(self.error(format!(
                "the request is not the one that was recorded in line {line}: {difference}"
            )));
        }
        *next += 1;
        match exchange.outcome() {
            Some(Ok(response)) => Ok(response.clone()),
            Some(Err(error)) => Err(error.clone()),
            None => Err(self.error(format!("line {line} holds no answer"))),
        }
    }

    fn error(&self, message: String) -> ChatError {
        let mut error = ChatError::new(ChatErrorKind::Replay, message);
        error.context.model.clone_from(&self.name);
        error
    }

    fn next(&self) -> MutexGuard<'_, usize> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChatModel for Replay {
    fn name(&self) -> &str {
        &self.name
    }

    /// Those of the model that was recorded, where the record tells.
    fn capabilities(&self) -> Capabilities {
        let next = *self.next();
        let exchange = self.exchanges.get(next).or(self.exchanges.last());
        exchange.and_then(|(_, exchange)| exchange.capabilities).unwrap_or_default()
    }

    fn call<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        Box::pin(async { self.answer(request) })
    }

    /// Tells the texts in pieces of sixteen characters.
    fn stream<'a>(
        &'a self,
        request: &'a ChatRequest,
        on_event: OnEvent<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        Box::pin(async move {
            let result = self.answer(request);
            let come = match &result {
                Ok(response) => Some(response),
                Err(error) => error.context.partial.as_ref(),
            };
            let events = come.into_iter().flat_map(ChatResponse::events);
            events.flat_map(pieces).for_each(on_event);
            result
        })
    }
}

/// An event in pieces.
fn pieces(event: ChatEvent) -> Vec<ChatEvent> {
    let cut = |text: &str| {
        let chars: Vec<char> = text.chars().collect();
        chars.chunks(PIECE_CHARS).map(String::from_iter).collect::<Vec<_>>()
    };
    match event {
        ChatEvent::Text { text } => {
            cut(&text).into_iter().map(|text| ChatEvent::Text { text }).collect()
        }
        ChatEvent::Reasoning { text } => {
            cut(&text).into_iter().map(|text| ChatEvent::Reasoning { text }).collect()
        }
        ChatEvent::ToolCall { index, name, arguments } => {
            let call = ChatEvent::ToolCall { index, name, arguments: String::new() };
            let rest = cut(&arguments).into_iter();
            let rest = rest.map(|arguments| ChatEvent::ToolCall { index, name: None, arguments });
            [call].into_iter().chain(rest).collect()
        }
        other => vec![other],
    }
}
