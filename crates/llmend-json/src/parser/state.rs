//! What does the machine know of where it stands, and how does a step end?

use crate::{ErrorKind, Span, sink::Container};

/// Why the machine stopped short of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) kind: ErrorKind,
    pub(crate) span: Span,
    pub(crate) detail: &'static str,
}

impl Stop {
    /// The text does not go on as JSON at `at`.
    pub(crate) const fn unexpected(at: usize) -> Self {
        Self::new(ErrorKind::Unexpected, Span::at(at), "")
    }

    pub(crate) const fn new(kind: ErrorKind, span: Span, detail: &'static str) -> Self {
        Self { kind, span, detail }
    }

    /// Adds what was expected at `at`, if that is where the parser stopped.
    pub(crate) fn expecting(mut self, at: usize, expected: &'static str) -> Self {
        if self.kind == ErrorKind::Unexpected && self.span.start == at && self.detail.is_empty() {
            self.detail = expected;
        }
        self
    }
}

/// What a run of the machine came to, or a step of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The step is made; of a run: the value is complete, and ends at [`Parser::last_end`](crate::parser::Parser::last_end).
    Done,
    /// More text is needed to go on.
    More,
    /// This is for a recovery to settle; nothing has been done.
    Deviation(Deviation),
}

/// What strict JSON leaves to a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deviation {
    /// Two braces in a row.
    Braces,
    /// A value in double quotes.
    String,
    /// Any other value.
    Value,
    /// A key.
    Key,
    /// What stands after a value.
    After,
    /// A closer that is not simply the right one.
    Closer,
    /// The last closer, with something behind it.
    Outermost,
    /// A closer that may come too early.
    Early,
    /// A key that stands less deep than the one before it.
    Dedent,
    /// A bracket deeper than the limit.
    Depth,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GrammarState {
    /// A value: at the root, or after a colon.
    Value,
    /// An item, or the end of an array that is still empty.
    FirstItem,
    /// An item, after a comma.
    Item,
    /// A key, or the end of an object that is still empty.
    FirstKey,
    /// A key, after a comma.
    Key,
    /// A comma or the end of the container.
    After,
    /// Nothing: the value is complete.
    Done,
}

impl GrammarState {
    /// Returns what may come next in a container of kind `top`, for an error message.
    pub(crate) const fn expected(self, top: Option<Container>) -> &'static str {
        match (self, top) {
            (Self::Value | Self::Item, _) => "expected a value",
            (Self::FirstItem, _) => "expected a value or `]`",
            (Self::FirstKey, _) => "expected a key or `}`",
            (Self::Key, _) => "expected a key",
            (Self::After, Some(Container::Object)) => "expected `,` or `}`",
            (Self::After, Some(Container::Array)) => "expected `,` or `]`",
            (Self::After | Self::Done, _) => "expected end of text",
        }
    }
}

/// How a container was opened, where that was not the usual way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// By its own bracket.
    Plain,
    /// By a parenthesis: a tuple.
    Tuple,
    /// By a brace, though it is an array: a set.
    Set,
    /// By two braces.
    Doubled,
    /// By nothing: the braces are missing, or the opening one is.
    Nothing,
    /// By the machine: one pair of an array that is a list of pairs.
    Pair,
}

/// A container that is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) kind: Container,
    pub(crate) opened: Opened,
    /// How much white space stands before its members, or the objects in it; 0 if that is not
    /// known.
    pub(crate) run: u32,
}

impl Frame {
    pub(crate) const fn new(kind: Container, opened: Opened) -> Self {
        Self { kind, opened, run: 0 }
    }
}

/// What an attempt at a value has seen so far, for those who judge whether it was one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ValueStats {
    /// Keys that had a value.
    pub(crate) members: usize,
    /// Members whose key or value stood in quotes, or was a number or literal.
    pub(crate) solid: usize,
    /// Keys without quotes.
    pub(crate) bare_keys: usize,
    /// Words without quotes that were taken for a value.
    pub(crate) words: usize,
    /// Scalars that are complete.
    pub(crate) scalars: usize,
}

/// Kind of the container around the innermost of `stack`.
#[inline]
pub(crate) fn parent(stack: &[Frame]) -> Option<Container> {
    let (_, outer) = stack.split_last()?;
    outer.last().map(|frame| frame.kind)
}
