//! What becomes of the events that arrive: of texts, refusals and calls, and of the end of the answer.

use super::{ItemCalls, Mode};
use crate::answer::completion::Finish;
use crate::calls::reader::TextEnd;
use crate::protocol::event::{ConvertedEvent, EventData};
use crate::protocol::items::form::{ItemForm, NewKind, numbered};
use crate::protocol::items::open_text::{OpenText, Part};
use crate::protocol::queue::Queue;

impl<F: ItemForm> ItemCalls<F> {
    /// Reads the beginning of a text item or of a part of one.
    pub(super) fn open_text(&mut self, item: u32, event: &EventData<'_>) {
        let id = self.form.id(event.root).map(str::to_owned);
        let (queue, is_intact) = (Queue::default(), true);
        let new = || OpenText { item, id, queue, is_intact, texts: 0 };
        let text = self.text.get_or_insert_with(new);
        text.queue.push(Some(event.raw.to_vec()), "", Part::Start);
    }

    /// Reads a piece of the text that is open.
    pub(super) fn read_text(
        &mut self,
        piece: &str,
        event: &EventData<'_>,
        out: &mut Vec<ConvertedEvent>,
    ) {
        let outputs = self.reader.push(piece);
        if let Some(text) = &mut self.text {
            text.queue.push(Some(event.raw.to_vec()), piece, Part::Text);
        }
        self.emit(&outputs, out);
        let overdue = self.text.as_mut().and_then(|text| text.queue.overdue());
        if let Some(text) = overdue {
            self.text_anew(&text, out);
        }
    }

    /// Holds back an event that is no text among those of the text that is open.
    pub(super) fn keep_place(&mut self, event: &EventData<'_>) {
        if let Some(text) = &mut self.text {
            text.queue.push(Some(event.raw.to_vec()), "", Part::Aside);
        }
    }

    /// Notes that the server finds calls itself. Returns whether they wait, since calls of the text
    /// were sent.
    pub(super) fn begin_native(&mut self, out: &mut Vec<ConvertedEvent>) -> bool {
        self.mode = Mode::NativeCalls;
        let outputs = self.reader.close(TextEnd::BeforeCall);
        self.emit(&outputs, out);
        self.has_read_calls()
    }

    /// Whether the events of a text item say no more what was said of it.
    pub(super) fn is_written_anew(&self, item: u32) -> bool {
        self.text.as_ref().is_some_and(|text| text.item == item && !text.is_intact)
    }

    /// Writes words of a refusal as an item of its own.
    pub(super) fn refuse(&mut self, piece: &str, is_whole: bool, out: &mut Vec<ConvertedEvent>) {
        let outputs = self.reader.close(TextEnd::Complete);
        self.emit(&outputs, out);
        let open = self.open.as_ref().filter(|item| item.kind == NewKind::Refusal);
        let is_known = open.is_some_and(|item| is_whole && !item.text.is_empty());
        if piece.is_empty() || is_known {
            return;
        }
        if open.is_none() {
            self.leave(out);
            self.begin(NewKind::Refusal, out);
        }
        self.grow(piece, out);
    }

    /// Reads the event that ends the answer.
    pub(super) fn end_answer(
        &mut self,
        event: &EventData<'_>,
        finish: Option<&Finish>,
        end: TextEnd,
        out: &mut Vec<ConvertedEvent>,
    ) {
        if !self.has_ended {
            self.has_ended = true;
            let outputs = self.reader.close(end);
            self.emit(&outputs, out);
            self.close(out);
            self.emit_reasoned(finish, out);
        }
        if self.replaced.is_empty() {
            return self.pass(event.raw.to_vec(), out);
        }
        let number = self.form.number(event.root).map(|arrived| self.next_number(arrived));
        let ended = self.form.ended(event.data, event.root, self.reader.found(), &self.replaced);
        let written = numbered(&self.form, ended, number, self.context.depth);
        out.extend(written.map(ConvertedEvent::Written));
    }
}
