//! Numbers and literals at the end of a string in a list, which may be items of their own.

use crate::{judge::words::word, parser::Window};

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

#[cfg(test)]
mod tests {
    use super::{without_partial_scalars, without_scalars};

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
