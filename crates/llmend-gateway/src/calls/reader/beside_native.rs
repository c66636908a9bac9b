//! Texts of answers in which the server found calls itself.
//!
//! Beside such calls a text holds a call only where it is marked. If it is the same, it is sent
//! once. If it is another one, both are calls, unless the request allows only one: then it is the
//! server's.

use llmend::calls::Call;

use super::{ChoiceReader, OpenText, Output, TextEnd};
use crate::answer::from_text::TextCall;
use crate::calls::Parallel;
use crate::calls::context::ConvertContext;
use crate::calls::native::NativeCall;

impl ChoiceReader {
    /// Notes the calls of the server in a whole answer.
    pub(crate) fn beside(&mut self, native: Vec<NativeCall>, context: &ConvertContext<'_>) {
        let ConvertContext { request, options, .. } = context;
        self.native = native.into_iter().map(|call| call.repaired(request, *options)).collect();
    }

    /// Takes back the calls of a text before a call of the server that are not wanted beside it.
    pub(super) fn supersede(&mut self, open: &OpenText, outputs: &mut Vec<Output>) {
        if self.yields(TextEnd::BeforeCall) {
            let new = open.before.calls.min(self.found.calls.len());
            self.superseded.extend(self.found.calls.drain(new..));
            outputs.retain(|one| one.is_text() || *one == Output::Unread);
        }
    }

    /// Counts the calls of a whole text that give way as dropped.
    pub(super) fn drop_superseded(&mut self) {
        self.found.dropped += std::mem::take(&mut self.superseded).len();
    }

    /// The calls of the text that gave way to those of the server.
    pub(crate) fn superseded(&self) -> &[TextCall] {
        &self.superseded
    }

    /// Whether the calls of a text yield to a call of the server: if one is enough.
    pub(super) fn yields(&self, end: TextEnd) -> bool {
        end == TextEnd::BeforeCall && self.reading.parallel == Parallel::One
    }

    /// Whether a call is one of the server's, each of which is met once.
    pub(super) fn is_native(&mut self, call: &Call, open: &mut OpenText) -> bool {
        let depth = self.reading.options.json.max_depth;
        let known = self.native.iter().position(|native| native.is(call, depth));
        if let Some(at) = known {
            open.met.push(self.native.swap_remove(at));
            self.found.doubled += 1;
        }
        known.is_some()
    }
}
