//! White space as editors and pagers show it: `·` for a space, `→` for a tab, `¶` before the end of a
//! line, guides of the indentation.

use crate::{Repair, Rule, Span, parser::Window};

/// Signs before the end of a line. The last is that of `cat -A`.
const ENDS: &[&str] = &["¶", "¬", "↵", "⏎", "␊", "␤", "↲", "⤶", "$"];
/// Signs for a space, also between words.
const SPACES: &[&str] = &["·", "␣", "␠", "⋅"];
/// Signs for a tab, and guides, where a line begins. The last is that of `cat -A`.
const INDENTS: &[&str] = &["→", "⇥", "␉", "»", "│", "┊", "┆", "¦", "^I"];

/// Returns whether white space is visible in the value that begins with the bracket at `at`: a sign for the
/// end of the line is right behind it, or a sign begins the next line.
pub(super) fn is_at(window: &Window<'_>, at: usize) -> bool {
    let next = at + 1;
    match window.byte(next) {
        Some(b'\n') if matches!(window.byte(next + 1), Some(b'^' | 0x80..)) => {
            [INDENTS, SPACES].iter().any(|signs| sign_at(window, next + 1, signs).is_some())
        }
        Some(b'$' | 0x80..) => sign_at(window, next, ENDS)
            .is_some_and(|sign| window.byte(next + sign.len()) == Some(b'\n')),
        _ => false,
    }
}

fn sign_at(window: &Window<'_>, at: usize, signs: &[&'static str]) -> Option<&'static str> {
    signs.iter().find(|sign| window.starts_with(at, sign.as_bytes())).copied()
}

/// Returns what makes the white space of the value at `at` plain again. A sign for a space may be a
/// character of a string, unless the value has no plain spaces.
pub(super) fn edits(window: &Window<'_>, at: usize) -> Vec<Repair> {
    let text = window.rest(at);
    let spaced = text.split("\n\n").next().is_some_and(|value| value.contains(' '));
    let mut edits = Vec::new();
    let mut start = at;
    for line in text.split('\n') {
        let (mut indent, mut place) = (true, 0);
        while let Some(c) = line.get(place..).and_then(|rest| rest.chars().next()) {
            let rest = line.get(place..).unwrap_or_default();
            if let Some((sign, meant)) = sign(rest, indent, spaced) {
                let span = Span::new(start + place, start + place + sign.len());
                let rule = Rule::MissingDecoding;
                edits.push(Repair { rule, span, replacement: meant.into() });
                place += sign.len();
            } else {
                indent &= c.is_whitespace();
                place += c.len_utf8();
            }
        }
        start += line.len() + 1;
    }
    edits
}

/// Returns the sign at the start of `rest`, a part of a line, and what it stands for. `indent` says whether only
/// white space is before it, and `spaced` whether plain spaces are elsewhere.
fn sign(rest: &str, indent: bool, spaced: bool) -> Option<(&'static str, &'static str)> {
    let of = |signs: &[&'static str]| signs.iter().find(|sign| rest.starts_with(**sign)).copied();
    let space = || of(SPACES).filter(|_| indent || !spaced).map(|sign| (sign, " "));
    let tab = || of(INDENTS).filter(|_| indent).map(|sign| (sign, "\t"));
    let end = || of(ENDS).filter(|sign| rest.len() == sign.len()).map(|sign| (sign, ""));
    space().or_else(tab).or_else(end)
}

#[cfg(test)]
mod tests {
    use super::{edits, is_at};
    use crate::{Span, parser::Window};

    #[test]
    fn white_space_that_is_shown() {
        for (text, expected) in [
            ("{\n··\"a\": \"x·y\"\n}", Some("{\n  \"a\": \"x·y\"\n}")),
            ("{\n··\"a\":·\"x·y\"\n}", Some("{\n  \"a\": \"x y\"\n}")),
            ("{¶\n→\"a\":\"→\"¶\n}¶", Some("{\n\t\"a\":\"→\"\n}")),
            ("{$\n^I\"a\": \"$\"$\n}$", Some("{\n\t\"a\": \"$\"\n}")),
            ("[\n│ {\n│ │ \"a\": 1", Some("[\n\t {\n\t \t \"a\": 1")),
            ("{\"a\": 1}¶\n", None),
            ("{\n  \"a\": \"·\"\n}", None),
            ("[→\n1]", None),
        ] {
            let window = Window::whole(text);
            assert_eq!(is_at(&window, 0), expected.is_some(), "{text}");
            if let Some(expected) = expected {
                let found = crate::apply(text, Span::new(0, text.len()), &edits(&window, 0));
                assert_eq!(found, expected, "{text}");
            }
        }
    }
}
