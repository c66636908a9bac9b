//! Which comments stand around a value? What is commented out is no answer.

use crate::parser::Window;

/// Longest comment that is gone past, in bytes.
const REACH: usize = 1 << 12;

/// End of the comment that opens at `at`.
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
    fn where_a_comment_ends() {
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
