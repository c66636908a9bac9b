//! The file format of prompts.
//!
//! Four header lines, an empty line, and the text. Files are parsed at compile time: a malformed
//! file is a compile error.

use super::{Placement, PromptTemplate};

/// Parses a file.
pub(super) const fn prompt(file: &'static str) -> PromptTemplate {
    let (name, rest) = line(file, "name: ");
    let (version, rest) = line(rest, "version: ");
    let (place, rest) = line(rest, "for: ");
    let (about, rest) = line(rest, "about: ");
    let (empty, text) = line(rest, "");
    assert!(empty.is_empty(), "an empty line stands before the words");
    PromptTemplate { name, version: number(version), place: self::place(place), about, text }
}

/// Returns the rest of the first line after `head`, and everything after that line.
const fn line(text: &'static str, head: &str) -> (&'static str, &'static str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < head.len() {
        assert!(bytes[at] == head.as_bytes()[at], "a line of the head is not the one expected");
        at += 1;
    }
    while bytes[at] != b'\n' {
        at += 1;
    }
    let (line, rest) = text.split_at(at);
    (line.split_at(head.len()).1, rest.split_at(1).1)
}

const fn number(text: &str) -> u32 {
    let digits = text.as_bytes();
    let mut number = 0;
    let mut at = 0;
    while at < digits.len() {
        assert!(digits[at].is_ascii_digit(), "a version is a number");
        number = number * 10 + (digits[at] - b'0') as u32;
        at += 1;
    }
    number
}

const fn place(text: &str) -> Placement {
    match text.as_bytes() {
        b"system" => Placement::System,
        b"user" => Placement::User,
        b"feedback" => Placement::Feedback,
        b"part" => Placement::Part,
        _ => panic!("a prompt is for: system, user, feedback or part"),
    }
}

/// A piece of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Text as is.
    Words(&'t str),
    /// The name of a slot.
    Slot(&'t str),
}

/// Returns the pieces of a text in order.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let slot = rest.find("<<").and_then(|start| {
            let inner = start + "<<".len();
            let end = inner + rest.get(inner..)?.find(">>")?;
            Some((start, inner, end))
        });
        let (piece, next) = match slot {
            Some((0, inner, end)) => (Piece::Slot(&rest[inner..end]), end + ">>".len()),
            Some((start, ..)) => (Piece::Words(&rest[..start]), start),
            None => (Piece::Words(rest), rest.len()),
        };
        rest = &rest[next..];
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    #[test]
    fn a_text_falls_into_words_and_slots() {
        use Piece::{Slot, Words};
        let rows: [(&str, &[Piece<'_>]); 6] = [
            ("", &[]),
            ("words", &[Words("words")]),
            ("<<a>>", &[Slot("a")]),
            ("x <<a>><<b>> y", &[Words("x "), Slot("a"), Slot("b"), Words(" y")]),
            ("1 << 2", &[Words("1 << 2")]),
            ("é<<a>>é", &[Words("é"), Slot("a"), Words("é")]),
        ];
        for (text, expected) in rows {
            assert_eq!(pieces(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
