//! Bullets and numbers before the items and members of a container.

use crate::{
    judge::{
        key::{bare_key, opens_key},
        words::{annotation::is_picture, hash},
    },
    parser::{Window, quote},
    sink::Container,
};

/// Longest bullet, in bytes.
const REACH: usize = 8;
/// Longest line of words, in bytes.
const LINE_REACH: usize = 120;
/// Longest row of pictures, in bytes.
const PICTURES_REACH: usize = 16;

/// Returns the start of the item or member after the bullet at `at`, in a container of kind `top`:
/// `- "a"`, `• "a"`, `1. "a"`, `a) "a"`.
pub(crate) fn end(window: &Window<'_>, at: usize, top: Container) -> Option<usize> {
    let sign = sign(window, at, top)?;
    let next = window.skip_space(at + sign);
    let follows = match top {
        Container::Object => opens_key(window, next) || bare_key(window, next).is_some(),
        Container::Array => {
            matches!(window.byte(next), Some(b'{' | b'['))
                || quote::opening(window, next).is_some()
                || is_of_words(window, at, next)
        }
    };
    (next > at + sign && follows).then_some(next)
}

/// Returns whether the bullet at `at` is before words that fill the line from `words` on, in a list of
/// such lines: the line before it has the same bullet or opens the list, and so has or closes the next
/// one. Elsewhere it may be an operator.
fn is_of_words(window: &Window<'_>, at: usize, words: usize) -> bool {
    let Some(sign) = window.character(at).filter(|c| !c.is_alphanumeric()) else { return false };
    let marked = |line: &str| line.strip_prefix(sign).is_some_and(|line| line.starts_with(' '));
    let line = window.line_after(words, LINE_REACH);
    let next = window.line_after(window.skip_space(words + line.len()), LINE_REACH);
    let alone = window.line_before(at, LINE_REACH).is_some_and(|line| line.trim().is_empty());
    let before = window.before(at, LINE_REACH).trim_end();
    let before = before.rsplit('\n').next().unwrap_or_default();
    let plain = |c: char| !matches!(c, '"' | '{' | '}' | '[' | ']' | ':');
    alone
        && line.starts_with(char::is_alphabetic)
        && line.chars().all(plain)
        && (before.ends_with('[') || marked(before.trim_start()))
        && (next.starts_with(']') || marked(next))
}

/// Returns the length of the sign or label at `at`.
fn sign(window: &Window<'_>, at: usize, top: Container) -> Option<usize> {
    let first = window.character(at)?;
    if matches!(first, '-' | '*' | '•' | '‣' | '◦' | '●' | '▪' | '–' | '—' | '·') {
        return Some(first.len_utf8());
    }
    if is_picture(first) {
        let length = window.short_word(at, PICTURES_REACH, |c| is_picture(c) || c == '\u{fe0f}');
        return Some(length);
    }
    if first == '#' {
        return hash::number(window, at).filter(|_| top == Container::Array);
    }
    let digits = window.short_word(at, REACH, |c| c.is_ascii_digit());
    let label = if digits > 0 { digits } else { usize::from(first.is_ascii_alphabetic()) };
    // Only an index stands before a colon: a key in a list makes a pair.
    let index = digits > 0 && top == Container::Array;
    let closes = match window.byte(at + label)? {
        b')' => label > 0,
        b'.' => digits > 0,
        b':' => {
            index && matches!(window.byte(window.skip_space(at + label + 1)), Some(b'{' | b'['))
        }
        _ => false,
    };
    closes.then_some(label + 1)
}

#[cfg(test)]
mod tests {
    use super::end;
    use crate::{parser::Window, sink::Container};

    #[test]
    fn bullets() {
        for (text, expected) in [
            ("- \"a\"", Some(2)),
            ("• 'a'", Some(4)),
            ("✅ \"a\"", Some(4)),
            ("✅, \"a\"", None),
            ("* {", Some(2)),
            ("1. \"a\"", Some(3)),
            ("12) \"a\"", Some(4)),
            ("a) \"a\"", Some(3)),
            ("0: {", Some(3)),
            ("0: \"a\"", None),
            ("#1: {", Some(4)),
            ("#12 [", Some(4)),
            ("#1: a", None),
            ("- 5", None),
            ("-5", None),
            ("-\"a\"", None),
            ("1.5", None),
            ("ab) \"a\"", None),
            ("x", None),
        ] {
            assert_eq!(end(&Window::whole(text), 0, Container::Array), expected, "{text}");
        }
        for (text, at, expected) in [
            ("[\n - leash\n - bowl\n]", 3, Some(5)),
            ("[\n - leash\n - bowl\n]", 12, Some(14)),
            ("[\n* big leash,\n* bowl]", 2, Some(4)),
            ("[\n - leash\n]", 3, Some(5)),
            ("[\n x\n - bowl\n]", 6, None),
            ("[\n - x\n * y\n]", 3, None),
            ("[\n - 5\n - 3\n]", 3, None),
            ("[\n -x\n -y\n]", 3, None),
            ("[ - leash\n - bowl\n]", 2, None),
            ("[\n - a: 1\n - b: 2\n]", 3, None),
        ] {
            assert_eq!(end(&Window::whole(text), at, Container::Array), expected, "{text}");
        }
        for (text, expected) in [
            ("- \"a\": 1", Some(2)),
            ("* a: 1", Some(2)),
            ("1. \"a\": 1", Some(3)),
            ("- \"a\"", None),
            ("0: {", None),
        ] {
            assert_eq!(end(&Window::whole(text), 0, Container::Object), expected, "{text}");
        }
    }
}
