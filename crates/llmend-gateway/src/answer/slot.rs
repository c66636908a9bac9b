//! Where in an answer, or in an event of one, does a text or a call stand?
//!
//! What is read from there and what is put there follow from the same list, so that nothing is looked at in
//! one place and written into another.

use llmend::json::{Kind, Node};
use llmend_models::sse::FinishReason;

use crate::answer::text_parts::{Rank, Text, joined};
use crate::repair::decide::{Part, PlaceKind, call_json};
use crate::repair::evaluate::{Behind, Finish, Written};
use crate::splice::{Splice, quoted};

/// What stands in a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Slot {
    #[default]
    Text,
    Call,
}

/// An item of an answer and a part of it, by number.
pub(crate) type At = (u32, u32);

/// A member of an answer or an event that tells of a text or a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat<'v> {
    pub(crate) slot: Slot,
    pub(crate) at: At,
    pub(crate) manner: Manner,
    pub(crate) form: Form,
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
pub(crate) enum Manner {
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
pub(crate) enum Form {
    /// As text.
    Text,
    /// As it is.
    Json,
}

impl<'v> Seat<'v> {
    /// A text, or a call that is told as text, of which nothing else is said.
    pub(crate) const fn of(
        slot: Slot,
        at: At,
        manner: Manner,
        holder: Node<'v>,
        key: &'static str,
    ) -> Self {
        let (form, name, rank, is_unfinished) = (Form::Text, "", Rank::Untold, false);
        Self { slot, at, manner, form, name, rank, is_unfinished, holder, key }
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
        self.slot == Slot::Call || !self.words().trim().is_empty()
    }

    /// Whether a call stands there in a form that clients do not read.
    pub(crate) fn is_misshapen(&self) -> bool {
        let kind = self.node().map(Node::kind);
        self.slot == Slot::Call
            && match self.form {
                Form::Text => kind != Some(Kind::String),
                Form::Json => matches!(kind, None | Some(Kind::String | Kind::Null)),
            }
    }

    /// Whether a call stands there as it was read already: where it broke off cannot be seen any more.
    pub(crate) fn is_read(&self) -> bool {
        let kind = self.node().map(Node::kind);
        self.slot == Slot::Call && !matches!(kind, None | Some(Kind::String | Kind::Null))
    }

    /// Puts something else there: a text, or the JSON of a call.
    pub(crate) fn put(&self, words: &str, splice: &mut Splice<'_>) {
        let json = match self.form {
            Form::Text => quoted(words),
            Form::Json if words.is_empty() => "{}".to_owned(),
            Form::Json => words.to_owned(),
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
pub(crate) fn texts(seats: &[Seat<'_>]) -> Vec<Text> {
    of(seats, Slot::Text).map(|seat| Text { words: seat.words(), rank: seat.rank }).collect()
}

/// The calls that stand in these seats: name and arguments of each.
pub(crate) fn calls(seats: &[Seat<'_>]) -> Vec<(String, String)> {
    of(seats, Slot::Call).map(|seat| (seat.name.to_owned(), seat.words())).collect()
}

/// What the seats of a whole answer say; `last` is where the last part of it stands.
pub(crate) fn written(seats: &[Seat<'_>], last: Option<At>, finish: Option<Finish>) -> Written {
    let texts = texts(seats);
    let judged = last_judged(
        of(seats, Slot::Call).map(|seat| seat.at),
        of(seats, Slot::Text).map(|seat| (seat.at, seat.rank)),
    );
    let behind = Behind::of(last, judged);
    let hides = |seat: &Seat<'_>| hides_a_cut(finish.as_ref(), behind, &seat.words());
    let is_last = |seat: &Seat<'_>| Some(seat.at) == judged;
    let broken = of(seats, Slot::Call).enumerate();
    let broken = broken
        .filter(|(_, seat)| seat.is_unfinished || is_last(seat) && seat.is_read() && hides(seat));
    Written {
        content: joined(&texts),
        texts,
        calls: calls(seats),
        broken: broken.map(|(number, _)| number).collect(),
        is_unfinished: of(seats, Slot::Text).any(|seat| seat.is_unfinished),
        behind,
        finish,
        ..Written::default()
    }
}

/// Where the last of what is looked at stands: beside calls, texts are not.
pub(crate) fn last_judged(
    calls: impl Iterator<Item = At>,
    texts: impl Iterator<Item = (At, Rank)>,
) -> Option<At> {
    let last_text = || texts.max_by_key(|(at, rank)| (*rank, *at)).map(|(at, _)| at);
    calls.max().or_else(last_text)
}

/// Whether a call that stands last, and was read already where it is told, breaks off where that cannot be seen. It
/// does at a limit, and for a reason that nobody knows; and where none is told, if it says nothing.
pub(crate) fn hides_a_cut(finish: Option<&Finish>, behind: Behind, arguments: &str) -> bool {
    let is_cut = match finish.map(|finish| finish.reason) {
        Some(FinishReason::Stop | FinishReason::ToolCalls) => false,
        Some(_) => finish.is_some_and(Finish::is_last),
        None => arguments == "{}",
    };
    is_cut && behind == Behind::Nothing
}

fn of<'s, 'v>(seats: &'s [Seat<'v>], slot: Slot) -> impl Iterator<Item = &'s Seat<'v>> {
    seats.iter().filter(move |seat| seat.slot == slot)
}

/// Puts into the seats of a whole answer what was made of it; `replaced` is what its texts say instead.
pub(crate) fn rewrite(
    seats: &[Seat<'_>],
    replaced: &[Option<String>],
    parts: &[Part],
    splice: &mut Splice<'_>,
) {
    for (seat, words) in of(seats, Slot::Text).zip(replaced) {
        if let Some(words) = words {
            seat.put(words, splice);
        }
    }
    for (number, seat) in of(seats, Slot::Call).enumerate() {
        if let Some(json) = call_json(parts, 0, number) {
            seat.put(json, splice);
        } else if seat.is_misshapen() && is_judged(parts, number) {
            seat.put(&seat.words(), splice);
        }
    }
}

/// Whether the call with this number was looked at.
pub(crate) fn is_judged(parts: &[Part], call: usize) -> bool {
    let is_it = |kind: &PlaceKind| matches!(kind, PlaceKind::Call { index, .. } if *index == call);
    parts.iter().any(|part| is_it(&part.place.kind))
}

#[cfg(test)]
mod tests {
    use super::{At, hides_a_cut, last_judged};
    use crate::answer::text_parts::Rank;
    use crate::repair::evaluate::{Behind, Finish};

    #[test]
    fn what_was_read_hides_where_it_broke_off() {
        use Behind::{Nothing, Something};
        let rows = [
            (Some("tool_use"), Nothing, "{}", false),
            (Some("end_turn"), Nothing, "{}", false),
            (Some("max_tokens"), Nothing, "{}", true),
            (Some("max_tokens"), Nothing, r#"{"a":1}"#, true),
            (Some("max_tokens"), Something, "{}", false),
            (Some("never heard of"), Nothing, "{}", true),
            (Some("never heard of"), Nothing, r#"{"a":1}"#, true),
            (Some("never heard of"), Something, r#"{"a":1}"#, false),
            (Some("pause_turn"), Nothing, "{}", false),
            (None, Nothing, "{}", true),
            (None, Nothing, r#"{"a":1}"#, false),
        ];
        for (word, behind, arguments, expected) in rows {
            let finish = word.map(Finish::of);
            let found = hides_a_cut(finish.as_ref(), behind, arguments);
            assert_eq!(found, expected, "{word:?} {behind:?} {arguments}");
        }
    }

    #[test]
    fn the_last_call_is_judged_last_or_the_last_text_of_the_highest_rank() {
        use Rank::{Answer, Commentary};
        // (the calls, the texts, where the last that is judged stands)
        type Row = (&'static [At], &'static [(At, Rank)], Option<At>);
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
