//! Annotations after a string: notes in parentheses, footnote marks, citations.

use crate::{
    judge::key::opens_key,
    parser::{Spacing, Window, trivia},
};

/// Longest annotation, in bytes.
const REACH: usize = 120;
/// Types after `as`.
const TYPES: &[&str] = &["string", "number", "boolean", "integer", "str", "const", "any"];

/// Returns the end of the annotations at `at`, after a string that ends at `last`, if the container
/// continues or ends after them.
pub(crate) fn end(window: &Window<'_>, last: usize, at: usize) -> Option<usize> {
    let mut end = at;
    while let Some(length) = one(window, end, end == last) {
        end += length;
        let next = trivia::skip(window, end, Spacing::Plain);
        match window.character(next)? {
            ',' | '}' | ']' | ')' | '，' | '｝' => return Some(end),
            _ if opens_key(window, next) => return Some(end),
            _ => end = next,
        }
    }
    None
}

/// Returns the length of the annotation at `at`. Marks that could be operators or punctuation of
/// their own must directly follow the string.
fn one(window: &Window<'_>, at: usize, touches: bool) -> Option<usize> {
    let line = window.line_after(at, REACH);
    let enclosed = |open: char, close: char| {
        let inside = line.strip_prefix(open)?;
        let length = inside.find(close)?;
        let sound = inside.get(..length)?.chars().all(|c| !r#""({[\"#.contains(c));
        (sound && inside.get(..length)?.contains(char::is_alphanumeric))
            .then_some(open.len_utf8() + length + close.len_utf8())
    };
    match line.chars().next()? {
        '(' => enclosed('(', ')'),
        '[' => enclosed('[', ']').filter(|_| line.get(1..2).is_some_and(is_digit)),
        '【' => enclosed('【', '】'),
        mark @ ('†' | '‡' | '§' | '¹' | '²' | '³') => Some(mark.len_utf8()),
        '*' if touches => Some(line.bytes().take_while(|&byte| byte == b'*').count()),
        // TypeScript's mark for what is not null.
        '!' if touches => Some(1),
        '.' if touches && !line.starts_with("..") => Some(1),
        '←' => Some(remark(line)),
        dash @ ('–' | '—') if !touches => {
            let words = line.get(dash.len_utf8()..)?.trim_start();
            words.starts_with(char::is_alphabetic).then(|| remark(line))
        }
        '<' if line.starts_with("<-") && !line.starts_with("<--") => Some(remark(line)),
        'a' if !touches => {
            let word = line.strip_prefix("as ")?;
            TYPES.iter().find(|name| word.starts_with(**name)).map(|name| 3 + name.len())
        }
        _ => None,
    }
}

/// Returns the length of the words up to the next mark of structure.
fn remark(line: &str) -> usize {
    line.find([',', '}', ']', '"', '{', '[']).unwrap_or(line.len())
}

fn is_digit(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::end;
    use crate::parser::Window;

    #[test]
    fn annotations_before_structure() {
        for (text, last, expected) in [
            ("(see note), \"b\": 1", 0, Some(10)),
            (" (maybe)}", 0, Some(8)),
            ("(1)]", 0, Some(3)),
            ("(maybe) and", 0, None),
            ("(a \"b\")}", 0, None),
            ("()}", 0, None),
            (".}", 0, Some(1)),
            ("., \"b\"", 0, Some(1)),
            ("...]", 0, None),
            (". And", 0, None),
            (" .}", 0, None),
            ("*, \"b\": 1", 0, Some(1)),
            ("***]", 0, Some(3)),
            ("!}", 0, Some(1)),
            (" !}", 0, None),
            ("†, \"b\": 1", 0, Some(3)),
            (" [2][3], \"b\": 1", 0, Some(7)),
            (" [x], \"b\": 1", 0, None),
            ("【4†source】}", 0, Some(16)),
            (" as string, \"b\": 1", 0, Some(10)),
            (" as it is}", 0, None),
            (" ← as rated, \"b\": 1", 0, Some(13)),
            (" <- was 3}", 0, Some(9)),
            (" – by phone}", 0, Some(13)),
            (" – 5}", 0, None),
            (" <-- x}", 0, None),
            ("maybe}", 0, None),
        ] {
            let at = text.len() - text.trim_start().len();
            assert_eq!(end(&Window::whole(text), last, at), expected, "{text}");
        }
    }
}
