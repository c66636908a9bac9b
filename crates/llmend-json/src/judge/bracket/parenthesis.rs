//! Parentheses around a single value, as opposed to tuples, and around a negative number of accounts.

use crate::{
    Span,
    judge::{
        continuation::{Lookahead, continuation},
        words::word::{self, BareValue, classify},
    },
    parser::{Frame, Opened, Spacing, Window, quote, trivia},
    sink::Container,
};

/// How far the closing parenthesis is searched for, in bytes.
const REACH: usize = 1 << 12;

/// Most parentheses around one value.
pub(crate) const MAX_PARENTHESES: usize = 8;

/// Returns the position of the parenthesis that closes the one at `at`, if exactly one JSON value
/// is between them. As in Python, only a comma makes a tuple.
pub(crate) fn around_one(window: &Window<'_>, at: usize, budget: &mut usize) -> Option<usize> {
    let (mut start, mut count) = (at, 0);
    while window.byte(start) == Some(b'(') {
        if count == MAX_PARENTHESES {
            return None;
        }
        start = window.skip_space(start + 1);
        count += 1;
    }
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

/// Longest number in parentheses, in bytes.
const NUMBER_REACH: usize = 32;

/// Returns the end of the parenthesis at `at` in the place of a member's value, if a number without a
/// sign is in it, perhaps an amount or a percentage: `(830.25)`. In accounts it is negative. `(1,204)`
/// is a pair where no space is after the colon either, as in `"a":(640,480)`.
pub(crate) fn accounted(window: &Window<'_>, at: usize) -> Option<usize> {
    let inside = window.line_after(at + 1, NUMBER_REACH);
    let inside = inside.get(..inside.find(')')?)?;
    let end = at + inside.len() + 2;
    let number = inside.trim_start_matches(['$', '€', '£', '¥']).trim_end_matches(['%', '€', ' ']);
    let spaced = window.character_before(at).is_some_and(char::is_whitespace);
    let sound = match classify(number) {
        BareValue::Number => true,
        BareValue::Thousands(digits) => {
            spaced || digits.contains('.') || number.matches(',').count() > 1
        }
        _ => false,
    };
    let next = trivia::skip(window, end, Spacing::Plain);
    let ends = matches!(window.byte(next), Some(b',' | b'}'))
        || window.slice(Span::new(end, next)).contains('\n');
    (number.starts_with(|c: char| c.is_ascii_digit()) && sound && ends).then_some(end)
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
    use super::{accounted, around_one};
    use crate::parser::Window;

    #[test]
    fn numbers_of_accounts() {
        for (text, expected) in [
            (": (318), ", Some(7)),
            (":(318)}", Some(6)),
            (": (830.25) // x\n}", Some(10)),
            (": ($1,204)\n}", Some(10)),
            (": (1,204),", Some(9)),
            (":(1,204.50),", Some(11)),
            (": (12%)}", Some(7)),
            (":(640,480),", None),
            (": (1, 204),", None),
            (": (24,5),", None),
            (": (-3)}", None),
            (": ((3))}", None),
            (": (3) * 2}", None),
            (": ()}", None),
            (": (a)}", None),
        ] {
            let at = text.find('(').unwrap();
            assert_eq!(accounted(&Window::whole(text), at), expected, "{text}");
        }
    }

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
