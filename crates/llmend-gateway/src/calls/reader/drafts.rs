//! Calls that turn out to be none: drafts in reasoning, and calls that the model took back.

use llmend::{Diagnostic, Severity};

use super::{ChoiceReader, OpenText, Output, Timing};
use crate::answer::from_text::{FromText, UnreadCall};
use crate::answer::part::{Fault, FaultKind};

/// Why a call that was sent is none.
pub(super) const TAKEN_BACK: &str = "the model took back a call of which a part was sent";
pub(super) const NO_TEXT: &str = "what a call passes to a tool that takes a text is no text";

/// How much was found in the texts before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) calls: usize,
    unread: usize,
    others: usize,
    dropped: usize,
    doubled: usize,
}

impl Before {
    pub(super) const fn of(found: &FromText) -> Self {
        Self {
            calls: found.calls.len(),
            unread: found.unread.len(),
            others: found.others.len(),
            dropped: found.dropped,
            doubled: found.doubled,
        }
    }
}

impl ChoiceReader {
    /// Notes that all of the text so far was reasoning. Calls in it are drafts.
    pub(super) fn all_reasoning(&mut self, open: &mut OpenText, outputs: &mut Vec<Output>) {
        let has_calls = self.found.calls.len() > open.before.calls;
        if open.timing == Timing::AtOnce && has_calls {
            return self.withdraw(TAKEN_BACK, outputs);
        }
        let Before { calls, unread, others, dropped, doubled } = open.before;
        self.found.unread.truncate(unread);
        self.found.others.truncate(others);
        (self.found.dropped, self.found.doubled) = (dropped, doubled);
        self.native.append(&mut open.met);
        self.found.calls.truncate(calls);
        open.places.clear();
        if open.timing == Timing::InPlace {
            let reasoning: String = outputs.drain(..).filter_map(Output::into_text).collect();
            let reasoning = reasoning.trim_matches(['\n', '\r']);
            if !reasoning.is_empty() {
                outputs.push(Output::Reasoning(reasoning.to_owned()));
            }
        }
    }

    /// Notes that a call which was sent is none, for the reason in `message`.
    pub(super) fn withdraw(&mut self, message: &str, outputs: &mut Vec<Output>) {
        self.found.unread.push(UnreadCall {
            name: String::new(),
            source: String::new(),
            notation: None,
            fault: Fault {
                kind: FaultKind::Syntax,
                diagnostics: vec![Diagnostic::new("calls/withdrawn", Severity::Error, message)],
            },
        });
        outputs.push(Output::Unread);
    }
}
