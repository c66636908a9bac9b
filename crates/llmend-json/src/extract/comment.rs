//! Comments around a value. Commented-out values are no answers.

use crate::{Span, parser::Window};

/// Longest comment that is skipped, in bytes.
const REACH: usize = 1 << 12;

/// Returns the end of the comment that starts at `at`.
pub(super) fn end(window: &Window<'_>, at: usize) -> Option<usize> {
    let close = if window.starts_with(at, b"/*") {
        "*/"
    } else if window.starts_with(at, b"<!--") {
        "-->"
    } else if window.starts_with(at, b"//") {
        "\n"
    } else {
        return None;
    };
    window
        .find(at + 2, REACH, |bytes| memchr::memmem::find(bytes, close.as_bytes()))
        .map(|place| place + close.len())
}

/// Most text before a value in which every comment is read, in bytes.
const BEFORE: usize = 400;

/// Returns whether there are comments around the value at `span`, and nothing else in the text.
pub(super) fn is_all_around(window: &Window<'_>, span: Span) -> bool {
    span.start <= BEFORE && window.base == 0 && {
        let before = window.slice(Span::new(0, span.start));
        let after = window.byte(window.skip_space(span.end));
        // What follows is read to the end of the text only if it begins like a comment.
        are_comments(before, false)
            && matches!(after, None | Some(b'/' | b'<'))
            && are_comments(window.rest(span.end), true)
    }
}

/// Returns whether `text` has nothing but comments in it, the last of which may end with the text.
pub(super) fn are_comments(text: &str, is_end: bool) -> bool {
    let window = Window::whole(text);
    let mut at = window.skip_space(0);
    while at < window.end() {
        let last = is_end && window.starts_with(at, b"//") && text.len() - at < REACH;
        let to_end = || last.then_some(text.len());
        let Some(next) = end(&window, at).or_else(to_end) else { return false };
        at = window.skip_space(next);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{are_comments, end};
    use crate::parser::Window;

    #[test]
    fn texts_of_comments() {
        for (text, expected) in [
            ("", true),
            (" // none", true),
            ("// none\nmore", false),
            ("/* a */\n// b\n", true),
            ("/* a */ b", false),
            ("/* a", false),
            ("none", false),
        ] {
            assert_eq!(are_comments(text, true), expected, "{text}");
        }
        assert!(are_comments("// a\n", false) && !are_comments("// a", false));
    }

    #[test]
    fn comment_ends() {
        for (text, expected) in [
            ("/* {} */x", Some(8)),
            ("<!-- {} -->x", Some(11)),
            ("// {}\nx", Some(6)),
            ("// {}", None),
            ("/* {}", None),
            ("/x", None),
        ] {
            assert_eq!(end(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
