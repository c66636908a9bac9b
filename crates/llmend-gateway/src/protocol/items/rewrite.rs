//! Rewriting of events about items.

use llmend::model::Usage;

use super::assembly::Assembly;
use crate::answer::completion::FinishChanges;
use crate::answer::final_answer::FinalAnswer;
use crate::answer::part::{ResponsePart, call_json, is_inspected};
use crate::answer::slot::{Extent, Position, Slot, SlotKind};
use crate::answer::text_parts::{added, replaced};
use crate::answer::usage::{UsageCounts, with_more};
use crate::protocol::event::StreamRewrite;
use crate::splice::Splice;

/// Rewrites the events of one response.
#[derive(Debug)]
pub(crate) struct EventRewriter<'a> {
    pub(crate) parts: &'a [ResponsePart],
    pub(crate) ends: &'a FinishChanges,
    pub(crate) report: Option<&'a serde_json::Value>,
    pub(crate) assembly: &'a Assembly,
    /// The new texts, by index.
    pub(crate) texts: Vec<Option<String>>,
    /// The text to add to a response without any.
    pub(crate) added: Option<&'a str>,
    /// The usage of retries.
    pub(crate) usage: Usage,
    /// The usage that the events reported.
    pub(crate) used: UsageCounts,
    depth: usize,
    written: Vec<(SlotKind, Position)>,
    number: Option<u64>,
}

/// An event that was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RewrittenEvent {
    /// Events to send before it.
    pub(crate) before: String,
    pub(crate) name: String,
    /// Its data, unchanged if nothing was to be done.
    pub(crate) data: String,
}

/// Whether an event still says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Written,
    /// Its content was sent in another event.
    Spent,
}

impl<'a> EventRewriter<'a> {
    pub(crate) fn new(assembly: &'a Assembly, rewrite: StreamRewrite<'a>, depth: usize) -> Self {
        let StreamRewrite { answer, report, used } = rewrite;
        let FinalAnswer { parts, ends, usage, .. } = answer;
        let texts = assembly.texts();
        Self {
            parts,
            ends,
            report,
            assembly,
            added: added(&texts, parts),
            texts: replaced(&texts, parts),
            usage: *usage,
            used,
            depth,
            written: Vec::new(),
            number: None,
        }
    }

    /// Returns the new content of a text or a call, or `None` if it does not change.
    fn whole(&self, kind: SlotKind, at: Position) -> Option<String> {
        let (number, part) = self.assembly.numbered(kind, at)?;
        match kind {
            SlotKind::Text => self.texts.get(number)?.clone(),
            SlotKind::Call => call_json(self.parts, 0, number).map(str::to_owned).or_else(|| {
                let is_reformed = part.is_misshapen() && is_inspected(self.parts, number);
                is_reformed.then(|| part.text())
            }),
        }
    }

    /// Writes the new contents into the slots of an event. The first piece receives everything.
    pub(crate) fn rewrite(&mut self, slots: &[Slot<'_>], splice: &mut Splice<'_>) -> Use {
        let mut is_spent = !slots.is_empty();
        for slot in slots {
            let Some(json) = self.whole(slot.kind, slot.at) else {
                is_spent = false;
                continue;
            };
            let known = self.assembly.numbered(slot.kind, slot.at);
            match slot.extent {
                Extent::Begins if known.is_some_and(|(_, part)| part.is_begun_whole()) => {
                    self.written.push((slot.kind, slot.at));
                    slot.put(&json, splice);
                }
                Extent::Begins | Extent::Opens => slot.put("", splice),
                Extent::Whole => slot.put(&json, splice),
                Extent::Grows => {
                    let is_written =
                        self.written.contains(&(slot.kind, slot.at)) || json.is_empty();
                    self.written.push((slot.kind, slot.at));
                    if !is_written {
                        slot.put(&json, splice);
                    }
                    is_spent &= is_written;
                    continue;
                }
            }
            is_spent = false;
        }
        if is_spent { Use::Spent } else { Use::Written }
    }

    /// Returns the new content of a text or a call that came without any piece.
    pub(crate) fn unwritten(&mut self, kind: SlotKind, at: Position) -> Option<String> {
        let json = self.whole(kind, at).filter(|json| !json.is_empty())?;
        let is_written = self.written.contains(&(kind, at));
        self.written.push((kind, at));
        (!is_written).then_some(json)
    }

    /// Adds the usage of retries to data that reports usage.
    pub(crate) fn with_usage(&self, data: &str) -> String {
        let more =
            (self.usage != Usage::default()).then(|| with_more(data, &self.usage, self.depth));
        more.flatten().unwrap_or_else(|| data.to_owned())
    }

    /// Starts the numbering of events with that of the first one, whether or not it is sent.
    pub(crate) fn count_from(&mut self, written: u64) {
        self.number.get_or_insert(written);
    }

    /// Returns the number of the next event.
    pub(crate) fn next_number(&mut self) -> u64 {
        let number = self.number.unwrap_or_default();
        self.number = Some(number.saturating_add(1));
        number
    }
}
