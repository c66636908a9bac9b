//! Calls in streams of a request that asks for JSON as well.
//!
//! Whether a text is the JSON that was asked for shows at its end. Events wait until then, and pass
//! as they arrived unless a text holds calls.

use super::calls::ItemCalls;
use super::form::{Arrived, ItemForm};
use crate::answer::from_text::FromText;
use crate::calls::context::ConvertContext;
use crate::calls::reader::reading_for;
use crate::protocol::StreamContext;
use crate::protocol::event::{CallEvents, ConvertedEvent, EventData};
use crate::splice::strict;
use crate::stream::frame::{Content, Frame};

/// Reads the texts of a response that may be JSON.
#[derive(Debug)]
pub(crate) struct DeferredItems<F> {
    form: F,
    calls: ItemCalls<F>,
    context: StreamContext,
    /// The text of each item.
    texts: Vec<(u32, String)>,
    waiting: Vec<Vec<u8>>,
    bytes: usize,
    /// Whether the texts stay as they are, beside calls of the server or a refusal.
    is_beside: bool,
    state: State,
}

/// What is known of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Text,
    Calls,
}

impl<F: ItemForm> DeferredItems<F> {
    pub(crate) fn new(form: F, other: F, context: &StreamContext) -> Option<Self> {
        let calls = ItemCalls::new(other, context)?;
        let (context, texts, waiting) = (context.clone(), Vec::new(), Vec::new());
        let (bytes, is_beside, state) = (0, false, State::Open);
        Some(Self { form, calls, context, texts, waiting, bytes, is_beside, state })
    }

    /// Decides what the texts are, and returns the events that waited.
    fn release(&mut self) -> Vec<ConvertedEvent> {
        let StreamContext { request, options, call_ids, .. } = &self.context;
        let context = ConvertContext { request, options: *options, ids: call_ids.clone() };
        let mut texts = self.texts.iter().filter(|_| !self.is_beside);
        let reading = texts.find_map(|(_, text)| reading_for(text, &context));
        let waiting = std::mem::take(&mut self.waiting);
        self.bytes = 0;
        let Some(reading) = reading else {
            self.state = State::Text;
            return waiting.into_iter().map(ConvertedEvent::Earlier).collect();
        };
        self.state = State::Calls;
        self.calls.read_as(reading);
        let mut out = Vec::new();
        for raw in waiting {
            let frame = Frame { raw };
            let Content::Data(data) = frame.content() else { continue };
            let Ok(value) = strict(&data, self.context.depth) else { continue };
            out.extend(self.calls.event(&EventData {
                raw: &frame.raw,
                data: &data,
                root: value.root(),
                name: frame.name(),
                has_mark: false,
                is_checked: false,
            }));
        }
        out
    }
}

impl<F: ItemForm> CallEvents for DeferredItems<F> {
    fn event(&mut self, event: &EventData<'_>) -> Vec<ConvertedEvent> {
        match self.state {
            State::Open => {}
            State::Text => return vec![ConvertedEvent::Raw],
            State::Calls => return self.calls.event(event),
        }
        let arrived = self.form.arrived(event.root);
        if let Arrived::Text { item, piece } = &arrived {
            match self.texts.iter_mut().find(|(known, _)| known == item) {
                Some((_, text)) => text.push_str(piece),
                None => self.texts.push((*item, piece.clone())),
            }
        }
        self.is_beside |= matches!(arrived, Arrived::Other { is_call: true, .. });
        self.is_beside |= self.form.refuses(event.root);
        self.bytes += event.raw.len();
        self.waiting.push(event.raw.to_vec());
        if matches!(arrived, Arrived::End(_)) { self.release() } else { Vec::new() }
    }

    fn end(&mut self) -> Vec<ConvertedEvent> {
        let mut out = if self.state == State::Open { self.release() } else { Vec::new() };
        if self.state == State::Calls {
            out.extend(self.calls.end());
        }
        out
    }

    fn is_finished(&self) -> bool {
        self.state != State::Open
    }

    fn found(&self) -> Vec<(u32, FromText)> {
        self.calls.found()
    }

    fn kept(&self) -> usize {
        self.bytes + self.calls.kept()
    }
}
