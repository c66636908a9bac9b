//! Calls out of the texts of streams whose events are about numbered items.

use std::fmt::Debug;
use std::sync::Arc;

use super::form::{Arrived, BEHIND, ItemForm, NewItem, NewKind, Replaced, numbered, replacement};
use super::later::LaterItems;
use super::open_text::{Mode, OpenText, Part};
use crate::answer::from_text::FromText;
use crate::calls::reader::{ChoiceReader, Output, TextEnd};
use crate::calls::{CallReading, Pace};
use crate::protocol::StreamContext;
use crate::protocol::event::{CallEvents, ConvertedEvent, EventData};
use crate::protocol::queue::{Release, Waiting};
use crate::splice::strict;
use crate::stream::frame::{Content, Frame};

mod arriving;
mod ends;
mod reasoning;

use self::reasoning::Reasoning;

/// Reads the texts of the items of one response.
#[derive(Debug)]
pub(crate) struct ItemCalls<F> {
    form: F,
    context: StreamContext,
    pace: Pace,
    reader: ChoiceReader,
    /// The numbers of the items that arrived and were passed on, and their new numbers.
    numbers: Vec<(u32, u32)>,
    /// The number of items that were sent.
    sent: u32,
    /// Whether an item was added or left out.
    is_shifted: bool,
    /// Whether an event was added or left out.
    is_renumbered: bool,
    /// The number of the next event, where events are numbered.
    number: Option<u64>,
    text: Option<OpenText>,
    /// The items that were written anew.
    replaced: Vec<Replaced>,
    /// The item that was written anew and is not complete.
    open: Option<NewItem>,
    /// White space that is sent with the text behind it.
    blank: String,
    has_ended: bool,
    mode: Mode,
    /// The calls that the server found after others were written.
    later: LaterItems,
    /// The events that end the server's text and wait for what follows.
    ends: Vec<Vec<u8>>,
    reasoning: Reasoning,
}

impl<F: ItemForm> ItemCalls<F> {
    pub(crate) fn new(form: F, context: &StreamContext) -> Option<Self> {
        let reader = ChoiceReader::of(&context.request, &context.call_ids)?;
        let pace = context.request.reading.as_ref()?.pace;
        Some(Self {
            form,
            context: context.clone(),
            pace,
            reader,
            numbers: Vec::new(),
            sent: 0,
            is_shifted: false,
            is_renumbered: false,
            number: None,
            text: None,
            replaced: Vec::new(),
            open: None,
            blank: String::new(),
            has_ended: false,
            mode: Mode::Read,
            later: LaterItems::default(),
            ends: Vec::new(),
            reasoning: Reasoning::default(),
        })
    }

    /// Reads the texts in another way.
    pub(crate) fn read_as(&mut self, reading: Arc<CallReading>) {
        self.pace = reading.pace;
        self.reader = ChoiceReader::new(reading, self.reader.ids().clone());
    }

    fn is_about_text(&self, item: u32) -> bool {
        self.text.as_ref().is_some_and(|text| text.item == item)
    }

    /// Passes an event on under its new numbers.
    fn pass(&mut self, raw: Vec<u8>, out: &mut Vec<ConvertedEvent>) {
        let frame = Frame { raw };
        let Content::Data(data) = frame.content() else {
            return out.push(ConvertedEvent::Earlier(frame.raw));
        };
        let Ok(value) = strict(&data, self.context.depth) else { return };
        let root = value.root();
        let item = match self.form.arrived(root) {
            Arrived::Opens { item, .. }
            | Arrived::Text { item, .. }
            | Arrived::Closes { item, .. }
            | Arrived::Refusal { item, .. }
            | Arrived::Other { item, .. } => Some(item),
            Arrived::End(_) | Arrived::Aside => None,
        };
        let new = item.map(|item| self.new_number(item));
        let arrived = self.form.number(root);
        let number = arrived.map(|arrived| self.next_number(arrived));
        let is_same = new == item && arrived == number;
        out.push(if is_same {
            ConvertedEvent::Earlier(frame.raw.clone())
        } else {
            ConvertedEvent::Written(self.form.renumbered(&data, root, new, number))
        });
    }

    /// Returns the number of an event that arrived. Numbers may have gaps.
    fn next_number(&mut self, arrived: u64) -> u64 {
        let next = self.number.filter(|_| self.is_renumbered).unwrap_or(arrived);
        self.number = Some(next + 1);
        next
    }

    /// Returns the new number of an item that arrived.
    fn new_number(&mut self, item: u32) -> u32 {
        if let Some((_, new)) = self.numbers.iter().find(|(known, _)| *known == item) {
            return *new;
        }
        // Numbers may have gaps.
        let new = if self.is_shifted { self.sent } else { item };
        self.numbers.push((item, new));
        self.sent = self.sent.max(new + 1);
        new
    }

    /// Writes events of an item that is not the server's.
    fn write(&mut self, events: Vec<String>, is_call: bool, out: &mut Vec<ConvertedEvent>) {
        for event in events {
            let (number, depth) = (self.number, self.context.depth);
            let Some(written) = numbered(&self.form, event, number, depth) else { continue };
            self.is_renumbered = true;
            self.number = number.map(|number| number + 1);
            out.push(match self.pace {
                Pace::AtOnce if is_call => ConvertedEvent::Checked(written),
                Pace::AtOnce | Pace::AtTheEnd => ConvertedEvent::Written(written),
            });
        }
    }

    /// Ends the item that was written anew.
    fn close(&mut self, out: &mut Vec<ConvertedEvent>) {
        if let Some(item) = self.open.take() {
            let is_call = matches!(item.kind, NewKind::Call { .. });
            self.write(self.form.close(&item), is_call, out);
            let place = self.text.as_ref().map_or(BEHIND, |text| text.item);
            replacement(&mut self.replaced, place).by.push(item);
        }
    }

    /// Begins an item.
    fn begin(&mut self, kind: NewKind, out: &mut Vec<ConvertedEvent>) {
        self.close(out);
        let (origin, number) = self.text.as_mut().map_or((None, 0), |text| {
            text.is_intact = false;
            text.texts += usize::from(matches!(kind, NewKind::Text | NewKind::Refusal));
            (text.id.clone(), text.texts)
        });
        let item = NewItem { kind, index: self.sent, origin, number, text: String::new() };
        self.sent += 1;
        self.is_shifted = true;
        let is_call = matches!(item.kind, NewKind::Call { .. });
        self.write(self.form.open(&item), is_call, out);
        self.open = Some(item);
    }

    /// Adds to the item that was written anew.
    fn grow(&mut self, piece: &str, out: &mut Vec<ConvertedEvent>) {
        let Some(item) = &mut self.open else { return };
        item.text.push_str(piece);
        let is_call = matches!(item.kind, NewKind::Call { .. });
        let events = self.open.as_ref().map(|item| self.form.grow(item, piece));
        self.write(events.unwrap_or_default(), is_call, out);
    }

    fn emit(&mut self, outputs: &[Output], out: &mut Vec<ConvertedEvent>) {
        for one in outputs {
            match one {
                Output::Text(text) => self.release(text, out),
                Output::Reasoning(text) => {
                    self.leave(out);
                    let is_open =
                        self.open.as_ref().is_some_and(|item| item.kind == NewKind::Reasoning);
                    if !is_open {
                        self.begin(NewKind::Reasoning, out);
                    }
                    self.grow(text, out);
                }
                Output::Call { id, name, input } => {
                    self.leave(out);
                    let (id, name, input) = (id.clone(), name.clone(), *input);
                    self.begin(NewKind::Call { id, name, input }, out);
                }
                Output::Arguments(delta) if !delta.is_empty() => self.grow(delta, out),
                Output::CallEnd => self.close(out),
                Output::Unread if self.pace == Pace::AtOnce => out.push(ConvertedEvent::Unread(0)),
                Output::Arguments(_) | Output::Unread => {}
            }
        }
    }

    /// Leaves the server's own text item, since something else follows.
    fn leave(&mut self, out: &mut Vec<ConvertedEvent>) {
        self.discard(out);
        self.blank.clear();
        if self.open.as_ref().is_some_and(|item| item.kind == NewKind::Text) {
            self.close(out);
        }
    }

    /// Drops the events that wait, since their texts are written anew.
    fn discard(&mut self, out: &mut Vec<ConvertedEvent>) {
        let Some(text) = &mut self.text else { return };
        let (waiting, was_intact) = (text.queue.clear(), text.is_intact);
        text.is_intact = false;
        self.is_renumbered |= !waiting.is_empty();
        let has_begun = |one: &Waiting<Part>| !one.released.is_empty();
        let begins = was_intact && waiting.iter().any(has_begun);
        for one in waiting {
            match one.tag {
                Part::Start if !begins => {}
                Part::Start | Part::Aside => self.pass_own(one.raw, one.tag, out),
                Part::Text => self.text_anew(&one.released, out),
            }
        }
    }

    /// Passes on an event of the server's own text item, or one that came with it.
    fn pass_own(&mut self, raw: Option<Vec<u8>>, part: Part, out: &mut Vec<ConvertedEvent>) {
        if part == Part::Start {
            self.begin_own(out);
        }
        if let Some(raw) = raw {
            self.pass(raw, out);
        }
    }

    /// Sends a text in the events that brought it, if it is all that they brought.
    fn release(&mut self, words: &str, out: &mut Vec<ConvertedEvent>) {
        let mut left = words;
        while !left.is_empty() {
            let Some(text) = self.text.as_mut() else { return };
            let is_intact = text.is_intact;
            match text.queue.next(left) {
                Release::Event(one, rest) => {
                    left = rest;
                    match one.tag {
                        Part::Start if !is_intact => {}
                        Part::Start | Part::Aside => self.pass_own(one.raw, one.tag, out),
                        Part::Text if is_intact && one.raw.is_some() => {
                            if let Some(item) = &mut self.open {
                                item.text.push_str(&one.released);
                            }
                            self.pass_own(one.raw, one.tag, out);
                        }
                        Part::Text => self.text_anew(&one.released, out),
                    }
                }
                Release::Later => return,
                Release::Text(text) => return self.text_anew(text, out),
                Release::Other => self.discard(out),
            }
        }
    }

    /// Notes that the server's own text item begins.
    fn begin_own(&mut self, out: &mut Vec<ConvertedEvent>) {
        if self.open.as_ref().is_some_and(|item| item.kind != NewKind::Text) {
            self.close(out);
        }
        let Some(text) = self.text.as_mut() else { return };
        text.texts = text.texts.max(1);
        let (item, origin) = (text.item, text.id.clone());
        let index = self.new_number(item);
        self.open.get_or_insert_with(|| NewItem {
            kind: NewKind::Text,
            index,
            origin,
            number: 1,
            text: String::new(),
        });
    }

    /// Sends a text in an event of its own.
    fn text_anew(&mut self, piece: &str, out: &mut Vec<ConvertedEvent>) {
        let is_open = self.open.as_ref().is_some_and(|item| item.kind == NewKind::Text);
        if !is_open && piece.trim().is_empty() {
            return self.blank.push_str(piece);
        }
        let piece = std::mem::take(&mut self.blank) + piece;
        if !is_open {
            self.begin(NewKind::Text, out);
        }
        if !piece.is_empty() {
            self.grow(&piece, out);
        }
    }

    /// Whether an event is not where the protocol has it.
    fn is_unusual(&self, arrived: &Arrived) -> bool {
        let is_open = |item: u32| self.is_about_text(item);
        match *arrived {
            Arrived::Opens { item, is_empty } => !is_empty || self.text.is_some() && !is_open(item),
            Arrived::Text { item, .. } => !is_open(item),
            Arrived::Closes { item, .. }
            | Arrived::Refusal { item, .. }
            | Arrived::Other { item, .. } => self.text.is_some() && !is_open(item),
            Arrived::End(_) => self.text.is_some(),
            Arrived::Aside => false,
        }
    }

    /// Passes everything on as it arrived, now and later.
    fn turn_off(&mut self, out: &mut Vec<ConvertedEvent>) {
        self.mode = Mode::Off;
        self.reader.forget();
        if let Some(mut text) = self.text.take() {
            for one in text.queue.clear() {
                match (one.rest(), one.raw) {
                    (_, Some(raw)) => self.pass(raw, out),
                    (rest, None) => self.grow(&rest, out),
                }
            }
        }
        self.open = None;
    }

    /// Whether an event has to wait for others.
    fn waits(&self) -> bool {
        self.text.as_ref().is_some_and(|text| !text.queue.is_empty())
    }
}

impl<F: ItemForm> CallEvents for ItemCalls<F> {
    fn event(&mut self, event: &EventData<'_>) -> Vec<ConvertedEvent> {
        let mut out = Vec::new();
        let raw = || event.raw.to_vec();
        let arrived = self.form.arrived(event.root);
        if self.waits_for_next(event, &arrived) {
            return out;
        }
        self.note_reasoning(event, &arrived);
        let end = match &arrived {
            Arrived::Other { opens: true, is_call: true, .. } => TextEnd::BeforeCall,
            Arrived::End(finish) => TextEnd::of(finish.as_ref()),
            _ => TextEnd::Complete,
        };
        self.end_texts(end, &mut out);
        if self.mode == Mode::Read && !self.is_shifted && self.is_unusual(&arrived) {
            self.turn_off(&mut out);
        }
        if self.mode == Mode::Off {
            self.pass(raw(), &mut out);
            return out;
        }
        if self.later.is_about(&arrived) {
            self.later.hold(None, event, &self.form);
            return out;
        }
        if arrived != Arrived::Aside {
            self.send_later(&mut out);
        }
        match arrived {
            Arrived::Opens { .. } | Arrived::Text { .. } if self.mode == Mode::NativeCalls => {
                self.pass(raw(), &mut out);
            }
            Arrived::Opens { item, .. } => self.open_text(item, event),
            Arrived::Text { item, piece } if self.is_about_text(item) => {
                self.read_text(&piece, event, &mut out);
            }
            Arrived::Refusal { item, piece, is_whole } if self.is_written_anew(item) => {
                self.refuse(&piece, is_whole, &mut out);
            }
            Arrived::Other { item, opens: true, is_call: true } if self.begin_native(&mut out) => {
                self.later.hold(Some(item), event, &self.form);
            }
            Arrived::Refusal { item, .. } | Arrived::Other { item, .. }
                if self.is_about_text(item) =>
            {
                self.keep_place(event);
            }
            Arrived::Aside if self.waits() => self.keep_place(event),
            Arrived::End(finish) => self.end_answer(event, finish.as_ref(), end, &mut out),
            Arrived::Closes { .. }
            | Arrived::Text { .. }
            | Arrived::Refusal { .. }
            | Arrived::Other { .. }
            | Arrived::Aside => self.pass(raw(), &mut out),
        }
        out
    }

    fn end(&mut self) -> Vec<ConvertedEvent> {
        let mut out = Vec::new();
        self.end_texts(TextEnd::Complete, &mut out);
        let outputs = self.reader.close(TextEnd::Complete);
        self.emit(&outputs, &mut out);
        self.close(&mut out);
        self.send_later(&mut out);
        out
    }

    fn is_finished(&self) -> bool {
        self.has_ended
    }

    fn found(&self) -> Vec<(u32, FromText)> {
        let (found, doubled) = (self.reader.found().clone(), self.later.doubled());
        let superseded = self.reader.superseded().len().saturating_sub(doubled);
        let dropped = found.dropped + self.later.dropped + superseded;
        vec![(0, FromText { dropped, doubled, ..found })]
    }

    fn kept(&self) -> usize {
        let ends: usize = self.ends.iter().map(Vec::len).sum();
        self.reader.kept() + self.reasoning.words.len() + self.later.kept() + ends
    }
}
