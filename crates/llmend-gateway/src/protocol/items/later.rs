//! Calls that the server found in a stream after calls of its texts were written.

use super::form::{Arrived, ItemForm};
use crate::answer::from_text::TextCall;
use crate::calls::native::{NativeCall, SentCalls};
use crate::protocol::StreamContext;
use crate::protocol::event::EventData;

/// The calls that the server found after others were written.
#[derive(Debug, Default)]
pub(super) struct LaterItems {
    open: Option<LaterCall>,
    sent: SentCalls,
    /// The number of calls that were left out since the request allows one.
    pub(super) dropped: usize,
}

/// A call that is arriving.
#[derive(Debug)]
pub(super) struct LaterCall {
    pub(super) item: u32,
    pub(super) events: Vec<Vec<u8>>,
    call: NativeCall,
}

impl LaterItems {
    /// Whether an event belongs to the call that waits.
    pub(super) fn is_about(&self, arrived: &Arrived) -> bool {
        let item = match *arrived {
            Arrived::Other { item, .. } | Arrived::Closes { item, .. } => item,
            Arrived::Opens { .. }
            | Arrived::Text { .. }
            | Arrived::Refusal { .. }
            | Arrived::End(_) => return false,
            Arrived::Aside => return self.open.is_some(),
        };
        self.open.as_ref().is_some_and(|open| open.item == item)
    }

    /// Holds an event back, of the call that waits or of a new one.
    pub(super) fn hold(&mut self, item: Option<u32>, event: &EventData<'_>, form: &impl ItemForm) {
        if let Some(item) = item {
            self.open = Some(LaterCall { item, events: Vec::new(), call: NativeCall::default() });
        }
        if let Some(LaterCall { events, call, .. }) = &mut self.open {
            events.push(event.raw.to_vec());
            form.note_call(event.root, call);
        }
    }

    /// Takes the call that waits, and whether it was written before.
    pub(super) fn take(
        &mut self,
        written: &[TextCall],
        context: &StreamContext,
    ) -> Option<(LaterCall, bool)> {
        let later = self.open.take()?;
        let is_sent = self.sent.has(&later.call, written, &context.request, context.options);
        Some((later, is_sent))
    }

    /// The number of bytes that are kept.
    pub(super) fn kept(&self) -> usize {
        self.open.iter().flat_map(|open| &open.events).map(Vec::len).sum()
    }

    /// The number of calls that were written before.
    pub(super) const fn doubled(&self) -> usize {
        self.sent.doubled()
    }
}
