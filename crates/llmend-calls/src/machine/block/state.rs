//! The state of a block of calls: its marks, and what was read of it.

use std::sync::OnceLock;

use llmend_json::Span;

use crate::{
    evidence::Marking,
    input::{Input, Read},
    machine::between::noise,
    marks::{Role, role},
    tag::Tag,
};

/// A block that is being read.
#[derive(Clone, Debug)]
pub(in crate::machine) struct Block {
    /// The mark that opened it.
    pub(in crate::machine) opener: Span,
    /// Offset of the first line of the code block around it, which belongs to it.
    pub(in crate::machine) fence: Option<usize>,
    pub(in crate::machine) marking: Marking,
    /// The mark right before the next call.
    pub(super) inner: Span,
    /// Number of calls read.
    pub(in crate::machine) calls: usize,
    /// The first mark behind the last call that opens another one.
    pub(super) reopened: Option<Span>,
    /// Whether it was closed.
    pub(super) closed: bool,
    /// Number of open elements.
    depth: usize,
    /// Whether the words before it say that its call is not made, once that was asked.
    pub(in crate::machine) withheld: OnceLock<bool>,
}

impl Block {
    pub(in crate::machine) const fn new(opener: Span, marking: Marking) -> Self {
        let (inner, reopened) = (opener, None);
        let withheld = OnceLock::new();
        Self {
            opener,
            fence: None,
            marking,
            inner,
            calls: 0,
            reopened,
            closed: false,
            depth: 1,
            withheld,
        }
    }

    /// Takes a mark. Returns whether it opens calls.
    pub(super) fn mark(&mut self, tag: &Tag<'_>, input: Input<'_>) -> bool {
        if tag.closing || role(tag) == Some(Role::Close) {
            // The end of an element within may belong to a call, and is not counted.
            let bare =
                |tag: Span| tag.of(input.text).chars().filter(|c| !matches!(c, '<' | '/' | '>'));
            let whole = bare(tag.span).eq(bare(self.opener));
            self.depth = if whole { 0 } else { self.depth.saturating_sub(1) };
            self.closed = self.depth == 0;
            return false;
        }
        let opens = role(tag) == Some(Role::Open);
        if opens {
            self.depth += 1;
            self.closed = false;
            self.inner = tag.span;
            self.reopened = self.reopened.filter(|_| self.calls > 0).or(Some(tag.span));
        }
        opens
    }

    /// Returns the offset behind noise before the first call.
    pub(super) fn noise(&self, input: Input<'_>, at: usize) -> Read<Option<usize>> {
        if self.calls > 0 {
            return Ok(None);
        }
        noise(input, at, self.opener, self.marking)
    }

    /// Returns whether the block is closed and no mark at `at` begins another call.
    pub(super) fn is_over(&self, input: Input<'_>, at: usize) -> Read<bool> {
        if !self.closed {
            return Ok(false);
        }
        Ok(match input.byte(at) {
            Some(b'<' | b']') => false,
            Some(b'[') => !input.starts(at, "[TOOL_CALLS]")?,
            _ => true,
        })
    }
}
