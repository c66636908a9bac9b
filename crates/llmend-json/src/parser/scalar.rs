//! Numbers and literals that no comma or closing bracket follows.

use crate::{
    Span,
    judge::{
        key::{bare_key, next_object, odd_separator, opens_key, opens_pair},
        string::context::KeyStyle,
        words::{annotation, remark, stray, word},
    },
    parser::{Parser, Stop, Window, quote, starts_value, trivia},
    sink::{Container, Content, Sink},
};

impl Parser<'_> {
    /// Parses a number or literal that ends its line, or that another item or key follows without a
    /// comma. Returns whether there was one.
    pub(super) fn scalar_before_another(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let start = self.at;
        let letters = window.run(start, |byte| byte.is_ascii_alphabetic());
        let literal = word::literal(window.slice(Span::new(start, start + letters)));
        let number = window.scan_number(start);
        let Some(end) = number.or(literal.map(|_| start + letters)) else { return Ok(false) };
        let next = window.skip_space(end);
        if number == Some(end) && next == window.end() && window.at_end {
            // The text is cut off after a number.
            let span = Span::new(start, end);
            sink.number(window, span, Content::Plain(span));
            self.finished(end);
            return Ok(true);
        }
        // A mark of emphasis after a number may belong to it, and so may a dot, but not a second one.
        let dotted =
            || window.byte(end) == Some(b'.') && window.slice(Span::new(start, end)).contains('.');
        let last = if literal.is_some() || dotted() { end } else { usize::MAX };
        if annotation::end(window, last, next, self.top()).is_some()
            || trivia::unknown(window, next).is_some()
            || self.is_arrow(window, end, next)
        {
            // It is complete, whatever is said about it.
        } else if next == end {
            // The next object follows without the end of this one, or the next member. A digit after
            // a leading zero belongs to the number: `06:45`.
            let digit = window.byte(next).is_some_and(|byte| byte.is_ascii_digit());
            let another = next_object(window, next, &self.stack)
                || (!digit && self.is_member(window, next))
                || (window.byte(next) == Some(b'|') && self.is_separated(window, next));
            if !another {
                return Ok(false);
            }
        } else if !self.is_another(window, end, next, literal.is_some()) {
            return Ok(false);
        }
        let span = Span::new(start, end);
        match literal {
            Some(literal) => self.bare_literal(window.slice(span), span, literal, sink)?,
            None => sink.number(window, span, Content::Plain(span)),
        }
        self.finished(end);
        Ok(true)
    }

    /// Returns whether a remark behind an arrow is at `next`, after white space. Other signs of
    /// remarks may belong to a number.
    fn is_arrow(&self, window: &Window<'_>, end: usize, next: usize) -> bool {
        next > end
            && matches!(window.character(next), Some('<' | '←'))
            && self.top().is_some_and(|top| remark::end(window, next, top).is_some())
    }

    /// Returns whether the next member of an object, in the notation of its other keys, is at `at`.
    fn is_member(&self, window: &Window<'_>, at: usize) -> bool {
        let value = |colon: usize| {
            let value = window.skip_space(colon + 1);
            window.byte(value).is_some_and(starts_value) || quote::opening(window, value).is_some()
        };
        self.top() == Some(Container::Object)
            && match window.byte(at) {
                Some(b'"' | b'\'' | b'`' | 0xE2) => {
                    opens_key(window, at) || (self.lacks_colons && opens_pair(window, at))
                }
                Some(_) if self.key_style() == KeyStyle::Bare => {
                    bare_key(window, at).is_some_and(value)
                }
                _ => false,
            }
    }

    /// Returns whether a sign for the comma and the next member of an object are at `at`.
    fn is_separated(&self, window: &Window<'_>, at: usize) -> bool {
        self.top() == Some(Container::Object) && odd_separator(window, at).is_some()
    }

    /// Returns whether what is at `next`, after white space, is not part of the number or literal
    /// that ends at `end`.
    fn is_another(&self, window: &Window<'_>, end: usize, next: usize, literal: bool) -> bool {
        let ends_line = || window.slice(Span::new(end, next)).contains('\n');
        match (window.byte(next), self.top()) {
            (Some(_), Some(_)) if ends_line() => true,
            (Some(b'-' | b'0'..=b'9' | b'"' | b'{' | b'['), Some(Container::Array)) => true,
            (Some(b't' | b'f' | b'n' | b'T' | b'F' | b'N'), Some(Container::Array)) => {
                let word = window.run(next, |byte| byte.is_ascii_alphabetic());
                word::literal(window.slice(Span::new(next, next + word))).is_some()
            }
            (Some(b'{'), Some(Container::Object)) => next_object(window, next, &self.stack),
            (Some(_), Some(Container::Object))
                if self.is_member(window, next) || self.is_separated(window, next) =>
            {
                true
            }
            (Some(b'A'..=b'Z'), Some(_)) if literal => stray::is_remark(window, next),
            _ => false,
        }
    }
}
