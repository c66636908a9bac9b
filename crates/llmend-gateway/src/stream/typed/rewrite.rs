//! What do the events of an answer that was repaired say, each in its place?

use llmend::model::Usage;

use super::gathered::Gathered;
use crate::answer::slot::{At, Manner, Seat, Slot, is_judged};
use crate::answer::text_parts::{added, replaced};
use crate::answer::usage::{Told, with_more};
use crate::repair::decide::{Part, call_json};
use crate::repair::evaluate::Ends;
use crate::splice::Splice;

/// What is told of an answer that was repaired.
#[derive(Debug)]
pub(crate) struct Retold<'a> {
    pub(crate) parts: &'a [Part],
    pub(crate) ends: &'a Ends,
    pub(crate) report: Option<&'a serde_json::Value>,
    pub(crate) gathered: &'a Gathered,
    /// What the texts say instead, by number.
    pub(crate) texts: Vec<Option<String>>,
    /// What stands in a text of its own, since there is none.
    pub(crate) added: Option<&'a str>,
    /// What was used besides.
    pub(crate) usage: Usage,
    /// What the events told of usage.
    pub(crate) used: Told,
    depth: usize,
    told: Vec<(Slot, At)>,
    number: Option<u64>,
}

/// An event that waited, with what was made of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anew {
    /// Events that come before it.
    pub(crate) before: String,
    pub(crate) name: String,
    /// Its data: as they came, if there was nothing to do.
    pub(crate) data: String,
}

/// Whether an event still has something to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Told,
    /// What it said is told in another.
    Spent,
}

impl<'a> Retold<'a> {
    pub(crate) fn new(
        gathered: &'a Gathered,
        parts: &'a [Part],
        ends: &'a Ends,
        report: Option<&'a serde_json::Value>,
        depth: usize,
    ) -> Self {
        let texts = gathered.texts();
        Self {
            parts,
            ends,
            report,
            gathered,
            added: added(&texts, parts),
            texts: replaced(&texts, parts),
            usage: Usage::default(),
            used: Told::default(),
            depth,
            told: Vec::new(),
            number: None,
        }
    }

    /// What all of a text or a call says now; nothing if it stays as it came.
    fn whole(&self, slot: Slot, at: At) -> Option<String> {
        let (number, filled) = self.gathered.numbered(slot, at)?;
        match slot {
            Slot::Text => self.texts.get(number)?.clone(),
            Slot::Call => call_json(self.parts, 0, number).map(str::to_owned).or_else(|| {
                let is_reformed = filled.is_misshapen() && is_judged(self.parts, number);
                is_reformed.then(|| filled.text())
            }),
        }
    }

    /// Puts into the seats of an event what they say now. The first piece says all.
    pub(crate) fn retell(&mut self, seats: &[Seat<'_>], splice: &mut Splice<'_>) -> Use {
        let mut is_spent = !seats.is_empty();
        for seat in seats {
            let Some(json) = self.whole(seat.slot, seat.at) else {
                is_spent = false;
                continue;
            };
            let known = self.gathered.numbered(seat.slot, seat.at);
            match seat.manner {
                Manner::Begins if known.is_some_and(|(_, filled)| filled.is_begun_whole()) => {
                    self.told.push((seat.slot, seat.at));
                    seat.put(&json, splice);
                }
                Manner::Begins | Manner::Opens => seat.put("", splice),
                Manner::Says => seat.put(&json, splice),
                Manner::Grows => {
                    let is_told = self.told.contains(&(seat.slot, seat.at)) || json.is_empty();
                    self.told.push((seat.slot, seat.at));
                    if !is_told {
                        seat.put(&json, splice);
                    }
                    is_spent &= is_told;
                    continue;
                }
            }
            is_spent = false;
        }
        if is_spent { Use::Spent } else { Use::Told }
    }

    /// What a text or a call has to say of which no piece came.
    pub(crate) fn untold(&mut self, slot: Slot, at: At) -> Option<String> {
        let json = self.whole(slot, at).filter(|json| !json.is_empty())?;
        let is_told = self.told.contains(&(slot, at));
        self.told.push((slot, at));
        (!is_told).then_some(json)
    }

    /// An event with what all attempts used, if it tells of that.
    pub(crate) fn with_usage(&self, data: &str) -> String {
        let more =
            (self.usage != Usage::default()).then(|| with_more(data, &self.usage, self.depth));
        more.flatten().unwrap_or_else(|| data.to_owned())
    }

    /// Counts on from this number, that of the first event that waited, whether or not it is told.
    pub(crate) fn count_from(&mut self, told: u64) {
        self.number.get_or_insert(told);
    }

    /// The number of the next event.
    pub(crate) fn next_number(&mut self) -> u64 {
        let number = self.number.unwrap_or_default();
        self.number = Some(number.saturating_add(1));
        number
    }
}
