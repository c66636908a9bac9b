//! Items of a list that begin like a comment: `[#34, #35]`, `[12, #N/A]`.

use crate::parser::Window;

/// Longest line that is read, in bytes.
const REACH: usize = 256;
/// Longest number, in bytes.
const NUMBER_REACH: usize = 8;
/// Values of cells that a spreadsheet could not compute.
const ERRORS: &[&str] = &["#N/A", "#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"];

/// Returns whether an item is at the sign at `at`: a word that a comma or bracket follows, on a line
/// that closes a list it did not open. A comment would swallow the bracket. An error of a spreadsheet
/// is no remark in any case, and a number before a container is its label.
pub(crate) fn is_item(window: &Window<'_>, at: usize) -> bool {
    if number(window, at).is_some() {
        return true;
    }
    let line = window.line_after(at, REACH);
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '!' | '?');
    let rest = line.get(1..).unwrap_or_default().trim_start_matches(word);
    let item = line.get(..line.len() - rest.len()).unwrap_or_default();
    let rest = rest.trim_start();
    if item.len() < 2 || !(rest.is_empty() || rest.starts_with([',', ']'])) {
        return false;
    }
    ERRORS.contains(&item) || (!rest.is_empty() && closes_list(rest))
}

/// Returns the length of the number with its sign at `at`, before a container: `#1: {`.
pub(crate) fn number(window: &Window<'_>, at: usize) -> Option<usize> {
    let digits = window.short_word(at + 1, NUMBER_REACH, |c| c.is_ascii_digit());
    let end = at + 1 + digits;
    let end = end + usize::from(matches!(window.byte(end), Some(b':' | b'.' | b')')));
    let opens = matches!(window.byte(window.skip_space(end)), Some(b'{' | b'['));
    (digits > 0 && opens).then_some(end - at)
}

/// Returns whether `text` closes a list that it did not open.
fn closes_list(text: &str) -> bool {
    let mut open = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'[' => open += 1,
            b']' if open == 0 => return true,
            b']' => open -= 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_item;
    use crate::parser::Window;

    #[test]
    fn items_and_comments() {
        for (text, expected) in [
            ("#1: {\"a\": 2}", true),
            ("#12 [1", true),
            ("#1: see {a}", false),
            ("#34, #35]", true),
            ("#35]", true),
            ("#fff , [1]]", true),
            ("#N/A,", true),
            ("#REF!", true),
            ("#DIV/0!, 2", true),
            ("#REF! is wrong", false),
            ("#34,", false),
            ("#34", false),
            ("#see, or [x]", false),
            ("# 34]", false),
            ("#a note]", false),
            ("#\"a\"]", false),
            ("#]", false),
        ] {
            assert_eq!(is_item(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
