//! Excerpts of a text around marked spans.

use llmend::json::Span;

/// How much of a line is shown, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// The maximum length of a line that is shown whole.
    whole: usize,
    /// The length of the context on each side of a mark in a longer line.
    around: usize,
    /// The length that is shown of the mark itself in a longer line.
    inside: usize,
}

/// Columns to the left of a line, for its number.
const GUTTER: usize = 8;

impl Room {
    /// The room if the width is unknown.
    const WIDE: Self = Self { whole: 110, around: 36, inside: 60 };

    /// Returns the room on a terminal of `columns`. A line is never wider than the terminal, so that marks stay
    /// below what they mark.
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

/// Stands for the rest of a line.
const REST: &str = "…";
/// Replaces a control character that the renderer would pass on. It has as many bytes as those, so that spans
/// stay valid.
const STAND_IN: &str = "·";

/// A marked span and its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Its span: in the caller's text, then in the window's.
    pub(super) span: Span,
    /// The first part of the label. Equal marks on one line are shown once, with a count.
    pub(super) head: String,
    /// The rest of the label.
    pub(super) tail: String,
    /// Its importance.
    pub(super) weight: Weight,
}

/// The importance of a mark among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// The subject of the message.
    Main,
    /// Context.
    Side,
}

/// An excerpt: a few lines, or a piece of a long line.
#[derive(Debug)]
pub(super) struct Window {
    /// Number of the first line, from 1.
    pub(super) line: usize,
    /// The excerpt.
    pub(super) text: String,
    /// Its marks, with spans in `text`.
    pub(super) marks: Vec<Mark>,
}

/// The part of the text in a window.
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
    /// Part of one line, with the span of that line.
    Piece(Span),
}

/// Returns the windows of `text` that show `marks`, which are sorted by their start.
///
/// A mark is cut at the end of its first line.
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
                    // The row is full, and ends where the next one begins.
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

/// Whether a mark belongs to the last window: within two lines of it, or in an overlapping piece that fits
/// the row.
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

/// Whether `c` is a C1 control character, which some terminals obey and the renderer passes on.
fn is_c1(c: char) -> bool {
    ('\u{80}'..='\u{9f}').contains(&c)
}

/// Clamps `span` to character boundaries of `text`.
fn snapped(text: &str, span: Span) -> Span {
    let start = text.floor_char_boundary(span.start);
    Span::new(start, text.floor_char_boundary(span.end).max(start))
}

/// Returns the span of the line at `at`, without its line end.
fn line_of(text: &str, at: usize) -> Span {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let end = at + after.find('\n').unwrap_or(after.len());
    let line = Span::new(start, end);
    Span::new(start, start + line.of(text).trim_end_matches('\r').len())
}

/// Returns the offset `count` characters after `at`.
fn forward(text: &str, at: usize, count: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.char_indices().nth(count).map_or(rest.len(), |(offset, _)| offset)
}

/// Returns the offset `count` characters before `at`.
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
