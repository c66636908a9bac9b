//! A model that replays a record.

use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use llmend_model::{
    BoxFuture, Capabilities, ChatError, ChatErrorKind, ChatEvent, ChatModel, ChatRequest,
    ChatResponse, OnEvent,
};

use crate::exchange::Exchange;
use crate::scrub::Scrubber;

/// The number of characters of a piece when an answer is replayed as a stream.
const PIECE_CHARS: usize = 16;

/// A model that replays the answers of a record, in order.
///
/// The record is JSON Lines, as [`Recorder`](crate::Recorder) writes it: see [`Exchange`]. A
/// request that does not match the next exchange, or that comes after the last one, fails with
/// [`ChatErrorKind::Replay`] and consumes nothing. A request matches if it has the same messages
/// and the same output form; its limits and temperature are ignored.
///
/// ```
/// use llmend_models::Replay;
///
/// let replay = Replay::read("demo", "{\"response\": {\"text\": \"{'a': 1}\"}}\n")?;
/// assert_eq!(replay.unused(), 1);
/// assert!(replay.finish().unwrap_err().to_string().contains("1 unused exchange"));
/// # Ok::<(), llmend_models::ReplayError>(())
/// ```
#[derive(Debug)]
pub struct Replay {
    name: String,
    exchanges: Vec<(usize, Exchange)>,
    next: Mutex<usize>,
}

/// The reason why a record cannot be replayed, or was not replayed to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("{name}: {error}")]
    Io {
        /// The name of the record.
        name: String,
        /// The reason.
        error: io::Error,
    },
    /// A line is not an exchange.
    #[error("{name}: line {line}: {problem}")]
    BadLine {
        /// The name of the record.
        name: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// Exchanges were not used.
    #[error(
        "{name}: {count} unused {}, the first in line {line}",
        if *.count == 1 { "exchange" } else { "exchanges" }
    )]
    Unused {
        /// The name of the record.
        name: String,
        /// Their number, from 1.
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
                return Err(bad("expected either `response` or `error`".to_owned()));
            }
            exchanges.push((number, exchange));
        }
        Ok(Self { name, exchanges, next: Mutex::new(0) })
    }

    /// Returns the number of exchanges that were not used yet.
    #[must_use]
    pub fn unused(&self) -> usize {
        self.exchanges.len() - *self.next()
    }

    /// Ends the replay. Unused exchanges are an error: what was recorded did not happen.
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

    /// Returns the answer to a request, and consumes the exchange.
    fn answer(&self, request: &ChatRequest) -> Result<ChatResponse, ChatError> {
        let mut next = self.next();
        let Some((line, exchange)) = self.exchanges.get(*next) else {
            let count = self.exchanges.len();
            let exchanges = if count == 1 { "exchange" } else { "exchanges" };
            let message = format!("the record has only {count} {exchanges}");
            return Err(self.error(message));
        };
        if let Some(difference) = exchange.difference(request, &Scrubber::default()) {
            return Err(self.error(format!(
                "the request differs from line {line} of the record: {difference}"
            )));
        }
        *next += 1;
        match exchange.outcome() {
            Some(Ok(response)) => Ok(response.clone()),
            Some(Err(error)) => Err(error.clone()),
            None => Err(self.error(format!("line {line} has no answer"))),
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

    /// Returns the capabilities of the recorded model, if recorded.
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

    /// Reports the texts in pieces of sixteen characters.
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

/// Splits an event into pieces.
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
