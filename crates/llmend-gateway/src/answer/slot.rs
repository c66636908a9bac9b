//! Where in an answer, or in an event of one, does a text or a call stand?
//!
//! What is read from there and what is put there follow from the same list, so that nothing is looked at in
//! one place and written into another.

use crate::answer::completion::{Completion, Finish, Trailing, hides_a_cut};
use crate::answer::part::{ResponsePart, call_json, is_judged};
use llmend::json::{Kind, Node};

use crate::answer::text_parts::{Rank, TextPart, joined};
use crate::splice::{Splice, quoted};

/// What stands in a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SlotKind {
    #[default]
    Text,
    Call,
}

/// An item of an answer and a part of it, by number.
pub(crate) type Position = (u32, u32);

/// A member of an answer or an event that tells of a text or a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'v> {
    pub(crate) kind: SlotKind,
    pub(crate) at: Position,
    pub(crate) extent: Extent,
    pub(crate) encoding: Encoding,
    /// Of which tool a call is, where that is told beside it.
    pub(crate) name: &'v str,
    pub(crate) rank: Rank,
    /// Whether it is said to be incomplete, whatever is said of the answer.
    pub(crate) is_unfinished: bool,
    pub(crate) holder: Node<'v>,
    pub(crate) key: &'static str,
}

/// How much of a text or a call is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What it begins with. The rest comes in pieces, or all at once later.
    Begins,
    /// What it begins with, in an answer that tells nothing in any other way than in pieces.
    Opens,
    /// What it grows by.
    Grows,
    /// All of it.
    Says,
}

/// How the JSON of a call is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As text.
    Text,
    /// As it is.
    Json,
}

impl<'v> Slot<'v> {
    /// A text, or a call that is told as text, of which nothing else is said.
    pub(crate) const fn of(
        kind: SlotKind,
        at: Position,
        extent: Extent,
        holder: Node<'v>,
        key: &'static str,
    ) -> Self {
        let (encoding, name, rank, is_unfinished) = (Encoding::Text, "", Rank::Untold, false);
        Self { kind, at, extent, encoding, name, rank, is_unfinished, holder, key }
    }

    /// What stands there, as text whatever its form.
    pub(crate) fn words(&self) -> String {
        match self.node() {
            Some(node) if !node.is_null() => {
                node.str().map_or_else(|| node.to_string(), str::to_owned)
            }
            _ => String::new(),
        }
    }

    /// Whether there is anything behind which an answer could have broken off: any call, and any words.
    pub(crate) fn says_anything(&self) -> bool {
        self.kind == SlotKind::Call || !self.words().trim().is_empty()
    }

    /// Whether a call stands there in a form that clients do not read.
    pub(crate) fn is_misshapen(&self) -> bool {
        let kind = self.node().map(Node::kind);
        self.kind == SlotKind::Call
            && match self.encoding {
                Encoding::Text => kind != Some(Kind::String),
                Encoding::Json => matches!(kind, None | Some(Kind::String | Kind::Null)),
            }
    }

    /// Whether a call stands there as it was read already: where it broke off cannot be seen any more.
    pub(crate) fn is_read(&self) -> bool {
        let kind = self.node().map(Node::kind);
        self.kind == SlotKind::Call && !matches!(kind, None | Some(Kind::String | Kind::Null))
    }

    /// Puts something else there: a text, or the JSON of a call.
    pub(crate) fn put(&self, words: &str, splice: &mut Splice<'_>) {
        let json = match self.encoding {
            Encoding::Text => quoted(words),
            Encoding::Json if words.is_empty() => "{}".to_owned(),
            Encoding::Json => words.to_owned(),
        };
        match self.node() {
            Some(node) => splice.replace(node, json),
            None => splice.members(self.holder, &[], &[(self.key, json)]),
        }
    }

    fn node(&self) -> Option<Node<'v>> {
        self.holder.get(self.key)
    }
}

/// The texts that stand in these seats.
pub(crate) fn texts(slots: &[Slot<'_>]) -> Vec<TextPart> {
    of(slots, SlotKind::Text)
        .map(|slot| TextPart { words: slot.words(), rank: slot.rank })
        .collect()
}

/// The calls that stand in these seats: name and arguments of each.
pub(crate) fn calls(slots: &[Slot<'_>]) -> Vec<(String, String)> {
    of(slots, SlotKind::Call).map(|slot| (slot.name.to_owned(), slot.words())).collect()
}

/// What the seats of a whole answer say; `last` is where the last part of it stands.
pub(crate) fn completion(
    slots: &[Slot<'_>],
    last: Option<Position>,
    finish: Option<Finish>,
) -> Completion {
    let texts = texts(slots);
    let judged = last_judged(
        of(slots, SlotKind::Call).map(|slot| slot.at),
        of(slots, SlotKind::Text).map(|slot| (slot.at, slot.rank)),
    );
    let behind = Trailing::of(last, judged);
    let hides = |slot: &Slot<'_>| hides_a_cut(finish.as_ref(), behind, &slot.words());
    let is_last = |slot: &Slot<'_>| Some(slot.at) == judged;
    let broken = of(slots, SlotKind::Call).enumerate();
    let broken = broken
        .filter(|(_, slot)| slot.is_unfinished || is_last(slot) && slot.is_read() && hides(slot));
    Completion {
        content: joined(&texts),
        texts,
        calls: calls(slots),
        broken: broken.map(|(number, _)| number).collect(),
        is_unfinished: of(slots, SlotKind::Text).any(|slot| slot.is_unfinished),
        behind,
        finish,
        ..Completion::default()
    }
}

/// Where the last of what is looked at stands: beside calls, texts are not.
pub(crate) fn last_judged(
    calls: impl Iterator<Item = Position>,
    texts: impl Iterator<Item = (Position, Rank)>,
) -> Option<Position> {
    let last_text = || texts.max_by_key(|(at, rank)| (*rank, *at)).map(|(at, _)| at);
    calls.max().or_else(last_text)
}

fn of<'s, 'v>(slots: &'s [Slot<'v>], kind: SlotKind) -> impl Iterator<Item = &'s Slot<'v>> {
    slots.iter().filter(move |slot| slot.kind == kind)
}

/// Puts into the seats of a whole answer what was made of it; `replaced` is what its texts say instead.
pub(crate) fn rewrite_slots(
    slots: &[Slot<'_>],
    replaced: &[Option<String>],
    parts: &[ResponsePart],
    splice: &mut Splice<'_>,
) {
    for (slot, words) in of(slots, SlotKind::Text).zip(replaced) {
        if let Some(words) = words {
            slot.put(words, splice);
        }
    }
    for (number, slot) in of(slots, SlotKind::Call).enumerate() {
        if let Some(json) = call_json(parts, 0, number) {
            slot.put(json, splice);
        } else if slot.is_misshapen() && is_judged(parts, number) {
            slot.put(&slot.words(), splice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Position, last_judged};
    use crate::answer::text_parts::Rank;

    #[test]
    fn the_last_call_is_judged_last_or_the_last_text_of_the_highest_rank() {
        use Rank::{Answer, Commentary};
        // (the calls, the texts, where the last that is judged stands)
        type Row = (&'static [Position], &'static [(Position, Rank)], Option<Position>);
        let rows: [Row; 5] = [
            (&[(0, 0), (2, 0)], &[((3, 0), Answer)], Some((2, 0))),
            (&[], &[((0, 0), Answer), ((0, 1), Answer)], Some((0, 1))),
            (&[], &[((0, 0), Answer), ((1, 0), Commentary)], Some((0, 0))),
            (&[(1, 0)], &[], Some((1, 0))),
            (&[], &[], None),
        ];
        for (calls, texts, expected) in rows {
            let found = last_judged(calls.iter().copied(), texts.iter().copied());
            assert_eq!(found, expected, "{calls:?} {texts:?}");
        }
    }
}
