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

/// A value as far as it is shown, over the storage of the tape that it is lent by.
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

impl Default for Shown {
    fn default() -> Self {
        let value = Value {
            text: Cow::Borrowed(""),
            slots: Vec::new(),
            copied: String::new(),
            pieces: Vec::new(),
            tail: Tail::default(),
        };
        Self { value, root: 0, open: Vec::new(), string: None, hidden: Vec::new() }
    }
}

impl Shown {
    /// Borrows what `tape` holds of the value whose slots begin at `root`, and its text. `key` tells
    /// whether the last slot is a key that awaits its value. Whether there is anything to show.
    pub(super) fn borrow(
        &mut self,
        tape: &mut Tape,
        text: &mut String,
        root: usize,
        key: bool,
        growing: Option<Growing>,
    ) -> bool {
        self.root = root;
        self.open.clear();
        self.open.extend(tape.open_slots().filter(|&index| index >= root));
        let slots = &mut tape.slots;
        // An object without a key may turn out to be a set, and a key without a value may go again.
        let is_object =
            |index: usize| slots.get(index).is_some_and(|slot| slot.kind == SlotKind::Object);
        let (mut from, mut key) = (slots.len(), key);
        if growing.is_none() {
            if self.open.last().is_some_and(|&index| index + 1 == from && is_object(index)) {
                self.open.pop();
                from -= 1;
                key = self.open.last().is_some_and(|&index| is_object(index));
            }
            from -= usize::from(key && from > root);
        }
        self.hidden.extend(slots.drain(from..));
        self.string = growing.as_ref().map(|growing| (slots.len(), growing.state));
        if let Some(Growing { tail, span, .. }) = growing {
            slots.push(Slot::of_tail(span));
            self.value.tail = tail;
        }
        let end = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        for &index in &self.open {
            if let Some(slot) = slots.get_mut(index) {
                slot.data = end;
                slot.end = u32::try_from(text.len()).unwrap_or(u32::MAX);
            }
        }
        self.value.text = Cow::Owned(std::mem::take(text));
        self.swap(tape);
        self.value.slots.len() > root
    }

    /// Gives everything back, and the end of the string that grows.
    pub(super) fn give_back(&mut self, tape: &mut Tape, text: &mut String) -> Option<Tail> {
        self.swap(tape);
        *text = std::mem::take(&mut self.value.text).into_owned();
        let string = self.string.take();
        if string.is_some() {
            tape.slots.pop();
        }
        tape.slots.append(&mut self.hidden);
        string.map(|_| std::mem::take(&mut self.value.tail))
    }

    fn swap(&mut self, tape: &mut Tape) {
        std::mem::swap(&mut self.value.slots, &mut tape.slots);
        std::mem::swap(&mut self.value.copied, &mut tape.copied);
        std::mem::swap(&mut self.value.pieces, &mut tape.pieces);
    }
}
