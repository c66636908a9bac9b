//! Marks of Markdown emphasis between tokens: `**"a"**: 1`, `**{**`, `**"a":** 1`.

use crate::parser::{Window, is_space, quote};

/// Returns the end of the mark at `at`, if it opens before a quote or bracket, or closes behind one or a colon.
pub(crate) fn end(window: &Window<'_>, at: usize) -> Option<usize> {
    let mark = window.byte(at).filter(|byte| matches!(byte, b'*' | b'_'))?;
    let end = at + 2;
    if window.byte(at + 1) != Some(mark) {
        return None;
    }
    let is_bracket = |c: char| matches!(c, '{' | '}' | '[' | ']');
    let opens =
        || window.character(end).is_some_and(is_bracket) || quote::opening(window, end).is_some();
    let behind = |c: char| is_bracket(c) || quote::is_mark(c) || c == ':';
    let closes = window.character_before(at).is_some_and(behind)
        && window.byte(end).is_none_or(|byte| is_space(byte) || matches!(byte, b',' | b':'));
    (closes || opens()).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::end;
    use crate::parser::Window;

    #[test]
    fn marks_between_tokens() {
        for (text, is_mark) in [
            ("|**\"a\"**: 1", true),
            ("\"a\"|**: 1", true),
            ("\"a\":|** 1", true),
            ("|**{", true),
            ("{|**\n", true),
            ("|__“a”", true),
            ("|**a**", false),
            ("|*\"a\"", false),
            ("|*_\"a\"", false),
            ("2|** 3", false),
        ] {
            let at = text.find('|').expect(text);
            let found = end(&Window::whole(&text.replacen('|', "", 1)), at);
            assert_eq!(found, is_mark.then_some(at + 2), "{text}");
        }
    }
}
