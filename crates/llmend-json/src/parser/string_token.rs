//! Strings with their delimiters.

use crate::{
    Span,
    judge::string::edge::{self, Edge},
    parser::{
        Window,
        quote::{Delimiter, Style},
    },
};

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

    /// Returns the string with a superfluous quote in its content taken as part of its marks, and with
    /// the spaces that French puts inside of guillemets.
    pub(crate) fn with_stray_mark(self, window: &Window<'_>) -> Self {
        let content = window.slice(self.inside);
        if self.delimiter.style == Style::Paired('»')
            && content.starts_with(is_french_space)
            && content.ends_with(is_french_space)
        {
            let (before, after) = (content.trim_start().len(), content.trim_end().len());
            let (open, close) = (content.len() - before, content.len() - after);
            return Self {
                inside: Span::new(self.inside.start + open, self.inside.end - close),
                end: self.end - close,
                close: self.close + close,
                delimiter: Delimiter { open: self.delimiter.open + open, ..self.delimiter },
                ..self
            };
        }
        if !self.contested || self.delimiter.style != Style::Double {
            return self;
        }
        match edge::stray_mark(window.slice(self.inside)) {
            Some(Edge::Start) => Self {
                inside: Span::new(self.inside.start + 1, self.inside.end),
                delimiter: Delimiter { open: self.delimiter.open + 1, ..self.delimiter },
                ..self
            },
            Some(Edge::End) => Self {
                inside: Span::new(self.inside.start, self.inside.end - 1),
                end: self.end - 1,
                close: self.close + 1,
                ..self
            },
            None => self,
        }
    }

    /// Returns whether a superfluous quote is part of its marks.
    pub(crate) fn has_stray_mark(&self) -> bool {
        self.delimiter.style == Style::Double && self.delimiter.open + self.close > 2
    }

    pub(crate) const fn span(&self) -> Span {
        Span::new(self.start, self.end + self.close)
    }
}

/// Returns whether `c` is a space, perhaps one that does not break a line.
const fn is_french_space(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}')
}
