//! Remarks up to the end of a line, in notations of their own: `<-- note`, `→ note`, `— note`,
//! `% note`, `; note`, `(note)`.

use crate::{
    judge::key::{bare_key, opens_key},
    parser::{Window, is_space, quote, starts_value},
    sink::Container,
};

/// Longest remark, in bytes.
const REACH: usize = 200;
/// Longest sign, in characters.
const LONGEST_SIGN: usize = 40;

/// Returns whether `c` is an arrow or a long dash, which no value begins with.
pub(crate) const fn is_pointer(c: char) -> bool {
    matches!(c, '–' | '—' | '←'..='⇿' | '⟵'..='⟿' | '▲'..='◅' | '☚'..='☟')
}

/// Returns the end of the remark at `at`, after a comma or value and white space in a container of
/// kind `top`: a sign, words to the end of the line, and structure on the next one.
pub(crate) fn end(window: &Window<'_>, at: usize, top: Container) -> Option<usize> {
    let first = window.character(at)?;
    let sign = match first {
        // `<!--` is a comment of its own, and no dash follows the sign of a number.
        '<' if window.starts_with(at, b"<-") => {
            window.short_word(at, LONGEST_SIGN, |c| matches!(c, '<' | '-' | '='))
        }
        sign if is_pointer(sign) => window.short_word(at, LONGEST_SIGN, |c| {
            is_pointer(c) || matches!(c, '-' | '=' | '─' | '\u{fe0f}')
        }),
        '%' | ';' | '\'' | '!' => {
            window.short_word(at, LONGEST_SIGN, |c| matches!(c, '%' | ';' | '\'' | '!'))
        }
        '*' => return between(window, at, ['*', '*'], top),
        '(' => return between(window, at, ['(', ')'], top),
        _ => return None,
    };
    let line = window.line_after(at + sign, REACH);
    let words = line.trim_start();
    // A number is said about the value only where the sign cannot be of code.
    let says = words.starts_with(char::is_alphabetic)
        || (is_pointer(first) && words.starts_with(char::is_numeric) && !words.ends_with(','));
    let spaced = words.len() < line.len() && says;
    let end = at + sign + line.len();
    // In `'a', 'b'` the sign is a quote.
    let quote = window.byte(at) == Some(b'\'') && line.contains('\'');
    let text = || line.contains(quote::is_mark) && follows_mark(window, at);
    let structure = window.byte(end) == Some(b'\n') && is_structure(window, end, top);
    (spaced && !quote && structure && !text()).then_some(end)
}

/// Returns whether only blanks are between a quote and what begins at `at`, which may then be a part of
/// a string with quotes in it.
fn follows_mark(window: &Window<'_>, at: usize) -> bool {
    window.before(at, REACH).trim_end_matches([' ', '\t']).ends_with(quote::is_mark)
}

/// Returns the end of the words between `marks` at `at` that end their line.
fn between(window: &Window<'_>, at: usize, marks: [char; 2], top: Container) -> Option<usize> {
    let line = window.line_after(at, REACH).trim_end();
    let inside = line.strip_prefix(marks[0])?.strip_suffix(marks[1])?;
    let words =
        inside.starts_with(char::is_alphabetic) && !inside.contains(['"', '\'', ',', marks[0]]);
    let end = at + line.len();
    let blanks = window.run(end, |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    let ends_line = window.byte(end + blanks) == Some(b'\n');
    (words && ends_line && is_structure(window, end, top)).then_some(end)
}

/// Returns whether the container continues or ends on the line after the line break at `at`.
fn is_structure(window: &Window<'_>, at: usize, top: Container) -> bool {
    let is_text = |byte: &u8| !is_space(*byte);
    let next = window.find(at, REACH, |bytes| bytes.iter().position(is_text)).unwrap_or(at);
    match (window.byte(next), top) {
        (Some(b'}' | b']'), _) => true,
        (_, Container::Object) => opens_key(window, next) || bare_key(window, next).is_some(),
        (Some(byte), Container::Array) => {
            starts_value(byte) || quote::opening(window, next).is_some()
        }
        (None, Container::Array) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::end;
    use crate::{parser::Window, sink::Container};

    #[test]
    fn remarks() {
        for (text, expected) in [
            ("<-- the name\n\"b\": 1", Some(12)),
            ("<- the name\n}", Some(11)),
            ("← the name\nb: 1", Some(12)),
            ("% the \"name\": 1\n  'b': 1", Some(15)),
            ("; the name\n}", Some(10)),
            ("' the name\n}", Some(10)),
            ("(the name)\n}", Some(10)),
            ("(the name)\nand so on", None),
            ("→ the name\n}", Some(12)),
            ("→ 14 days\n}", Some(11)),
            ("→ 14,\n}", None),
            ("— the \"name\", as (said) in 1999\nb: 1", Some(33)),
            ("⟵── the name\n}", Some(18)),
            ("!! the name\n}", Some(11)),
            ("*the name*\n}", Some(10)),
            ("*the name\n}", None),
            ("**the name**\n}", None),
            ("(a, b)\n}", None),
            ("(\"a\")\n}", None),
            ("' the 'name\n}", None),
            ("<-- the name\nand so on", None),
            ("<-- the name", None),
            ("% 5\n}", None),
            ("%the name\n}", None),
            ("the name\n}", None),
            ("<b> x\n}", None),
        ] {
            assert_eq!(end(&Window::whole(text), 0, Container::Object), expected, "{text}");
        }
        for (text, expected) in
            [("<- one\n\"b\"", Some(6)), ("<- one\n]", Some(6)), ("<- one\nb: 1", None)]
        {
            assert_eq!(end(&Window::whole(text), 0, Container::Array), expected, "{text}");
        }
    }
}
