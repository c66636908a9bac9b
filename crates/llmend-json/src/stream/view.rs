//! What is shown of a value that is still being written?

use std::borrow::Cow;

use crate::{
    Node, Span, Value,
    value::{Slot, SlotKind, Tail, build::Tape},
};

/// How much of a part of a value is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// All of it.
    Complete,
    /// A beginning of it. What is there stays, and there may be more to come.
    Partial,
    /// A beginning of it. More of it has arrived than is shown, and does not show until it is clear
    /// what it means.
    Pending,
}

impl State {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Pending => "pending",
        }
    }
}

/// The value so far. A path that is shown stays, keeps its kind, and is in the final value.
#[derive(Debug)]
pub struct View<'s> {
    pub(super) shown: Option<&'s Shown>,
}

impl<'s> View<'s> {
    /// The outermost value, once it is certain to be the answer.
    #[must_use]
    pub fn root(&self) -> Option<Node<'s>> {
        self.shown.map(|shown| Node { value: &shown.value, index: shown.root })
    }

    /// How much of `node`, a part of this view, is there.
    #[must_use]
    pub fn state(&self, node: Node<'_>) -> State {
        match self.shown {
            Some(shown) if shown.string.is_some_and(|(index, _)| index == node.index) => {
                shown.string.map_or(State::Partial, |(_, state)| state)
            }
            Some(shown) if shown.open.contains(&node.index) => State::Partial,
            Some(_) => State::Complete,
            None => State::Pending,
        }
    }
}

/// A value as far as it is shown, over the storage of the tape that it is taken from.
#[derive(Debug)]
pub(super) struct Shown {
    value: Value<'static>,
    root: usize,
    /// The containers that are open, outermost first.
    open: Vec<usize>,
    /// The string that is being written.
    string: Option<(usize, State)>,
    /// What is not shown of the end of the tape.
    hidden: Vec<Slot>,
}

/// The end of a string that is being written.
pub(super) struct Growing {
    /// All that was read of it, and how much of that is certain.
    pub(super) tail: Tail,
    /// Where it stands.
    pub(super) span: Span,
    pub(super) state: State,
}

impl Shown {
    /// Shows what `tape` holds of the value whose slots begin at `root`. `key` tells whether the
    /// last slot is a key that awaits its value.
    pub(super) fn take(
        tape: &mut Tape,
        text: String,
        root: usize,
        key: bool,
        growing: Option<Growing>,
        mut open: Vec<usize>,
    ) -> Result<Self, String> {
        open.clear();
        open.extend(tape.open_slots().filter(|&index| index >= root));
        let mut slots = std::mem::take(&mut tape.slots);
        // An object without a key may turn out to be a set, and a key without a value may go again.
        let is_object =
            |index: usize| slots.get(index).is_some_and(|slot| slot.kind == SlotKind::Object);
        let (mut from, mut key) = (slots.len(), key);
        if growing.is_none() {
            if open.last().is_some_and(|&index| index + 1 == from && is_object(index)) {
                open.pop();
                from -= 1;
                key = open.last().is_some_and(|&index| is_object(index));
            }
            from -= usize::from(key && from > root);
        }
        let hidden = slots.split_off(from);
        let mut string = None;
        let mut tail = Tail::default();
        if let Some(Growing { tail: text, span, state }) = growing {
            string = Some((slots.len(), state));
            slots.push(Slot::of_tail(span));
            tail = text;
        }
        if slots.len() <= root {
            tape.slots = slots;
            tape.slots.extend(hidden);
            return Err(text);
        }
        let end = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        for &index in &open {
            if let Some(slot) = slots.get_mut(index) {
                slot.data = end;
                slot.end = u32::try_from(text.len()).unwrap_or(u32::MAX);
            }
        }
        let value = Value {
            text: Cow::Owned(text),
            slots,
            copied: std::mem::take(&mut tape.copied),
            pieces: std::mem::take(&mut tape.pieces),
            tail,
        };
        Ok(Self { value, root, open, string, hidden })
    }

    /// Whether a string is shown that is still being written.
    pub(super) fn has_string(&self) -> bool {
        self.string.is_some()
    }

    /// Gives the storage back to the tape. The text, the end of the string that grows, and the room
    /// for the open containers.
    pub(super) fn give_back(self, tape: &mut Tape) -> (String, Tail, Vec<usize>) {
        let Value { text, mut slots, copied, pieces, tail } = self.value;
        if self.string.is_some() {
            slots.pop();
        }
        slots.extend(self.hidden);
        tape.slots = slots;
        tape.copied = copied;
        tape.pieces = pieces;
        (text.into_owned(), tail, self.open)
    }
}
