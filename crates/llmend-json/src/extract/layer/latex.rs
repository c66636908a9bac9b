//! Values in the notation of LaTeX: `\boxed{\{\text{"a"}:\ 1\}}`, `\[ \left\{ "a\_b": 1 \right\} \]`.
//!
//! A brace of the value has a backslash. One without it groups what is between it and its counterpart,
//! outside of strings.

use crate::{Repair, Rule, Span, parser::Window};

/// How far before a value the beginning of a formula is searched for, in bytes.
const REACH: usize = 240;
/// What begins a formula.
const OPENINGS: &[&str] = &["\\boxed{", "\\[", "\\(", "$", "\\begin{", "\\text"];
/// Commands for a size, a space or a font, which mean nothing here.
const LAYOUT: &[&str] = &[
    "left",
    "right",
    "big",
    "Big",
    "bigl",
    "bigr",
    "quad",
    "qquad",
    "displaystyle",
    "text",
    "texttt",
    "textbf",
    "textrm",
    "textit",
    "mathrm",
    "mathtt",
    "mathbf",
    "mbox",
    "hspace",
    "space",
];
/// Signs that need a backslash.
const ESCAPED: &str = "{}_%&#$";
/// Commands that stand for a character.
const SIGNS: &[(&str, &str)] = &[
    ("lbrace", "{"),
    ("rbrace", "}"),
    ("lbrack", "["),
    ("rbrack", "]"),
    ("textquotedbl", "\""),
    ("textunderscore", "_"),
    ("textbackslash", "\\\\"),
];

/// Returns whether the bracket at `at` is one of LaTeX, and in a formula.
pub(super) fn is_at(window: &Window<'_>, at: usize) -> bool {
    const LEFT: &str = "\\left";
    let opens = match window.byte_before(at) {
        Some(b'\\') => window.byte(at) == Some(b'{'),
        Some(b't') => window.before(at, LEFT.len()) == LEFT,
        _ => false,
    };
    if !opens {
        return false;
    }
    let before = window.before(at, REACH);
    let paragraph = before.rsplit("\n\n").next().unwrap_or_default();
    OPENINGS.iter().any(|opening| paragraph.contains(opening))
}

/// Returns what turns the value at `at` into JSON, up to the end of its formula.
pub(super) fn edits(window: &Window<'_>, at: usize) -> Vec<Repair> {
    let text = window.rest(at);
    let (mut edits, mut depth, mut inside) = (Vec::new(), 0_usize, false);
    // The first bracket stays.
    let mut place = 1;
    while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
        let (length, meant) = match rest.as_bytes().first() {
            Some(b'"') => {
                inside = !inside;
                (1, None)
            }
            Some(b'\\') => undo(rest, inside),
            Some(b'{') if !inside => {
                depth += 1;
                (1, Some(""))
            }
            Some(b'}') if !inside => match depth.checked_sub(1) {
                Some(less) => {
                    depth = less;
                    (1, Some(""))
                }
                None => break,
            },
            Some(b'$') if !inside => break,
            _ => (rest.chars().next().map_or(1, char::len_utf8), None),
        };
        if let Some(meant) = meant {
            let span = Span::new(at + place, at + place + length);
            let rule = Rule::MissingDecoding;
            edits.push(Repair { rule, span, replacement: meant.into() });
        }
        place += length;
    }
    edits
}

/// Returns the length of the command or escape at the start of `rest`, and what it stands for. In a string,
/// only a sign that LaTeX needs a backslash for is one.
fn undo(rest: &str, inside: bool) -> (usize, Option<&'static str>) {
    let escaped = rest.chars().nth(1);
    if let Some(at) = escaped.and_then(|sign| ESCAPED.find(sign)) {
        return (2, ESCAPED.get(at..=at));
    }
    match escaped {
        // An escape of JSON, or the end of a row.
        Some(c) if inside => return (1 + c.len_utf8(), None),
        Some(',' | ';' | ':' | '!' | ' ' | '\n' | '\\') => return (2, Some(" ")),
        _ => {}
    }
    let name = rest.get(1..).unwrap_or_default();
    let length = name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len());
    let name = name.get(..length).unwrap_or_default();
    let sign = SIGNS.iter().find(|(command, _)| *command == name).map(|(_, sign)| *sign);
    (1 + length, sign.or_else(|| LAYOUT.contains(&name).then_some("")))
}

#[cfg(test)]
mod tests {
    use super::{edits, is_at};
    use crate::{Span, parser::Window};

    #[test]
    fn brackets_of_a_formula() {
        for (text, expected) in [
            ("\\boxed{\\|{\\}}", true),
            ("$$\n\\left|[1\\right]$$", true),
            ("\\[ \\left\\|{ 1", true),
            ("\\boxed{|{}}", false),
            ("\\|{\"a\"\\}", false),
            ("for $5\n\n\\|{\"a\"\\}", false),
        ] {
            let at = text.find('|').expect(text);
            assert_eq!(is_at(&Window::whole(&text.replace('|', "")), at), expected, "{text}");
        }
    }

    #[test]
    fn what_latex_means() {
        for (text, expected) in [
            ("{\\text{\"a\"}:\\ 1,\\; \"b\\_c\": [2]\\}} so", "{\"a\": 1,  \"b_c\": [2]}} so"),
            ("{ \"a\": \"5\\% {x} \\n\" \\right\\}$ $", "{ \"a\": \"5% {x} \\n\" }$ $"),
            ("{ \\\\\n\\quad \"a\": 1 \\\\\n\\}\n\\end{array}", "{  \n \"a\": 1  \n}\n\\endarray"),
            ("[\\frac{1}{2}]", "[\\frac12]"),
        ] {
            let found =
                crate::apply(text, Span::new(0, text.len()), &edits(&Window::whole(text), 0));
            assert_eq!(found, expected, "{text}");
        }
    }
}
