//! How does one look around in a value?

use crate::{
    Span,
    value::{Slot, SlotKind, Value},
};

/// What kind of JSON value something is.
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
    /// A list of values.
    Array,
    /// A list of keys with their values.
    Object,
}

impl Kind {
    /// The word for it.
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

/// What stands at one place of a value, for those who go through all of it in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'v> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is written.
    Number(&'v str),
    /// The text of a string, or of a key.
    String(&'v str),
    /// An array. Its items come next.
    Array {
        /// The number of the first part behind it and all that it holds.
        end: usize,
    },
    /// An object. Its members come next, each a key and its value.
    Object {
        /// The number of the first part behind it and all that it holds.
        end: usize,
    },
}

/// One place in a [`Value`]: as cheap to copy as a reference.
#[derive(Clone, Copy)]
pub struct Node<'v> {
    pub(crate) value: &'v Value<'v>,
    /// Invariant: within the slots of `value`.
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

    /// What stands here.
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
            SlotKind::Number => Token::Number(self.value.content(self.index)),
            SlotKind::String => Token::String(self.value.content(self.index)),
            SlotKind::Array => Token::Array { end: slot.data as usize },
            SlotKind::Object => Token::Object { end: slot.data as usize },
        }
    }

    /// What kind of value it is.
    #[must_use]
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

    /// Where it stands in the caller's text. A value that the text only implies (the null of a
    /// missing value) has an empty span.
    #[must_use]
    pub fn span(self) -> Span {
        let slot = self.slot();
        Span::new(slot.start as usize, slot.end as usize)
    }

    /// Its number in the value, from 0 in the order of the text. No two parts of one value have the
    /// same, and [`Value::node`] finds it again.
    #[must_use]
    pub const fn index(self) -> usize {
        self.index
    }

    /// The value that it is a part of.
    #[must_use]
    pub const fn value(self) -> &'v Value<'v> {
        self.value
    }

    /// Whether keys of this object may be equal; a closer look tells. Never of anything else.
    #[must_use]
    pub fn may_repeat_keys(self) -> bool {
        let slot = self.slot();
        slot.kind == SlotKind::Object && slot.marks == super::KEYS_ALIKE
    }

    /// Whether it is null.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn bool(self) -> Option<bool> {
        match self.slot().kind {
            SlotKind::True => Some(true),
            SlotKind::False => Some(false),
            _ => None,
        }
    }

    /// The number as it is written, if it is one.
    #[must_use]
    pub fn number(self) -> Option<&'v str> {
        (self.kind() == Kind::Number).then(|| self.value.content(self.index))
    }

    /// The text, if it is a string.
    #[must_use]
    pub fn str(self) -> Option<&'v str> {
        (self.kind() == Kind::String).then(|| self.value.content(self.index))
    }

    /// The items, if it is an array; nothing otherwise.
    #[must_use]
    pub fn items(self) -> Items<'v> {
        let end = if self.kind() == Kind::Array { self.value.after(self.index) } else { 0 };
        Items { value: self.value, next: self.index + 1, end }
    }

    /// The members in their order, duplicates included, if it is an object; nothing otherwise.
    #[must_use]
    pub fn members(self) -> Members<'v> {
        let end = if self.kind() == Kind::Object { self.value.after(self.index) } else { 0 };
        Members { value: self.value, next: self.index + 1, end }
    }

    /// Number of items or members; 0 for anything else. Counts them: linear.
    #[must_use]
    pub fn len(self) -> usize {
        match self.kind() {
            Kind::Array => self.items().count(),
            Kind::Object => self.members().count(),
            _ => 0,
        }
    }

    /// Whether there is no item and no member.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The member with this key; the last one if it stands twice.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        let is_it = |(name, _): &(Self, Self)| self.value.says(name.index, key);
        self.members().filter(is_it).last().map(|(_, value)| value)
    }

    /// The item at `at`, from 0.
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

/// The items of an array.
#[derive(Clone)]
pub struct Items<'v> {
    value: &'v Value<'v>,
    next: usize,
    end: usize,
}

impl<'v> Iterator for Items<'v> {
    type Item = Node<'v>;

    fn next(&mut self) -> Option<Node<'v>> {
        (self.next < self.end).then(|| {
            let node = Node { value: self.value, index: self.next };
            self.next = self.value.after(self.next);
            node
        })
    }
}

/// The members of an object: key and value.
#[derive(Clone)]
pub struct Members<'v> {
    value: &'v Value<'v>,
    next: usize,
    end: usize,
}

impl<'v> Iterator for Members<'v> {
    type Item = (Node<'v>, Node<'v>);

    fn next(&mut self) -> Option<Self::Item> {
        (self.next + 1 < self.end).then(|| {
            let key = Node { value: self.value, index: self.next };
            let value = Node { value: self.value, index: self.next + 1 };
            self.next = self.value.after(self.next + 1);
            (key, value)
        })
    }
}
