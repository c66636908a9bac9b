//! Tags of HTML that only format or lay out what stands between them: `<b>"a"</b>: <i>1</i>`.

use crate::{
    Span,
    judge::words::word,
    parser::{
        Window, quote,
        space::{is_unusual_space, written_space},
        starts_value,
    },
};

/// Longest tag, in bytes.
const REACH: usize = 120;
/// Elements that format or lay out the text in them.
const NAMES: &[&str] = &[
    "b", "i", "u", "em", "strong", "span", "code", "mark", "font", "small", "var", "samp", "kbd",
    "div", "p", "li", "pre", "td",
];

/// Returns the end of the formatting tags at `at`, if a token follows them. An opening tag formats a value, or a sign
/// that its closing tag follows.
pub(crate) fn end(window: &Window<'_>, at: usize) -> Option<usize> {
    let mut end = at + one(window, at)?;
    let closes = window.byte(at + 1) == Some(b'/');
    let next = loop {
        let next = end + window.word(end, |c| c.is_whitespace() || is_unusual_space(c));
        match one(window, next).or_else(|| written_space(window, next)) {
            Some(length) => end = next + length,
            None => break next,
        }
    };
    let byte = window.byte(next)?;
    let letters = window.run(next, |byte| byte.is_ascii_alphabetic());
    let is_token = if letters > 0 {
        word::literal(window.slice(Span::new(next, next + letters))).is_some()
    } else {
        let is_sign = matches!(byte, b',' | b':' | b'}' | b']');
        (is_sign && (closes || window.starts_with(next + 1, b"</")))
            || starts_value(byte)
            || quote::opening(window, next).is_some()
    };
    is_token.then_some(end)
}

/// Returns the length of the formatting tag at `at`.
pub(crate) fn one(window: &Window<'_>, at: usize) -> Option<usize> {
    if window.byte(at) != Some(b'<') {
        return None;
    }
    let start = at + 1 + usize::from(window.byte(at + 1) == Some(b'/'));
    let behind = start + window.run(start, |byte| byte.is_ascii_alphabetic());
    let name = window.slice(Span::new(start, behind));
    if !NAMES.iter().any(|one| name.eq_ignore_ascii_case(one)) {
        return None;
    }
    let rest = window.line_after(behind, REACH);
    let close = rest.find('>')?;
    let attributes = rest.get(..close)?;
    let is_tag = attributes.is_empty() || (attributes.starts_with(' ') && start == at + 1);
    (is_tag && !attributes.contains(['<', '{', '['])).then_some(behind + close + 1 - at)
}

#[cfg(test)]
mod tests {
    use super::{end, one};
    use crate::parser::Window;

    #[test]
    fn only_what_may_be_a_formatting_tag_is_waited_for() {
        for (text, waits) in [
            ("</tool_call>", false),
            ("<tool_call>", false),
            ("</function>", false),
            ("<|im_end|>", false),
            ("< 2", false),
            ("<b", true),
            ("<", true),
            ("<span class=\"k", true),
        ] {
            let window = Window::part(text, 0, false);
            assert_eq!(one(&window, 0), None, "{text}");
            assert_eq!(window.is_starved(), waits, "{text}");
        }
    }

    #[test]
    fn formatting_tags_before_a_token() {
        for (text, expected) in [
            ("<b>\"a\"", Some(3)),
            ("</b>: 1", Some(4)),
            ("</I> <b>, 1", Some(8)),
            ("<div>]", None),
            ("<span>}</span>", Some(6)),
            ("<p></p>, 1", None),
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
