//! Calls that the server found in a stream after calls of the text were written.

use llmend::json::Node;
use llmend_models::sse::{CallName, Calls};

use super::choice::{arguments, call_piece, calls, legacy, word};
use crate::calls::native::{NativeCall, SentCalls};

/// The calls of one choice, which wait until it ends.
#[derive(Debug, Default)]
pub(super) struct LaterCalls {
    numbers: Calls,
    calls: Vec<NativeCall>,
    /// Whether one has begun.
    pub(super) has_begun: bool,
    /// Which calls were sent before.
    pub(super) sent: SentCalls,
    /// The number of calls for which older clients have no place.
    pub(super) dropped: usize,
}

impl LaterCalls {
    /// Notes the calls of a piece. Returns whether all of them wait: calls of functions do.
    pub(super) fn note(&mut self, delta: Node<'_>) -> bool {
        self.has_begun = true;
        let is_function = |call: Node<'_>| call.get("function").is_some();
        if !calls(delta).all(is_function) {
            return false;
        }
        for call in calls(delta) {
            let Ok(piece) = call_piece(&mut self.numbers, 0, call) else { return false };
            let known = self.at(piece.index as usize);
            if let Some(id) = word(call, "id").filter(|_| piece.new_id) {
                id.clone_into(&mut known.id);
            }
            let Some(function) = call.get("function") else { continue };
            if piece.name != CallName::Repeated {
                known.name.push_str(word(function, "name").unwrap_or_default());
            }
            known.arguments.push_str(&arguments(function));
        }
        if let Some(function) = legacy(delta) {
            let known = self.at(0);
            let name = word(function, "name").unwrap_or_default();
            if known.name != name {
                known.name.push_str(name);
            }
            known.arguments.push_str(&arguments(function));
        }
        true
    }

    /// The number of bytes that are kept.
    pub(super) fn kept(&self) -> usize {
        self.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum()
    }

    /// Takes the calls that wait.
    pub(super) fn take(&mut self) -> Vec<NativeCall> {
        std::mem::take(&mut self.calls)
    }

    fn at(&mut self, at: usize) -> &mut NativeCall {
        if self.calls.len() <= at {
            self.calls.resize_with(at + 1, NativeCall::default);
        }
        &mut self.calls[at]
    }
}
