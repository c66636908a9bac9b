//! Detection of object members in any notation.

use crate::{
    Span,
    judge::{
        key::{
            bare_key, colon::is_angle, is_name, keyed, mismatched_mark, odd_member, opens_key,
            prefixed_key,
        },
        string::{context::KeyStyle, end::first_mark::Probe},
        words::bullet,
    },
    parser::{parent, quote},
    sink::Container,
};

/// Longest key that is cut off, in bytes.
const CUT_REACH: usize = 256;
/// Longest value without quotes that is read, in characters.
const VALUE_REACH: usize = 120;
/// Maximum length of stray text between members, in characters.
const STRAY_REACH: usize = 24;

impl Probe<'_, '_> {
    /// Returns whether a key is at `at`, in any notation.
    pub(super) fn member(&self, at: usize) -> bool {
        let at = bullet::end(self.window, at, Container::Object).unwrap_or(at);
        let at = at + self.window.run(at, |byte| byte == b'*');
        let at = prefixed_key(self.window, at).unwrap_or(at);
        let Some(delimiter) = quote::opening(self.window, at) else {
            return bare_key(self.window, at).is_some()
                || self.key_without_start_quote(at)
                || self.name_before_equals(at)
                || self.odd_key(at)
                || keyed::has_arrow(self.window, at);
        };
        let start = at + delimiter.open;
        if self.unmarked_key(start) || mismatched_mark(self.window, start).is_some() {
            return true;
        }
        let Some((end, close)) = self.mark_within(start, delimiter) else {
            // The text may be cut off in the key.
            let rest = self.window.near(start, CUT_REACH);
            let word = || rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            return self.window.at_end
                && rest.len() < CUT_REACH
                && (rest.is_empty() || is_name(rest.trim_end()) || word());
        };
        let after = end + close;
        let after = after + self.window.run(after, |byte| byte == b'*');
        let next = self.skip(after);
        let name = is_name(self.window.slice(Span::new(start, end)));
        match self.window.character(next) {
            _ if is_angle(self.window, after) => true,
            Some(':' | '：' | '=') => true,
            Some(',' | '}') | None => name && self.word_like(start, end),
            Some(_) => name && next > after && self.word_like(start, end) && self.value_at(next),
        }
    }

    /// Returns whether the next member is at `at` with its value, and only the comma is missing.
    pub(super) fn adjacent_member(&self, at: usize) -> bool {
        let colon = match quote::opening(self.window, at) {
            Some(delimiter) => self
                .mark_within(at + delimiter.open, delimiter)
                .map(|(end, close)| self.window.skip_space(end + close)),
            None if self.context.style == KeyStyle::Bare => bare_key(self.window, at),
            None => None,
        };
        let before = at.checked_sub(1).and_then(|before| self.window.byte(before));
        let spaced = before.is_some_and(|byte| byte.is_ascii_whitespace());
        colon.is_some_and(|colon| {
            let value = self.window.skip_space(colon + 1);
            self.window.byte(colon) == Some(b':')
                && is_name(self.window.slice(Span::new(at, colon)))
                && (self.value_at(value)
                    || quote::opening(self.window, value).is_some()
                    || (spaced && self.unquoted_value(value)))
        })
    }

    /// Returns whether words without quotes are at `at`, up to the end of the object or the next
    /// quoted key.
    fn unquoted_value(&self, at: usize) -> bool {
        let inside = |c| !quote::is_double(c) && !matches!(c, '{' | '}' | '[' | ']' | ',' | '\n');
        let end = at + self.window.short_word(at, VALUE_REACH, inside);
        let next = self.window.skip_space(end + 1);
        self.window.character(at).is_some_and(char::is_alphabetic)
            && match self.window.byte(end) {
                Some(b'}') => self.window.byte(next) != Some(b'"'),
                Some(b',') => opens_key(self.window, next),
                _ => false,
            }
    }

    /// Returns whether a few stray words or a mark are at `at`, or in parentheses after a comma
    /// there, followed by the next quoted member.
    pub(super) fn stray_before_member(&self, at: usize) -> bool {
        let comma = self.window.byte(at) == Some(b',');
        let start = if comma { self.window.skip_space(at + 1) } else { at };
        let length = self.window.short_word(start, STRAY_REACH, |c| {
            c.is_alphanumeric() || matches!(c, ' ' | '(' | ')' | '.' | '!' | '?' | '-' | '*' | '_')
        });
        let end = start + length;
        let words = self.window.slice(Span::new(start, end)).trim();
        let key = if comma {
            if !(words.starts_with('(') && words.ends_with(')')) {
                return false;
            }
            end
        } else if self.window.byte(end) == Some(b',') && !words.is_empty() {
            self.window.skip_space(end + 1)
        } else {
            return false;
        };
        quote::opening(self.window, key).is_some_and(|mark| mark.style == self.delimiter.style)
            && opens_key(self.window, key)
    }

    /// Returns whether the next object of the list around this one starts at `at`.
    pub(super) fn next_object(&self, at: usize) -> bool {
        parent(self.context.stack) == Some(Container::Array)
            && self.window.byte(at) == Some(b'{')
            && self.member(self.skip(at + 1))
    }

    /// Returns whether a plain name, a colon and a value are at `start`: a key without its end
    /// mark.
    fn unmarked_key(&self, start: usize) -> bool {
        let name = self.name(start);
        name > 0
            && self.window.starts_with(start + name, b": ")
            && self.value_at(self.window.skip_space(start + name + 1))
    }

    /// Returns whether a key with only a closing mark is at `at`.
    fn key_without_start_quote(&self, at: usize) -> bool {
        let name = self.name(at);
        let close = self.delimiter.style.closes(self.window, at + name).filter(|_| name > 0);
        close.is_some_and(|close| self.window.byte(self.skip(at + name + close)) == Some(b':'))
    }

    /// Returns whether a key with odd marks and its value are at `at`.
    fn odd_key(&self, at: usize) -> bool {
        let Some(colon) = odd_member(self.window, at) else { return false };
        let name = self.window.slice(Span::new(at, colon));
        self.context.style == KeyStyle::Bare || !name.contains([' ', '(', '\''])
    }

    fn name_before_equals(&self, at: usize) -> bool {
        let name = self.name(at);
        name > 0 && self.window.byte(self.window.skip_space(at + name)) == Some(b'=')
    }

    /// Returns the length of the plain name at `at`.
    fn name(&self, at: usize) -> usize {
        self.window.word(at, |c| c.is_alphanumeric() || c == '_')
    }

    fn word_like(&self, start: usize, end: usize) -> bool {
        let text = self.window.slice(Span::new(start, end));
        text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | ' '))
            && text.split(' ').count() <= 3
            && !text.starts_with(' ')
            && !text.ends_with(' ')
    }
}
