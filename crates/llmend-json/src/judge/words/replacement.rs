//! Two values in the place of one: a value, a sign or words that take it back, and another value.

use crate::{
    judge::{
        key::opens_key,
        words::correction::{self, Means},
    },
    parser::{Window, quote},
};

/// Longest words between the values, in bytes.
const REACH: usize = 80;
/// Signs between a value and the one that replaces it.
const ARROWS: &[&str] = &["→", "->", "-->", "=>", "⇒", "➜"];
/// Returns whether an arrow or a retraction is at `at`, and then another value that is no key.
pub(crate) fn is_at(window: &Window<'_>, at: usize) -> bool {
    let line = window.line_after(at, REACH);
    let arrow = ARROWS.iter().filter(|arrow| line.starts_with(**arrow)).map(|arrow| arrow.len());
    let dash = line.chars().next().filter(|c| matches!(c, '—' | '–' | '-' | '…' | '('));
    let length = arrow.max().or_else(|| {
        let words = line.get(dash?.len_utf8()..)?;
        let end = words.find(['"', '{', '[', ','])?;
        let first = words.get(..end)?.trim();
        let takes_back =
            correction::begins(first, &[Means::Hesitates, Means::Retracts, Means::Corrects]);
        takes_back.then(|| line.find('"')).flatten()
    });
    let next = length.map(|length| window.skip_space(at + length));
    next.is_some_and(|next| quote::opening(window, next).is_some() && !opens_key(window, next))
}

/// Returns whether words in parentheses inside the unquoted `text` take back what is before them, and
/// another value is behind them, or a part of it is struck out: `76 (sorry, 75) 75`, `75 ~~76~~`.
pub(super) fn is_within(text: &str) -> bool {
    let all = text.starts_with("~~") && text.ends_with("~~") && !text.contains('"');
    if !all && text.match_indices("~~").nth(1).is_some() {
        return true;
    }
    let Some((_, rest)) = text.split_once('(') else { return false };
    let Some((words, value)) = rest.rsplit_once(')') else { return false };
    !value.trim().is_empty() && correction::begins(words, &[Means::Hesitates, Means::Retracts])
}

#[cfg(test)]
mod tests {
    use super::{is_at, is_within};

    #[test]
    fn values_taken_back_in_parentheses() {
        for (text, expected) in [
            ("76 (sorry, birthday in December, so 75) 75", true),
            ("5 (no, wait: 6) 6", true),
            ("75 ~~76~~", true),
            ("76 (sorry)", false),
            ("76 (of them 12 new) kg", false),
            ("f(x) 2", false),
        ] {
            assert_eq!(is_within(text), expected, "{text}");
        }
    }

    use crate::parser::Window;

    #[test]
    fn replaced_values() {
        for (text, expected) in [
            ("→ \"b\", \"c\": 1}", true),
            ("-> \"b\"}", true),
            ("— no, sorry, \"b\"}", true),
            ("- wait \"b\"]", true),
            ("→ \"b\": 1}", false),
            ("-> b\"}", false),
            ("— nobody says \"b\"}", false),
            ("- \"b\"}", false),
            ("no \"b\"}", false),
        ] {
            assert_eq!(is_at(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
