//! The interface through which the parser reports what it reads.
//!
//! The parser passes byte ranges instead of borrowed text, since the text may arrive in chunks.
//! `()` discards everything, [`crate::value::build::Tape`] builds a value. Recovery takes it as
//! `dyn Sink`, so that it is compiled once.

use crate::{Span, parser::window::Window};

/// Kind of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Array,
    Object,
}

/// Kind of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    Null,
    True,
    False,
}

impl Literal {
    /// Returns the spelling of JSON.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True => "true",
            Self::False => "false",
        }
    }
}

/// The content of a string or number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content<'m> {
    /// The source at this span is the content.
    Plain(Span),
    /// The source at this span is the content with legal JSON escapes.
    Escaped(Span),
    /// The repaired content with legal JSON escapes. Valid during the call only.
    Repaired(&'m str),
}

/// A receiver of parse events, in the order of the text.
pub(crate) trait Sink {
    /// Opens a container at `at`.
    fn open(&mut self, kind: Container, at: usize);
    /// Turns the innermost container, which is empty, into one of this kind.
    fn becomes(&mut self, kind: Container);
    /// Closes the innermost container; `end` is one past its last byte.
    fn close(&mut self, end: usize);
    /// Receives a key of the innermost object.
    fn key(&mut self, window: &Window<'_>, span: Span, content: Content<'_>);
    /// Removes the last key, which has no value.
    fn drop_key(&mut self);
    /// Receives a string.
    fn string(&mut self, window: &Window<'_>, span: Span, content: Content<'_>);
    /// Receives a number. Its content is never `Escaped`.
    fn number(&mut self, window: &Window<'_>, span: Span, content: Content<'_>);
    /// Receives a literal.
    fn literal(&mut self, literal: Literal, span: Span);
}

/// Discards everything. Repairing text needs no value.
impl Sink for () {
    fn open(&mut self, _: Container, _: usize) {}
    fn becomes(&mut self, _: Container) {}
    fn close(&mut self, _: usize) {}
    fn key(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn drop_key(&mut self) {}
    fn string(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn number(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn literal(&mut self, _: Literal, _: Span) {}
}
