//! Reasoning in an item of its own, which may end with a call if nothing else was said.

use super::ItemCalls;
use crate::answer::completion::Finish;
use crate::protocol::event::{ConvertedEvent, EventData};
use crate::protocol::items::form::{Arrived, ItemForm};

/// The last reasoning of an answer.
#[derive(Debug, Default)]
pub(super) struct Reasoning {
    item: Option<u32>,
    pub(super) words: String,
    /// Whether there is a text or a call as well.
    is_beside: bool,
}

impl<F: ItemForm> ItemCalls<F> {
    /// Notes what an event says besides calls.
    pub(super) fn note_reasoning(&mut self, event: &EventData<'_>, arrived: &Arrived) {
        let known = &mut self.reasoning;
        match arrived {
            Arrived::Text { piece, .. } => known.is_beside |= !piece.trim().is_empty(),
            Arrived::Refusal { piece, .. } => known.is_beside |= !piece.trim().is_empty(),
            Arrived::Opens { is_empty, .. } => known.is_beside |= !is_empty,
            Arrived::Other { is_call: true, .. } => known.is_beside = true,
            Arrived::Other { item, .. } if !known.is_beside => {
                let Some(piece) = self.form.reasoning(event.root) else { return };
                if known.item != Some(*item) {
                    (known.item, known.words) = (Some(*item), String::new());
                }
                known.words.push_str(piece);
            }
            _ => {}
        }
        if known.is_beside {
            known.words = String::new();
        }
    }

    /// Sends the calls with which the reasoning ends.
    pub(super) fn emit_reasoned(&mut self, end: Option<&Finish>, out: &mut Vec<ConvertedEvent>) {
        if !self.reasoning.is_beside && end.is_none_or(Finish::is_complete) {
            let outputs = self.reader.read_reasoning(&self.reasoning.words);
            self.emit(&outputs, out);
            self.close(out);
        }
    }
}
