//! Quotes of other kinds that open or close with straight ones.

use crate::{Span, judge::string::end::EndSearch, parser::quote};

/// The closing curly quote.
pub(super) const CURLY: &str = "”";
/// Longest text between low and straight quotes, in bytes.
const LOW_QUOTE_REACH: usize = 200;

/// The curly quotes of a string up to a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct CurlyQuotes {
    to: usize,
    opened: usize,
    closed: usize,
}

impl CurlyQuotes {
    /// Those before the start of a string: none.
    pub(super) const fn new(start: usize) -> Self {
        Self { to: start, opened: 0, closed: 0 }
    }
}

impl EndSearch<'_, '_> {
    /// Returns whether the curly quote at `at` ends a string that a straight one opens: it closes no
    /// other in it, and the next string opens with a curly one.
    pub(super) fn is_curly_end(&mut self, at: usize) -> bool {
        if self.delimiter.style != quote::Style::Double
            || !self.window.starts_with(at, CURLY.as_bytes())
        {
            return false;
        }
        let text = self.window.slice(Span::new(self.curly.to, at));
        self.curly.to = at;
        self.curly.opened += text.matches('“').count();
        self.curly.closed += text.matches(CURLY).count();
        let sign = self.window.skip_space(at + CURLY.len());
        matches!(self.window.byte(sign), Some(b',' | b':'))
            && self.window.character(self.window.skip_space(sign + 1)) == Some('“')
            && self.curly.opened <= self.curly.closed
    }

    /// Returns whether the straight quote at `at` closes a low one inside, as German and Polish texts
    /// have it, and the string goes on behind it.
    pub(super) fn closes_low_quote(&self, at: usize) -> bool {
        if self.delimiter.style != quote::Style::Double {
            return false;
        }
        let before = self.window.before(at, LOW_QUOTE_REACH.min(at - self.start));
        if before.is_ascii() {
            return false;
        }
        let open = before.rfind('„').and_then(|low| before.get(low + '„'.len_utf8()..));
        let is_open = open.is_some_and(|text| !text.contains(['"', '“', '”']) && !text.is_empty());
        is_open
            && match self.window.byte(self.window.skip_space(at + 1)) {
                None
                | Some(b',' | b'}' | b']' | b':' | b';' | b'|' | b'#' | b'/' | b'<' | b'+') => {
                    false
                }
                Some(b'"') => self.window.byte(at + 1) == Some(b'"'),
                Some(_) => true,
            }
    }
}
