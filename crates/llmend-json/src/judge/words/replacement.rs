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

#[cfg(test)]
mod tests {
    use super::is_at;
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
