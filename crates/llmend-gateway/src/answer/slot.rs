//! The places of texts and calls in a response or an event.
//!
//! Reading and rewriting use the same list, so that whatever is inspected is also replaced.

use crate::answer::completion::{Completion, Finish, Trailing, hides_a_cut};
use crate::answer::part::{ResponsePart, call_json, is_inspected};
use llmend::json::{Kind, Node};

use crate::answer::text_parts::{Rank, TextPart, joined};
use crate::splice::{Splice, quoted};

/// What a slot contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SlotKind {
    #[default]
    Text,
    Call,
}

/// An item of a response and a part of it, by number.
pub(crate) type Position = (u32, u32);

/// A member of a response or an event that contains a text or a call, or a piece of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'v> {
    pub(crate) kind: SlotKind,
    pub(crate) at: Position,
    pub(crate) extent: Extent,
    pub(crate) encoding: Encoding,
    /// The name of the tool of a call, where it is written beside the arguments.
    pub(crate) name: &'v str,
    pub(crate) rank: Rank,
    /// Whether it is marked incomplete, whatever the response says of its end.
    pub(crate) is_unfinished: bool,
    pub(crate) holder: Node<'v>,
    pub(crate) key: &'static str,
}

/// How much of a text or a call a slot contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The beginning. The rest follows in pieces, or as a whole later.
    Begins,
    /// The beginning, in a protocol that sends everything else in pieces.
    Opens,
    /// A piece.
    Grows,
    /// All of it.
    Whole,
}

/// How the JSON of a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As a string.
    Text,
    /// As a JSON value.
    Json,
}

impl<'v> Slot<'v> {
    /// Makes a slot of a text, or of a call that is written as a string.
    pub(crate) const fn of(
        kind: SlotKind,
        at: Position,
        extent: Extent,
        holder: Node<'v>,
        key: &'static str,
    ) -> Self {
        let (encoding, name, rank, is_unfinished) = (Encoding::Text, "", Rank::Unknown, false);
        Self { kind, at, extent, encoding, name, rank, is_unfinished, holder, key }
    }

    /// Returns the content as text, whatever its encoding.
    pub(crate) fn words(&self) -> String {
        match self.node() {
            Some(node) if !node.is_null() => {
                node.str().map_or_else(|| node.to_string(), str::to_owned)
            }
            _ => String::new(),
        }
    }

    /// Whether the slot contains anything that an answer could be cut off behind: a call, or words.
    pub(crate) fn has_content(&self) -> bool {
        self.kind == SlotKind::Call || !self.words().trim().is_empty()
    }

    /// Whether it contains a call in an encoding that clients do not read.
    pub(crate) fn is_misshapen(&self) -> bool {
        let kind = self.node().map(Node::kind);
        self.kind == SlotKind::Call
            && match self.encoding {
                Encoding::Text => kind != Some(Kind::String),
                Encoding::Json => matches!(kind, None | Some(Kind::String | Kind::Null)),
            }
    }

    /// Whether it contains a call whose arguments arrived parsed, which hides where they were cut
    /// off.
    pub(crate) fn is_read(&self) -> bool {
        let kind = self.node().map(Node::kind);
        self.kind == SlotKind::Call && !matches!(kind, None | Some(Kind::String | Kind::Null))
    }

    /// Replaces the content with a text, or with the JSON of a call.
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

/// Returns the texts in these slots.
pub(crate) fn texts(slots: &[Slot<'_>]) -> Vec<TextPart> {
    of(slots, SlotKind::Text)
        .map(|slot| TextPart { words: slot.words(), rank: slot.rank })
        .collect()
}

/// Returns the name and the arguments of each call in these slots.
pub(crate) fn calls(slots: &[Slot<'_>]) -> Vec<(String, String)> {
    of(slots, SlotKind::Call).map(|slot| (slot.name.to_owned(), slot.words())).collect()
}

/// Reads the slots of a whole response. `last` is the position of its last part.
pub(crate) fn completion(
    slots: &[Slot<'_>],
    last: Option<Position>,
    finish: Option<Finish>,
) -> Completion {
    let texts = texts(slots);
    let inspected = last_inspected(
        of(slots, SlotKind::Call).map(|slot| slot.at),
        of(slots, SlotKind::Text).map(|slot| (slot.at, slot.rank)),
    );
    let behind = Trailing::of(last, inspected);
    let hides = |slot: &Slot<'_>| hides_a_cut(finish.as_ref(), behind, &slot.words());
    let is_last = |slot: &Slot<'_>| Some(slot.at) == inspected;
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

/// Returns the position of the last inspected part. Texts beside calls are not inspected.
pub(crate) fn last_inspected(
    calls: impl Iterator<Item = Position>,
    texts: impl Iterator<Item = (Position, Rank)>,
) -> Option<Position> {
    let last_text = || texts.max_by_key(|(at, rank)| (*rank, *at)).map(|(at, _)| at);
    calls.max().or_else(last_text)
}

fn of<'s, 'v>(slots: &'s [Slot<'v>], kind: SlotKind) -> impl Iterator<Item = &'s Slot<'v>> {
    slots.iter().filter(move |slot| slot.kind == kind)
}

/// Writes the repaired parts into the slots of a whole response. `replaced` contains the new texts.
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
        } else if slot.is_misshapen() && is_inspected(parts, number) {
            slot.put(&slot.words(), splice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Position, last_inspected};
    use crate::answer::text_parts::Rank;

    #[test]
    fn the_last_inspected_part_is_a_call_or_a_text_of_the_highest_rank() {
        use Rank::{Answer, Commentary};
        // (the calls, the texts, the position of the last inspected one)
        type Row = (&'static [Position], &'static [(Position, Rank)], Option<Position>);
        let rows: [Row; 5] = [
            (&[(0, 0), (2, 0)], &[((3, 0), Answer)], Some((2, 0))),
            (&[], &[((0, 0), Answer), ((0, 1), Answer)], Some((0, 1))),
            (&[], &[((0, 0), Answer), ((1, 0), Commentary)], Some((0, 0))),
            (&[(1, 0)], &[], Some((1, 0))),
            (&[], &[], None),
        ];
        for (calls, texts, expected) in rows {
            let found = last_inspected(calls.iter().copied(), texts.iter().copied());
            assert_eq!(found, expected, "{calls:?} {texts:?}");
        }
    }
}
