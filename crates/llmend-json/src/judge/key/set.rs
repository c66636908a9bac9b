//! Detection of sets: strings in braces that are items instead of keys.

use crate::parser::{Spacing, Window, quote, trivia};

/// Longest item that is read, in bytes.
const REACH: usize = 256;

/// Returns whether the items that continue at `at`, after a first string, form a set.
pub(crate) fn continues(window: &Window<'_>, at: usize, spacing: Spacing) -> bool {
    if window.byte(at) == Some(b'}') {
        return false;
    }
    let next = trivia::skip(window, at + 1, spacing);
    let Some(delimiter) = quote::opening(window, next) else { return false };
    let mut end = next + delimiter.open;
    while end < next + REACH
        && let Some(character) = window.character(end)
    {
        if let Some(length) = delimiter.style.closes(window, end) {
            let after = trivia::skip(window, end + length, spacing);
            return matches!(window.byte(after), Some(b',' | b'}'));
        }
        end += character.len_utf8();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::continues;
    use crate::parser::{Spacing, Window};

    #[test]
    fn sets_after_the_first_string() {
        for (text, expected) in [
            (r#", "b"}"#, true),
            (r#", "b", "c"}"#, true),
            (", 'b' /* c */ }", true),
            (r#", "b": 1}"#, false),
            (r#", "b" 1}"#, false),
            (", b}", false),
            (r#", "b"#, false),
            ("}", false),
        ] {
            assert_eq!(continues(&Window::whole(text), 0, Spacing::Plain), expected, "{text}");
        }
    }
}
