//! Rows of a table whose closing bracket is missing.

use crate::{
    judge::continuation::{Continuation, Halt, Lookahead, continuation},
    parser::{Frame, Spacing, Window},
};

/// Longest row, in bytes.
const REACH: usize = 1 << 9;
/// Minimum number of scalars in a row. One scalar and a list are a usual pair.
const SCALARS: usize = 2;
/// Tokens that show whether the row was left open.
const LIMIT: u32 = 160;

/// Returns whether the innermost container of `stack` is a row that ends with its last value, before
/// `end`: the next row begins at `at`, and the brackets after it fit only then. A text that is cut
/// off fits, too.
pub(crate) fn lacks_end(
    window: &Window<'_>,
    end: usize,
    at: usize,
    stack: &[Frame],
    spacing: Spacing,
    budget: &mut usize,
) -> bool {
    let Some((_, outer)) = stack.split_last() else { return false };
    if !is_next(window, end, at) {
        return false;
    }
    let mut read =
        |stack| continuation(window, end, &Lookahead::value(stack, LIMIT, spacing), budget);
    let (open, closed) = (read(stack), read(outer));
    // A text that is cut off has no end of all that it opened.
    let open_fits =
        open.is_clean() || (open.halt == Halt::Unclosed && !are_rows(window, at, closed));
    !open_fits && closed.is_clean()
}

/// Returns whether the rows from `at` on are at least two, and `closed`, what follows the row before
/// them, is read to the end of the text.
fn are_rows(window: &Window<'_>, at: usize, closed: Continuation) -> bool {
    let (count, end) = scalars(window, at + 1);
    let next = window.skip_space(end + 1);
    let second = window.skip_space(next + usize::from(window.byte(next) == Some(b',')));
    closed.halt == Halt::End
        && window.byte(end) == Some(b']')
        && window.byte(second) == Some(b'[')
        && scalars(window, second + 1).0 == count
}

/// Returns whether the bracket at `at` opens the next row of a table, and not an item of the row
/// before it, which was not closed and whose last scalar ends at `end`: both rows have the same
/// number of scalars and nothing else.
fn is_next(window: &Window<'_>, end: usize, at: usize) -> bool {
    let before = window.before(end, REACH);
    let Some(open) = before.rfind(['[', ']', '{', '}']) else { return false };
    if before.as_bytes().get(open) != Some(&b'[') {
        return false;
    }
    let (row, stop) = scalars(window, end - before.len() + open + 1);
    let (next, after) = scalars(window, at + 1);
    row >= SCALARS && stop == at && next == row && matches!(window.byte(after), Some(b']' | b'['))
}

/// Returns how many strict scalars with commas between them are at `at`, and what is after them.
fn scalars(window: &Window<'_>, at: usize) -> (usize, usize) {
    let (mut count, mut place) = (0, window.skip_space(at));
    while place < at + REACH {
        let end = match window.byte(place) {
            Some(b'"') => window.scan_string(place + 1).map(|(close, _)| close + 1),
            Some(b'-' | b'0'..=b'9') => window.scan_number(place),
            _ => ["true", "false", "null"]
                .into_iter()
                .find(|word| window.starts_with(place, word.as_bytes()))
                .map(|word| place + word.len()),
        };
        let Some(end) = end else { break };
        count += 1;
        place = window.skip_space(end);
        if window.byte(place) != Some(b',') {
            break;
        }
        place = window.skip_space(place + 1);
    }
    (count, place)
}

#[cfg(test)]
mod tests {
    use super::{is_next, lacks_end};
    use crate::{
        parser::{Frame, Opened, Spacing, Window},
        sink::Container,
    };

    #[test]
    fn rows_in_a_value() {
        for (text, expected) in [
            ("{[[1, 2, <[3, 4]], \"b\": 1}", true),
            ("{[[1, 2, <[3, 4]]], \"b\": 1}", false),
            // It may be cut off.
            ("{[[1, 2, <[3, 4]]", false),
            ("{[[1, 2, <[3, 4], [5, 6]]}", true),
            ("{[[1, 2, <[3, 4]], \"b\": [1", false),
        ] {
            let frame = |kind| Frame::new(kind, Opened::Plain);
            let stack = [Container::Object, Container::Array, Container::Array].map(frame);
            let at = text.find('<').expect(text);
            let text = text.replace('<', "");
            let found =
                lacks_end(&Window::whole(&text), at - 2, at, &stack, Spacing::Plain, &mut 1000);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn rows_that_were_not_closed() {
        for (text, expected) in [
            ("[[1, 2, <[3, 4], [5, 6]]", true),
            ("[[1, 2], [3, 4, <[5, 6]]", true),
            ("[[\"a\", null, <[\"b\", true], [5, 6]]", true),
            ("[[1, 2, <[3, 4, [5, 6]]", true),
            // Other numbers of scalars, or one, as in a pair of a name and a list.
            ("[[1, 2, <[3, 4, 5]]]", false),
            ("[[1, <[2]], [3, [4]]]", false),
            ("[[1, 2, <[[3, 4]]]]", false),
            ("[[[0], 1, 2, <[3, 4]]]", false),
            ("[[1, 2, <[3, {}]]]", false),
            ("[[1, 2, <[3, x]]]", false),
        ] {
            let at = text.find('<').expect(text);
            let text = text.replace('<', "");
            let end = text.get(..at).map_or(0, |before| before.trim_end().len() - 1);
            assert_eq!(is_next(&Window::whole(&text), end, at), expected, "{text}");
        }
    }
}
