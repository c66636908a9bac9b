//! Signs between a key and its value.

use crate::{
    Span,
    judge::words::word,
    parser::{Spacing, Window, quote, starts_value, trivia},
};

/// Returns the length of the colon at `at`, which may be doubled, with white space between, or
/// full-width.
pub(crate) fn colon(window: &Window<'_>, at: usize) -> Option<usize> {
    match window.character(at)? {
        ':' => {
            let second = window.skip_space(at + 1);
            let doubled = window.byte(second) == Some(b':');
            Some(if doubled { second + 1 - at } else { 1 })
        }
        '：' => Some('：'.len_utf8()),
        _ => None,
    }
}

/// Returns the position and the length of the colon after the quoted key that ends at `end`, or of
/// the `>` in its place: `"a">1`.
pub(crate) fn colon_after(
    window: &Window<'_>,
    end: usize,
    spacing: Spacing,
) -> Option<(usize, usize)> {
    if let Some(length) = sign_and_colon(window, end) {
        return Some((end, length));
    }
    if is_angle(window, end) {
        return Some((end, 1));
    }
    let at = trivia::skip(window, end, spacing);
    if is_semicolon(window, at) {
        return Some((at, 1));
    }
    colon(window, at).map(|length| (at, length))
}

/// Returns whether a `>` directly follows the key that ends at `end`, and a value follows that.
pub(crate) fn is_angle(window: &Window<'_>, end: usize) -> bool {
    window.byte(end) == Some(b'>') && {
        let value = window.skip_space(end + 1);
        window.byte(value).is_some_and(starts_value)
            || quote::opening(window, value).is_some()
            || is_closed_word(window, value)
    }
}

/// Returns the length of the sign that directly follows the key that ends at `end`, and of the quote and
/// colon behind it, which belong to the key: `"a">":1`.
pub(crate) fn sign_and_colon(window: &Window<'_>, end: usize) -> Option<usize> {
    const LENGTH: usize = 3;
    let sign = matches!(window.byte(end), Some(b'>' | b'='));
    if !sign || !window.starts_with(end + 1, b"\":") {
        return None;
    }
    // Otherwise the quote opens a text that begins with a colon.
    let value = window.skip_space(end + LENGTH);
    let word = window.run(value, |byte| byte.is_ascii_alphabetic());
    let stop = match window.byte(value)? {
        b'"' | b'{' | b'[' => return Some(LENGTH),
        _ if word::literal(window.slice(Span::new(value, value + word))).is_some() => value + word,
        _ => window.scan_number(value)?,
    };
    matches!(window.byte(window.skip_space(stop)), Some(b',' | b'}')).then_some(LENGTH)
}

/// Longest value after a semicolon that is read, in bytes.
const VALUE_REACH: usize = 256;

/// Returns whether a semicolon is at `at`, after a quoted key, in place of a colon: a value and a comma
/// or brace follow. Otherwise the strings may be items with semicolons between them.
pub(crate) fn is_semicolon(window: &Window<'_>, at: usize) -> bool {
    if window.byte(at) != Some(b';') {
        return false;
    }
    let value = window.skip_space(at + 1);
    let word = window.run(value, |byte| byte.is_ascii_alphabetic());
    let literal = word::literal(window.slice(Span::new(value, value + word)));
    let end = match window.byte(value) {
        Some(b'{' | b'[') => return true,
        Some(b'"') => {
            let text =
                window.short_word(value + 1, VALUE_REACH, |c| !matches!(c, '"' | '\n' | '\\'));
            value + 1 + text + usize::from(window.byte(value + 1 + text) == Some(b'"'))
        }
        Some(_) if literal.is_some() => value + word,
        _ => window.scan_number(value).unwrap_or(value),
    };
    end > value && matches!(window.byte(window.skip_space(end)), Some(b',' | b'}'))
}

/// Longest text without its first quote, in bytes.
const WORD_REACH: usize = 80;

/// Returns whether words with only a closing quote are at `at`, and a member ends after them.
fn is_closed_word(window: &Window<'_>, at: usize) -> bool {
    let line = window.line_after(at, WORD_REACH);
    let Some(length) = line.find('"') else { return false };
    let plain = line.get(..length).is_some_and(|words| !words.contains(['<', '>', '{', ',']));
    let next = window.skip_space(at + length + 1);
    plain && length > 0 && matches!(window.byte(next), Some(b',' | b'}'))
}

#[cfg(test)]
mod tests {
    use super::colon_after;
    use crate::parser::{Spacing, Window};

    #[test]
    fn signs_after_a_key() {
        for (text, expected) in [
            (": 1", Some((0, 1))),
            (" : 1", Some((1, 1))),
            (":: 1", Some((0, 2))),
            (": : 1", Some((0, 3))),
            ("：1", Some((0, 3))),
            (">1", Some((0, 1))),
            (">\"x\"", Some((0, 1))),
            (" >1", None),
            (">Lamp", None),
            (">Lamp\", \"b\": 1", Some((0, 1))),
            (">a</b>\",", None),
            ("> ", None),
            (">\":7}", Some((0, 3))),
            (">\": \"x\"}", Some((0, 3))),
            ("=\":null, \"b\": 1}", Some((0, 3))),
            (">\":7\"}", Some((0, 1))),
            (">\": so\"}", Some((0, 1))),
            ("; 1, ", Some((0, 1))),
            (" ; \"x\", \"b\"", Some((1, 1))),
            ("; true}", Some((0, 1))),
            ("; \"x\"}", Some((0, 1))),
            ("; \"x\"; \"y\"", None),
            (", 1", None),
        ] {
            let found = colon_after(&Window::whole(text), 0, Spacing::Plain);
            assert_eq!(found, expected, "{text}");
        }
    }
}
