//! Parentheses around a single value, as opposed to tuples.

use crate::{
    Span,
    judge::{
        continuation::{Lookahead, continuation},
        words::word,
    },
    parser::{Frame, Opened, Spacing, Window, is_space, quote},
    sink::Container,
};

/// How far the closing parenthesis is searched for, in bytes.
const REACH: usize = 1 << 12;

/// Returns the position of the parenthesis that closes the one at `at`, if exactly one JSON value
/// is between them. As in Python, only a comma makes a tuple.
pub(crate) fn around_one(window: &Window<'_>, at: usize, budget: &mut usize) -> Option<usize> {
    let opened = window.run(at, |byte| byte == b'(' || is_space(byte));
    let start = at + opened;
    let count = window.slice(Span::new(at, start)).matches('(').count();
    let mut close = match window.byte(start)? {
        b'{' | b'[' => {
            let end = closed(window, start)?;
            *budget = budget.saturating_sub(end - start);
            end
        }
        b'-' | b'0'..=b'9' => window.scan_number(start)?,
        _ => {
            let end = start + window.run(start, |byte| byte.is_ascii_alphabetic());
            word::literal(window.slice(Span::new(start, end)))?;
            end
        }
    };
    // Nested parentheses are closed one after the other.
    for _ in 0..count {
        close = window.skip_space(close);
        if window.byte(close) != Some(b')') {
            return None;
        }
        close += 1;
    }
    Some(close - 1)
}

/// Tokens that show whether a tuple was left open.
const LIMIT: u32 = 64;

/// Returns whether the innermost container of `stack` is a tuple that ends with its last value,
/// before `at`, and whose closing parenthesis is missing: another tuple follows, and the brackets
/// fit only then.
pub(crate) fn lacks_end(
    window: &Window<'_>,
    at: usize,
    stack: &[Frame],
    spacing: Spacing,
    budget: &mut usize,
) -> bool {
    let Some((top, outer)) = stack.split_last() else { return false };
    let list = outer.last().is_some_and(|frame| frame.kind == Container::Array);
    let mut fits = |stack| {
        continuation(window, at, &Lookahead::tuples(stack, LIMIT, spacing), budget).is_clean()
    };
    top.opened == Opened::Tuple && list && !fits(stack) && fits(outer)
}

/// Returns the end of the container at `at`, according to the brackets outside of strings.
fn closed(window: &Window<'_>, at: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut place = at;
    while place < at + REACH {
        match window.byte(place)? {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(place + 1);
                }
            }
            b'"' | b'\'' => {
                let mark = quote::opening(window, place)?;
                place += mark.open;
                while mark.style.closes(window, place).is_none() {
                    place += 1 + usize::from(window.byte(place)? == b'\\');
                    if place > at + REACH {
                        return None;
                    }
                }
            }
            _ => {}
        }
        place += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::around_one;
    use crate::parser::Window;

    #[test]
    fn values_in_parentheses() {
        for (text, expected) in [
            ("(1)", Some(2)),
            ("( -1.5 )", Some(7)),
            ("(True)", Some(5)),
            ("([1, 2])", Some(7)),
            ("({\"a\": \")\"})", Some(11)),
            ("({'it': {}})", Some(11)),
            ("((1) )", Some(5)),
            ("((1), 2)", None),
            ("(1,)", None),
            ("(1, 2)", None),
            ("([1], 2)", None),
            ("()", None),
            ("(1 + 2)", None),
            ("(word)", None),
            ("([1, 2)", None),
        ] {
            let mut budget = 1000;
            assert_eq!(around_one(&Window::whole(text), 0, &mut budget), expected, "{text}");
        }
    }
}
