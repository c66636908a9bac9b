//! Comments around a value. Commented-out values are no answers.

use crate::parser::Window;

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

#[cfg(test)]
mod tests {
    use super::end;
    use crate::parser::Window;

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
