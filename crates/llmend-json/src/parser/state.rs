//! The state of the parser and the outcome of its steps.

use crate::{ErrorKind, Span, sink::Container};

/// The reason why no value could be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) kind: ErrorKind,
    pub(crate) span: Span,
    pub(crate) detail: &'static str,
}

impl Stop {
    /// Creates the error for an unexpected token at `at`.
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

/// The outcome of a run of the parser, or of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The step is made. After a run: the value is complete and ends at
    /// [`Parser::last_end`](crate::parser::Parser::last_end).
    Done,
    /// More text is needed.
    More,
    /// A recovery is needed. Nothing has been done yet.
    Deviation(Deviation),
}

/// A deviation from strict JSON that needs a recovery.
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
    /// What follows a value.
    After,
    /// A closing bracket that is not simply the right one.
    Closer,
    /// The last closing bracket, with something after it.
    Outermost,
    /// A closing bracket that may be superfluous.
    Early,
    /// A key that is less indented than the one before it.
    Dedent,
    /// A list after a scalar of the list around it, which may be the next row of a table.
    Row,
    /// A bracket deeper than the limit.
    Depth,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GrammarState {
    /// A value at the root or after a colon.
    Value,
    /// An item, or the end of an empty array.
    FirstItem,
    /// An item, after a comma.
    Item,
    /// A key, or the end of an empty object.
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

/// How a container was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// By its own bracket.
    Plain,
    /// By a parenthesis, as a tuple.
    Tuple,
    /// By a brace, although it is an array: a set.
    Set,
    /// By a bracket or parenthesis, although it is an object.
    Keyed,
    /// By two braces.
    Doubled,
    /// By no bracket. The braces or the opening one are missing.
    Nothing,
    /// By the parser, for one pair in an array of pairs.
    Pair,
    /// By the parser, for members on deeper lines, without braces.
    Indented,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) kind: Container,
    pub(crate) opened: Opened,
    /// Position after its opening bracket.
    pub(crate) start: usize,
    /// White space before its members or the objects in it, in bytes. 0 if unknown.
    pub(crate) run: u32,
}

impl Frame {
    pub(crate) const fn new(kind: Container, opened: Opened) -> Self {
        Self { kind, opened, start: 0, run: 0 }
    }
}

/// Statistics of a value parsed so far, for judgments about it. A text has less than 4 GB.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ValueStats {
    /// Keys with a value.
    pub(crate) members: u32,
    /// Members whose key or value is quoted, a number or a literal.
    pub(crate) solid: u32,
    /// Unquoted keys.
    pub(crate) bare_keys: u32,
    /// Unquoted words that were read as values.
    pub(crate) words: u32,
    /// Complete scalars.
    pub(crate) scalars: u32,
    /// Whether escapes of a string may be text.
    pub(crate) escapes: bool,
}

/// Returns the kind of the container around the innermost of `stack`.
#[inline]
pub(crate) fn parent(stack: &[Frame]) -> Option<Container> {
    let (_, outer) = stack.split_last()?;
    outer.last().map(|frame| frame.kind)
}
