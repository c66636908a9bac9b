//! Text between tokens that Markdown strikes out: `~~4~~ 5`.

use crate::parser::Window;

/// Longest text that is struck out, in bytes.
const REACH: usize = 256;

/// Returns the end of what is struck out at `at`, on one line. `before_value` tells whether it stands in the
/// place of a value, so that another one must follow it.
pub(crate) fn end(window: &Window<'_>, at: usize, before_value: bool) -> Option<usize> {
    let inside = window.line_after(at + 2, REACH);
    let length = inside.find("~~").filter(|length| *length > 0)?;
    let struck = inside.get(..length)?;
    let end = at + 2 + length + 2;
    let next = window.byte(window.skip_space(end))?;
    let is_replaced = !matches!(next, b',' | b'}' | b']') && !struck.contains(':');
    let is_struck =
        !struck.starts_with('~') && window.byte(end) != Some(b'~') && struck.trim() == struck;
    (is_struck && (is_replaced || !before_value)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::end;
    use crate::parser::Window;

    #[test]
    fn struck_out_text() {
        for (text, before_value, expected) in [
            ("~~4~~ 5, ", true, Some(5)),
            ("~~\"a\"~~ \"b\"}", true, Some(7)),
            // Nothing takes its place, or it goes over a member.
            ("~~4~~, ", true, None),
            ("~~5, \"b\": ~~7, ", true, None),
            ("~~\"b\": 1,~~ 7", true, None),
            ("~~\"b\",~~ \"c\"]", false, Some(8)),
            ("~~\"b\": 2~~}", false, Some(10)),
            ("~~5, ~~6, 7]", false, None),
            ("~~~4~~ 5", false, None),
            ("~~4~~~ 5", false, None),
            ("~~~~ 5", false, None),
            ("~~4\n~~ 5", false, None),
            ("~~4~~", false, None),
        ] {
            assert_eq!(end(&Window::whole(text), 0, before_value), expected, "{text}");
        }
    }
}
