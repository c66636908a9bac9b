//! Calls in streams of a request that asks for JSON as well.
//!
//! Whether a text is the JSON that was asked for shows at its end. Events wait until then, and pass
//! as they arrived unless a text holds calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use llmend::json::Node;

use super::call_stream::{ChatCalls, Kept, rest};
use super::choice::{
    Delivered, finish, has_value, is_readable, message_of, pieces, reasoning_in, word, words,
};
use crate::answer::completion::Finish;
use crate::answer::from_text::FromText;
use crate::calls::context::ConvertContext;
use crate::calls::reader::{Output, TextEnd};
use crate::protocol::StreamContext;
use crate::protocol::event::{CallEvents, ConvertedEvent, EventData};
use crate::repair::RepairOptions;
use crate::splice::strict;

/// Reads the texts of a response that may be JSON.
#[derive(Debug)]
pub(super) struct DeferredCalls {
    calls: ChatCalls,
    options: RepairOptions,
    texts: BTreeMap<u32, Text>,
    waiting: Vec<Waiting>,
    is_released: bool,
    bytes: usize,
    depth: usize,
}

/// An event that waits.
#[derive(Debug)]
struct Waiting {
    raw: Vec<u8>,
    data: String,
}

/// The text of a choice, as far as it has arrived.
#[derive(Debug, Default)]
struct Text {
    words: String,
    reasoning: String,
    has_ended: bool,
    is_complete: bool,
    end: TextEnd,
    /// Whether calls in it count.
    is_closed: bool,
}

impl DeferredCalls {
    pub(super) fn new(context: &StreamContext) -> Option<Self> {
        let (texts, waiting) = (BTreeMap::new(), Vec::new());
        let calls = ChatCalls::new(context)?;
        let StreamContext { options, depth, .. } = *context;
        Some(Self { calls, options, texts, waiting, is_released: false, bytes: 0, depth })
    }

    /// Notes a piece of a choice. Returns whether it has to wait.
    fn note(&mut self, number: u32, choice: Node<'_>) -> bool {
        let known = self.texts.entry(number).or_default();
        let delta = message_of(choice, Delivered::InEvents);
        let has = |key: &str| delta.is_some_and(|delta| has_value(delta, key));
        let words = delta.map(words).unwrap_or_default();
        let end = finish(choice);
        known.words.push_str(&words);
        let reasoning = delta.and_then(reasoning_in);
        known.reasoning.push_str(reasoning.map_or("", |(_, piece)| piece));
        known.is_complete |= end.as_ref().is_some_and(Finish::is_complete);
        known.is_closed |= has("tool_calls") || has("function_call") || has("refusal");
        known.end = end.as_ref().map_or(known.end, |end| TextEnd::of(Some(end)));
        known.has_ended |= end.is_some();
        has("content") || end.is_some()
    }

    /// Whether every choice that began has ended.
    fn is_over(&self) -> bool {
        let count = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        count >= self.calls.request.choices && self.texts.values().all(|text| text.has_ended)
    }

    /// Reads the texts, and returns the events that waited.
    fn release(&mut self) -> Vec<ConvertedEvent> {
        self.is_released = true;
        let mut outputs: BTreeMap<u32, Vec<Output>> = BTreeMap::new();
        for (number, text) in &self.texts {
            let request = Arc::clone(&self.calls.request);
            let Some(known) = self.calls.choice(*number) else { continue };
            let ids = known.reader.ids().clone();
            let context = ConvertContext { request: &request, options: self.options, ids };
            let Some(known) = self.calls.choice(*number).filter(|_| !text.is_closed) else {
                continue;
            };
            let emitted = if text.words.trim().is_empty() {
                text.is_complete.then(|| known.reader.read_reasoning(&text.reasoning))
            } else {
                known.reader.read_for(&text.words, text.end, &context)
            };
            if let Some(emitted) = emitted.filter(|_| !known.reader.found().is_nothing()) {
                outputs.insert(*number, emitted);
            }
        }
        let waiting = std::mem::take(&mut self.waiting);
        self.bytes = 0;
        if outputs.is_empty() {
            return waiting.into_iter().map(|one| ConvertedEvent::Earlier(one.raw)).collect();
        }
        let converted: BTreeSet<u32> = outputs.keys().copied().collect();
        let mut out = Vec::new();
        for one in waiting {
            self.release_one(one, &converted, &mut outputs, &mut out);
        }
        for (number, emitted) in outputs {
            self.calls.write(number, &emitted, &mut out);
        }
        out
    }

    /// Releases an event without the texts of these choices, and before the end of a choice what
    /// was said in its text.
    fn release_one(
        &mut self,
        one: Waiting,
        converted: &BTreeSet<u32>,
        outputs: &mut BTreeMap<u32, Vec<Output>>,
        out: &mut Vec<ConvertedEvent>,
    ) {
        let Ok(value) = strict(&one.data, self.depth) else { return };
        let choices = pieces(value.root()).unwrap_or_default();
        let mut kept = Vec::new();
        for (number, choice) in &choices {
            if let Some(emitted) = finish(*choice).and_then(|_| outputs.remove(number)) {
                self.calls.write(*number, &emitted, out);
            }
            let delta = message_of(*choice, Delivered::InEvents);
            let has_role = delta.is_some_and(|delta| word(delta, "role").is_some());
            let known = self.calls.choice(*number);
            let had_role =
                known.is_some_and(|known| std::mem::replace(&mut known.has_role, true) && has_role);
            let without_text = converted.contains(number);
            kept.push(Kept { without_text, without_role: had_role, ..Kept::default() });
        }
        if kept.iter().all(|kept| *kept == Kept::default()) {
            out.push(ConvertedEvent::Earlier(one.raw));
        } else if let Some(rest) = rest(&one.data, value.root(), &choices, &kept) {
            out.push(ConvertedEvent::Written(rest));
        }
    }
}

impl CallEvents for DeferredCalls {
    fn event(&mut self, event: &EventData<'_>) -> Vec<ConvertedEvent> {
        let root = event.root;
        let choices = pieces(root).filter(|_| is_readable(root)).unwrap_or_default();
        self.calls.learn(root);
        let mut waits = !self.waiting.is_empty();
        for (number, choice) in &choices {
            waits |= self.note(*number, *choice);
        }
        if !waits || choices.is_empty() || self.is_released {
            return vec![ConvertedEvent::Raw];
        }
        self.bytes += event.raw.len();
        let (raw, data) = (event.raw.to_vec(), event.data.to_owned());
        self.waiting.push(Waiting { raw, data });
        if self.is_over() { self.release() } else { Vec::new() }
    }

    fn end(&mut self) -> Vec<ConvertedEvent> {
        if self.is_released { Vec::new() } else { self.release() }
    }

    fn is_finished(&self) -> bool {
        !self.texts.is_empty() && self.texts.values().all(|text| text.has_ended)
    }

    fn found(&self) -> Vec<(u32, FromText)> {
        self.calls.found()
    }

    fn kept(&self) -> usize {
        self.bytes + self.texts.values().map(|text| text.reasoning.len()).sum::<usize>()
    }
}
