//! Lines that each repeat all of an answer as far as it has arrived.

use crate::{
    Span,
    extract::capture::{
        Piece,
        log::{Contents, Lines},
        raw,
    },
};

/// Fewest lines that grow. A single beginning may be another attempt.
const FEWEST: usize = 3;

/// Returns the last of the lines of a text that each begin with the one before, which is open.
pub(super) fn last(lines: &Lines<'_>) -> Option<Piece> {
    let grown = lines.contents().filter(|contents| grow(lines.text, contents)).last()?;
    let span = *grown.spans.last()?;
    Some(Piece { span, escaped: false, joint: "" })
}

fn grow(text: &str, contents: &Contents<'_>) -> bool {
    let line = |span: &Span| span.of(text).trim_end();
    let mut pairs = contents.spans.iter().zip(contents.spans.iter().skip(1));
    let length = |span: Option<&Span>| span.map_or(0, |span| line(span).len());
    contents.spans.len() >= FEWEST
        && length(contents.spans.last()) > length(contents.spans.first())
        && pairs.all(|(one, next)| line(next).starts_with(line(one)) && raw::is_open(line(one)))
}

#[cfg(test)]
mod tests {
    use super::{Lines, last};

    #[test]
    fn snapshots() {
        for (text, expected) in [
            ("{\"a\n{\"a\": 1\n{\"a\": 1}", Some("{\"a\": 1}")),
            ("{\"a\r{\"a\": \r{\"a\": 1, \"b", Some("{\"a\": 1, \"b")),
            ("x> [\nx> [1\nx> [12]\nclosed (3 frames)", Some("[12]")),
            ("[1,\n[1, \n[1, 2]", Some("[1, 2]")),
            ("[partial] {\n[partial] {\"a\n[partial] {\"a\": 1}", Some("{\"a\": 1}")),
            // They do not grow, or are closed, or too few.
            ("[1\n[1\n[1", None),
            ("[1]\n[1], [2]\n[1], [2], [3]", None),
            ("{\"a\n{\"a\": 1}", None),
            ("{\"a\n{\"b\": 1\n{\"b\": 1}", None),
            ("{\"a\n{\"a\": 1\n{\"a\": 1}\n{\"b\": 2}", None),
        ] {
            let found = last(&Lines::of(text)).map(|piece| piece.span.of(text));
            assert_eq!(found, expected, "{text}");
        }
    }
}
