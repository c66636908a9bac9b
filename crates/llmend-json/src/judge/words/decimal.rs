//! Decimal commas: `[1,5; 2,25]`.

use crate::parser::Window;

/// Longest number that is read, in bytes.
const REACH: usize = 32;

/// Returns whether digits, a comma and digits without spaces come right before the semicolon at `at`,
/// which separates numbers with decimal commas.
pub(crate) fn ends_at(window: &Window<'_>, at: usize) -> bool {
    let before = window.before(at, REACH);
    let digit = |c: char| c.is_ascii_digit();
    let whole = before.trim_end_matches(digit);
    whole.len() < before.len()
        && whole.strip_suffix(',').is_some_and(|whole| whole.ends_with(digit))
}

#[cfg(test)]
mod tests {
    use super::ends_at;
    use crate::parser::Window;

    #[test]
    fn numbers_before_a_semicolon() {
        for (text, expected) in [
            ("1,5", true),
            ("[10,00", true),
            ("1, 5", false),
            ("1", false),
            ("1.5", false),
            ("a,5", false),
        ] {
            assert_eq!(ends_at(&Window::whole(text), text.len()), expected, "{text}");
        }
    }
}
