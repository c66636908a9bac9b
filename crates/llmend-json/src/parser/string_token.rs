//! Strings with their delimiters.

use crate::{Span, parser::quote::Delimiter};

/// A string in the text: its opening mark, content and closing mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StringToken {
    pub(crate) start: usize,
    pub(crate) inside: Span,
    /// Position of the closing mark. After the content if emphasis is stripped.
    pub(crate) end: usize,
    /// Length of the closing mark. 0 if it is missing.
    pub(crate) close: usize,
    pub(crate) delimiter: Delimiter,
    /// Whether an earlier mark could have been the closing one.
    pub(crate) contested: bool,
}

impl StringToken {
    /// Creates the string from the mark at `start` to the mark of `close` bytes at `end`.
    pub(crate) const fn new(start: usize, end: usize, close: usize, delimiter: Delimiter) -> Self {
        Self {
            start,
            inside: Span::new(start + delimiter.open, end),
            end,
            close,
            delimiter,
            contested: false,
        }
    }

    pub(crate) const fn span(&self) -> Span {
        Span::new(self.start, self.end + self.close)
    }
}
