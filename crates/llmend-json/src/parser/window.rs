//! Which bytes can be seen, and what do the strict tokens look like?

use crate::{Span, parser::escape::hex4};

/// The part of the text that can be seen. Offsets count from the start of the whole text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<'w> {
    pub(crate) text: &'w str,
    /// Offset of the first byte of `text`.
    pub(crate) base: usize,
    /// Whether nothing comes after `text`.
    pub(crate) at_end: bool,
}

/// White space of RFC 8259.
#[inline]
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);

/// Sets the high bit of each byte of `word` that is `byte`; bytes above the first such one may be
/// set too.
#[inline]
const fn equal(word: u64, byte: u8) -> u64 {
    let diff = word ^ (ONES * byte as u64);
    diff.wrapping_sub(ONES) & !diff & HIGHS
}

impl<'w> Window<'w> {
    /// The whole of `text`.
    pub(crate) const fn whole(text: &'w str) -> Self {
        Self { text, base: 0, at_end: true }
    }

    /// Offset one past the last byte that can be seen.
    #[inline]
    pub(crate) const fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// The byte at `at`, if it can be seen.
    #[inline]
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at - self.base).copied()
    }

    /// The bytes from `at` on.
    #[inline]
    pub(crate) fn from(&self, at: usize) -> &'w [u8] {
        self.text.as_bytes().get(at - self.base..).unwrap_or_default()
    }

    /// The text from `at` on.
    #[inline]
    pub(crate) fn rest(&self, at: usize) -> &'w str {
        self.text.get(at - self.base..).unwrap_or_default()
    }

    /// The text at `span`.
    #[inline]
    pub(crate) fn slice(&self, span: Span) -> &'w str {
        self.text.get(span.start - self.base..span.end - self.base).unwrap_or_default()
    }

    /// The character at `at`.
    #[inline]
    pub(crate) fn character(&self, at: usize) -> Option<char> {
        match self.byte(at)? {
            byte if byte.is_ascii() => Some(char::from(byte)),
            _ => self.rest(at).chars().next(),
        }
    }

    /// The character before `at`.
    pub(crate) fn character_before(&self, at: usize) -> Option<char> {
        self.text.get(..at - self.base)?.chars().next_back()
    }

    /// The line before `at`, if it starts within `reach` bytes.
    pub(crate) fn line_before(&self, at: usize, reach: usize) -> Option<&'w str> {
        let at = at - self.base;
        let bytes = self.text.as_bytes().get(at.saturating_sub(reach)..at)?;
        let start = match memchr::memrchr(b'\n', bytes) {
            Some(end) => at - bytes.len() + end + 1,
            None if bytes.len() == at => 0,
            None => return None,
        };
        self.text.get(start..at)
    }

    /// The rest of the line at `at`, cut short after `reach` bytes or a few more.
    pub(crate) fn line_after(&self, at: usize, reach: usize) -> &'w str {
        let rest = self.rest(at);
        let end = (reach..rest.len()).find(|&end| rest.is_char_boundary(end)).unwrap_or(rest.len());
        let near = rest.get(..end).unwrap_or(rest);
        near.get(..memchr::memchr(b'\n', near.as_bytes()).unwrap_or(near.len())).unwrap_or_default()
    }

    /// Whether `word` stands at `at`.
    #[inline]
    pub(crate) fn starts_with(&self, at: usize, word: &[u8]) -> bool {
        self.from(at).starts_with(word)
    }

    /// The first byte at or after `at` that is no white space.
    #[inline]
    pub(crate) fn skip_space(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut i = at - self.base;
        while let Some(&byte) = bytes.get(i) {
            if byte > b' ' || !is_space(byte) {
                break;
            }
            i += 1;
        }
        i + self.base
    }

    /// Reads the inside of a strict string from `at` on: where its closing quote stands, and
    /// whether there are escapes. Nothing if a control character, an illegal escape, or the end
    /// of the window comes first.
    #[inline]
    pub(crate) fn scan_string(&self, at: usize) -> Option<(usize, bool)> {
        let bytes = self.text.as_bytes();
        let mut i = at - self.base;
        let mut escaped = false;
        loop {
            // Eight bytes at a time, as long as none of them needs a look.
            while let Some(chunk) = bytes.get(i..i + 8) {
                let Ok(eight) = <[u8; 8]>::try_from(chunk) else { break };
                let word = u64::from_le_bytes(eight);
                let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
                let special = control | equal(word, b'"') | equal(word, b'\\');
                if special != 0 {
                    i += (special.trailing_zeros() / 8) as usize;
                    break;
                }
                i += 8;
            }
            match *bytes.get(i)? {
                b'"' => return Some((i + self.base, escaped)),
                b'\\' => {
                    escaped = true;
                    i += legal_escape(self.text, i)?;
                }
                0..0x20 => return None,
                _ => i += 1,
            }
        }
    }

    /// Reads a strict number from `at` on: where it ends.
    #[inline]
    pub(crate) fn scan_number(&self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut i = at - self.base;
        if bytes.get(i) == Some(&b'-') {
            i += 1;
        }
        match bytes.get(i)? {
            b'0' => i += 1,
            b'1'..=b'9' => i = digits(bytes, i),
            _ => return None,
        }
        if bytes.get(i) == Some(&b'.') {
            let end = digits(bytes, i + 1);
            if end == i + 1 {
                return None;
            }
            i = end;
        }
        if let Some(b'e' | b'E') = bytes.get(i) {
            let sign = usize::from(matches!(bytes.get(i + 1), Some(b'+' | b'-')));
            let end = digits(bytes, i + 1 + sign);
            if end == i + 1 + sign {
                return None;
            }
            i = end;
        }
        Some(i + self.base)
    }
}

/// The first byte at or after `at` that is a backslash, a control character, or one of two marks.
#[inline]
pub(super) fn plain_run(bytes: &[u8], at: usize, mark: u8, other: u8) -> usize {
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

#[inline]
fn digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// Length of the escape at `at`, if JSON knows it; a pair of surrogates is one escape.
#[inline]
pub(crate) fn legal_escape(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes().get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => {
            let code = hex4(text, at + 2)?;
            if !(0xD800..0xE000).contains(&code) {
                return Some(6);
            }
            let pair = code < 0xDC00
                && text.as_bytes().get(at + 6..at + 8) == Some(b"\\u")
                && hex4(text, at + 8).is_some_and(|low| (0xDC00..0xE000).contains(&low));
            pair.then_some(12)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn strict_strings() {
        for (text, expected) in [
            (r#""""#, Some((1, false))),
            (r#""abcdefghijk""#, Some((12, false))),
            (r#""a\"bcdefgh""#, Some((11, true))),
            ("\"日本語日本語\"", Some((19, false))),
            ("\"a\nb\"", None),
            ("\"abcdefghij\u{1}b\"", None),
            (r#""a\d""#, None),
            (r#""\ud83d""#, None),
            (r#""\ud83d\ude00""#, Some((13, true))),
            (r#""open"#, None),
        ] {
            assert_eq!(Window::whole(text).scan_string(1), expected, "{text}");
        }
    }

    #[test]
    fn strict_numbers() {
        for (text, expected) in [
            ("0", Some(1)),
            ("-12.5e+3,", Some(8)),
            ("007", Some(1)),
            ("-", None),
            ("1.", None),
            ("1e", None),
            ("12 ", Some(2)),
        ] {
            assert_eq!(Window::whole(text).scan_number(0), expected, "{text}");
        }
    }
}
