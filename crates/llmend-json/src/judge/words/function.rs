//! Detection of arrow functions.

use crate::parser::Window;

/// Longest list of parameters, in bytes.
const REACH: usize = 120;

/// Returns whether the parenthesis at `at` opens the parameters of an arrow function: `(a, b) =>`.
pub(crate) fn is_arrow(window: &Window<'_>, at: usize) -> bool {
    let line = window.line_after(at, REACH);
    let Some(close) = line.find(')') else { return false };
    let parameters = line.get(1..close).unwrap_or_default();
    let plain = !parameters.contains(['(', '"', '\'']);
    plain && line.get(close + 1..).is_some_and(|rest| rest.trim_start().starts_with("=>"))
}

#[cfg(test)]
mod tests {
    use super::is_arrow;
    use crate::parser::Window;

    #[test]
    fn arrow_functions() {
        for (text, expected) in [
            ("() => f(1)", true),
            ("(a, b) => a", true),
            ("(a, b)", false),
            ("('a') => 1", false),
            ("(1 => 2)", false),
        ] {
            assert_eq!(is_arrow(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
