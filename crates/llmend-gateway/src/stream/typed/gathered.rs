//! What has come of an answer whose events are named?

use super::agree::agree;
use crate::answer::slot::{At, Form, Manner, Seat, Slot, hides_a_cut, last_judged};
use crate::answer::text_parts::{Rank, Text, joined};
use crate::repair::decide::{Part, PlaceKind};
use crate::repair::evaluate::{Behind, Finish, Written};

/// A text or a call, as far as it has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filled {
    pub(crate) slot: Slot,
    pub(crate) at: At,
    name: String,
    begun: Option<String>,
    pieces: String,
    /// All of it, as an event says that comes behind the pieces, or in their stead.
    said: Option<String>,
    /// The form that it did not have somewhere.
    missed: Option<Form>,
    /// Whether it was read already where it was told, other than in pieces.
    is_read: bool,
    /// Whether it is said to be incomplete, whatever is said of the answer.
    is_unfinished: bool,
}

impl Filled {
    /// What it comes to.
    pub(crate) fn text(&self) -> String {
        let begun = self.begun.as_deref().unwrap_or_default();
        match (&self.said, self.slot) {
            (Some(said), _) => said.clone(),
            (None, Slot::Text) => format!("{begun}{}", self.pieces),
            // Clients begin anew with the first piece of a call.
            (None, Slot::Call) if self.pieces.is_empty() => begun.to_owned(),
            (None, Slot::Call) => self.pieces.clone(),
        }
    }

    /// Whether clients could not read a call that is sound.
    pub(crate) fn is_misshapen(&self) -> bool {
        match self.missed {
            None => false,
            Some(Form::Text) => true,
            Some(Form::Json) => self.pieces.is_empty(),
        }
    }

    /// Whether it is told where it begins and nowhere behind that in pieces.
    pub(crate) fn is_begun_whole(&self) -> bool {
        self.pieces.is_empty() && self.begun.as_ref().is_some_and(|begun| !begun.is_empty())
    }

    /// Whether its pieces come to what is said that all of it is.
    fn agrees(&self, depth: usize) -> bool {
        let begun = self.begun.as_deref().unwrap_or_default();
        let Some(said) = &self.said else { return true };
        self.pieces.trim().is_empty()
            || agree(said, &self.pieces, depth)
            || agree(said, &format!("{begun}{}", self.pieces), depth)
    }

    fn say(&mut self, words: String, depth: usize) -> bool {
        match &self.said {
            // What says nothing says nothing else.
            _ if words.is_empty() => true,
            Some(known) => agree(known, &words, depth),
            None => {
                self.said = Some(words);
                true
            }
        }
    }
}

/// An answer, as far as it has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    filled: Vec<Filled>,
    ranks: Vec<(u32, Rank)>,
    /// The items that are calls which nobody looks at, and which the client has to answer.
    others: Vec<u32>,
    /// The items whose pieces are nobody's business.
    passing: Vec<u32>,
    /// What items are called, and their numbers.
    ids: Vec<(String, u32)>,
    /// The items that began, where they are told to.
    begun: Vec<u32>,
    /// Where the last part stands that was told of.
    last: Option<At>,
    /// Where the last part stands that says anything.
    said: Option<At>,
    /// What stands behind all that is looked at, as the last event has it.
    behind: Option<Behind>,
    /// A copy of all texts, beside them.
    copy: Option<String>,
    refusal: String,
    finish: Option<Finish>,
    is_torn: bool,
    /// Most levels that are read to compare two texts.
    depth: usize,
}

/// Which parts of an answer are looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    pub(crate) texts: bool,
    pub(crate) calls: bool,
}

impl Sight {
    pub(crate) const fn sees(self, slot: Slot) -> bool {
        match slot {
            Slot::Text => self.texts,
            Slot::Call => self.calls,
        }
    }
}

impl Gathered {
    pub(crate) fn new(depth: usize) -> Self {
        Self { depth, ..Self::default() }
    }

    /// Takes in what stands in the seats of an event; what it was about.
    pub(crate) fn take(&mut self, seats: &[Seat<'_>]) -> Option<Slot> {
        let mut about = None;
        for seat in seats {
            if !self.passing.contains(&seat.at.0) {
                self.take_one(seat);
                about = Some(seat.slot);
            }
        }
        about
    }

    fn take_one(&mut self, seat: &Seat<'_>) {
        let words = seat.words();
        if seat.says_anything() {
            self.count(seat.at);
        }
        let depth = self.depth;
        let filled = self.slot(seat.slot, seat.at);
        if !seat.name.is_empty() {
            seat.name.clone_into(&mut filled.name);
        }
        if seat.is_misshapen() {
            filled.missed = Some(seat.form);
        }
        filled.is_read |= seat.manner != Manner::Grows && seat.is_read();
        filled.is_unfinished |= seat.is_unfinished;
        let agrees = match seat.manner {
            // Two items under one number cannot be told from each other by their pieces.
            Manner::Opens if filled.begun.is_some() || !filled.pieces.is_empty() => false,
            Manner::Begins | Manner::Opens => {
                filled.begun.get_or_insert(words);
                true
            }
            Manner::Grows => {
                filled.pieces.push_str(&words);
                true
            }
            Manner::Says => filled.say(words, depth),
        };
        self.is_torn |= !agrees;
    }

    fn slot(&mut self, slot: Slot, at: At) -> &mut Filled {
        self.number(at);
        let known = self.filled.iter().position(|filled| (filled.slot, filled.at) == (slot, at));
        let known = known.unwrap_or_else(|| {
            // In the order of the answer, whatever the order of its events.
            let place = self.filled.partition_point(|filled| filled.at <= at);
            self.filled.insert(place, Filled { slot, at, ..Filled::default() });
            place
        });
        &mut self.filled[known]
    }

    /// Notes that there is a part of an item.
    pub(crate) fn number(&mut self, at: At) {
        self.last = self.last.max(Some(at));
    }

    /// Notes that there is a part of an item, and that it says something.
    pub(crate) fn count(&mut self, at: At) {
        self.number(at);
        self.said = self.said.max(Some(at));
    }

    /// Notes that an item begins, which is a text, a call or neither; whether it cannot be told from one that began
    /// before under its number, and one of the two is looked at.
    pub(crate) fn begins_again(&mut self, item: u32, slot: Option<Slot>, sight: Sight) -> bool {
        if !self.begun.contains(&item) {
            self.begun.push(item);
            return false;
        }
        let known = self.filled.iter().filter(|filled| filled.at.0 == item);
        known.map(|filled| filled.slot).chain(slot).any(|slot| sight.sees(slot))
    }

    /// Notes what an item is called.
    pub(crate) fn name(&mut self, id: &str, item: u32) {
        if self.number_of(id).is_none() {
            self.ids.push((id.to_owned(), item));
        }
    }

    /// The number of the item that is called so.
    pub(crate) fn number_of(&self, id: &str) -> Option<u32> {
        self.ids.iter().find(|(known, _)| known == id).map(|(_, item)| *item)
    }

    /// Notes what the last event says that stands behind all that is looked at.
    pub(crate) fn end_with(&mut self, behind: Behind) {
        self.behind = Some(behind);
    }

    /// Notes a copy of all texts.
    pub(crate) fn copy(&mut self, words: &str) {
        self.copy = Some(words.to_owned());
    }

    /// Whether there is a copy of the texts that were looked at, and it says something else.
    pub(crate) fn is_stale(&self, parts: &[Part]) -> bool {
        let is_judged = parts.iter().any(|part| part.place.kind == PlaceKind::Content);
        let texts = self.of(Slot::Text).map(Filled::text);
        is_judged && self.copy.as_ref().is_some_and(|copy| *copy != texts.collect::<String>())
    }

    /// Notes what an item says that its texts are.
    pub(crate) fn rank(&mut self, item: u32, rank: Rank) {
        self.ranks.push((item, rank));
    }

    /// Notes a call that nobody looks at, and that the client has to answer.
    pub(crate) fn call_besides(&mut self, item: u32) {
        if !self.others.contains(&item) {
            self.others.push(item);
        }
    }

    pub(crate) const fn has_calls_besides(&self) -> bool {
        !self.others.is_empty()
    }

    /// Notes an item whose pieces are nobody's business.
    pub(crate) fn let_pass(&mut self, item: u32) {
        self.passing.push(item);
    }

    /// Notes an item that is looked at, whatever stood under its number before.
    pub(crate) fn look_at(&mut self, item: u32) {
        self.passing.retain(|passing| *passing != item);
    }

    pub(crate) fn refuse(&mut self, piece: &str) {
        self.refusal.push_str(piece);
    }

    /// Notes all the words of a refusal, if no piece of one came.
    pub(crate) fn refuse_all(&mut self, words: &str) {
        if self.refusal.is_empty() {
            words.clone_into(&mut self.refusal);
        }
    }

    pub(crate) fn finish_with(&mut self, finish: Option<Finish>) {
        self.finish = finish;
    }

    /// Holds all that came against what the last event says that it comes to, and takes from there what
    /// did not come in any other.
    pub(crate) fn hold_against(&mut self, seats: &[Seat<'_>], refusal: &str, sight: Sight) {
        for (slot, is_looked_at) in [(Slot::Text, sight.texts), (Slot::Call, sight.calls)] {
            let told: Vec<&Seat<'_>> = seats.iter().filter(|seat| seat.slot == slot).collect();
            let came: Vec<At> = self.of(slot).map(|filled| filled.at).collect();
            if told.is_empty() || !is_looked_at && !came.is_empty() {
                continue;
            }
            // The numbers of the events may have gaps, where those of a list have none.
            let is_paired = came.len() == told.len();
            self.is_torn |=
                !is_paired && !came.iter().all(|at| told.iter().any(|seat| seat.at == *at));
            for (number, seat) in told.into_iter().enumerate() {
                let paired = came.get(number).filter(|_| is_paired);
                let at = paired.copied().unwrap_or(seat.at);
                self.take_one(&Seat { at, ..*seat });
                if seat.rank != Rank::default() {
                    self.rank(at.0, seat.rank);
                }
            }
        }
        self.refuse_all(refusal);
    }

    /// The texts or the calls, in order.
    pub(crate) fn of(&self, slot: Slot) -> impl Iterator<Item = &Filled> {
        self.filled.iter().filter(move |filled| filled.slot == slot)
    }

    /// A text or a call, and its number among its like.
    pub(crate) fn numbered(&self, slot: Slot, at: At) -> Option<(usize, &Filled)> {
        self.of(slot).enumerate().find(|(_, filled)| filled.at == at)
    }

    /// Whether something else stands there.
    pub(crate) fn has_another(&self, slot: Slot, at: At) -> bool {
        self.filled.iter().any(|filled| filled.at == at && filled.slot != slot)
    }

    pub(crate) fn texts(&self) -> Vec<Text> {
        let text = |filled: &Filled| Text { words: filled.text(), rank: self.rank_of(filled.at) };
        self.of(Slot::Text).map(text).collect()
    }

    fn rank_of(&self, at: At) -> Rank {
        let known = self.ranks.iter().rev().find(|(item, _)| *item == at.0);
        known.map(|(_, rank)| *rank).unwrap_or_default()
    }

    /// What the model wrote.
    pub(crate) fn written(&self, sight: Sight) -> Written {
        let texts = self.texts();
        let judged = last_judged(
            self.of(Slot::Call).map(|call| call.at),
            self.of(Slot::Text).map(|text| (text.at, self.rank_of(text.at))),
        );
        let behind = self.behind.unwrap_or_else(|| Behind::of(self.said, judged));
        let mut written = Written {
            content: joined(&texts),
            texts,
            refusal: self.refusal.clone(),
            finish: self.finish.clone(),
            calls_told: self.others.len(),
            is_unfinished: self.of(Slot::Text).any(|text| text.is_unfinished),
            behind,
            ..Written::default()
        };
        if sight.calls {
            let is_hidden = |call: &Filled| {
                let is_read = call.is_read && call.pieces.is_empty();
                is_read && hides_a_cut(self.finish.as_ref(), behind, &call.text())
            };
            let is_broken =
                |call: &Filled| call.is_unfinished || Some(call.at) == judged && is_hidden(call);
            let broken = self.of(Slot::Call).enumerate().filter(|(_, call)| is_broken(call));
            written.broken = broken.map(|(number, _)| number).collect();
            let calls = self.of(Slot::Call);
            written.calls = calls.map(|call| (call.name.clone(), call.text())).collect();
        } else {
            written.calls_told += self.of(Slot::Call).count();
        }
        written
    }

    pub(crate) const fn finish(&self) -> Option<&Finish> {
        self.finish.as_ref()
    }

    /// One more than the highest number of an item.
    pub(crate) fn items(&self) -> u32 {
        self.last.map_or(0, |(item, _)| item.saturating_add(1))
    }

    /// Whether one event says something else than another.
    pub(crate) fn is_torn(&self) -> bool {
        self.is_torn || self.filled.iter().any(|filled| !filled.agrees(self.depth))
    }

    /// How many bytes are to be looked at.
    pub(crate) fn size(&self) -> usize {
        self.filled.iter().map(|filled| filled.text().len()).sum()
    }
}
