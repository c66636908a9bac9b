//! Scanners for strict strings and numbers.

use super::{HIGHS, ONES, Window, equal};
use crate::parser::escape::hex4;

impl Window<'_> {
    /// Scans the content of a strict string from `at` on. Returns the position of the closing
    /// quote, and whether there are escapes. Returns `None` if a control character, an illegal
    /// escape, or the end of the window comes first.
    #[inline]
    pub(crate) fn scan_string(&self, at: usize) -> Option<(usize, bool)> {
        let (end, escaped, closed) = self.scan_string_on(at, false);
        closed.then_some((end, escaped))
    }

    /// Continues a scan of a strict string. Returns where it stops, whether there are escapes, and
    /// whether it stops at the closing quote.
    #[inline]
    pub(crate) fn scan_string_on(&self, at: usize, mut escaped: bool) -> (usize, bool, bool) {
        let bytes = self.text.as_bytes();
        let mut i = at - self.base;
        loop {
            // Eight bytes at a time, as long as none of them is special.
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
            match bytes.get(i) {
                Some(b'"') => return (i + self.base, escaped, true),
                Some(b'\\') => {
                    let Some(length) = self.legal_escape(i + self.base) else { break };
                    escaped = true;
                    i += length;
                }
                Some(0..0x20) => break,
                Some(_) => i += 1,
                None => {
                    self.note_starved();
                    break;
                }
            }
        }
        (i + self.base, escaped, false)
    }

    /// Returns the length of the legal escape at `at`.
    #[inline]
    pub(crate) fn legal_escape(&self, at: usize) -> Option<usize> {
        let length = legal_escape(self.text, at - self.base);
        if length.is_none() && self.end() - at < LONGEST_ESCAPE {
            self.note_starved();
        }
        length
    }

    /// Returns the end of the strict number at `at`.
    #[inline]
    pub(crate) fn scan_number(&self, at: usize) -> Option<usize> {
        let (end, legal) = number(self.available(at).as_bytes());
        if at + end >= self.end() {
            self.note_starved();
        }
        legal.then_some(at + end)
    }
}

/// Returns the length of the number at the start of `bytes`, and whether it is complete.
#[inline]
fn number(bytes: &[u8]) -> (usize, bool) {
    let mut i = usize::from(bytes.first() == Some(&b'-'));
    match bytes.get(i) {
        Some(b'0') => i += 1,
        Some(b'1'..=b'9') => i = digits(bytes, i),
        _ => return (i, false),
    }
    if bytes.get(i) == Some(&b'.') {
        let end = digits(bytes, i + 1);
        if end == i + 1 {
            return (end, false);
        }
        i = end;
    }
    if let Some(b'e' | b'E') = bytes.get(i) {
        let sign = usize::from(matches!(bytes.get(i + 1), Some(b'+' | b'-')));
        let end = digits(bytes, i + 1 + sign);
        if end == i + 1 + sign {
            return (end, false);
        }
        i = end;
    }
    (i, true)
}

#[inline]
fn digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// Length of the longest escape, a pair of surrogates, in bytes.
pub(crate) const LONGEST_ESCAPE: usize = 12;

/// Returns the length of the legal escape at `at`. A pair of surrogates is one escape.
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
