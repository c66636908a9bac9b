//! Comments and odd white space between tokens.

use crate::{
    Rule, Span,
    judge::words::{citation, emphasis, hash, struck, tag},
    parser::{
        Window, is_space,
        space::{is_unusual_space, written_space},
        window::Known,
    },
};

/// What stands for text that could not be decoded.
const UNKNOWN: &[&str] = &["<unk>", "\u{fffd}"];
/// How far behind it words are searched for lost letters, in bytes.
const UNKNOWN_REACH: usize = 80;

/// Text between tokens that a rule removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trivia {
    pub(crate) rule: Rule,
    pub(crate) end: usize,
    /// Whether the window or text ended before its end was found.
    pub(crate) open: bool,
}

/// Where the trivia is. A lone `#` or `-` may begin a value right after a colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TriviaPosition {
    /// After a colon.
    BeforeValue,
    /// Anywhere else.
    Elsewhere,
}

/// What counts as white space between tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// White space.
    Plain,
    /// Also line breaks and tabs written as escapes.
    Escaped,
}

/// Returns the comment or odd white space that starts at `at`.
#[inline]
pub(crate) fn trivia_at(window: &Window<'_>, at: usize, place: TriviaPosition) -> Option<Trivia> {
    match window.byte(at)? {
        // The most frequent bytes.
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => None,
        b'"' | b'\'' | b',' | b':' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'.' | b'`' => None,
        _ => uncommon_trivia_at(window, at, place),
    }
}

fn uncommon_trivia_at(window: &Window<'_>, at: usize, place: TriviaPosition) -> Option<Trivia> {
    let matches_at = |word: &str| window.starts_with(at, word.as_bytes());
    match window.byte(at)? {
        b'/' if matches_at("//") => to_line_end(window, at, Rule::LineComment),
        b'/' if matches_at("/*") => {
            to_mark(window, at, "*/", &window.block_end, Rule::BlockComment)
        }
        b'<' if matches_at("<!--") => {
            to_mark(window, at, "-->", &window.html_end, Rule::HtmlComment)
        }
        b'<' | b'&' => {
            let space = written_space(window, at).map(|length| at + length);
            let end = space.or_else(|| tag::end(window, at));
            let found = |end| Trivia { rule: Rule::OddWhitespace, end, open: false };
            end.map(found).or_else(|| unknown(window, at))
        }
        b'#' if (place == TriviaPosition::Elsewhere && !hash::is_item(window, at))
            || matches!(window.byte(at + 1), Some(b' ' | b'#')) =>
        {
            to_line_end(window, at, Rule::HashComment)
        }
        b'-' if matches_at("-- ")
            || (place == TriviaPosition::Elsewhere
                && matches_at("--")
                && window.byte(at + 2).is_some_and(|byte| byte.is_ascii_alphabetic())) =>
        {
            to_line_end(window, at, Rule::DashComment)
        }
        b'^' | b'\\' if let Some(end) = citation::end(window, at) => {
            Some(Trivia { rule: Rule::Annotation, end, open: false })
        }
        b'*' | b'_' => {
            let end = emphasis::end(window, at)?;
            Some(Trivia { rule: Rule::Emphasis, end, open: false })
        }
        b'~' if matches_at("~~") => struck::end(window, at, place == TriviaPosition::BeforeValue)
            .map(|end| Trivia { rule: Rule::Strikethrough, end, open: false }),
        // A Python line continuation.
        b'\\' if matches!(window.byte(at + 1), Some(b'\n' | b'\r')) => {
            Some(Trivia { rule: Rule::OddWhitespace, end: at + 1, open: false })
        }
        // Markdown escapes brackets.
        b'\\' if matches!(window.byte(at + 1), Some(b'{' | b'}' | b'[' | b']')) => {
            Some(Trivia { rule: Rule::NeedlessEscape, end: at + 1, open: false })
        }
        b'\\' if matches!(window.byte(at + 1), Some(b'n' | b't' | b'r')) => {
            let letter = window.byte(at + 2).is_some_and(|byte| byte.is_ascii_lowercase());
            (!letter).then_some(Trivia { rule: Rule::EscapedWhitespace, end: at + 2, open: false })
        }
        // The colors of a terminal.
        0x1B if matches_at("\x1b[") => {
            let end = at + 2 + window.run(at + 2, |byte| byte.is_ascii_digit() || byte == b';');
            let end = end + usize::from(window.byte(end) == Some(b'm'));
            Some(Trivia { rule: Rule::OddWhitespace, end, open: false })
        }
        byte if byte < b' ' || byte == 0x7F || byte >= 0x80 => {
            let character = window.character(at)?;
            let space = is_unusual_space(character).then_some(Trivia {
                rule: Rule::OddWhitespace,
                end: at + character.len_utf8(),
                open: false,
            });
            let citation = || {
                let end = citation::end(window, at)?;
                Some(Trivia { rule: Rule::Annotation, end, open: false })
            };
            space.or_else(citation).or_else(|| unknown(window, at))
        }
        _ => None,
    }
}

/// Returns the length of a tokenizer's token for a byte at `at`: `<0xE2>`.
fn byte_token(window: &Window<'_>, at: usize) -> Option<usize> {
    const LENGTH: usize = 6;
    let digits = || window.run(at + 3, |byte| byte.is_ascii_hexdigit());
    (window.starts_with(at, b"<0x") && digits() == 2 && window.byte(at + 5) == Some(b'>'))
        .then_some(LENGTH)
}

/// Returns what could not be decoded at `at`, if structure follows it, so that no word has lost its
/// beginning. If words near it have lost letters, it may stand for a quote.
pub(super) fn unknown(window: &Window<'_>, at: usize) -> Option<Trivia> {
    let mut end = at;
    loop {
        let sign = UNKNOWN.iter().find(|sign| window.starts_with(end, sign.as_bytes()));
        match sign.map(|sign| sign.len()).or_else(|| byte_token(window, end)) {
            Some(length) => end += length,
            None => break,
        }
    }
    if end == at {
        return None;
    }
    let structure = |byte: u8| is_space(byte) || b"\"'{}[],:".contains(&byte);
    let mut lost = window.line_after(end, UNKNOWN_REACH).split('\u{fffd}').skip(1);
    let alone = window.byte(end).is_none_or(structure)
        && !lost.any(|rest| rest.starts_with(char::is_alphanumeric));
    alone.then_some(Trivia { rule: Rule::Interjection, end, open: false })
}

fn to_line_end(window: &Window<'_>, at: usize, rule: Rule) -> Option<Trivia> {
    let finder = |bytes: &[u8]| memchr::memchr2(b'\n', b'\r', bytes);
    comment(window, at, window.find_once(&window.line_end, at, finder), rule)
}

fn to_mark(
    window: &Window<'_>,
    at: usize,
    mark: &str,
    known: &Known,
    rule: Rule,
) -> Option<Trivia> {
    let finder = |bytes: &[u8]| memchr::memmem::find(bytes, mark.as_bytes());
    let end = window.find_once(known, at + 2, finder);
    comment(window, at, end.map(|end| end + mark.len()), rule)
}

/// Returns the comment from `at` to `end`, or to the end of the text. One that touches a quote and
/// contains one is text: `see "//", and more"`.
fn comment(window: &Window<'_>, at: usize, end: Option<usize>, rule: Rule) -> Option<Trivia> {
    let found = Trivia { rule, end: end.unwrap_or(window.end()), open: end.is_none() };
    let text = || {
        let inside = window.bytes(Span::new(at, found.end));
        memchr::memchr(b'"', inside).is_some()
    };
    (window.character_before(at) != Some('"') || !text()).then_some(found)
}

/// Returns the first position from `at` on after comments and white space.
pub(crate) fn skip(window: &Window<'_>, mut at: usize, spacing: Spacing) -> usize {
    loop {
        at = window.skip_space(at);
        match trivia_at(window, at, TriviaPosition::BeforeValue) {
            Some(trivia)
                if trivia.rule != Rule::EscapedWhitespace || spacing == Spacing::Escaped =>
            {
                at = trivia.end;
            }
            _ => return at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Spacing, TriviaPosition, skip, trivia_at};
    use crate::parser::Window;

    #[test]
    fn skips_trivia_up_to_the_next_token() {
        for (text, spacing, expected) in [
            ("  x", Spacing::Plain, 2),
            ("// a\n x", Spacing::Plain, 6),
            ("/* a */x", Spacing::Plain, 7),
            ("<!-- a -->x", Spacing::Plain, 10),
            ("\u{a0}\u{200b}x", Spacing::Plain, 5),
            (r"\nx", Spacing::Plain, 0),
            ("\\\n x", Spacing::Plain, 3),
            (r"\n x", Spacing::Escaped, 3),
            ("\x1b[0m\x1b[1;32m x", Spacing::Plain, 12),
            ("\x1b[mx", Spacing::Plain, 3),
            ("\\}", Spacing::Plain, 1),
            ("\\\\}", Spacing::Plain, 0),
            ("#fff", Spacing::Plain, 0),
            ("# fff\nx", Spacing::Plain, 6),
            ("/x", Spacing::Plain, 0),
            ("<unk>\u{fffd} \"x", Spacing::Plain, 9),
            ("\u{fffd}x", Spacing::Plain, 0),
            ("\u{fffd}\"n\u{fffd}me\"", Spacing::Plain, 0),
        ] {
            assert_eq!(skip(&Window::whole(text), 0, spacing), expected, "{text:?}");
        }
    }

    #[test]
    fn comments_that_touch_a_quote() {
        for (text, at, expected) in [
            ("\"// a\n", 1, true),
            ("\"//\", a\",\n", 1, false),
            ("\",// \"a\"\n", 2, true),
            ("\"/* a */", 1, true),
            ("\"/*\", a */", 1, false),
        ] {
            let found = trivia_at(&Window::whole(text), at, TriviaPosition::Elsewhere);
            assert_eq!(found.is_some(), expected, "{text:?}");
        }
    }

    #[test]
    fn unterminated_comments_are_open() {
        for (text, open) in [("/* a", true), ("/* a */", false), ("// a", true), ("// a\n", false)]
        {
            let found = trivia_at(&Window::whole(text), 0, TriviaPosition::Elsewhere)
                .map(|trivia| trivia.open);
            assert_eq!(found, Some(open), "{text:?}");
        }
    }
}
