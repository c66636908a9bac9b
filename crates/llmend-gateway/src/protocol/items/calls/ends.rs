//! The ends of the server's texts and calls. Those of texts wait for what follows: a call of the
//! server decides what the text before it holds.

use super::{ItemCalls, Mode};
use crate::calls::Parallel;
use crate::calls::reader::TextEnd;
use crate::protocol::event::{ConvertedEvent, EventData};
use crate::protocol::items::form::{Arrived, ItemForm, replacement};
use crate::protocol::items::open_text::Part;
use crate::splice::strict;
use crate::stream::frame::{Content, Frame};

impl<F: ItemForm> ItemCalls<F> {
    /// Holds back an event that ends the server's text, and one that stands aside behind it. Returns
    /// whether the event waits.
    pub(super) fn waits_for_next(&mut self, event: &EventData<'_>, arrived: &Arrived) -> bool {
        let waits = match *arrived {
            Arrived::Closes { item, .. } => self.mode == Mode::Read && self.is_about_text(item),
            Arrived::Aside => !self.ends.is_empty(),
            _ => false,
        };
        if waits {
            self.ends.push(event.raw.to_vec());
        }
        waits
    }

    /// Ends the server's text if its end has arrived.
    pub(super) fn end_texts(&mut self, end: TextEnd, out: &mut Vec<ConvertedEvent>) {
        if !self.ends.is_empty() {
            let outputs = self.reader.close(end);
            self.emit(&outputs, out);
            if end == TextEnd::BeforeCall && self.has_read_calls() {
                self.leave(out);
            }
        }
        for raw in std::mem::take(&mut self.ends) {
            let frame = Frame { raw };
            let Content::Data(data) = frame.content() else { continue };
            let Ok(value) = strict(&data, self.context.depth) else { continue };
            match self.form.arrived(value.root()) {
                Arrived::Closes { is_last, .. } => self.end_text(&frame.raw, is_last, out),
                _ => self.pass(frame.raw.clone(), out),
            }
        }
    }

    /// Ends the server's text item. Its own events say what was said only if it is intact.
    fn end_text(&mut self, raw: &[u8], is_last: bool, out: &mut Vec<ConvertedEvent>) {
        let is_intact = self.text.as_ref().is_some_and(|text| text.is_intact);
        while let Some(one) = self.text.as_mut().and_then(|text| text.queue.without_text()) {
            if is_intact || one.tag == Part::Aside {
                self.pass_own(one.raw, one.tag, out);
            }
        }
        let is_empty = self.text.as_ref().is_some_and(|text| text.queue.is_empty());
        if is_intact && is_empty {
            self.pass(raw.to_vec(), out);
        } else {
            self.discard(out);
            (self.is_shifted, self.is_renumbered) = (true, true);
            if let Some(text) = &self.text {
                replacement(&mut self.replaced, text.item);
            }
        }
        if is_last {
            if is_intact && is_empty {
                self.open = None;
            }
            self.close(out);
            self.blank.clear();
            self.text = None;
        }
    }

    /// Whether calls of the text were sent, or gave way to calls of the server.
    pub(super) fn has_read_calls(&self) -> bool {
        !self.reader.found().calls.is_empty() || !self.reader.superseded().is_empty()
    }

    /// Passes on the call of the server that waits, unless it was written before, or another call
    /// was and one is allowed.
    pub(super) fn send_later(&mut self, out: &mut Vec<ConvertedEvent>) {
        let (written, superseded) = (&self.reader.found().calls, self.reader.superseded());
        let known = if written.is_empty() { superseded } else { written };
        let has_written = !written.is_empty();
        let Some((call, is_known)) = self.later.take(known, &self.context) else { return };
        let reading = self.context.request.reading.as_ref();
        let is_one = reading.is_some_and(|reading| reading.parallel == Parallel::One);
        if has_written && (is_known || is_one) {
            self.later.dropped += usize::from(!is_known);
            (self.is_shifted, self.is_renumbered) = (true, true);
            replacement(&mut self.replaced, call.item);
            return;
        }
        for raw in call.events {
            self.pass(raw, out);
        }
    }
}
