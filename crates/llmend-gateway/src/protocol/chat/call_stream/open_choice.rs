//! A choice of a stream whose texts are read for calls.

use llmend::json::Node;

use crate::answer::completion::Finish;
use crate::calls::reader::{ChoiceReader, Output, TextEnd};
use crate::calls::tool_input::ToolInput;
use crate::protocol::chat::choice::{is_blank, reasoning_in, word};
use crate::protocol::chat::later_calls::LaterCalls;
use crate::protocol::queue::Queue;

/// A choice, as far as it has arrived.
#[derive(Debug)]
pub(in crate::protocol::chat) struct Choice {
    pub(in crate::protocol::chat) reader: ChoiceReader,
    /// The number of calls that the server found itself.
    pub(super) native: usize,
    /// The number of calls that were read and written.
    pub(super) written: usize,
    /// The index of the first of them.
    pub(super) first: usize,
    /// What the tool of the last of them takes.
    pub(super) input: ToolInput,
    pub(in crate::protocol::chat) has_role: bool,
    pub(super) has_ended: bool,
    pub(super) queue: Queue<Held>,
    /// The calls that the server found after others were written.
    pub(super) later: LaterCalls,
    /// The reasoning, which may end with a call, until there is content.
    reasoning: String,
    has_content: bool,
}

/// What more an event that waits says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) has_role: bool,
    /// Whether it ends the choice.
    pub(super) is_end: bool,
}

impl Choice {
    pub(super) fn new(reader: ChoiceReader) -> Self {
        let (has_role, has_ended, queue) = (false, false, Queue::default());
        let (later, reasoning, has_content) = (LaterCalls::default(), String::new(), false);
        let (native, written, first, input) = (0, 0, 0, ToolInput::default());
        Self {
            reader,
            native,
            written,
            first,
            input,
            has_role,
            has_ended,
            queue,
            later,
            reasoning,
            has_content,
        }
    }

    /// Notes what a piece says besides calls.
    pub(super) fn note(&mut self, delta: Option<Node<'_>>) {
        let Some(delta) = delta else { return };
        self.has_content |= !is_blank(delta) || word(delta, "refusal").is_some();
        if self.has_content {
            self.reasoning = String::new();
        } else if let Some((_, piece)) = reasoning_in(delta) {
            self.reasoning.push_str(piece);
        }
    }

    /// Reads the content of a piece. Text behind a call of the server stays as it is.
    pub(super) fn read(
        &mut self,
        content: &str,
        native: bool,
        end: Option<&Finish>,
    ) -> Vec<Output> {
        let mut outputs = Vec::new();
        let is_read = self.native == 0 && !self.later.has_begun && !self.has_ended;
        match is_read {
            _ if content.is_empty() => {}
            true => outputs.extend(self.reader.push(content)),
            false => outputs.push(Output::Text(content.to_owned())),
        }
        if native {
            outputs.extend(self.reader.close(TextEnd::BeforeCall));
        }
        if end.is_some() {
            outputs.extend(self.reader.close(TextEnd::of(end)));
        }
        if end.is_some_and(Finish::is_complete) && is_read && !self.has_content {
            outputs.extend(self.reader.read_reasoning(&self.reasoning));
        }
        self.has_ended |= end.is_some();
        outputs
    }

    /// The index of the last call that was written.
    pub(super) const fn last(&self) -> usize {
        self.first + self.written.saturating_sub(1)
    }

    /// The number of bytes that are kept.
    pub(super) fn kept(&self) -> usize {
        self.reader.kept() + self.reasoning.len() + self.later.kept()
    }
}
