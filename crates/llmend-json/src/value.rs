//! The JSON value.
//!
//! A [`Value`] is a flat list of slots in the order of the text, so it is dropped, cloned, compared
//! and written without recursion, whatever its depth. A string that needed no change is a range of
//! the text rather than a copy.

use std::borrow::Cow;

use crate::Span;

pub(crate) mod build;
mod builder;
mod compare;
mod de;
mod decimal;
pub(crate) mod keys;
mod list;
mod long_number;
mod node;
mod pointer;
mod short_number;

#[cfg(feature = "serde_json")]
mod serde_value;
mod write;

pub use builder::{Builder, Written};
pub use decimal::Decimal;
pub use long_number::may_hold_long_number;
pub use node::{Items, Kind, Members, Node, Token};
pub use pointer::{push_token, unescape_token};
#[cfg(feature = "serde_json")]
pub(crate) use serde_value::{MAX_LEVELS, SerdeSink};
#[cfg(feature = "serde_json")]
pub use serde_value::{SerdeLoss, SerdeLossKind, SerdeValue};

/// Marks a slot whose content is a range of the source text.
pub(crate) const BORROWED: u32 = u32::MAX;

/// Marks an object that may have duplicate keys.
pub(crate) const KEYS_ALIKE: (u8, u8) = (u8::MAX, u8::MAX);

/// Kind of a slot.
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

/// A scalar, a key, or the opening of a container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Span in the caller's text. Invariant: below `u32::MAX`, since `max_bytes` is.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// For a container, the index one past its last descendant. For a scalar, the index of its
    /// copied text, or [`BORROWED`].
    pub(crate) data: u32,
    pub(crate) kind: SlotKind,
    /// Lengths of the delimiters around borrowed content: 1 and 1 for a string in quotes, 0 and 0
    /// for a number or a bare word. For an object, [`KEYS_ALIKE`] or zeros.
    pub(crate) marks: (u8, u8),
}

impl Slot {
    /// Returns the span of borrowed content in the source.
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
    /// Creates the slot of a string whose beginning is the tail of the value.
    pub(crate) fn of_tail(span: Span) -> Self {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (start, end) = (place(span.start), place(span.end));
        Self { start, end, data: BORROWED - 1, kind: SlotKind::String, marks: (0, 0) }
    }
}

/// A JSON value that preserves the text of numbers, the order of members and duplicate keys, with
/// the span of each part in the source text.
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
    /// The source text.
    pub(crate) text: Cow<'t, str>,
    /// Invariant: not empty; slot 0 is the root; keys and values alternate within an object.
    pub(crate) slots: Vec<Slot>,
    /// Content that differs from the source, concatenated.
    pub(crate) copied: String,
    /// Start and end of each piece of `copied`.
    pub(crate) pieces: Vec<(u32, u32)>,
    /// Content of an incomplete string that a stream shows.
    pub(crate) tail: Tail,
}

/// A text of which only the beginning is visible.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail {
    pub(crate) text: String,
    pub(crate) shown: usize,
}

impl Value<'_> {
    /// Returns the outermost value.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node { value: self, index: 0 }
    }

    /// Returns the source text, which all spans refer to.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the part at `index`. Parts are numbered in the order of the text, including keys;
    /// the outermost value is 0. See [`Node::index`].
    #[must_use]
    pub fn node(&self, index: usize) -> Option<Node<'_>> {
        (index < self.slots.len()).then_some(Node { value: self, index })
    }

    /// Returns the number of parts, including keys.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether an object may have duplicate keys. [`duplicate_keys`](Self::duplicate_keys)
    /// finds them.
    #[must_use]
    pub fn may_repeat_keys(&self) -> bool {
        self.slots.iter().any(|slot| slot.kind == SlotKind::Object && slot.marks == KEYS_ALIKE)
    }

    /// Marks all objects as having no key twice.
    pub(crate) fn mark_distinct_keys(&mut self) {
        self.slots
            .iter_mut()
            .filter(|slot| slot.kind == SlotKind::Object)
            .for_each(|slot| slot.marks = (0, 0));
    }

    /// Returns the nesting depth; 0 for a scalar.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut ends: Vec<usize> = Vec::new();
        let mut deepest = 0;
        for (index, slot) in self.slots.iter().enumerate() {
            if matches!(slot.kind, SlotKind::Array | SlotKind::Object) {
                while ends.last().is_some_and(|end| index >= *end) {
                    ends.pop();
                }
                ends.push(slot.data as usize);
                deepest = deepest.max(ends.len());
            }
        }
        deepest
    }

    /// Copies the source text, so that the value borrows nothing.
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

    /// Returns the content of the slot at `index`: the decoded text of a string, or the text of a
    /// number.
    #[inline]
    pub(crate) fn content(&self, index: usize) -> &str {
        let Some(slot) = self.slots.get(index) else { return "" };
        self.content_of(*slot)
    }

    /// Returns the content of this slot of the value.
    #[inline]
    pub(crate) fn content_of(&self, slot: Slot) -> &str {
        let Some(span) = slot.borrowed() else { return self.piece(slot) };
        span.of(&self.text)
    }

    /// Returns content that differs from the source.
    fn piece(&self, slot: Slot) -> &str {
        self.pieces
            .get(slot.data as usize)
            .and_then(|&(start, end)| self.copied.get(start as usize..end as usize))
            .or_else(|| self.tail.text.get(..self.tail.shown))
            .unwrap_or_default()
    }

    /// Returns whether the slot at `index` is the string `text`.
    #[inline]
    pub(crate) fn says(&self, index: usize, text: &str) -> bool {
        let Some(slot) = self.slots.get(index).filter(|slot| slot.kind == SlotKind::String) else {
            return false;
        };
        match slot.borrowed() {
            // Both consist of whole characters, so comparing bytes is enough.
            Some(span) => self.text.as_bytes().get(span.start..span.end) == Some(text.as_bytes()),
            None => self.content(index) == text,
        }
    }

    /// Returns the index of the slot after the one at `index` and its descendants.
    #[inline]
    pub(crate) fn after(&self, index: usize) -> usize {
        match self.slots.get(index) {
            Some(slot) if matches!(slot.kind, SlotKind::Array | SlotKind::Object) => {
                slot.data as usize
            }
            _ => index + 1,
        }
    }
}
