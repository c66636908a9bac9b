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
    let Some(start) = start_of_row(window, end, at) else { return false };
    // Whether a comma is missing between both rows says nothing.
    let (count, closer) = scalars(window, at + 1);
    let from = if window.byte(closer) == Some(b']') { closer + 1 } else { end };
    let mut read =
        |stack| continuation(window, from, &Lookahead::value(stack, LIMIT, spacing), budget);
    let (open, closed) = (read(stack), read(outer));
    // A text that is cut off has no end of all that it opened.
    let open_fits = open.is_clean()
        || (open.halt == Halt::Unclosed
            && !are_rows(window, at, closed)
            && !follows_row(window, start, count));
    !open_fits && closed.is_clean()
}

/// Returns whether a row of `count` scalars ends before the one that opens at `start`.
fn follows_row(window: &Window<'_>, start: usize, count: usize) -> bool {
    let before = window.before(start, REACH);
    let row = before.trim_end().trim_end_matches(',').trim_end();
    let Some(items) = row.strip_suffix(']') else { return false };
    let place = start - before.len();
    items
        .rfind('[')
        .is_some_and(|open| scalars(window, place + open + 1) == (count, place + items.len()))
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

/// Returns the start of the row whose last scalar ends at `end`, if the bracket at `at` opens the next
/// row of a table, and not an item of the one before it, which was not closed: both have the same
/// number of scalars and nothing else.
fn start_of_row(window: &Window<'_>, end: usize, at: usize) -> Option<usize> {
    let before = window.before(end, REACH);
    let open = before.rfind(['[', ']', '{', '}'])?;
    if before.as_bytes().get(open) != Some(&b'[') {
        return None;
    }
    let start = end - before.len() + open;
    let (row, stop) = scalars(window, start + 1);
    let (next, after) = scalars(window, at + 1);
    let is_next = row >= SCALARS
        && (stop == at || stop == window.skip_space(end))
        && next == row
        && matches!(window.byte(after), Some(b']' | b'['));
    is_next.then_some(start)
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
    use super::{lacks_end, start_of_row};
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
            // A row before it shows where they end.
            ("{[[1, 2], [3, 4, <[5, 6]]}", true),
            ("{[[1, 2, 0], [3, 4, <[5, 6]]", false),
            // The comma may be missing.
            ("{[[1, 2], [3, 4 <[5, 6]]}", true),
            ("{[[1, 2 <[3, 4], [5, 6]], \"b\": 1}", true),
            ("{[[1, 2 <[3, 4]]]}", false),
        ] {
            let frame = |kind| Frame::new(kind, Opened::Plain);
            let stack = [Container::Object, Container::Array, Container::Array].map(frame);
            let at = text.find('<').expect(text);
            let end = text.get(..at).map_or(0, |row| row.trim_end_matches([' ', ',']).len());
            let text = text.replace('<', "");
            let found =
                lacks_end(&Window::whole(&text), end, at, &stack, Spacing::Plain, &mut 1000);
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
            let found = start_of_row(&Window::whole(&text), end, at).is_some();
            assert_eq!(found, expected, "{text}");
        }
    }
}
