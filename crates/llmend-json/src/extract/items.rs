//! Scalars before, between and behind values that are items as they are: of a list without its bracket, or of
//! tuples. A choice of the values alone would leave them behind.

use crate::{Span, extract::scalar::is_scalar, parser::Window};

/// How much of the text around a value is inspected on each side, in bytes.
const REACH: usize = 400;

/// Returns whether such scalars are before or behind the values at `spans`.
pub(super) fn are_around(window: &Window<'_>, spans: &[Span]) -> bool {
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return false };
    let left = window.line_before(first.start, REACH).unwrap_or_default();
    let open = left.rfind('(').and_then(|at| left.split_at_checked(at));
    let open = open.filter(|(_, inside)| !inside.contains(')'));
    let (name, inside) = open.unwrap_or_default();
    if name.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        // Arguments of a call.
        return false;
    }
    let behind = Run::of(window.near(last.end, REACH));
    Run::of(inside).is_all_items() || (behind.is_items() && behind.closes)
}

/// Returns whether such scalars are between the values at `spans`.
pub(super) fn are_between(window: &Window<'_>, spans: &[Span]) -> bool {
    spans.windows(2).any(|pair| {
        let [one, next] = pair else { return false };
        let between = Span::new(one.end.min(next.start), next.start);
        Run::of(window.slice(between)).is_all_items()
    })
}

/// The separators and scalars that a text begins with.
#[derive(Debug, Default)]
struct Run {
    scalars: usize,
    commas: usize,
    /// Whether a parenthesis closes behind a scalar.
    closes: bool,
    /// Whether something else follows them.
    stops: bool,
}

impl Run {
    fn of(text: &str) -> Self {
        let (mut run, mut rest) = (Self::default(), text.trim_start());
        while let Some(first) = rest.chars().next() {
            let end = match first {
                ',' | '(' | ')' => 1,
                '"' | '\'' => {
                    let inside = rest.get(1..).unwrap_or_default();
                    inside.find([first, '\n']).map_or(0, |end| end + 2)
                }
                _ => rest.find([',', '(', ')', ']', '\n']).unwrap_or(rest.len()),
            };
            let (token, behind) = rest.split_at_checked(end).unwrap_or_default();
            match first {
                ',' => run.commas += 1,
                '(' => {}
                ')' => run.closes |= run.scalars > 0,
                _ if is_item(token.trim_end()) => run.scalars += 1,
                _ => {
                    run.stops = true;
                    break;
                }
            }
            rest = behind.trim_start();
        }
        run
    }

    const fn is_items(&self) -> bool {
        self.scalars > 0 && self.commas > 0
    }

    fn is_all_items(&self) -> bool {
        self.is_items() && !self.stops
    }
}

/// Returns whether a token is a scalar, in any quotes.
fn is_item(token: &str) -> bool {
    let quoted = |mark: char| {
        token
            .strip_prefix(mark)
            .and_then(|rest| rest.strip_suffix(mark))
            .is_some_and(|it| !it.contains(mark))
    };
    (is_scalar(token) && !token.starts_with('[')) || quoted('\'')
}

#[cfg(test)]
mod tests {
    use super::{are_around, are_between};
    use crate::{Span, parser::Window};

    #[test]
    fn items_that_are_left() {
        for (text, expected) in [
            ("(\"a\", ‹{}›), (\"b\", ‹{}›)", true),
            ("('a', ‹{}›)", true),
            ("(‹{}›, \"a, b\"), (‹{}›, \"c\")", true),
            ("x = (1, ‹{}›)", true),
            ("‹{}›, 3, ‹{}›]", true),
            ("‹{}›, ‹{}›, 3]", false),
            ("‹{}›, (\"b\", 2)", true),
            ("‹{}›,\n(\"b\", 2)\n", true),
            ("‹{}›, ‹{}›]", false),
            ("(‹{}›), (‹{}›)", false),
            ("(‹{}›, ‹{}›)", false),
            ("call(\"a\", ‹{}›)", false),
            ("call(‹{}›, 2)", false),
            ("‹{}›, 3 of them", false),
            ("‹{}› 3 ‹{}›", false),
            ("‹{}›, (see 2)", false),
            ("(see \"a\", ‹{}›)", false),
            ("‹{}›, ‹{}›, 3", false),
        ] {
            let (mut plain, mut spans) = (String::new(), Vec::new());
            for part in text.split('‹') {
                let (value, rest) = part.split_once('›').unwrap_or(("", part));
                if !value.is_empty() {
                    spans.push(Span::new(plain.len(), plain.len() + value.len()));
                }
                plain.push_str(value);
                plain.push_str(rest);
            }
            let window = Window::whole(&plain);
            let found = are_around(&window, &spans) || are_between(&window, &spans);
            assert_eq!(found, expected, "{text}");
        }
    }
}
