//! Common deviations that need no judgment.
//!
//! Most broken text is broken uniformly: every key unquoted, every string single-quoted, a comma
//! before each closing bracket. Such tokens are accepted by their first mark and what follows it.
//! Everything else is left to the judgments, which agree with these results.

use crate::{
    Rule, Span,
    judge::{
        string::swallowed,
        words::{bare::separates, word},
    },
    parser::{
        Delimiter, GrammarState, Parser, Stop, Window, content, parent, quote, quote::Style,
        starts_value, string_token::StringToken,
    },
    sink::{Container, Sink},
};

/// The first mark that may end a string, and observations about the text before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) end: usize,
    pub(super) close: usize,
    /// Whether the content has legal escapes.
    escaped: bool,
    /// Whether the content needs a repair.
    odd: bool,
}

impl Window<'_> {
    /// Returns the first mark after `at` that may end a string of this style. Returns `None` if an
    /// escape is doubtful or the style is uncommon.
    pub(super) fn first_mark(&self, at: usize, style: Style) -> Option<Mark> {
        let mark = match style {
            Style::Double => b'"',
            Style::Single => b'\'',
            Style::Backtick => b'`',
            Style::SmartDouble => SMART,
            _ => return None,
        };
        let bytes = self.text.as_bytes();
        let (mut escaped, mut odd) = (false, false);
        let mut i = at - self.base;
        loop {
            i = super::window::plain_run(bytes, i, mark, b'"');
            let place = i + self.base;
            let byte = self.byte(place)?;
            let close = match byte {
                b'\\' => {
                    match self.legal_escape(place) {
                        Some(length) => {
                            escaped = true;
                            i += length;
                        }
                        None if style == Style::Single && bytes.get(i + 1) == Some(&b'\'') => {
                            odd = true;
                            i += 2;
                        }
                        None => return None,
                    }
                    continue;
                }
                SMART => {
                    let Some(close) = style.closes(self, place) else {
                        i += SMART_LENGTH;
                        continue;
                    };
                    close
                }
                _ if byte == mark => 1,
                b'"' if style == Style::SmartDouble => 1,
                // A control character, or a straight quote inside other quotes.
                _ => {
                    odd = true;
                    i += 1;
                    continue;
                }
            };
            if style == Style::Single && quote::inside_word(self, place, close) {
                i += close;
                continue;
            }
            return Some(Mark { end: place, close, escaped, odd });
        }
    }
}

/// The first byte of all typographic double quotes, and of other characters.
const SMART: u8 = 0xE2;
/// The length of all characters that begin with it.
const SMART_LENGTH: usize = 3;

impl Parser<'_> {
    /// Parses a string value that its first mark clearly ends. Returns whether there was one.
    #[inline]
    pub(super) fn quick_string(
        &mut self,
        window: &Window<'_>,
        delimiter: Delimiter,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let start = self.at;
        let Some(mark) = window.first_mark(start + delimiter.open, delimiter.style) else {
            return Ok(false);
        };
        let ends = match self.plainly_ends(window, &mark) {
            Ends::Before { key, .. }
                if key.marks == Marks::None
                    && self.may_be_remark(window, mark.end + mark.close, key.span.start) =>
            {
                Ends::Unclear
            }
            ends => ends,
        };
        if ends == Ends::Unclear {
            return Ok(false);
        }
        if mark.odd && self.top() == Some(Container::Array) {
            // In lines of code with an open call, the mark may belong to the code.
            let inside = window.slice(Span::new(start, mark.end));
            if inside.matches('(').count() > inside.matches(')').count() {
                return Ok(false);
            }
        }
        if mark.odd
            && delimiter.style != Style::Double
            && swallowed::end_inside(window.slice(Span::new(start, mark.end)), |c| c == '"')
                .is_some()
        {
            return Ok(false);
        }
        let strip = self.emphasis_in_values == crate::EmphasisInValues::Strip;
        if mark.odd
            || strip
            || self.prefix.is_some()
            || (mark.escaped && self.may_be_literal(window, start + delimiter.open, mark.end))
        {
            let token = StringToken::new(start, mark.end, mark.close, delimiter);
            self.emit_string(window, &token, Rule::MissingEndQuote, sink)?;
        } else {
            let inside = Span::new(start + delimiter.open, mark.end);
            let span = Span::new(start, mark.end + mark.close);
            if let Some(rule) = delimiter.style.rule() {
                self.requote(window, rule, span, inside)?;
            }
            sink.string(window, span, content(inside.start, inside.end, mark.escaped));
            self.stats.solid += 1;
        }
        self.finished(mark.end + mark.close);
        if let Ends::Before { key, colon } = ends {
            // The key that proves the end of the string is parsed at once.
            self.plain_key(window, &key, colon, sink)?;
        }
        Ok(true)
    }

    /// Parses a quoted key directly followed by its colon. Returns whether there was one.
    #[inline]
    pub(super) fn quick_key(
        &mut self,
        window: &Window<'_>,
        delimiter: Delimiter,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let Some(key) = quoted_key(window, self.at, delimiter) else { return Ok(false) };
        let colon = window.skip_space(key.span.end);
        if window.byte(colon) != Some(b':') {
            return Ok(false);
        }
        self.plain_key(window, &key, colon, sink)?;
        Ok(true)
    }

    /// Parses an unquoted name directly followed by its colon. Returns whether there was one.
    #[inline]
    pub(super) fn quick_name(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let key = name(window, self.at);
        let colon = key.span.end;
        if key.span.is_empty() || !is_colon(window, colon) {
            return Ok(false);
        }
        self.plain_key(window, &key, colon, sink)?;
        Ok(true)
    }

    /// Advances past a key in a common notation, and its colon.
    #[inline]
    fn plain_key(
        &mut self,
        window: &Window<'_>,
        key: &PlainKey,
        colon: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        self.member = self.last_end;
        let PlainKey { span, inside, marks, escaped } = *key;
        match marks {
            Marks::Straight => {}
            Marks::Other(rule) => self.requote(window, rule, span, inside)?,
            Marks::None => {
                self.log.quote(Rule::BareKey, Span::at(span.start), Span::at(span.end))?;
                self.stats.bare_keys += 1;
            }
        }
        sink.key(window, span, content(inside.start, inside.end, escaped));
        self.complete_key(colon + 1);
        if marks == Marks::None {
            self.stats.solid -= 1;
        }
        Ok(())
    }

    /// Replaces the marks of the string at `span`, whose content needs no repair.
    #[inline]
    fn requote(
        &mut self,
        window: &Window<'_>,
        rule: Rule,
        span: Span,
        inside: Span,
    ) -> Result<(), Stop> {
        let open = Span::new(span.start, inside.start);
        let close = Span::new(inside.end, span.end);
        let straight = close.len() == 1 && window.byte(close.start) == Some(b'"');
        if !straight && !inside.is_empty() {
            return self.log.quote(rule, open, close);
        }
        self.log.mark();
        self.edit(rule, open.start, open.end, "\"")?;
        self.straighten(window, rule, close)
    }

    /// Decides whether the container clearly continues or ends after `mark`.
    fn plainly_ends(&self, window: &Window<'_>, mark: &Mark) -> Ends {
        let at = mark.end + mark.close;
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
                plain(self.continues(window, next + 1) || self.plainly_closed(window, next + 1))
            }
            // The text is cut off right after the string.
            (None, Some(_)) => plain(window.at_end && !self.may_hold_mark(window, mark)),
            _ => Ends::Unclear,
        }
    }

    /// Returns whether the string up to `mark` may contain its end: an unescaped quote or line
    /// break, a full-width quote, or a quote after the last backslash of a path.
    fn may_hold_mark(&self, window: &Window<'_>, mark: &Mark) -> bool {
        let inside = window.slice(Span::new(self.at, mark.end));
        mark.odd || inside.contains('＂') || (mark.escaped && inside.contains(":\\"))
    }

    /// Returns whether the parent clearly continues, in non-strict notation, after the closing
    /// bracket that ends at `at`.
    fn plainly_closed(&self, window: &Window<'_>, at: usize) -> bool {
        let next = window.skip_space(at);
        match (window.byte(next), parent(&self.stack)) {
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

    /// Parses a literal of another language, if the container clearly continues or ends after it.
    /// Returns whether there was one.
    #[inline]
    pub(super) fn quick_literal(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let letters = window.run(self.at, |byte| byte.is_ascii_alphabetic());
        let span = Span::new(self.at, self.at + letters);
        let text = window.slice(span);
        let Some(literal) = word::literal(text).filter(|_| self.options.hints.words.is_empty())
        else {
            return Ok(false);
        };
        let ends = match window.byte(span.end) {
            Some(b'\n' | b'}' | b']') => true,
            Some(b',') => separates(window, span.end, self.top()),
            _ => false,
        };
        if !ends || self.stack.is_empty() {
            return Ok(false);
        }
        self.bare_literal(text, span, literal, sink)?;
        self.finished(span.end);
        Ok(true)
    }

    /// Removes the comma before the closing bracket here, if that is the only defect. Returns
    /// whether it was.
    #[inline(always)]
    pub(super) fn quick_closer(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        if self.comma.is_none()
            || !matches!(byte, b'}' | b']')
            || !self.top().is_some_and(|top| super::closes(byte, top))
        {
            return Ok(false);
        }
        self.trailing_comma()?;
        self.state = GrammarState::After;
        self.closing(window, byte, sink).map(|()| true)
    }
}

/// Evidence for the end of a string from what follows its first mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// Inconclusive. A judgment is needed.
    Unclear,
    /// The mark is the end.
    Plainly,
    /// The mark is the end, since this key with its colon follows.
    Before { key: PlainKey, colon: usize },
}

/// A key in a common notation whose content needs no repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlainKey {
    span: Span,
    inside: Span,
    marks: Marks,
    escaped: bool,
}

/// The marks around a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marks {
    /// None: an unquoted name.
    None,
    /// Straight double quotes.
    Straight,
    /// Others, which this rule replaces.
    Other(Rule),
}

/// Returns the key and colon in a common notation at `at`.
fn before_key(window: &Window<'_>, at: usize) -> Ends {
    let key = match window.byte(at) {
        Some(b'"' | b'\'' | b'`' | 0xE2) => {
            quote::opening(window, at).and_then(|delimiter| quoted_key(window, at, delimiter))
        }
        Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => Some(name(window, at)),
        _ => None,
    };
    let Some(key) = key else { return Ends::Unclear };
    let (colon, sound) = if key.marks == Marks::None {
        (key.span.end, is_colon(window, key.span.end))
    } else {
        let colon = window.skip_space(key.span.end);
        (colon, window.byte(colon) == Some(b':'))
    };
    if sound { Ends::Before { key, colon } } else { Ends::Unclear }
}

/// Returns the quoted key at `at` up to its first mark, if its content needs no repair.
fn quoted_key(window: &Window<'_>, at: usize, delimiter: Delimiter) -> Option<PlainKey> {
    let mark = window.first_mark(at + delimiter.open, delimiter.style).filter(|mark| !mark.odd)?;
    Some(PlainKey {
        span: Span::new(at, mark.end + mark.close),
        inside: Span::new(at + delimiter.open, mark.end),
        marks: delimiter.style.rule().map_or(Marks::Straight, Marks::Other),
        escaped: mark.escaped,
    })
}

/// Returns the unquoted name at `at`.
fn name(window: &Window<'_>, at: usize) -> PlainKey {
    let length = window.run(at, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let span = Span::new(at, at + length);
    PlainKey { span, inside: span, marks: Marks::None, escaped: false }
}

/// Returns whether a colon is at `at` that is not part of a path or URL.
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
