//! The visible part of the text.

use std::cell::Cell;

use crate::Span;

mod strict;

pub(crate) use strict::{LONGEST_ESCAPE, legal_escape};

/// The visible part of the text. Offsets count from the start of the whole text.
///
/// The window records whether something past its end was requested. Without that, no later byte can
/// change what was decided.
#[derive(Clone, Debug)]
pub(crate) struct Window<'w> {
    pub(crate) text: &'w str,
    /// Offset of the first byte of `text`.
    pub(crate) base: usize,
    /// Whether the text ends with `text`.
    pub(crate) at_end: bool,
    /// Whether something was requested that has not arrived.
    starved: Cell<bool>,
    /// Ends of comments: a text may have many comments that share one, or have none.
    pub(crate) line_end: Known,
    pub(crate) block_end: Known,
    pub(crate) html_end: Known,
}

/// The last search for something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known(Cell<Option<LastSearch>>);

#[derive(Clone, Copy, Debug)]
struct LastSearch {
    from: usize,
    found: Option<usize>,
}

/// Returns whether `byte` is white space according to RFC 8259.
#[inline]
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Returns whether `mark` separates members or items: a comma of any script, or a semicolon.
pub(crate) const fn is_separator(mark: char) -> bool {
    matches!(mark, ',' | '，' | '،' | '、' | ';' | '；')
}

/// A one, and a high bit, in each byte of a word.
pub(crate) const ONES: u64 = u64::from_ne_bytes([1; 8]);
pub(crate) const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);

/// Sets the high bit of each byte of `word` that equals `byte`. Bytes above the first match may be
/// set, too.
#[inline]
const fn equal(word: u64, byte: u8) -> u64 {
    let diff = word ^ (ONES * byte as u64);
    diff.wrapping_sub(ONES) & !diff & HIGHS
}

impl<'w> Window<'w> {
    /// Creates a window on the whole of `text`.
    pub(crate) fn whole(text: &'w str) -> Self {
        Self::part(text, 0, true)
    }

    /// Creates a window on the part of a text that starts at `base`.
    pub(crate) fn part(text: &'w str, base: usize, at_end: bool) -> Self {
        Self {
            text,
            base,
            at_end,
            starved: Cell::new(false),
            line_end: Known::default(),
            block_end: Known::default(),
            html_end: Known::default(),
        }
    }

    /// Returns the window on the same text up to `end`, as if it ended there.
    pub(crate) fn up_to(&self, end: usize) -> Self {
        Self::part(self.text.get(..end - self.base).unwrap_or_default(), self.base, true)
    }

    /// Records a request past the end of what has arrived.
    #[cold]
    fn note_starved(&self) {
        self.starved.set(self.starved.get() || !self.at_end);
    }

    /// Returns whether the text ends with the window. Counts as a request past its end.
    pub(crate) fn has_end(&self) -> bool {
        self.note_starved();
        self.at_end
    }

    /// Returns whether something was requested that has not arrived.
    #[inline]
    pub(crate) fn is_starved(&self) -> bool {
        self.starved.get()
    }

    /// Returns the offset one past the last visible byte.
    #[inline]
    pub(crate) const fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// Returns the byte at `at`.
    #[inline]
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        let byte = self.text.as_bytes().get(at - self.base).copied();
        if byte.is_none() {
            self.note_starved();
        }
        byte
    }

    /// Returns the text from `at` on. Counts as a request past the end.
    #[inline]
    pub(crate) fn rest(&self, at: usize) -> &'w str {
        self.note_starved();
        self.available(at)
    }

    /// Returns the visible text from `at` on. Must not decide anything by itself.
    #[inline]
    fn available(&self, at: usize) -> &'w str {
        self.text.get(at - self.base..).unwrap_or_default()
    }

    /// Returns the text from `at` on, up to about `reach` bytes.
    pub(crate) fn near(&self, at: usize, reach: usize) -> &'w str {
        let rest = self.available(at);
        if rest.len() < reach {
            self.note_starved();
        }
        let end = (reach..rest.len()).find(|&end| rest.is_char_boundary(end)).unwrap_or(rest.len());
        rest.get(..end).unwrap_or(rest)
    }

    /// Returns the number of bytes from `at` on that are of one kind.
    #[inline]
    pub(crate) fn run(&self, at: usize, of_kind: impl Fn(u8) -> bool) -> usize {
        // An offset within a character has bytes after it, but no text.
        let bytes = self.text.as_bytes().get(at - self.base..).unwrap_or_default();
        let length = bytes.iter().take_while(|&&byte| of_kind(byte)).count();
        if length == bytes.len() {
            self.note_starved();
        }
        length
    }

    /// Returns the length in bytes of the characters from `at` on that are of one kind.
    #[inline]
    pub(crate) fn word(&self, at: usize, of_kind: impl Fn(char) -> bool) -> usize {
        let text = self.available(at);
        text.char_indices().find(|&(_, character)| !of_kind(character)).map_or_else(
            || {
                self.note_starved();
                text.len()
            },
            |(length, _)| length,
        )
    }

    /// Does the same as [`Self::word`] for at most `most` characters.
    pub(crate) fn short_word(
        &self,
        at: usize,
        most: usize,
        of_kind: impl Fn(char) -> bool,
    ) -> usize {
        let text = self.available(at);
        let kept = text.chars().take(most).take_while(|&character| of_kind(character));
        let length = kept.map(char::len_utf8).sum();
        if length == text.len() {
            self.note_starved();
        }
        length
    }

    /// Returns the position that `finder` returns at or after `at`, within `reach` bytes.
    #[inline]
    pub(crate) fn find(
        &self,
        at: usize,
        reach: usize,
        finder: impl FnOnce(&[u8]) -> Option<usize>,
    ) -> Option<usize> {
        let bytes = self.available(at).as_bytes();
        let found = finder(bytes.get(..reach).unwrap_or(bytes));
        if found.is_none() && bytes.len() < reach {
            self.note_starved();
        }
        found.map(|length| at + length)
    }

    /// Does the same as [`Self::find`] in all of the text. Where the last search answers it, nothing is
    /// read, so searches one behind the other read the text once.
    pub(crate) fn find_once(
        &self,
        known: &Known,
        at: usize,
        finder: impl FnOnce(&[u8]) -> Option<usize>,
    ) -> Option<usize> {
        if let Some(LastSearch { from, found }) = known.0.get()
            && from <= at
            && found.is_none_or(|found| at <= found)
        {
            if found.is_none() {
                self.note_starved();
            }
            return found;
        }
        let found = self.find(at, usize::MAX, finder);
        known.0.set(Some(LastSearch { from: at, found }));
        found
    }

    /// Returns the text at `span`.
    #[inline]
    pub(crate) fn slice(&self, span: Span) -> &'w str {
        self.text.get(span.start - self.base..span.end - self.base).unwrap_or_default()
    }

    /// Returns the bytes at `span`, which may split characters.
    pub(crate) fn bytes(&self, span: Span) -> &'w [u8] {
        self.text.as_bytes().get(span.start - self.base..span.end - self.base).unwrap_or_default()
    }

    /// Returns the character at `at`.
    #[inline]
    pub(crate) fn character(&self, at: usize) -> Option<char> {
        match self.byte(at)? {
            byte if byte.is_ascii() => Some(char::from(byte)),
            _ => self.available(at).chars().next(),
        }
    }

    /// Returns the character before `at`.
    pub(crate) fn character_before(&self, at: usize) -> Option<char> {
        self.text.get(..at - self.base)?.chars().next_back()
    }

    /// Returns the last byte before `at` that is neither space nor tab.
    pub(crate) fn byte_before(&self, at: usize) -> Option<u8> {
        let before = self.text.as_bytes().get(..at - self.base)?;
        before.iter().rev().copied().find(|byte| !matches!(byte, b' ' | b'\t'))
    }

    /// Returns the text before `at`, at most `reach` bytes.
    pub(crate) fn before(&self, at: usize, reach: usize) -> &'w str {
        let end = at - self.base;
        let start = (end.saturating_sub(reach)..end).find(|&at| self.text.is_char_boundary(at));
        self.text.get(start.unwrap_or(end)..end).unwrap_or_default()
    }

    /// Returns the length of the white space at the start of the line of `at`, if it starts within `reach`
    /// bytes.
    pub(crate) fn column(&self, at: usize, reach: usize) -> Option<usize> {
        let line = self.line_before(at, reach)?;
        Some(line.len() - line.trim_start().len())
    }

    /// Returns the line up to `at`, if it starts within `reach` bytes and was not dropped.
    pub(crate) fn line_before(&self, at: usize, reach: usize) -> Option<&'w str> {
        let at = at.checked_sub(self.base)?;
        let bytes = self.text.as_bytes().get(at.saturating_sub(reach)..at)?;
        let start = match memchr::memrchr(b'\n', bytes) {
            Some(end) => at - bytes.len() + end + 1,
            None if bytes.len() == at && self.base == 0 => 0,
            None => return None,
        };
        self.text.get(start..at)
    }

    /// Returns the rest of the line at `at`, up to about `reach` bytes.
    pub(crate) fn line_after(&self, at: usize, reach: usize) -> &'w str {
        let rest = self.available(at);
        let end = (reach..rest.len()).find(|&end| rest.is_char_boundary(end)).unwrap_or(rest.len());
        let near = rest.get(..end).unwrap_or(rest);
        let line = memchr::memchr(b'\n', near.as_bytes());
        if line.is_none() && rest.len() < reach {
            self.note_starved();
        }
        near.get(..line.unwrap_or(near.len())).unwrap_or_default()
    }

    /// Returns whether `word` is at `at`.
    #[inline]
    pub(crate) fn starts_with(&self, at: usize, word: &[u8]) -> bool {
        let bytes = self.available(at).as_bytes();
        if let (Some(byte), Some(first)) = (bytes.first(), word.first())
            && byte != first
        {
            return false;
        }
        if bytes.len() < word.len() && word.starts_with(bytes) {
            self.note_starved();
        }
        bytes.starts_with(word)
    }

    /// Returns whether only white space is between `start` and `end`. Reads from `end` back, so that text
    /// right before it is told at once.
    pub(crate) fn is_blank(&self, start: usize, end: usize) -> bool {
        self.base <= start
            && start <= end
            && self.bytes(Span::new(start, end)).iter().rev().all(|&byte| is_space(byte))
    }

    /// Returns the position of the first byte from `at` on that is not white space.
    #[inline]
    pub(crate) fn skip_space(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut i = at - self.base;
        loop {
            match bytes.get(i) {
                Some(&byte) if byte <= b' ' && is_space(byte) => {
                    i += 1;
                    if byte == b'\n' {
                        i = indentation(bytes, i);
                    }
                }
                Some(_) => break,
                None => {
                    self.note_starved();
                    break;
                }
            }
        }
        i + self.base
    }
}

/// Skips spaces from `at` on, eight at a time, up to another byte or less than eight bytes before
/// the end.
#[inline]
fn indentation(bytes: &[u8], at: usize) -> usize {
    let mut i = at;
    while let Some(chunk) = bytes.get(i..i + 8) {
        let Ok(eight) = <[u8; 8]>::try_from(chunk) else { break };
        let other = u64::from_le_bytes(eight) ^ (ONES * u64::from(b' '));
        if other != 0 {
            return i + (other.trailing_zeros() / 8) as usize;
        }
        i += 8;
    }
    i
}

/// Returns the position of the first backslash, control character, or one of two marks from `at`
/// on.
#[inline]
pub(crate) fn plain_run(bytes: &[u8], at: usize, mark: u8, other: u8) -> usize {
    let mut i = at;
    while let Some(chunk) = bytes.get(i..i + 8) {
        let Ok(eight) = <[u8; 8]>::try_from(chunk) else { break };
        let word = u64::from_le_bytes(eight);
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let special = control | equal(word, mark) | equal(word, other) | equal(word, b'\\');
        if special != 0 {
            return i + (special.trailing_zeros() / 8) as usize;
        }
        i += 8;
    }
    while bytes
        .get(i)
        .is_some_and(|&byte| byte >= b' ' && byte != mark && byte != other && byte != b'\\')
    {
        i += 1;
    }
    i
}

#[cfg(test)]
mod tests {
    use super::{Known, Window};

    #[test]
    fn a_search_that_goes_on_finds_what_a_new_one_does() {
        let text = "a* b*/ c*/ */d";
        let window = Window::part(text, 3, true);
        let known = Known::default();
        let finder = |bytes: &[u8]| memchr::memmem::find(bytes, b"*/");
        // Forwards, and to places before and behind what is known.
        for at in (3..17).chain([3, 16, 5, 7, 8, 4]) {
            let expected = window.find(at, usize::MAX, finder);
            assert_eq!(window.find_once(&known, at, finder), expected, "{at}");
        }
        let part = Window::part(text, 3, false);
        assert_eq!(part.find_once(&known, 16, finder), None);
        assert!(part.is_starved());
    }

    #[test]
    fn a_line_whose_start_was_dropped_is_unknown() {
        assert_eq!(Window::part("ab\ncd", 7, true).line_before(11, 64), Some("c"));
        assert_eq!(Window::part("ab\ncd", 7, true).line_before(8, 64), None);
        assert_eq!(Window::whole("ab").line_before(1, 64), Some("a"));
    }
}
