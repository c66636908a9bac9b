//! Numbers and literals at the end of a string in a list, which may be items of their own.

use crate::{
    judge::words::word,
    parser::{Frame, Window, starts_value},
    sink::Container,
};

/// How much of the text is read, in bytes.
const REACH: usize = 200;
/// Longest number or literal, in bytes.
const LONGEST: usize = 24;

/// Returns `text` without the numbers and literals at its end, each after a comma.
pub(crate) fn without_scalars(text: &str) -> &str {
    without(text, |last| {
        word::literal(last).is_some() || Window::whole(last).scan_number(0) == Some(last.len())
    })
}

/// Returns the length of `text` without the words at its end, each after a comma, that may become
/// numbers and literals.
pub(crate) fn without_partial_scalars(text: &str) -> usize {
    without(text, |last| last.bytes().all(|byte| byte.is_ascii_graphic())).len()
}

/// Returns `text` without the parts at its end that `is_scalar` accepts, each after a comma.
fn without(text: &str, is_scalar: impl Fn(&str) -> bool) -> &str {
    let near =
        (text.len().saturating_sub(REACH)..=text.len()).find(|&at| text.is_char_boundary(at));
    let near = near.unwrap_or(text.len());
    let mut end = text.len();
    while let Some((before, last)) = text.get(near..end).and_then(|tail| tail.rsplit_once(',')) {
        let last = last.trim();
        if last.is_empty() || last.len() > LONGEST || !is_scalar(last) {
            break;
        }
        end = near + before.trim_end().len();
    }
    text.get(..end).unwrap_or(text)
}

/// Returns whether only strict scalars with white space between them follow a string of a list that ends at
/// `at`, up to the bracket that closes it: `"a" 1 "b"]`.
pub(crate) fn lack_commas(window: &Window<'_>, at: usize, stack: &[Frame]) -> bool {
    let mut end = at;
    loop {
        let start = window.skip_space(end);
        match window.byte(start) {
            Some(b']') => return end > at,
            Some(b'"') if start > end => match window.scan_string(start + 1) {
                Some((close, _)) => end = close + 1,
                None => return false,
            },
            Some(byte) if start > end && starts_value(byte) => {
                let word = window.run(start, |byte| byte.is_ascii_alphabetic());
                let text = window.near(start, LONGEST);
                let literal = matches!(text.get(..word), Some("true" | "false" | "null"));
                match window.scan_number(start) {
                    _ if literal => end = start + word,
                    Some(stop) => end = stop,
                    None => return false,
                }
            }
            _ => return false,
        }
        if stack.last().is_none_or(|frame| frame.kind != Container::Array) || end > at + REACH {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{lack_commas, without_partial_scalars, without_scalars};
    use crate::{
        parser::{Frame, Opened, Window},
        sink::Container,
    };

    #[test]
    fn scalars_without_commas() {
        let stack = [Frame::new(Container::Array, Opened::Plain)];
        for (text, expected) in [
            (" 4 \"n\" 5]", true),
            (" true \"n\" null ]", true),
            (" 4 \"n\" 5", false),
            (" 4, \"n\"]", false),
            (" no \"n\"]", false),
            ("4]", false),
            ("]", false),
        ] {
            assert_eq!(lack_commas(&Window::whole(text), 0, &stack), expected, "{text}");
        }
        let object = [Frame::new(Container::Object, Opened::Plain)];
        assert!(!lack_commas(&Window::whole(" 4]"), 0, &object));
    }

    #[test]
    fn texts_before_scalars() {
        for (text, whole, partial) in [
            ("tide, 12", "tide", 4),
            ("tide, 12, true", "tide", 4),
            ("tide, tr", "tide, tr", 4),
            ("tide, pool of", "tide, pool of", 13),
            ("12", "12", 2),
            ("a, b, 3", "a, b", 1),
        ] {
            assert_eq!(without_scalars(text), whole, "{text}");
            assert_eq!(without_partial_scalars(text), partial, "{text}");
        }
    }
}
