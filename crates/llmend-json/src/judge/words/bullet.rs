//! Bullets and numbers before the items and members of a container.

use crate::{
    judge::{
        key::{bare_key, opens_key},
        words::annotation::is_picture,
    },
    parser::{Window, quote},
    sink::Container,
};

/// Longest bullet, in bytes.
const REACH: usize = 8;
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
            matches!(window.byte(next), Some(b'{' | b'[')) || quote::opening(window, next).is_some()
        }
    };
    (next > at + sign && follows).then_some(next)
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
            ("- 5", None),
            ("-5", None),
            ("-\"a\"", None),
            ("1.5", None),
            ("ab) \"a\"", None),
            ("x", None),
        ] {
            assert_eq!(end(&Window::whole(text), 0, Container::Array), expected, "{text}");
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
