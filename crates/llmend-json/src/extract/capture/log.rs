//! Pieces of a value in the lines of a log, or in its sections. All of them begin alike.

use crate::{
    Span,
    extract::{
        capture::{Piece, Proof, raw},
        layer::lines::equal_form,
    },
    parser::Window,
};

/// How far in the first line the first piece is searched for, in bytes.
const HEAD_REACH: usize = 96;
/// What a program calls a piece of a text.
const NAMES: &[&str] = &["chunk", "delta", "fragment", "part", "piece", "segment", "token"];

/// The lines of a text that are not blank, without the line breaks.
pub(super) struct Lines<'t> {
    pub(super) text: &'t str,
    spans: Vec<Span>,
}

/// Lines with the same head, and what is behind it.
pub(super) struct Contents<'t> {
    pub(super) head: &'t str,
    /// The rest of each line.
    pub(super) spans: Vec<Span>,
}

/// Pieces of a value.
pub(super) struct Log {
    pub(super) pieces: Vec<Piece>,
    /// Whether the log says that they are no lines of what it tells.
    pub(super) says_so: bool,
    pub(super) proof: Proof,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut start = 0;
        let spans = text.split(['\n', '\r']).map(|line| {
            let span = Span::new(start, start + line.len());
            start = span.end + 1;
            span
        });
        Self { text, spans: spans.filter(|span| !span.of(text).trim().is_empty()).collect() }
    }

    /// Returns the contents of all lines by each head that may end before the first line's value. What
    /// follows those lines has no brackets.
    pub(super) fn contents(&self) -> impl Iterator<Item = Contents<'t>> + '_ {
        let first = self.spans.first().map_or("", |span| span.of(self.text));
        let heads = first.match_indices(['{', '[']).filter_map(|(at, _)| first.get(..at));
        let is_before = |head: &&str| head.len() <= HEAD_REACH && !raw::is_open(head);
        heads.take_while(is_before).filter_map(|head| self.behind(head))
    }

    fn behind(&self, head: &'t str) -> Option<Contents<'t>> {
        let behind = |span: &Span| {
            equal_form(head, span.of(self.text))
                .map(|length| Span::new(span.start + length, span.end))
        };
        let spans: Vec<Span> = self.spans.iter().map_while(behind).collect();
        let mut rest = self.spans.iter().skip(spans.len()).map(|span| span.of(self.text));
        rest.all(|line| !line.contains(['{', '}', '[', ']'])).then_some(Contents { head, spans })
    }
}

/// Returns whether the first two lines of a text may be the first of a log: the second one has a head of the
/// first one or repeats all of it, or the first one has a number as the head of a section does.
pub(super) fn may_begin(text: &str) -> bool {
    let mut lines = text.split(['\n', '\r']).filter(|line| !line.trim().is_empty());
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return false };
    let is_section = first.len() <= HEAD_REACH && first.contains(|c: char| c.is_ascii_digit());
    let is_shared = |at: usize| {
        let (head, content) = first.split_at(at);
        equal_form(head, second).is_some_and(|length| {
            !head.is_empty()
                || second.get(length..).unwrap_or_default().starts_with(content.trim_end())
        })
    };
    let near = first.match_indices(['{', '[']).map(|(at, _)| at);
    is_section || near.take_while(|at| *at <= HEAD_REACH).any(is_shared)
}

/// Returns the pieces of a value that the lines or sections of a text are.
pub(super) fn pieces(window: &Window<'_>, lines: &Lines<'_>) -> Option<Log> {
    lines.contents().find_map(|contents| in_lines(window, &contents)).or_else(|| in_sections(lines))
}

/// Returns the pieces behind the heads of lines, perhaps in quotes or in tags.
fn in_lines(window: &Window<'_>, contents: &Contents<'_>) -> Option<Log> {
    let head = contents.head;
    let heads = contents.spans.iter().map(|span| window.line_before(span.start, HEAD_REACH));
    let heads: Option<Vec<&str>> = heads.collect();
    if head.is_empty() || contents.spans.len() < 2 || !count_up(&heads?) {
        return None;
    }
    let quoted = head.ends_with(['"', '\'']);
    let end = if quoted { head.get(head.len() - 1..)?.to_owned() } else { closing_tag(head) };
    let last = contents.spans.len() - 1;
    let piece = |(at, span): (usize, &Span)| {
        let text = span.of(window.text);
        let inside = match text.trim_end().strip_suffix(&end) {
            _ if end.is_empty() => text,
            Some(inside) => inside,
            // The text may be cut off.
            None if at == last => text,
            None => return None,
        };
        let span = Span::new(span.start, span.start + inside.len());
        Some(Piece { span, escaped: quoted, joint: "" })
    };
    let pieces: Vec<Piece> = contents.spans.iter().enumerate().map(piece).collect::<Option<_>>()?;
    // Two numbers may be beside each other.
    let is_digit = |c: char| c.is_ascii_digit();
    let texts = || pieces.iter().map(|piece| piece.span.of(window.text));
    let mut joints = texts().zip(texts().skip(1));
    let joins_digits =
        joints.any(|(one, next)| one.ends_with(is_digit) && next.starts_with(is_digit));
    (quoted || !joins_digits).then(|| Log {
        pieces,
        says_so: quoted || is_named(head),
        proof: Proof::Pieces,
    })
}

/// Returns the tag that closes the one that `head` is, or nothing.
fn closing_tag(head: &str) -> String {
    let name = head.trim_start().strip_prefix('<').filter(|_| head.ends_with('>'));
    let name = name.and_then(|rest| rest.split([' ', '>']).next()).unwrap_or_default();
    if name.is_empty() { String::new() } else { format!("</{name}>") }
}

/// Returns the pieces between lines that are only a head with a number.
fn in_sections(lines: &Lines<'_>) -> Option<Log> {
    let text = lines.text;
    let head = lines.spans.first()?.of(text);
    let is_head = |span: &&Span| equal_form(head, span.of(text)) == Some(span.len());
    // Nothing is between heads in a row.
    if lines.spans.get(1).is_some_and(|second| is_head(&second)) {
        return None;
    }
    let heads: Vec<Span> = lines.spans.iter().filter(is_head).copied().collect();
    let counted = count_up(&heads.iter().map(|span| span.of(text)).collect::<Vec<_>>());
    if heads.len() < 2 || !counted || !head.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let ends = heads.iter().skip(1).map(|head| head.start).chain([text.len()]);
    let piece = |(head, end): (&Span, usize)| {
        let section = Span::new(head.end, end);
        let inside = section.of(text).strip_prefix('\r').unwrap_or(section.of(text));
        let inside = inside.strip_prefix('\n').unwrap_or(inside);
        let start = end - inside.len();
        let inside = inside.strip_suffix('\n').unwrap_or(inside);
        let inside = inside.strip_suffix('\r').unwrap_or(inside);
        Piece { span: Span::new(start, start + inside.len()), escaped: false, joint: "" }
    };
    let pieces = heads.iter().zip(ends).map(piece).collect();
    Some(Log { pieces, says_so: is_named(head), proof: Proof::Sections })
}

/// Returns whether a head has a name for a piece of a text.
fn is_named(head: &str) -> bool {
    let mut words = head.split(|c: char| !c.is_ascii_alphabetic());
    words.any(|word| NAMES.iter().any(|name| name.eq_ignore_ascii_case(word)))
}

/// Returns whether the only number in which `heads` differ counts them, so that no piece is missing.
/// Times are not counted.
fn count_up(heads: &[&str]) -> bool {
    let is_time = |head: &&str| {
        let mut parts = head.split(':').zip(head.split(':').skip(1));
        let is_digit = |c: char| c.is_ascii_digit();
        parts.any(|(one, next)| one.ends_with(is_digit) && next.starts_with(is_digit))
    };
    if heads.iter().any(is_time) {
        return true;
    }
    let numbers = |head: &&str| -> Vec<u64> {
        let runs = head.split(|c: char| !c.is_ascii_digit());
        runs.filter_map(|run| run.parse().ok()).collect()
    };
    let all: Vec<Vec<u64>> = heads.iter().map(numbers).collect();
    let count = all.first().map_or(0, Vec::len);
    let column = |at: usize| all.iter().map(move |row| row.get(at).copied().unwrap_or_default());
    let differs = |at: &usize| column(*at).zip(column(*at).skip(1)).any(|(one, next)| one != next);
    let mut varying = (0..count).filter(differs);
    match (varying.next(), varying.next()) {
        (Some(at), None) => column(at).zip(column(at).skip(1)).all(|(one, next)| one + 1 == next),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, count_up, pieces};
    use crate::parser::Window;

    /// Checks the pieces of a log, with a bar between two of them, and whether it calls them so.
    #[test]
    fn logs() {
        for (text, expected) in [
            ("[chunk 1] {\"a\n[chunk 2] b\": 1}", Some(("{\"a|b\": 1}", true))),
            ("[chunk 1] {\"a\r\n\r\n[chunk 2] b\": 1}\r\n", Some(("{\"a|b\": 1}", true))),
            ("000> {\"a\n001>  b\": 1}\nend", Some(("{\"a| b\": 1}", false))),
            ("12:01 d=\"[1\"\n12:07 d=\",2]\"", Some(("[1|,2]", true))),
            ("on: '[1'\non: ',2", Some(("[1|,2", true))),
            ("<c n=\"0\">[1</c>\n<c n=\"1\">]</c>", Some(("[1|]", false))),
            ("part: [10\npart: 20]", None),
            ("(part 1/2)\n[1\n(part 2/2)\n,2]\n", Some(("[1|,2]", true))),
            ("--- 1 ---\n[\n1\n--- 2 ---\n]", Some(("[\n1|]", false))),
            // Another line is between them, or one is missing.
            ("[chunk 1] {\"a\nand {\n[chunk 2] b\": 1}", None),
            ("[chunk 1] {\"a\n[chunk 3] b\": 1}", None),
            ("on: '[1'\non: 2]", None),
            ("[1,\n2]", None),
            ("x> [1]", None),
            ("", None),
        ] {
            let window = Window::whole(text);
            let found = pieces(&window, &Lines::of(text)).map(|log| {
                let pieces: Vec<&str> =
                    log.pieces.iter().map(|piece| window.slice(piece.span)).collect();
                (pieces.join("|"), log.says_so)
            });
            let found = found.as_ref().map(|(pieces, named)| (pieces.as_str(), *named));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn numbers() {
        for (heads, expected) in [
            (["[chunk 1]", "[chunk 2]", "[chunk 3]"].as_slice(), true),
            (&["[1/3]", "[2/3]"], true),
            (&["[chunk 1]", "[chunk 3]"], false),
            (&["[chunk 2]", "[chunk 1]"], false),
            (&["12:01:07", "12:01:09"], true),
            (&["x>", "x>"], true),
        ] {
            assert_eq!(count_up(heads), expected, "{heads:?}");
        }
    }
}
