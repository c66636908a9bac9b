//! State of a stream across its events.
//!
//! The dialects only interpret single events; everything that spans several events is kept here,
//! once for all dialects.

use std::collections::VecDeque;

use super::calls::Calls;
use super::delta::{Delta, ProviderError, Usage};
use super::error::Error;
use super::finish::FinishReason;

/// The limit of choice numbers: 128 is the most that OpenAI allows.
const MAX_CHOICES: u32 = 128;

#[derive(Clone, Debug, Default)]
pub(crate) struct Collector {
    pub(crate) queue: VecDeque<Result<Delta, Error>>,
    pub(crate) calls: Calls,
    started: bool,
    usage: Usage,
    /// The choices of which something has arrived, as bits.
    begun: u128,
    /// The finished choices with their reasons.
    finished: Vec<(u32, FinishReason)>,
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Outcome {
    #[default]
    Open,
    /// The provider sent its end marker.
    Ended,
    /// The provider sent an error. Some send their end marker as well, which then means nothing.
    Failed,
}

impl Collector {
    /// Returns the number of a choice, 0 if absent.
    pub(crate) fn choice(&mut self, number: Option<u32>) -> Result<u32, String> {
        let number = number.unwrap_or(0);
        if number >= MAX_CHOICES {
            return Err(format!("choice {number} exceeds the limit of {MAX_CHOICES} choices"));
        }
        self.begun |= 1 << number;
        Ok(number)
    }

    /// Reports the start; empty or repeated data is omitted.
    pub(crate) fn start(&mut self, id: Option<String>, model: Option<String>) {
        if !self.started && (id.is_some() || model.is_some()) {
            self.started = true;
            self.queue.push_back(Ok(Delta::Start { id, model }));
        }
    }

    pub(crate) fn is_started(&self) -> bool {
        self.started
    }

    pub(crate) fn content(&mut self, choice: u32, text: Option<String>) {
        let text = text.filter(|text| !text.is_empty());
        self.queue.extend(text.map(|text| Ok(Delta::Content { choice, text })));
    }

    pub(crate) fn reasoning(&mut self, choice: u32, text: Option<String>) {
        let text = text.filter(|text| !text.is_empty());
        self.queue.extend(text.map(|text| Ok(Delta::Reasoning { choice, text })));
    }

    pub(crate) fn refusal(&mut self, choice: u32, text: Option<String>) {
        let text = text.filter(|text| !text.is_empty());
        self.queue.extend(text.map(|text| Ok(Delta::Refusal { choice, text })));
    }

    /// Reports a piece of a call unless it is empty.
    pub(crate) fn tool_call(
        &mut self,
        choice: u32,
        index: u32,
        id: Option<String>,
        name: Option<String>,
        arguments: String,
    ) {
        if id.is_some() || name.is_some() || !arguments.is_empty() {
            self.queue.push_back(Ok(Delta::ToolCall { choice, index, id, name, arguments }));
        }
    }

    /// Reports the end of a choice unless it repeats the last one.
    pub(crate) fn finish(&mut self, choice: u32, raw: String) {
        let reason = FinishReason::from_word(&raw);
        match self.finished.iter_mut().find(|(finished, _)| *finished == choice) {
            Some((_, known)) if *known == reason => return,
            Some((_, known)) => *known = reason,
            None => self.finished.push((choice, reason)),
        }
        self.queue.push_back(Ok(Delta::Finish { choice, reason, raw }));
    }

    /// Reports the usage so far unless it is unchanged.
    pub(crate) fn usage(&mut self, later: Usage) {
        let known = self.usage;
        self.usage.update(later);
        if self.usage != known {
            self.queue.push_back(Ok(Delta::Usage(self.usage)));
        }
    }

    pub(crate) fn error(&mut self, error: ProviderError) {
        self.outcome = Outcome::Failed;
        self.queue.push_back(Ok(Delta::Error(error)));
    }

    /// Records the provider's end marker.
    pub(crate) fn end(&mut self) {
        if self.outcome == Outcome::Open {
            self.outcome = Outcome::Ended;
        }
    }

    /// Returns whether the provider marked the answer as complete, by its end marker or for each
    /// choice, and sent no error.
    pub(crate) fn is_complete(&self) -> bool {
        let finished = self.finished.iter().fold(0, |bits, (choice, _)| bits | (1 << choice));
        match self.outcome {
            Outcome::Open => finished != 0 && self.begun & !finished == 0,
            Outcome::Ended => true,
            Outcome::Failed => false,
        }
    }
}
