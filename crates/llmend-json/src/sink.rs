//! Who is told what the machine reads?
//!
//! The machine hands a sink byte ranges, never borrowed text that it would have to keep: the text
//! may arrive in chunks. `()` keeps nothing, [`crate::value::build::Tape`] builds a value.

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
    /// How JSON spells it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True => "true",
            Self::False => "false",
        }
    }
}

/// What a string or number says, apart from where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content<'m> {
    /// The source at this range is the text itself.
    Plain(Span),
    /// The source at this range is the text with legal JSON escapes.
    Escaped(Span),
    /// The text after repairs, with legal JSON escapes. Gone after the call.
    Repaired(&'m str),
}

/// Takes what the machine reads, in the order of the text.
pub(crate) trait Sink {
    /// A container opens at `at`.
    fn open(&mut self, kind: Container, at: usize);
    /// The container that is open and still empty is an array after all.
    fn becomes_array(&mut self);
    /// The innermost container closes; `end` is one past its last byte.
    fn close(&mut self, end: usize);
    /// A key of the innermost object.
    fn key(&mut self, window: &Window<'_>, span: Span, content: Content<'_>);
    /// The key that was given last has no value.
    fn drop_key(&mut self);
    /// A string.
    fn string(&mut self, window: &Window<'_>, span: Span, content: Content<'_>);
    /// A number; its content is never `Escaped`.
    fn number(&mut self, window: &Window<'_>, span: Span, content: Content<'_>);
    /// A literal.
    fn literal(&mut self, literal: Literal, span: Span);
}

/// Keeps nothing: for text out, the repairs are all that is needed.
impl Sink for () {
    fn open(&mut self, _: Container, _: usize) {}
    fn becomes_array(&mut self) {}
    fn close(&mut self, _: usize) {}
    fn key(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn drop_key(&mut self) {}
    fn string(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn number(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn literal(&mut self, _: Literal, _: Span) {}
}
