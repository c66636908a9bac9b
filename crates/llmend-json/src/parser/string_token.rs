//! A delimited string in the text.

use crate::{Span, parser::quote::Delimiter};

/// A string as it stands in the text: the mark that opens it, its inside, the mark that closes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StringToken {
    pub(crate) start: usize,
    pub(crate) inside: Span,
    /// Where the closing mark stands; past the inside where emphasis goes.
    pub(crate) end: usize,
    /// Length of the closing mark; 0 if it is missing.
    pub(crate) close: usize,
    pub(crate) delimiter: Delimiter,
    /// Whether the closing mark is not the first that could have been it.
    pub(crate) contested: bool,
}

impl StringToken {
    /// The string from the mark at `start` to the mark of `close` bytes at `end`.
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
