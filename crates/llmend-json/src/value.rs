//! The value itself: what does the JSON say, and where did each part stand?
//!
//! A [`Value`] is one flat list of slots in the order of the text. So it is dropped, cloned,
//! compared and written without recursion, whatever its depth, and a string that needed no change
//! is a range of the text rather than a copy.

use std::borrow::Cow;

use crate::Span;

pub(crate) mod build;
mod builder;
mod compare;
mod de;
mod decimal;
pub(crate) mod keys;
mod node;
mod pointer;

#[cfg(feature = "serde_json")]
mod serde_value;
mod write;

pub use builder::{Builder, Written};
pub use decimal::Decimal;
pub use node::{Items, Kind, Members, Node, Token};
pub use pointer::push_token;
#[cfg(feature = "serde_json")]
pub use serde_value::{Carried, Converted, Lost};
#[cfg(feature = "serde_json")]
pub(crate) use serde_value::{MAX_LEVELS, SerdeSink};

/// The content of a slot is the source text between its marks, not a copy.
pub(crate) const BORROWED: u32 = u32::MAX;

/// The marks of an object of whose keys two may be equal.
pub(crate) const KEYS_ALIKE: (u8, u8) = (u8::MAX, u8::MAX);

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotKind {
    Null,
    True,
    False,
    Number,
    String,
    Array,
    Object,
}

/// One scalar, key, or opening of a container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Place in the caller's text. Invariant: below `u32::MAX`, since `max_bytes` is.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Of a container: index one past its last descendant. Of a scalar: index of its piece of
    /// copied text, or [`BORROWED`].
    pub(crate) data: u32,
    pub(crate) kind: SlotKind,
    /// Bytes that the marks around the content take up, where it is borrowed: 1 and 1 of a string
    /// in plain quotes, 0 and 0 of a number or a bare word. Of an object, [`KEYS_ALIKE`] or none.
    pub(crate) marks: (u8, u8),
}

impl Slot {
    /// Where the content stands in the source, if it is borrowed.
    #[inline]
    pub(crate) const fn borrowed(&self) -> Option<Span> {
        let (open, close) = self.marks;
        if self.data != BORROWED {
            return None;
        }
        Some(Span::new(self.start as usize + open as usize, self.end as usize - close as usize))
    }
}

impl Slot {
    /// A string of which the beginning is the tail of the value.
    pub(crate) fn of_tail(span: Span) -> Self {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (start, end) = (place(span.start), place(span.end));
        Self { start, end, data: BORROWED - 1, kind: SlotKind::String, marks: (0, 0) }
    }
}

/// A JSON value: numbers as they were written, members in their order, duplicates kept, each part
/// with its place in the text.
///
/// ```
/// let parsed = llmend_json::parse("{'id': 12345678901234567890, 'id': 2}")?;
/// let root = parsed.value.root();
/// assert_eq!(root.len(), 2);
/// assert_eq!(root.get("id").and_then(|id| id.number()), Some("2"));
/// assert_eq!(parsed.value.to_string(), r#"{"id":12345678901234567890,"id":2}"#);
/// # Ok::<(), llmend_json::Error>(())
/// ```
#[derive(Clone)]
pub struct Value<'t> {
    /// The caller's text.
    pub(crate) text: Cow<'t, str>,
    /// Invariant: never empty; slot 0 is the root; keys and values alternate within an object.
    pub(crate) slots: Vec<Slot>,
    /// Text that differs from the source, all pieces one after the other.
    pub(crate) copied: String,
    /// Where each piece of `copied` begins and ends.
    pub(crate) pieces: Vec<(u32, u32)>,
    /// What a string says that a stream shows before its end has arrived.
    pub(crate) tail: Tail,
}

/// A text of which only the beginning counts so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail {
    pub(crate) text: String,
    pub(crate) shown: usize,
}

impl Value<'_> {
    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node { value: self, index: 0 }
    }

    /// The text that the places of the parts are in.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The part with this number: parts are counted in the order of the text, keys included, and
    /// the outermost value is 0. See [`Node::index`].
    #[must_use]
    pub fn node(&self, index: usize) -> Option<Node<'_>> {
        (index < self.slots.len()).then_some(Node { value: self, index })
    }

    /// How many parts it has, keys included: one more than the greatest number of a part.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.slots.len()
    }

    /// Whether some object has a key that stands twice, or may have: a closer look is
    /// [`duplicate_keys`](Self::duplicate_keys).
    #[must_use]
    pub fn may_repeat_keys(&self) -> bool {
        self.slots.iter().any(|slot| slot.kind == SlotKind::Object && slot.marks == KEYS_ALIKE)
    }

    /// Levels of nesting; a scalar has none.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut ends: Vec<usize> = Vec::new();
        let mut deepest = 0;
        for (index, slot) in self.slots.iter().enumerate() {
            while ends.last().is_some_and(|end| index >= *end) {
                ends.pop();
            }
            if matches!(slot.kind, SlotKind::Array | SlotKind::Object) {
                ends.push(slot.data as usize);
                deepest = deepest.max(ends.len());
            }
        }
        deepest
    }

    /// The same value with a text of its own.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        Value {
            text: Cow::Owned(self.text.into_owned()),
            slots: self.slots,
            copied: self.copied,
            pieces: self.pieces,
            tail: self.tail,
        }
    }

    /// What the slot at `index` says: the decoded text of a string, the digits of a number.
    #[inline]
    pub(crate) fn content(&self, index: usize) -> &str {
        let Some(slot) = self.slots.get(index) else { return "" };
        if let Some(span) = slot.borrowed() {
            return span.of(&self.text);
        }
        self.pieces
            .get(slot.data as usize)
            .and_then(|&(start, end)| self.copied.get(start as usize..end as usize))
            .or_else(|| self.tail.text.get(..self.tail.shown))
            .unwrap_or_default()
    }

    /// Whether the slot at `index` is a string that says this.
    #[inline]
    pub(crate) fn says(&self, index: usize, text: &str) -> bool {
        let Some(slot) = self.slots.get(index).filter(|slot| slot.kind == SlotKind::String) else {
            return false;
        };
        match slot.borrowed() {
            // Both are whole characters, so that their bytes tell.
            Some(span) => self.text.as_bytes().get(span.start..span.end) == Some(text.as_bytes()),
            None => self.content(index) == text,
        }
    }

    /// Index of the slot that follows the one at `index` and all that it holds.
    pub(crate) fn after(&self, index: usize) -> usize {
        match self.slots.get(index) {
            Some(slot) if matches!(slot.kind, SlotKind::Array | SlotKind::Object) => {
                slot.data as usize
            }
            _ => index + 1,
        }
    }
}
