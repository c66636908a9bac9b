//! The text that has arrived, and what a reader does at its end.

use std::cell::Cell;

use llmend_json::{Diagnostic, Severity, Span};

/// What a step may cost, as a multiple of the text.
const STEP_SHARE: usize = 64;
/// What a step may cost in any text, in bytes.
const STEP_FLOOR: usize = 1 << 18;

/// The text that has arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'t> {
    pub(crate) text: &'t str,
    /// Whether the text ends here.
    pub(crate) complete: bool,
    /// Bytes that were read so far, those that were read again included.
    work: Option<&'t Cell<usize>>,
}

/// Why something was not read.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// More of the text is needed.
    More,
    /// The text is cut off.
    Cut,
    /// It is not in this notation.
    Other,
    /// It is meant as a call and cannot be read.
    Unreadable(Box<Diagnostic>),
}

/// The result of reading something.
pub(crate) type Read<T> = Result<T, Stop>;

impl Stop {
    /// Creates the finding for a call that cannot be read.
    pub(crate) fn unreadable(message: impl Into<String>, span: Span, help: &str) -> Self {
        let row = Diagnostic::new("calls/unreadable", Severity::Error, message).at(span).help(help);
        Self::Unreadable(Box::new(row))
    }
}

impl<'t> Input<'t> {
    pub(crate) const fn new(text: &'t str, complete: bool) -> Self {
        Self { text, complete, work: None }
    }

    /// Returns the input whose reading is counted.
    pub(crate) const fn counted(self, work: &'t Cell<usize>) -> Self {
        Self { work: Some(work), ..self }
    }

    /// Counts bytes as read.
    pub(crate) fn count(self, bytes: usize) {
        if let Some(work) = self.work {
            work.set(work.get().saturating_add(bytes));
        }
    }

    /// Returns whether reading in this step cost more than any call needs.
    pub(crate) fn is_spent(self) -> bool {
        let most = STEP_FLOOR + STEP_SHARE * self.text.len();
        self.work.is_some_and(|work| work.get() > most)
    }

    /// Returns what it means that the text ends.
    pub(crate) const fn end(self) -> Stop {
        if self.complete { Stop::Cut } else { Stop::More }
    }

    pub(crate) const fn len(self) -> usize {
        self.text.len()
    }

    pub(crate) fn byte(self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Returns the byte at `at`, or what the end of the text means.
    pub(crate) fn need(self, at: usize) -> Read<u8> {
        self.byte(at).ok_or_else(|| self.end())
    }

    pub(crate) fn from(self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    pub(crate) fn slice(self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Returns the offset of the first byte at or after `at` that is not white space.
    pub(crate) fn skip_space(self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// Returns the offset of the first byte at or after `at` that is neither a blank nor a tab.
    pub(crate) fn skip_blanks(self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// Returns whether `prefix` is at `at`, or what the end of the text means if it may be.
    pub(crate) fn starts(self, at: usize, prefix: &str) -> Read<bool> {
        let rest = self.from(at);
        if rest.starts_with(prefix) {
            return Ok(true);
        }
        if !self.complete && prefix.starts_with(rest) { Err(Stop::More) } else { Ok(false) }
    }

    /// Returns the offset of the first `needle` at or after `at`.
    pub(crate) fn find(self, at: usize, needle: &str) -> Option<usize> {
        let rest = self.text.as_bytes().get(at..)?;
        let found = memchr::memmem::find(rest, needle.as_bytes());
        self.count(found.unwrap_or(rest.len()) / FAST);
        found.map(|found| at + found)
    }

    /// Returns the end of the line that contains `at`, before its line feed; the length of the
    /// text if it has none.
    pub(crate) fn line_end(self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.len(), |found| at + found)
    }

    /// Returns the part of the line before `at`, up to some length.
    pub(crate) fn line_before(self, at: usize) -> &'t str {
        let mut start = at.saturating_sub(MAX_LINE);
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        let before = self.slice(start, at);
        before.rfind('\n').map_or(before, |found| before.get(found + 1..).unwrap_or_default())
    }

    /// Returns the part of the line from `at` on, up to some length.
    pub(crate) fn line_after(self, at: usize) -> &'t str {
        let mut end = (at + MAX_LINE).min(self.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let after = self.slice(at, end);
        after.find('\n').map_or(after, |found| after.get(..found).unwrap_or_default())
    }

    /// Returns the part of the line from `at` on, once all of it has arrived.
    pub(crate) fn whole_line_after(self, at: usize) -> Read<&'t str> {
        let line = self.line_after(at);
        let ends = at + line.len() < self.len();
        if ends || self.complete || line.len() >= MAX_LINE { Ok(line) } else { Err(Stop::More) }
    }

    /// Returns the same text up to `end`, as if it ended there.
    pub(crate) fn until(self, end: usize) -> Self {
        let mut end = end.min(self.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        Self { text: self.slice(0, end), complete: true, ..self }
    }

    /// Returns the name at `at`: letters, digits, `_`, `-`, `.`, `:` and `/`, and escaped
    /// underscores, starting with a letter or `_`.
    pub(crate) fn name(self, at: usize) -> Read<Option<Span>> {
        let rest = self.from(at);
        let mut end = 0;
        let mut chars = rest.char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            let escaped = c == '\\' && chars.peek().is_some_and(|(_, next)| *next == '_');
            let inside = offset > 0 && (c.is_ascii_digit() || matches!(c, '-' | '.' | ':' | '/'));
            if !(c.is_alphabetic() || c == '_' || inside || escaped) {
                break;
            }
            end = offset + c.len_utf8();
            if end > MAX_NAME {
                return Ok(None);
            }
        }
        if end == rest.len() && !self.complete {
            return Err(Stop::More);
        }
        let name = rest.get(..end).unwrap_or_default().trim_end_matches(['.', ':', '-', '/']);
        Ok((!name.is_empty()).then(|| Span::new(at, at + name.len())))
    }
}

/// How many bytes of a search cost as much as one that is inspected.
const FAST: usize = 16;
/// How much of a line is inspected for quotations, in bytes.
const MAX_LINE: usize = 1000;
/// Maximum length of a name, in bytes.
const MAX_NAME: usize = 200;
