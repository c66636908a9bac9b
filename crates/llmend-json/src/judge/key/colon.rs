//! Signs between a key and its value.

use crate::parser::{Spacing, Window, quote, starts_value, trivia};

/// Returns the length of the colon at `at`, which may be doubled or full-width.
pub(crate) fn colon(window: &Window<'_>, at: usize) -> Option<usize> {
    match window.character(at)? {
        ':' => Some(1 + usize::from(window.byte(at + 1) == Some(b':'))),
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
    if is_angle(window, end) {
        return Some((end, 1));
    }
    let at = trivia::skip(window, end, spacing);
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
            ("：1", Some((0, 3))),
            (">1", Some((0, 1))),
            (">\"x\"", Some((0, 1))),
            (" >1", None),
            (">Lamp", None),
            (">Lamp\", \"b\": 1", Some((0, 1))),
            (">a</b>\",", None),
            ("> ", None),
            (", 1", None),
        ] {
            let found = colon_after(&Window::whole(text), 0, Spacing::Plain);
            assert_eq!(found, expected, "{text}");
        }
    }
}
