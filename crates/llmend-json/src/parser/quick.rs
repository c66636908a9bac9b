//! Which broken tokens are so plain that there is nothing to judge?
//!
//! Most broken text is broken in the same way all over: every key bare, every string in single
//! quotes, a comma before each closer. Those tokens are settled here by their first mark and one
//! look at what follows, as strict ones are. Whatever is not as plain is left to the judgements,
//! which come to the same result.

use crate::{
    Rule, Span,
    judge::follow::inside_word,
    parser::{
        Delimiter, Flow, Machine, State, Stop, Window, content, quote, quote::Style, starts_value,
        string::Piece,
    },
    sink::{Container, Sink},
};

/// The first mark that may end a string, and what stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) end: usize,
    pub(super) close: usize,
    /// Legal escapes inside.
    escaped: bool,
    /// Something inside needs an edit.
    odd: bool,
}

impl Window<'_> {
    /// The first mark after `at` that may end a string of this style. Nothing where an escape may
    /// be no escape, or the style is not among the common ones.
    pub(super) fn first_mark(&self, at: usize, style: Style) -> Option<Mark> {
        let (mark, other) = match style {
            Style::Double => (b'"', b'"'),
            Style::Single => (b'\'', b'"'),
            Style::Backtick => (b'`', b'"'),
            Style::SmartDouble => (0xE2, b'"'),
            _ => return None,
        };
        let bytes = self.text.as_bytes();
        let (mut escaped, mut odd) = (false, false);
        let mut i = at - self.base;
        loop {
            i = super::window::plain_run(bytes, i, mark, other);
            let Some(&byte) = bytes.get(i) else {
                let _ = self.byte(i + self.base);
                return None;
            };
            match byte {
                b'\\' => match self.legal_escape(i + self.base) {
                    Some(length) => {
                        escaped = true;
                        i += length;
                    }
                    None if style == Style::Single && bytes.get(i + 1) == Some(&b'\'') => {
                        odd = true;
                        i += 2;
                    }
                    None => return None,
                },
                byte if byte < b' ' => {
                    odd = true;
                    i += 1;
                }
                _ => {
                    let place = i + self.base;
                    match style.closes(self, place) {
                        Some(close)
                            if !(style.is_apostrophe() && inside_word(self, place, close)) =>
                        {
                            return Some(Mark { end: place, close, escaped, odd });
                        }
                        Some(close) => i += close,
                        None => {
                            odd |= bytes.get(i) == Some(&b'"');
                            i += self.character(place).map_or(1, char::len_utf8);
                        }
                    }
                }
            }
        }
    }
}

impl Machine<'_> {
    /// A string value that is plainly ended by its first mark.
    #[inline]
    pub(super) fn quick_string<S: Sink>(
        &mut self,
        window: &Window<'_>,
        delimiter: Delimiter,
        sink: &mut S,
    ) -> Result<Option<Flow>, Stop> {
        let start = self.at;
        let Some(mark) = window.first_mark(start + delimiter.open, delimiter.style) else {
            return Ok(None);
        };
        let ends = self.plainly_ends(window, mark.end + mark.close);
        if ends == Ends::Unclear {
            return Ok(None);
        }
        if mark.odd && self.top() == Some(Container::Array) {
            // Lines of code with a call that is still open: the mark may be one of the code.
            let inside = window.slice(Span::new(start, mark.end));
            if inside.matches('(').count() > inside.matches(')').count() {
                return Ok(None);
            }
        }
        let piece = Piece::new(start, mark.end, mark.close, delimiter);
        let strip = self.options.emphasis == crate::EmphasisInValues::Strip;
        if mark.odd || strip || self.prefix.is_some() {
            self.emit_string(window, &piece, Rule::MissingEndQuote, sink)?;
        } else {
            self.requote(window, &piece)?;
            sink.string(window, piece.span(), content(piece.inside.start, mark.end, mark.escaped));
            self.seen.solid += 1;
        }
        self.finished(mark.end + mark.close);
        if let Ends::Before { key, colon } = ends {
            // The key that proves the string's end is read in the same breath.
            self.plain_key(window, &key, colon, sink)?;
        }
        Ok(Some(Flow::Done))
    }

    /// A key in quotes with its colon right behind it.
    #[inline]
    pub(super) fn quick_key<S: Sink>(
        &mut self,
        window: &Window<'_>,
        delimiter: Delimiter,
        sink: &mut S,
    ) -> Result<Option<Flow>, Stop> {
        let Some(key) = quoted_key(window, self.at, delimiter) else { return Ok(None) };
        let colon = window.skip_space(key.span.end);
        if window.byte(colon) != Some(b':') {
            return Ok(None);
        }
        self.plain_key(window, &key, colon, sink)?;
        Ok(Some(Flow::Done))
    }

    /// A name without quotes with its colon right behind it.
    #[inline]
    pub(super) fn quick_name<S: Sink>(
        &mut self,
        window: &Window<'_>,
        sink: &mut S,
    ) -> Result<Option<Flow>, Stop> {
        let key = name(window, self.at);
        let colon = key.span.end;
        if key.span.is_empty() || !is_colon(window, colon) {
            return Ok(None);
        }
        self.plain_key(window, &key, colon, sink)?;
        Ok(Some(Flow::Done))
    }

    /// Goes past a key in a common spelling, and its colon.
    #[inline]
    fn plain_key<S: Sink>(
        &mut self,
        window: &Window<'_>,
        key: &PlainKey,
        colon: usize,
        sink: &mut S,
    ) -> Result<(), Stop> {
        self.member = self.last_end;
        let span = key.span;
        if let Some(piece) = key.piece {
            self.requote(window, &piece)?;
        } else {
            self.log.mark();
            self.edit(Rule::BareKey, span.start, span.start, "\"")?;
            self.edit(Rule::BareKey, span.end, span.end, "\"")?;
            self.seen.bare_keys += 1;
        }
        let inside = key.piece.map_or(span, |piece| piece.inside);
        sink.key(window, span, content(inside.start, inside.end, key.escaped));
        self.key_read(colon + 1);
        if key.piece.is_none() {
            self.seen.solid -= 1;
        }
        Ok(())
    }

    /// Puts straight quotes around a string whose inside needs nothing.
    #[inline]
    fn requote(&mut self, window: &Window<'_>, piece: &Piece) -> Result<(), Stop> {
        if let Some(rule) = piece.delimiter.style.rule() {
            self.log.mark();
            self.edit(rule, piece.start, piece.inside.start, "\"")?;
            self.straighten(window, rule, Span::new(piece.end, piece.end + piece.close))?;
        }
        Ok(())
    }

    /// Whether the container plainly goes on, or ends, at `at`.
    fn plainly_ends(&self, window: &Window<'_>, at: usize) -> Ends {
        let next = window.skip_space(at);
        let plain = |yes: bool| if yes { Ends::Plainly } else { Ends::Unclear };
        match (window.byte(next), self.top()) {
            (Some(b','), Some(Container::Object)) => {
                let key = window.skip_space(next + 1);
                if window.byte(key) == Some(b'}') { Ends::Plainly } else { before_key(window, key) }
            }
            (Some(b','), Some(Container::Array)) => {
                let item = window.skip_space(next + 1);
                let tuple = self.opened(super::Opened::Tuple);
                plain(window.byte(item).is_some_and(|byte| {
                    starts_value(byte) || matches!(byte, b']' | b'\'') || (tuple && byte == b')')
                }))
            }
            (Some(b'}'), Some(Container::Object)) | (Some(b']'), Some(Container::Array)) => {
                plain(self.goes_on(window, next + 1) || self.plainly_closed(window, next + 1))
            }
            _ => Ends::Unclear,
        }
    }

    /// Whether, after the closer that ends at `at`, the parent plainly goes on in a broken spelling.
    fn plainly_closed(&self, window: &Window<'_>, at: usize) -> bool {
        let next = window.skip_space(at);
        let parent = self
            .stack
            .len()
            .checked_sub(2)
            .and_then(|at| self.stack.get(at))
            .map(|frame| frame.kind);
        match (window.byte(next), parent) {
            (Some(b','), Some(parent)) => {
                let after = window.skip_space(next + 1);
                match (window.byte(after), parent) {
                    (Some(b'}'), Container::Object) | (Some(b']' | b'\''), Container::Array) => {
                        true
                    }
                    (_, Container::Object) => before_key(window, after) != Ends::Unclear,
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Whether a comma before the closer that stands here is all that is wrong.
    #[inline]
    pub(super) fn quick_closer<S: Sink>(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut S,
    ) -> Result<Option<Flow>, Stop> {
        if self.comma.is_none()
            || !matches!(byte, b'}' | b']')
            || !self.top().is_some_and(|top| super::closes(byte, top))
        {
            return Ok(None);
        }
        self.trailing_comma()?;
        self.state = State::After;
        self.closing(window, byte, sink).map(Some)
    }
}

/// What is known of a string's end from what follows its first mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// It is left to the judgements.
    Unclear,
    /// The mark is the end.
    Plainly,
    /// The mark is the end, since this key follows, with its colon.
    Before { key: PlainKey, colon: usize },
}

/// A key in a common spelling that needs no edit inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlainKey {
    span: Span,
    /// In quotes; none for a bare name.
    piece: Option<Piece>,
    escaped: bool,
}

/// The key and colon in a common spelling that stand at `at`.
fn before_key(window: &Window<'_>, at: usize) -> Ends {
    let key = match window.byte(at) {
        Some(b'"' | b'\'' | b'`' | 0xE2) => {
            quote::opening(window, at).and_then(|delimiter| quoted_key(window, at, delimiter))
        }
        Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => Some(name(window, at)),
        _ => None,
    };
    let Some(key) = key else { return Ends::Unclear };
    let colon = if key.piece.is_some() { window.skip_space(key.span.end) } else { key.span.end };
    let sound = if key.piece.is_some() {
        window.byte(colon) == Some(b':')
    } else {
        is_colon(window, colon)
    };
    if sound { Ends::Before { key, colon } } else { Ends::Unclear }
}

/// The key in quotes at `at`, up to its first mark, if its inside needs no edit.
fn quoted_key(window: &Window<'_>, at: usize, delimiter: Delimiter) -> Option<PlainKey> {
    let mark = window.first_mark(at + delimiter.open, delimiter.style).filter(|mark| !mark.odd)?;
    let piece = Piece::new(at, mark.end, mark.close, delimiter);
    Some(PlainKey { span: piece.span(), piece: Some(piece), escaped: mark.escaped })
}

/// The name without quotes at `at`.
fn name(window: &Window<'_>, at: usize) -> PlainKey {
    let length = window.run(at, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    PlainKey { span: Span::new(at, at + length), piece: None, escaped: false }
}

/// Whether a colon stands at `at` that is none of a path or an address.
fn is_colon(window: &Window<'_>, at: usize) -> bool {
    window.byte(at) == Some(b':')
        && window.byte(at + 1).is_some_and(|byte| byte != b':' && byte != b'/')
}

#[cfg(test)]
mod tests {
    use super::Window;
    use crate::parser::quote::Style;

    #[test]
    fn the_first_mark() {
        for (text, style, expected) in [
            ("a b\" x", Style::Double, Some((3, false, false))),
            ("it's ok' x", Style::Single, Some((7, false, false))),
            ("say \"hi\"' x", Style::Single, Some((8, false, true))),
            (r"it\'s' x", Style::Single, Some((5, false, true))),
            ("a\\n\" x", Style::Double, Some((3, true, false))),
            ("a\nb\" x", Style::Double, Some((3, false, true))),
            (r"C:\d", Style::Double, None),
            ("a — b” x", Style::SmartDouble, Some((7, false, false))),
            ("a", Style::Double, None),
        ] {
            let found = Window::whole(text)
                .first_mark(0, style)
                .map(|mark| (mark.end, mark.escaped, mark.odd));
            assert_eq!(found, expected, "{text}");
        }
    }
}
