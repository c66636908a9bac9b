//! Detection of array items in any notation.

use crate::{
    Span,
    judge::{
        string::end::first_mark::{KEY_REACH, Probe},
        words::{bullet, hash},
    },
    parser::{quote, starts_value},
    sink::Container,
};

/// Maximum number of strings without commas that are read.
const MAX_STRINGS: usize = 8;
/// Most words without their first quote.
const MAX_WORDS: usize = 5;

impl Probe<'_, '_> {
    /// Returns whether an item starts at `at`, after `skipped` separators.
    pub(super) fn item(&self, at: usize, skipped: usize) -> bool {
        let number = match self.window.byte(at) {
            Some(b'0'..=b'9') => true,
            Some(b'$') => self.window.byte(at + 1).is_some_and(|byte| byte.is_ascii_digit()),
            Some(b'#') => hash::is_item(self.window, at),
            Some(0xC2 | 0xE2) => matches!(self.window.character(at), Some('€' | '£' | '¥')),
            Some(b'-' | b'+' | b'.') => {
                self.window.byte(at + 1).is_some_and(|byte| byte.is_ascii_digit() || byte == b'.')
            }
            _ => false,
        };
        let item = self.window.byte(at).is_some_and(starts_value)
            || quote::opening(self.window, at).is_some();
        number
            || bullet::end(self.window, at, Container::Array).is_some()
            || (skipped > 1 && item)
            || self.word_without_start_quote(at)
            || self.words_without_start_quote(at)
            || self.bare_item(at)
            || self.tuple(at)
            || quote::prefixed(self.window, at).is_some()
    }

    /// Returns whether a single word that ends the array or item is at `at`.
    pub(super) fn lone_word(&self, at: usize) -> bool {
        let length = self.window.word(at, char::is_alphanumeric);
        let next = self.window.skip_space(at + length);
        let item = || {
            let item = self.window.skip_space(next + 1);
            self.window.byte(next) == Some(b',')
                && match self.window.byte(item) {
                    Some(b'"') => self.window.scan_string(item + 1).is_some_and(|(end, _)| {
                        matches!(self.window.byte(self.skip(end + 1)), Some(b',' | b']'))
                    }),
                    _ => self.lone_scalar(item),
                }
        };
        length > 0
            && (item()
                || (matches!(self.window.byte(at + length), Some(b'\n' | b']'))
                    && self.window.byte(next) == Some(b']')))
    }

    /// Returns whether numbers and literals that end the array or item are at `at`.
    pub(super) fn lone_scalar(&self, at: usize) -> bool {
        let mut at = at;
        for _ in 0..MAX_STRINGS {
            let Some(end) = self.window.scan_number(at).or_else(|| self.literal(at)) else {
                return false;
            };
            let next = self.skip(end);
            if matches!(self.window.byte(next), Some(b',' | b']'))
                || self.window.byte(end) == Some(b'\n')
                || (self.window.at_end && next == self.window.end())
            {
                return true;
            }
            if next == end {
                return false;
            }
            at = next;
        }
        false
    }

    /// Returns whether a list with a value in strict notation is at `at`. An object may as well be
    /// one in a sentence with a list.
    pub(super) fn list(&self, at: usize) -> bool {
        self.window.byte(at) == Some(b'[') && self.value_at(self.window.skip_space(at + 1))
    }

    /// Returns whether strings are at `at`, with white space between them, and then what shows that they are
    /// items without commas: a number or literal or, in other marks than double quotes, which texts contain more
    /// often, the end of the item.
    pub(super) fn strings(&self, at: usize) -> bool {
        let is_other = self.delimiter.style != quote::Style::Double;
        let mut at = at;
        for _ in 0..MAX_STRINGS {
            let Some(delimiter) = quote::opening(self.window, at) else { return false };
            let Some((end, close)) = self.mark_within(at + delimiter.open, delimiter) else {
                return false;
            };
            let text = self.window.slice(Span::new(at + delimiter.open, end));
            if text.trim().len() != text.len() || text.is_empty() {
                return false;
            }
            at = self.skip(end + close);
            if is_other && matches!(self.window.byte(at), Some(b',' | b']')) {
                return true;
            }
            if at == end + close {
                return false;
            }
            if self.lone_scalar(at) {
                return true;
            }
        }
        is_other
    }

    /// Returns whether unquoted words that end the array or item are at `at`.
    fn bare_item(&self, at: usize) -> bool {
        let end = at
            + self.window.word(at, |c| {
                !matches!(c, ',' | ']' | '\n' | '"' | '\'' | '{' | '}' | '[' | '(' | '\\')
            });
        let words = self.window.slice(Span::new(at, end));
        let call = self.window.byte(end) == Some(b'(')
            && !words.is_empty()
            && words.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '_');
        call || words.starts_with(char::is_alphabetic)
            && words.len() < KEY_REACH
            && matches!(self.window.byte(end), Some(b',' | b']' | b'\n'))
            && words.split_whitespace().count() <= 3
            && matches!(self.window.byte(self.window.skip_space(end)), Some(b',' | b']'))
    }

    /// Returns whether a tuple of strict values is at `at`, and the array continues.
    fn tuple(&self, at: usize) -> bool {
        if self.window.byte(at) != Some(b'(') {
            return false;
        }
        let line = self.window.line_after(at + 1, KEY_REACH);
        let Some((inside, _)) = line.split_once(')') else { return false };
        let mut place = at + 1;
        let mut is_value = |item: &str| {
            let start = self.skip(place);
            place += item.len() + 1;
            start < place - 1 && self.value_at(start)
        };
        inside.contains(',')
            && inside.split(',').all(&mut is_value)
            && matches!(self.window.byte(self.skip(at + inside.len() + 2)), Some(b',' | b']'))
    }

    /// Returns whether several words with only a closing mark are at `at`, and the array continues. Before
    /// them is an item in marks without any inside, or the words may belong to what one of them quotes.
    fn words_without_start_quote(&self, at: usize) -> bool {
        let whole_before = || {
            let before = self.window.before(at, KEY_REACH).trim_end().strip_suffix(',')?;
            let (outside, _) = before.trim_end().strip_suffix('"')?.rsplit_once('"')?;
            Some(outside.trim_end().ends_with(['[', ',']))
        };
        let length = self
            .window
            .short_word(at, KEY_REACH, |c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
        let words = self.window.slice(Span::new(at, at + length));
        words.starts_with(char::is_alphabetic)
            && !words.ends_with(' ')
            && words.split(' ').count() <= MAX_WORDS
            && self.delimiter.style == quote::Style::Double
            && self.window.byte(at + length) == Some(b'"')
            && matches!(self.window.byte(self.skip(at + length + 1)), Some(b',' | b']'))
            && whole_before() == Some(true)
    }

    /// Returns whether a word with only a closing mark is at `at`, and the array continues.
    fn word_without_start_quote(&self, at: usize) -> bool {
        let length = self.window.word(at, |c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        length > 0
            && self.delimiter.style.closes(self.window, at + length).is_some_and(|close| {
                matches!(self.window.byte(self.skip(at + length + close)), Some(b',' | b']'))
            })
    }
}
