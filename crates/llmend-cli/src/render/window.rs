//! Which parts of a text are shown, where only a few places in it matter?

use llmend::json::Span;

/// How many characters of a line are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Lines that have no more than this are shown whole.
    whole: usize,
    /// What is shown on either side of a place in a longer line.
    around: usize,
    /// What is shown of the place itself in a longer line.
    inside: usize,
}

/// Columns to the left of a line: its number, and what sets it off.
const GUTTER: usize = 8;

impl Room {
    /// The room where the width does not matter.
    const WIDE: Self = Self { whole: 110, around: 36, inside: 60 };

    /// The room on a terminal of so many columns, or where the text goes elsewhere. What is shown of
    /// a line is never wider than the terminal, so that the marks stay below what they mark.
    pub(super) fn of(columns: Option<usize>) -> Self {
        let Some(columns) = columns else { return Self::WIDE };
        let whole = columns.saturating_sub(GUTTER).clamp(12, Self::WIDE.whole);
        let inside = Self::WIDE.inside.min(whole / 2);
        let around = Self::WIDE.around.min((whole - inside) / 2 - 1);
        Self { whole, around, inside }
    }

    /// Whether a line is shown whole.
    fn holds(self, line: &str) -> bool {
        line.char_indices().nth(self.whole).is_none()
    }
}

/// What stands for the rest of a line.
const REST: &str = "…";
/// What stands for a control character that would get through to the terminal. It has as many
/// bytes as those have, so that the marks stay where they are.
const STAND_IN: &str = "·";

/// A place that matters, and what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where it is: in the caller's text, then in the window's.
    pub(super) span: Span,
    /// What it is called. Marks on one line that say the same are told once, with their number.
    pub(super) head: String,
    /// What is said about each.
    pub(super) tail: String,
    /// How much it matters.
    pub(super) weight: Weight,
}

/// How much a mark matters among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// It is what the message is about.
    Main,
    /// It stands beside that.
    Side,
}

/// A few lines of the text, or a piece of one long line.
#[derive(Debug)]
pub(super) struct Window {
    /// Number of the first line, from 1.
    pub(super) line: usize,
    /// What is shown.
    pub(super) text: String,
    /// The marks in it, with their places in `text`.
    pub(super) marks: Vec<Mark>,
}

/// The part of the text that a window shows.
struct Extent {
    first_line: usize,
    last_line: usize,
    start: usize,
    end: usize,
    shape: Shape,
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Lines,
    /// Part of one line; where that line begins and ends.
    Piece(Span),
}

/// The windows of `text` that show all of `marks`, which are sorted by their start.
///
/// A mark that reaches over a line end is shown up to there.
pub(super) fn windows(text: &str, marks: Vec<Mark>, room: Room) -> Vec<Window> {
    let mut extents: Vec<Extent> = Vec::new();
    let (mut counted_to, mut line) = (0, 1);
    for mut mark in marks {
        mark.span = snapped(text, mark.span);
        line +=
            Span::new(counted_to, mark.span.start).of(text).bytes().filter(|b| *b == b'\n').count();
        counted_to = mark.span.start;
        let whole = line_of(text, mark.span.start);
        mark.span.start = mark.span.start.min(whole.end);
        mark.span.end = mark.span.end.clamp(mark.span.start, whole.end);
        let shape = if room.holds(whole.of(text)) { Shape::Lines } else { Shape::Piece(whole) };
        let extent = match shape {
            Shape::Lines => whole,
            Shape::Piece(_) => {
                let shown = forward(text, mark.span.start, room.inside).min(mark.span.end);
                mark.span.end = shown;
                let end = forward(text, shown, room.around).min(whole.end);
                Span::new(backward(text, mark.span.start, room.around).max(whole.start), end)
            }
        };
        match extents.last_mut() {
            Some(last) if last.shape == shape && joins(text, last, line, extent, room) => {
                last.end = last.end.max(extent.end);
                last.last_line = line;
                last.marks.push(mark);
            }
            last => {
                let mut start = extent.start;
                if let Some(last) = last.filter(|last| last.shape == shape && start < last.end) {
                    // The row is full: it ends where the next one begins.
                    last.end = last.end.min(mark.span.start);
                    start = start.max(last.end);
                }
                extents.push(Extent {
                    first_line: line,
                    last_line: line,
                    start,
                    end: extent.end,
                    shape,
                    marks: vec![mark],
                });
            }
        }
    }
    extents.into_iter().map(|extent| shown(text, extent)).collect()
}

/// Whether a window goes on: on the same line or with one line between, or in an overlapping piece
/// that makes the row no longer than a line may be.
fn joins(text: &str, last: &Extent, line: usize, extent: Span, room: Room) -> bool {
    match last.shape {
        Shape::Lines => line <= last.last_line + 2,
        Shape::Piece(_) => {
            extent.start <= last.end && room.holds(Span::new(last.start, extent.end).of(text))
        }
    }
}

fn shown(text: &str, extent: Extent) -> Window {
    let (before, after) = match extent.shape {
        Shape::Lines => ("", ""),
        Shape::Piece(whole) => (
            if extent.start > whole.start { REST } else { "" },
            if extent.end < whole.end { REST } else { "" },
        ),
    };
    let moved = |at: usize| at - extent.start + before.len();
    let marks = extent
        .marks
        .into_iter()
        .map(|mark| Mark { span: Span::new(moved(mark.span.start), moved(mark.span.end)), ..mark })
        .collect();
    let part = Span::new(extent.start, extent.end).of(text).replace(is_c1, STAND_IN);
    Window { line: extent.first_line, text: format!("{before}{part}{after}"), marks }
}

/// Whether some terminals act upon `c`, and the renderer lets it pass.
fn is_c1(c: char) -> bool {
    ('\u{80}'..='\u{9f}').contains(&c)
}

/// `span` within `text` and on character boundaries, whatever it was.
fn snapped(text: &str, span: Span) -> Span {
    let start = text.floor_char_boundary(span.start);
    Span::new(start, text.floor_char_boundary(span.end).max(start))
}

/// The line that `at` stands in, without its line end.
fn line_of(text: &str, at: usize) -> Span {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let end = at + after.find('\n').unwrap_or(after.len());
    let line = Span::new(start, end);
    Span::new(start, start + line.of(text).trim_end_matches('\r').len())
}

/// The offset `count` characters after `at`.
fn forward(text: &str, at: usize, count: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.char_indices().nth(count).map_or(rest.len(), |(offset, _)| offset)
}

/// The offset `count` characters before `at`.
fn backward(text: &str, at: usize, count: usize) -> usize {
    let rest = text.get(..at).unwrap_or_default();
    if count == 0 {
        return at;
    }
    rest.char_indices().rev().nth(count - 1).map_or(0, |(offset, _)| offset)
}

#[cfg(test)]
mod tests {
    use llmend::json::Span;

    use super::{Mark, Room, Weight, windows};

    /// The windows of `text` around `places`, as `line: text` with the marked parts in brackets.
    fn check(text: &str, places: &[(usize, usize)], expected: &[&str]) {
        check_in(None, text, places, expected);
    }

    /// The same on a terminal of so many columns.
    fn check_in(columns: Option<usize>, text: &str, places: &[(usize, usize)], expected: &[&str]) {
        let marks = places
            .iter()
            .map(|&(start, end)| Mark {
                span: Span::new(start, end),
                head: String::new(),
                tail: String::new(),
                weight: Weight::Main,
            })
            .collect();
        let shown: Vec<String> = windows(text, marks, Room::of(columns))
            .into_iter()
            .map(|mut window| {
                for mark in window.marks.iter().rev() {
                    window.text.insert(mark.span.end, ']');
                    window.text.insert(mark.span.start, '[');
                }
                format!("{}: {}", window.line, window.text)
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn short_lines_are_shown_whole() {
        check("one\ntwo\nthree", &[(4, 5)], &["2: [t]wo"]);
        check("one\ntwo\nthree", &[(0, 1), (8, 13)], &["1: [o]ne\ntwo\n[three]"]);
        check("a\nb\nc\nd\ne", &[(0, 1), (6, 7)], &["1: [a]", "4: [d]"]);
        check("", &[(0, 0)], &["1: []"]);
        check("one\r\ntwo\r\n", &[(1, 2), (10, 10)], &["1: o[n]e\r\ntwo\r\n[]"]);
    }

    #[test]
    fn a_mark_ends_with_its_line() {
        check("ab\ncd", &[(1, 5)], &["1: a[b]"]);
        check("ab\ncd", &[(2, 3)], &["1: ab[]"]);
        check("ab\r\ncd", &[(3, 4)], &["1: ab[]"]);
    }

    #[test]
    fn long_lines_are_shown_in_pieces() {
        let long = format!("{}X{}Y{}", "a".repeat(100), "b".repeat(200), "c".repeat(100));
        let (a, b, c) = ("a".repeat(36), "b".repeat(36), "c".repeat(36));
        check(
            &long,
            &[(100, 101), (301, 302)],
            &[&format!("1: …{a}[X]{b}…"), &format!("1: …{b}[Y]{c}…")],
        );
        check(&long, &[(100, 101), (121, 122)], &[&format!("1: …{a}[X]{}[b]{b}…", "b".repeat(20))]);
        // A full row ends where the next begins, and no mark is shown twice.
        check(
            &long,
            &[(100, 101), (121, 122), (156, 157)],
            &[
                &format!("1: …{a}[X]{}[b]{}…", "b".repeat(20), "b".repeat(34)),
                &format!("1: …[b]{b}…"),
            ],
        );
        check(&long, &[(0, 0)], &[&format!("1: []{a}…")]);
        check(&long, &[(402, 402)], &[&format!("1: …{c}[]")]);
    }

    #[test]
    fn no_row_is_wider_than_the_terminal() {
        let text = "{\"a\": \"0123456789012345678901234567890123456789\", \"b\": 7}";
        check_in(
            Some(80),
            text,
            &[(6, 48)],
            &[&format!("1: {}[{}]{}", &text[..6], &text[6..48], &text[48..])],
        );
        check_in(Some(30), text, &[(55, 56)], &["1: …b\": [7]}"]);
        check_in(Some(30), text, &[(6, 48)], &["1: …a\": [\"0123456789]0123…"]);
        for columns in 1..140 {
            for place in 0..text.len() {
                let mark = Mark {
                    span: Span::new(place, text.len().min(place + 9)),
                    head: String::new(),
                    tail: String::new(),
                    weight: Weight::Main,
                };
                for window in windows(text, vec![mark], Room::of(Some(columns))) {
                    let shown = window.text.chars().count();
                    assert!(shown <= columns.saturating_sub(6).max(14), "{columns}: {shown}");
                }
            }
        }
    }

    #[test]
    fn spans_outside_of_the_text_do_no_harm() {
        check("é", &[(1, 9)], &["1: [é]"]);
        check("é", &[(7, 9)], &["1: é[]"]);
    }
}
