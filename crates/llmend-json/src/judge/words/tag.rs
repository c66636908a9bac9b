//! Tags of HTML that only format or lay out what stands between them: `<b>"a"</b>: <i>1</i>`.

use crate::{
    Span,
    judge::words::word,
    parser::{
        Window, quote, starts_value,
        trivia::{is_unusual_space, written_space},
    },
};

/// Longest tag, in bytes.
const REACH: usize = 120;
/// Elements that format or lay out the text in them.
const NAMES: &[&str] = &[
    "b", "i", "u", "em", "strong", "span", "code", "mark", "font", "small", "var", "samp", "kbd",
    "div", "p", "li", "pre", "td",
];

/// Returns the end of the formatting tags at `at`, if a token follows them.
pub(crate) fn end(window: &Window<'_>, at: usize) -> Option<usize> {
    let (mut end, mut next) = (at, at);
    while let Some(length) = one(window, next).or_else(|| written_space(window, next)) {
        end = next + length;
        next = end + window.word(end, |c| c.is_whitespace() || is_unusual_space(c));
    }
    let letters = window.run(next, |byte| byte.is_ascii_alphabetic());
    let is_literal = || word::literal(window.slice(Span::new(next, next + letters))).is_some();
    let is_token = || {
        let byte = window.byte(next)?;
        let structure = matches!(byte, b',' | b':' | b'}' | b']')
            || (starts_value(byte) && !byte.is_ascii_alphabetic());
        (structure || quote::opening(window, next).is_some() || is_literal()).then_some(end)
    };
    if end > at { is_token() } else { None }
}

/// Returns the length of the formatting tag at `at`.
pub(crate) fn one(window: &Window<'_>, at: usize) -> Option<usize> {
    if window.byte(at) != Some(b'<') {
        return None;
    }
    let inside = window.line_after(at, REACH).get(1..)?;
    let length = inside.find('>')?;
    let tag = inside.get(..length)?;
    let closing = tag.strip_prefix('/');
    let (name, attributes) = match closing {
        Some(name) => (name, ""),
        None => tag.split_once(' ').unwrap_or((tag, "")),
    };
    let known = NAMES.iter().any(|one| name.eq_ignore_ascii_case(one));
    (known && !attributes.contains(['<', '{', '['])).then_some(length + "<>".len())
}

#[cfg(test)]
mod tests {
    use super::end;
    use crate::parser::Window;

    #[test]
    fn formatting_tags_before_a_token() {
        for (text, expected) in [
            ("<b>\"a\"", Some(3)),
            ("</b>: 1", Some(4)),
            ("</I> <b>, 1", Some(8)),
            ("<span class=\"k\"><b>12", Some(19)),
            ("<i>true</i>", Some(3)),
            ("</span> }", Some(7)),
            ("<b>bold</b>", None),
            ("<table>1", None),
            ("</code>", None),
            ("</code> and so on", None),
            ("<b", None),
            ("< b>1", None),
        ] {
            assert_eq!(end(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
