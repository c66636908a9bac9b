//! Views of a value that is still arriving.

use std::borrow::Cow;

use crate::{
    Node, Span, Value,
    value::{Slot, SlotKind, Tail, build::Tape},
};

/// Completeness of a part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The part is complete.
    Complete,
    /// The beginning has arrived. It is final, and more may follow.
    Partial,
    /// The beginning is shown, and more has arrived that is held back until its meaning is clear.
    Pending,
}

impl State {
    /// Returns the name, such as `partial`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Pending => "pending",
        }
    }
}

/// The value so far. Parts that are shown remain, keep their kind, and appear in the final value.
#[derive(Debug)]
pub struct View<'s> {
    pub(super) shown: Option<&'s Shown>,
}

impl<'s> View<'s> {
    /// Returns the outermost value, once it is certainly the answer.
    #[must_use]
    pub fn root(&self) -> Option<Node<'s>> {
        self.shown.map(|shown| Node { value: &shown.value, index: shown.root })
    }

    /// Returns the completeness of `node`, a part of this view.
    #[must_use]
    pub fn state(&self, node: Node<'_>) -> State {
        match self.shown {
            Some(shown) if shown.string.is_some_and(|(index, _)| index == node.index) => {
                shown.string.map_or(State::Partial, |(_, state)| state)
            }
            Some(shown) if shown.open.binary_search(&node.index).is_ok() => State::Partial,
            Some(_) => State::Complete,
            None => State::Pending,
        }
    }
}

/// The visible part of a value, which borrows the tape.
#[derive(Debug)]
pub(super) struct Shown {
    value: Value<'static>,
    root: usize,
    /// The open containers, outermost first, and so in ascending order.
    open: Vec<usize>,
    /// The current string.
    string: Option<(usize, State)>,
    /// Slots at the end of the tape that are hidden.
    hidden: Vec<Slot>,
}

/// The end of an incomplete string.
pub(super) struct Growing {
    /// The text read so far, and how much of it is certain.
    pub(super) tail: Tail,
    /// Its span.
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
    /// Borrows the text and the tape's slots from `root` on; `key` tells whether the last slot is a
    /// key without a value. The slots from `held` on are hidden. Returns whether there is anything to show.
    pub(super) fn borrow(
        &mut self,
        tape: &mut Tape,
        text: &mut String,
        root: usize,
        key: bool,
        growing: Option<Growing>,
        held: Option<usize>,
    ) -> bool {
        self.root = root;
        self.open.clear();
        let shown = root..held.unwrap_or(usize::MAX);
        self.open.extend(tape.open_slots().filter(|index| shown.contains(index)));
        let slots = &mut tape.slots;
        // A container without content may become one of the other kind, and a key without a value
        // may be removed.
        let is_object =
            |index: usize| slots.get(index).is_some_and(|slot| slot.kind == SlotKind::Object);
        let whole = held.is_none_or(|held| held >= slots.len());
        let (mut from, mut key) = (shown.end.min(slots.len()), key && whole);
        if growing.is_none() {
            if self.open.last().is_some_and(|&index| index + 1 == from) {
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

    /// Returns everything to the tape, and the end of the current string.
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
