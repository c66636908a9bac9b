//! Calls that the server found in a stream after calls of the text were written.

use llmend::json::Node;
use llmend_models::sse::{CallName, Calls};

use super::choice::{arguments, call_piece, called_tool, calls, legacy, word};
use crate::calls::native::{NativeCall, SentCalls};
use crate::calls::tool_input::{ToolInput, as_arguments};

/// The calls of one choice, which wait until it ends.
#[derive(Debug, Default)]
pub(super) struct LaterCalls {
    numbers: Calls,
    calls: Vec<LaterCall>,
    /// Whether one has begun.
    pub(super) has_begun: bool,
    /// Which calls were sent before.
    pub(super) sent: SentCalls,
    /// The number of calls for which older clients have no place.
    pub(super) dropped: usize,
}

/// A call that waits.
#[derive(Debug, Default)]
pub(super) struct LaterCall {
    /// The call. Its arguments are there once it is taken.
    pub(super) call: NativeCall,
    pub(super) input: ToolInput,
    /// The arguments or the text, as far as they have arrived.
    pub(super) passed: String,
}

impl LaterCall {
    fn add(&mut self, called: Node<'_>, name: CallName) {
        if name != CallName::Repeated {
            self.call.name.push_str(word(called, "name").unwrap_or_default());
        }
        match self.input {
            ToolInput::Arguments => self.passed.push_str(&arguments(called)),
            ToolInput::Text => self.passed.push_str(word(called, "input").unwrap_or_default()),
        }
    }
}

impl LaterCalls {
    /// Notes the calls of a piece. Returns whether all of them wait: those of which it is known what
    /// they call do.
    pub(super) fn note(&mut self, delta: Node<'_>) -> bool {
        self.has_begun = true;
        if !calls(delta).all(|call| called_tool(call).is_some()) {
            return false;
        }
        for call in calls(delta) {
            let Ok(piece) = call_piece(&mut self.numbers, 0, call) else { return false };
            let known = self.at(piece.index as usize);
            if let Some(id) = word(call, "id").filter(|_| piece.new_id) {
                id.clone_into(&mut known.call.id);
            }
            if let Some((input, called)) = called_tool(call) {
                known.input = input;
                known.add(called, piece.name);
            }
        }
        if let Some(function) = legacy(delta) {
            let known = self.at(0);
            let is_known = word(function, "name") == Some(known.call.name.as_str());
            known.add(function, if is_known { CallName::Repeated } else { CallName::New });
        }
        true
    }

    /// The number of bytes that are kept.
    pub(super) fn kept(&self) -> usize {
        self.calls.iter().map(|later| later.call.name.len() + later.passed.len()).sum()
    }

    /// Takes the calls that wait.
    pub(super) fn take(&mut self) -> Vec<LaterCall> {
        let mut calls = std::mem::take(&mut self.calls);
        for LaterCall { call, input, passed } in &mut calls {
            call.arguments = match input {
                ToolInput::Arguments => passed.clone(),
                ToolInput::Text => as_arguments(passed),
            };
        }
        calls
    }

    fn at(&mut self, at: usize) -> &mut LaterCall {
        if self.calls.len() <= at {
            self.calls.resize_with(at + 1, LaterCall::default);
        }
        &mut self.calls[at]
    }
}
