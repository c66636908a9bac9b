//! Strict JSON tokens, the fast paths of the parser.
//!
//! A token is accepted only if strict JSON continues after it. Anything else is left to a recovery.

use crate::{
    EmphasisInValues, Span,
    parser::{Deviation, Flow, Opened, Parser, Window, is_space, parent},
    sink::{Container, Content, Literal, Sink},
};

/// A strict key and the colon after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrictKey {
    start: usize,
    /// Position of its closing quote.
    end: usize,
    escaped: bool,
    colon: usize,
}

/// What follows a strict string.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// A comma and the next key.
    Key { comma: usize, key: StrictKey },
    /// A comma and the next item.
    Item { comma: usize, item: usize },
    /// A closing bracket or the end, at this offset.
    After(usize),
}

impl Parser<'_> {
    /// Opens a container of this kind.
    #[inline(always)]
    pub(super) fn strict_opening<S: Sink>(&mut self, kind: Container, sink: &mut S) -> Flow {
        if self.stack.len() >= self.max_depth {
            return Flow::Deviation(Deviation::Depth);
        }
        self.opening(kind, Opened::Plain, self.at + 1, sink);
        Flow::Done
    }

    /// Parses a double-quoted string.
    ///
    /// It ends at its first quote if the container strictly continues after it. Only otherwise is a
    /// judgment needed.
    #[inline]
    pub(super) fn quoted_value<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Flow {
        let start = self.at;
        let Some((end, escaped)) = self.scan_string(window, start + 1) else {
            return Flow::Deviation(Deviation::String);
        };
        if self.emphasis_in_values == EmphasisInValues::Strip
            && matches!(window.byte(start + 1), Some(b'*' | b'_' | b'~'))
        {
            return Flow::Deviation(Deviation::String);
        }
        if escaped && self.may_be_literal(window, start + 1, end) {
            return Flow::Deviation(Deviation::String);
        }
        let next = window.skip_space(end + 1);
        let next = match (window.byte(next), self.top()) {
            (Some(b','), Some(Container::Object)) => {
                // The next key is parsed at once, since it proves the end of the string.
                match self.scan_key(window, window.skip_space(next + 1)) {
                    Some(key) => Next::Key { comma: next, key },
                    None => return Flow::Deviation(Deviation::String),
                }
            }
            (Some(b','), Some(Container::Array)) => {
                let item = window.skip_space(next + 1);
                if !window.byte(item).is_some_and(starts_value) {
                    return Flow::Deviation(Deviation::String);
                }
                Next::Item { comma: next, item }
            }
            (Some(closer @ (b'}' | b']')), Some(top))
                if closes(closer, top) && self.continues(window, next + 1) =>
            {
                Next::After(next)
            }
            (None, None) if window.at_end => Next::After(end + 1),
            _ => return Flow::Deviation(Deviation::String),
        };
        sink.string(window, Span::new(start, end + 1), content(start + 1, end, escaped));
        self.finished(end + 1);
        match next {
            Next::Key { comma, key } => {
                if self.is_dedent(key.start - comma - 1) {
                    self.take_comma(Container::Object, Span::new(comma, comma + 1));
                } else {
                    self.member = end + 1;
                    self.strict_key(window, key, sink);
                }
            }
            Next::Item { comma, item } => {
                self.take_comma(Container::Array, Span::new(comma, comma + 1));
                self.at = item;
            }
            Next::After(at) => self.at = at,
        }
        Flow::Done
    }

    /// Returns the strict key at `at` with its colon.
    #[inline(always)]
    pub(super) fn scan_key(&mut self, window: &Window<'_>, at: usize) -> Option<StrictKey> {
        if window.byte(at) != Some(b'"') {
            return None;
        }
        let (end, escaped) = self.scan_string(window, at + 1)?;
        let colon = window.skip_space(end + 1);
        (window.byte(colon) == Some(b':')).then_some(StrictKey { start: at, end, escaped, colon })
    }

    /// Advances past a strict key and its colon.
    #[inline(always)]
    pub(super) fn strict_key<S: Sink + ?Sized>(
        &mut self,
        window: &Window<'_>,
        key: StrictKey,
        sink: &mut S,
    ) {
        let StrictKey { start, end, escaped, colon } = key;
        sink.key(window, Span::new(start, end + 1), content(start + 1, end, escaped));
        self.complete_key(colon + 1);
    }

    /// Returns the end of the strict string content at `at`, and whether it has escapes.
    #[inline(always)]
    fn scan_string(&mut self, window: &Window<'_>, at: usize) -> Option<(usize, bool)> {
        if window.at_end { window.scan_string(at) } else { self.pending.scan_string(window, at) }
    }

    /// Returns whether strict JSON continues at `at`, after the closing bracket of the innermost
    /// container.
    #[inline(always)]
    pub(crate) fn continues(&self, window: &Window<'_>, at: usize) -> bool {
        let next = window.skip_space(at);
        match (window.byte(next), parent(&self.stack)) {
            (None, _) => window.at_end,
            (Some(b'}'), Some(Container::Object)) | (Some(b']'), Some(Container::Array)) => true,
            (Some(b','), Some(Container::Object)) => {
                window.byte(window.skip_space(next + 1)) == Some(b'"')
            }
            (Some(b','), Some(Container::Array)) => {
                window.byte(window.skip_space(next + 1)).is_some_and(starts_value)
            }
            _ => false,
        }
    }

    /// Parses a number.
    #[inline]
    pub(super) fn number<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Flow {
        let start = self.at;
        let Some(end) = window.scan_number(start) else { return Flow::Deviation(Deviation::Value) };
        let mut next = end;
        let plain = match window.byte(end) {
            None => window.at_end && self.stack.is_empty(),
            // In an object, `1,234` may be one number.
            Some(b',') => {
                self.top() != Some(Container::Object)
                    || !window.byte(end + 1).is_none_or(|byte| byte.is_ascii_digit())
            }
            Some(b'}' | b']') => true,
            // Structure must follow the white space, or it is text like `12 kg`.
            Some(byte) if is_space(byte) => {
                next = window.skip_space(end);
                match window.byte(next) {
                    None => window.at_end && self.stack.is_empty(),
                    Some(byte) => matches!(byte, b',' | b'}' | b']'),
                }
            }
            _ => false,
        };
        if !plain {
            return Flow::Deviation(Deviation::Value);
        }
        let span = Span::new(start, end);
        sink.number(window, span, Content::Plain(span));
        self.finished(end);
        self.comma_at(window, next);
        Flow::Done
    }

    /// Parses the literal of `length` bytes here.
    #[inline(always)]
    pub(super) fn literal<S: Sink>(
        &mut self,
        window: &Window<'_>,
        literal: Literal,
        length: usize,
        sink: &mut S,
    ) -> Flow {
        let end = self.at + length;
        let next = window.skip_space(end);
        let plain = match window.byte(next) {
            None => window.at_end,
            Some(byte) => matches!(byte, b',' | b'}' | b']') && !self.stack.is_empty(),
        };
        if !plain {
            return Flow::Deviation(Deviation::Value);
        }
        sink.literal(literal, Span::new(self.at, end));
        self.finished(end);
        self.comma_at(window, next);
        Flow::Done
    }
}

/// Returns the content of a token between `start` and `end`.
#[inline]
pub(crate) const fn content<'m>(start: usize, end: usize, escaped: bool) -> Content<'m> {
    let span = Span::new(start, end);
    if escaped { Content::Escaped(span) } else { Content::Plain(span) }
}

/// Returns whether `closer` closes a container of this kind.
#[inline]
pub(crate) const fn closes(closer: u8, kind: Container) -> bool {
    matches!((closer, kind), (b'}', Container::Object) | (b']', Container::Array))
}

/// Returns whether a strict value may start with `byte`.
#[inline]
pub(crate) const fn starts_value(byte: u8) -> bool {
    matches!(byte, b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
}
