//! Navigation in values.

use crate::{
    Span,
    value::{Slot, SlotKind, Value},
};

/// Kind of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// Returns the name, such as `string`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// A part of a value, for iteration over all parts in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'v> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(&'v str),
    /// The text of a string or key.
    String(&'v str),
    /// An array, followed by its items.
    Array {
        /// Index of the first part after the container and its contents.
        end: usize,
    },
    /// An object, followed by its keys and values.
    Object {
        /// Index of the first part after the container and its contents.
        end: usize,
    },
}

/// A part of a [`Value`], as cheap to copy as a reference.
#[derive(Clone, Copy)]
pub struct Node<'v> {
    pub(crate) value: &'v Value<'v>,
    /// Invariant: an index of a slot of `value`.
    pub(crate) index: usize,
}

impl<'v> Node<'v> {
    #[inline]
    pub(crate) fn slot(self) -> Slot {
        self.value.slots.get(self.index).copied().unwrap_or(Slot {
            start: 0,
            end: 0,
            data: super::BORROWED,
            kind: SlotKind::Null,
            marks: (0, 0),
        })
    }

    /// Returns the token of this part.
    ///
    /// ```
    /// use llmend_json::Token;
    ///
    /// let value = llmend_json::parse("{'a': [1]}")?.value;
    /// let tokens: Vec<_> = (0..value.parts()).filter_map(|at| value.node(at)).map(|node| node.token()).collect();
    /// let (object, array) = (Token::Object { end: 4 }, Token::Array { end: 4 });
    /// assert_eq!(tokens, [object, Token::String("a"), array, Token::Number("1")]);
    /// # Ok::<(), llmend_json::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn token(self) -> Token<'v> {
        let slot = self.slot();
        match slot.kind {
            SlotKind::Null => Token::Null,
            SlotKind::True => Token::Bool(true),
            SlotKind::False => Token::Bool(false),
            SlotKind::Number => Token::Number(self.value.content_of(slot)),
            SlotKind::String => Token::String(self.value.content_of(slot)),
            SlotKind::Array => Token::Array { end: slot.data as usize },
            SlotKind::Object => Token::Object { end: slot.data as usize },
        }
    }

    /// Returns the kind of the value.
    #[must_use]
    #[inline]
    pub fn kind(self) -> Kind {
        match self.slot().kind {
            SlotKind::Null => Kind::Null,
            SlotKind::True | SlotKind::False => Kind::Bool,
            SlotKind::Number => Kind::Number,
            SlotKind::String => Kind::String,
            SlotKind::Array => Kind::Array,
            SlotKind::Object => Kind::Object,
        }
    }

    /// Returns the span in the source text. A value that the text only implies, such as the null of
    /// a missing value, has an empty span.
    #[must_use]
    pub fn span(self) -> Span {
        let slot = self.slot();
        Span::new(slot.start as usize, slot.end as usize)
    }

    /// Returns the index of the part, counted from 0 in the order of the text. It is unique within
    /// the value; [`Value::node`] returns the part again.
    #[must_use]
    pub const fn index(self) -> usize {
        self.index
    }

    /// Returns the value that contains this part.
    #[must_use]
    pub const fn value(self) -> &'v Value<'v> {
        self.value
    }

    /// Returns whether this is an object that may have duplicate keys.
    #[must_use]
    pub fn may_repeat_keys(self) -> bool {
        let slot = self.slot();
        slot.kind == SlotKind::Object && slot.marks == super::KEYS_ALIKE
    }

    /// Returns whether the value is null.
    #[must_use]
    #[inline]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Returns the boolean; `None` for any other kind.
    #[must_use]
    #[inline]
    pub fn bool(self) -> Option<bool> {
        match self.slot().kind {
            SlotKind::True => Some(true),
            SlotKind::False => Some(false),
            _ => None,
        }
    }

    /// Returns the text of a number, as written; `None` for any other kind.
    #[must_use]
    #[inline]
    pub fn number(self) -> Option<&'v str> {
        let slot = self.slot();
        (slot.kind == SlotKind::Number).then(|| self.value.content_of(slot))
    }

    /// Returns the text of a string; `None` for any other kind.
    #[must_use]
    #[inline]
    pub fn str(self) -> Option<&'v str> {
        let slot = self.slot();
        (slot.kind == SlotKind::String).then(|| self.value.content_of(slot))
    }

    /// Returns the items of an array; empty for any other kind.
    #[must_use]
    #[inline]
    pub fn items(self) -> Items<'v> {
        let slot = self.slot();
        let end = if slot.kind == SlotKind::Array { slot.data as usize } else { 0 };
        Items { value: self.value, next: self.index + 1, end }
    }

    /// Returns the members of an object in order, including duplicates; empty for any other kind.
    #[must_use]
    #[inline]
    pub fn members(self) -> Members<'v> {
        let slot = self.slot();
        let end = if slot.kind == SlotKind::Object { slot.data as usize } else { 0 };
        Members { value: self.value, next: self.index + 1, end }
    }

    /// Counts the items or members, in linear time; 0 for any other kind.
    #[must_use]
    pub fn len(self) -> usize {
        match self.kind() {
            Kind::Array => self.items().count(),
            Kind::Object => self.members().count(),
            _ => 0,
        }
    }

    /// Returns whether there are no items or members.
    #[must_use]
    pub fn is_empty(self) -> bool {
        match self.slot().kind {
            SlotKind::Array | SlotKind::Object => self.value.after(self.index) == self.index + 1,
            _ => true,
        }
    }

    /// Returns the value of a key; the last one if the key is duplicated.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        let is_it = |(name, _): &(Self, Self)| self.value.says(name.index, key);
        self.members().filter(is_it).last().map(|(_, value)| value)
    }

    /// Returns the item at index `at`.
    #[must_use]
    pub fn item(self, at: usize) -> Option<Self> {
        self.items().nth(at)
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// Iterator over the items of an array.
#[derive(Clone)]
pub struct Items<'v> {
    value: &'v Value<'v>,
    next: usize,
    end: usize,
}

impl<'v> Iterator for Items<'v> {
    type Item = Node<'v>;

    #[inline]
    fn next(&mut self) -> Option<Node<'v>> {
        (self.next < self.end).then(|| {
            let node = Node { value: self.value, index: self.next };
            self.next = self.value.after(self.next);
            node
        })
    }
}

/// Iterator over the members of an object, as pairs of key and value.
#[derive(Clone)]
pub struct Members<'v> {
    value: &'v Value<'v>,
    next: usize,
    end: usize,
}

impl<'v> Iterator for Members<'v> {
    type Item = (Node<'v>, Node<'v>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        (self.next + 1 < self.end).then(|| {
            let key = Node { value: self.value, index: self.next };
            let value = Node { value: self.value, index: self.next + 1 };
            self.next = self.value.after(self.next + 1);
            (key, value)
        })
    }
}
