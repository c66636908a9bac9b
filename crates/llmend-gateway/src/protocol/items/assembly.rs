//! What the events of a stream have contributed to its items.

use llmend::json::Kind;

use crate::agree::agree;
use crate::answer::completion::{Completion, Finish, Trailing, hides_a_cut};
use crate::answer::part::{PartKind, ResponsePart};
use crate::answer::slot::{Encoding, Extent, Position, Slot, SlotKind, last_inspected};
use crate::answer::text_parts::{Rank, TextPart, joined};
use crate::splice::strict;

/// A text or a call, as far as it has arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AssembledPart {
    pub(crate) kind: SlotKind,
    pub(crate) at: Position,
    name: String,
    begun: Option<String>,
    pieces: String,
    /// All of it, as a later event repeats it or sends it instead of pieces.
    repeated: Option<String>,
    /// The expected encoding, if it had another one.
    missed: Option<Encoding>,
    /// Whether it arrived parsed, other than in pieces.
    is_read: bool,
    /// Whether the protocol has arguments as an object. A whole answer then hides where they are cut
    /// off, and so may a stream, which some servers write from one.
    is_object: bool,
    /// Whether it is marked incomplete.
    is_unfinished: bool,
}

impl AssembledPart {
    /// Returns the text.
    pub(crate) fn text(&self) -> String {
        let begun = self.begun.as_deref().unwrap_or_default();
        match (&self.repeated, self.kind) {
            (Some(repeated), _) => repeated.clone(),
            (None, SlotKind::Text) => format!("{begun}{}", self.pieces),
            // Clients discard the beginning at the first piece of a call.
            (None, SlotKind::Call) if self.pieces.is_empty() => begun.to_owned(),
            (None, SlotKind::Call) => self.pieces.clone(),
        }
    }

    /// Whether clients could not read the call.
    pub(crate) fn is_misshapen(&self) -> bool {
        match self.missed {
            None => false,
            Some(Encoding::Text) => true,
            Some(Encoding::Json) => self.pieces.is_empty(),
        }
    }

    /// Whether all of it came with its beginning.
    pub(crate) fn is_begun_whole(&self) -> bool {
        self.pieces.is_empty() && self.begun.as_ref().is_some_and(|begun| !begun.is_empty())
    }

    /// Whether its arguments arrived parsed, or are an object in a whole answer.
    fn is_parsed(&self, depth: usize) -> bool {
        let is_object =
            || strict(&self.text(), depth).is_ok_and(|value| value.root().kind() == Kind::Object);
        self.is_read && self.pieces.is_empty() || self.is_object && is_object()
    }

    /// Whether its pieces match the repeated text.
    fn agrees(&self, depth: usize) -> bool {
        let begun = self.begun.as_deref().unwrap_or_default();
        let Some(repeated) = &self.repeated else { return true };
        self.pieces.trim().is_empty()
            || agree(repeated, &self.pieces, depth)
            || agree(repeated, &format!("{begun}{}", self.pieces), depth)
    }

    fn repeat(&mut self, words: String, depth: usize) -> bool {
        match &self.repeated {
            // An empty repetition says nothing.
            _ if words.is_empty() => true,
            Some(known) => agree(known, &words, depth),
            None => {
                self.repeated = Some(words);
                true
            }
        }
    }
}

/// A response, as far as it has arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assembly {
    part: Vec<AssembledPart>,
    ranks: Vec<(u32, Rank)>,
    /// The items that are calls which are not inspected and which the client has to answer, and
    /// their names.
    others: Vec<(u32, String)>,
    /// The items that are not inspected.
    passing: Vec<u32>,
    /// The items that are calls which were read in a text and sent.
    checked: Vec<u32>,
    /// The ids of items and their numbers.
    ids: Vec<(String, u32)>,
    /// The items that began.
    begun: Vec<u32>,
    /// The position of the last part.
    last: Option<Position>,
    /// The position of the last part that is not empty.
    last_filled: Option<Position>,
    /// What follows the inspected parts, according to the last event.
    behind: Option<Trailing>,
    /// The copy of all texts.
    copy: Option<String>,
    refusal: String,
    finish: Option<Finish>,
    is_torn: bool,
    /// The nesting limit for comparing texts.
    depth: usize,
}

/// Which parts of a response are inspected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inspected {
    pub(crate) texts: bool,
    pub(crate) calls: bool,
}

impl Inspected {
    pub(crate) const fn includes(self, kind: SlotKind) -> bool {
        match kind {
            SlotKind::Text => self.texts,
            SlotKind::Call => self.calls,
        }
    }
}

impl Assembly {
    pub(crate) fn new(depth: usize) -> Self {
        Self { depth, ..Self::default() }
    }

    /// Adds the slots of an event. Returns the kind of the last one.
    pub(crate) fn take(&mut self, slots: &[Slot<'_>]) -> Option<SlotKind> {
        let mut about = None;
        for slot in slots {
            if !self.passing.contains(&slot.at.0) {
                self.take_one(slot);
                about = Some(slot.kind);
            }
        }
        about
    }

    fn take_one(&mut self, slot: &Slot<'_>) {
        let words = slot.words();
        if slot.has_content() {
            self.count(slot.at);
        }
        let depth = self.depth;
        let part = self.part(slot.kind, slot.at);
        if !slot.name.is_empty() {
            slot.name.clone_into(&mut part.name);
        }
        if slot.is_misshapen() {
            part.missed = Some(slot.encoding);
        }
        part.is_read |= slot.extent != Extent::Grows && slot.is_read();
        part.is_object |= slot.encoding == Encoding::Json;
        part.is_unfinished |= slot.is_unfinished;
        let agrees = match slot.extent {
            // The pieces of two items of one number cannot be distinguished.
            Extent::Opens if part.begun.is_some() || !part.pieces.is_empty() => false,
            Extent::Begins | Extent::Opens => {
                part.begun.get_or_insert(words);
                true
            }
            Extent::Grows => {
                part.pieces.push_str(&words);
                true
            }
            Extent::Whole => part.repeat(words, depth),
        };
        self.is_torn |= !agrees;
    }

    fn part(&mut self, kind: SlotKind, at: Position) -> &mut AssembledPart {
        self.number(at);
        let known = self.part.iter().position(|part| (part.kind, part.at) == (kind, at));
        let known = known.unwrap_or_else(|| {
            // The order is that of the response, not of its events.
            let place = self.part.partition_point(|part| part.at <= at);
            self.part.insert(place, AssembledPart { kind, at, ..AssembledPart::default() });
            place
        });
        &mut self.part[known]
    }

    /// Notes a part of an item.
    pub(crate) fn number(&mut self, at: Position) {
        self.last = self.last.max(Some(at));
    }

    /// Notes a part of an item that is not empty.
    pub(crate) fn count(&mut self, at: Position) {
        self.number(at);
        self.last_filled = self.last_filled.max(Some(at));
    }

    /// Notes the beginning of an item. Returns whether an inspected item of the same number began
    /// before.
    pub(crate) fn begins_again(
        &mut self,
        item: u32,
        kind: Option<SlotKind>,
        inspected: Inspected,
    ) -> bool {
        if !self.begun.contains(&item) {
            self.begun.push(item);
            return false;
        }
        let known = self.part.iter().filter(|part| part.at.0 == item);
        known.map(|part| part.kind).chain(kind).any(|kind| inspected.includes(kind))
    }

    /// Notes the id of an item.
    pub(crate) fn name(&mut self, id: &str, item: u32) {
        if self.number_of(id).is_none() {
            self.ids.push((id.to_owned(), item));
        }
    }

    /// Returns the number of the item with an id.
    pub(crate) fn number_of(&self, id: &str) -> Option<u32> {
        self.ids.iter().find(|(known, _)| known == id).map(|(_, item)| *item)
    }

    /// Notes what follows the inspected parts, according to the last event.
    pub(crate) fn end_with(&mut self, behind: Trailing) {
        self.behind = Some(behind);
    }

    /// Notes the copy of all texts.
    pub(crate) fn copy(&mut self, words: &str) {
        self.copy = Some(words.to_owned());
    }

    /// Whether the copy of inspected texts differs from them.
    pub(crate) fn is_stale(&self, parts: &[ResponsePart]) -> bool {
        let is_inspected = parts.iter().any(|part| part.place.kind == PartKind::Content);
        let texts = self.of(SlotKind::Text).map(AssembledPart::text);
        is_inspected && self.copy.as_ref().is_some_and(|copy| *copy != texts.collect::<String>())
    }

    /// Notes the rank of an item's texts.
    pub(crate) fn rank(&mut self, item: u32, rank: Rank) {
        self.ranks.push((item, rank));
    }

    /// Notes a call that is not inspected and that the client has to answer.
    pub(crate) fn note_other_call(&mut self, item: u32, name: &str) {
        if !self.others.iter().any(|(known, _)| *known == item) {
            self.others.push((item, name.to_owned()));
        }
    }

    pub(crate) const fn has_other_calls(&self) -> bool {
        !self.others.is_empty()
    }

    /// Notes an item that is not inspected.
    pub(crate) fn let_pass(&mut self, item: u32) {
        self.passing.push(item);
    }

    /// Notes a call that was read in a text and sent.
    pub(crate) fn check(&mut self, item: u32) {
        self.let_pass(item);
        self.checked.push(item);
    }

    /// Whether an item is a call that was read in a text and sent.
    pub(crate) fn is_checked(&self, item: u32) -> bool {
        self.checked.contains(&item)
    }

    /// Notes an item that is inspected, whatever had its number before.
    pub(crate) fn inspect(&mut self, item: u32) {
        self.passing.retain(|passing| *passing != item);
    }

    pub(crate) fn refuse(&mut self, piece: &str) {
        self.refusal.push_str(piece);
    }

    /// Notes a whole refusal, unless pieces of one came.
    pub(crate) fn refuse_all(&mut self, words: &str) {
        if self.refusal.is_empty() {
            words.clone_into(&mut self.refusal);
        }
    }

    pub(crate) fn finish_with(&mut self, finish: Option<Finish>) {
        self.finish = finish;
    }

    /// Compares everything that came with the response in the last event, and takes from there what
    /// did not come before.
    pub(crate) fn compare(&mut self, slots: &[Slot<'_>], refusal: &str, inspected: Inspected) {
        for (kind, is_inspected) in
            [(SlotKind::Text, inspected.texts), (SlotKind::Call, inspected.calls)]
        {
            let reported: Vec<&Slot<'_>> = slots.iter().filter(|slot| slot.kind == kind).collect();
            let came: Vec<Position> = self.of(kind).map(|part| part.at).collect();
            if reported.is_empty() || !is_inspected && !came.is_empty() {
                continue;
            }
            // The numbers of the events may have gaps.
            let is_paired = came.len() == reported.len();
            self.is_torn |=
                !is_paired && !came.iter().all(|at| reported.iter().any(|slot| slot.at == *at));
            for (number, slot) in reported.into_iter().enumerate() {
                let paired = came.get(number).filter(|_| is_paired);
                let at = paired.copied().unwrap_or(slot.at);
                self.take_one(&Slot { at, ..*slot });
                if slot.rank != Rank::default() {
                    self.rank(at.0, slot.rank);
                }
            }
        }
        self.refuse_all(refusal);
    }

    /// Returns the texts or the calls, in order.
    pub(crate) fn of(&self, kind: SlotKind) -> impl Iterator<Item = &AssembledPart> {
        self.part.iter().filter(move |part| part.kind == kind)
    }

    /// Returns a text or a call with its index among its kind.
    pub(crate) fn numbered(&self, kind: SlotKind, at: Position) -> Option<(usize, &AssembledPart)> {
        self.of(kind).enumerate().find(|(_, part)| part.at == at)
    }

    /// Whether the position is taken by the other kind.
    pub(crate) fn has_another(&self, kind: SlotKind, at: Position) -> bool {
        self.part.iter().any(|part| part.at == at && part.kind != kind)
    }

    pub(crate) fn texts(&self) -> Vec<TextPart> {
        let text =
            |part: &AssembledPart| TextPart { words: part.text(), rank: self.rank_of(part.at) };
        self.of(SlotKind::Text).map(text).collect()
    }

    fn rank_of(&self, at: Position) -> Rank {
        let known = self.ranks.iter().rev().find(|(item, _)| *item == at.0);
        known.map(|(_, rank)| *rank).unwrap_or_default()
    }

    /// Returns what the model wrote.
    pub(crate) fn completion(&self, inspected: Inspected) -> Completion {
        let texts = self.texts();
        let last_inspected_at = last_inspected(
            self.of(SlotKind::Call).map(|call| call.at),
            self.of(SlotKind::Text).map(|text| (text.at, self.rank_of(text.at))),
        );
        let behind =
            self.behind.unwrap_or_else(|| Trailing::of(self.last_filled, last_inspected_at));
        let mut completion = Completion {
            content: joined(&texts),
            texts,
            refusal: self.refusal.clone(),
            finish: self.finish.clone(),
            uninspected_calls: self.others.iter().map(|(_, name)| name.clone()).collect(),
            is_unfinished: self.of(SlotKind::Text).any(|text| text.is_unfinished),
            behind,
            ..Completion::default()
        };
        if inspected.calls {
            let is_hidden = |call: &AssembledPart| {
                hides_a_cut(self.finish.as_ref(), behind, &call.text())
                    && call.is_parsed(self.depth)
            };
            let is_broken = |call: &AssembledPart| {
                call.is_unfinished || Some(call.at) == last_inspected_at && is_hidden(call)
            };
            let broken = self.of(SlotKind::Call).enumerate().filter(|(_, call)| is_broken(call));
            completion.broken = broken.map(|(number, _)| number).collect();
            let calls = self.of(SlotKind::Call);
            completion.calls = calls.map(|call| (call.name.clone(), call.text())).collect();
        } else {
            let names = self.of(SlotKind::Call).map(|call| call.name.clone());
            completion.uninspected_calls.extend(names);
        }
        completion
    }

    pub(crate) const fn finish(&self) -> Option<&Finish> {
        self.finish.as_ref()
    }

    /// Returns one more than the highest number of an item.
    pub(crate) fn items(&self) -> u32 {
        self.last.map_or(0, |(item, _)| item.saturating_add(1))
    }

    /// Whether two events contradict each other.
    pub(crate) fn is_torn(&self) -> bool {
        self.is_torn || self.part.iter().any(|part| !part.agrees(self.depth))
    }
}
