//! What the rest of a value shows of its backslashes: a string may come before the one that proves how
//! both were written.

use super::{
    COMMANDS, FORMULA, SHORT, has_command, has_unknown, is_control, is_drive, is_long_command,
    is_one, letters,
};
use crate::{Span, parser::Window};

/// What one string of a value shows of the backslashes in the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Formulas are written without escapes.
    pub(crate) formulas: bool,
    /// Words are.
    pub(crate) words: bool,
    /// Paths are.
    pub(crate) paths: bool,
}

/// What the legal escapes of a string may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Escapes {
    /// Text, as in `\frac` and `C:\temp`.
    pub(crate) text: bool,
    /// The beginning of a command of two letters, as in `\nu`, if another string has a formula.
    pub(crate) short: bool,
}

impl Escapes {
    /// Returns whether they may be anything else than escapes.
    pub(crate) const fn any(self) -> bool {
        self.text || self.short
    }
}

/// Returns what the legal escapes of `content` may be. If they may be text, the rest is not read.
pub(crate) fn escapes(content: &str) -> Escapes {
    let byte = |at: usize| content.as_bytes().get(at);
    let is_letter = |at: usize| byte(at).is_some_and(u8::is_ascii_alphabetic);
    let is_lower = |at: usize| byte(at).is_some_and(u8::is_ascii_lowercase);
    let mut short = false;
    let begins = |at: usize| {
        if !is_letter(at + 1) || !is_lower(at + 2) {
            return false;
        }
        // After `\n`, a word usually goes on.
        short |= !is_letter(at + 3) && is_one(SHORT, letters(content, at));
        is_control(content, at) || is_long_command(content, at)
    };
    let text = is_drive(content) || has_command(content, begins);
    Escapes { text, short }
}

/// Returns what the strings from `at` to the end of the outermost of `depth` containers show, and the
/// number of bytes that were read in vain if there is no such end: all that are left.
pub(crate) fn shown(window: &Window<'_>, at: usize, depth: usize) -> (Shown, usize) {
    let end = end_of_value(window, at, depth);
    if window.is_starved() {
        return (Shown::default(), 0);
    }
    let in_vain = if end.is_none() { window.end() - at } else { 0 };
    let end = end.unwrap_or(window.end());
    let rest = window.slice(Span::new(at, end));
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric();
    let shown = Shown {
        formulas: has_command(rest, |at| {
            let command = letters(rest, at);
            is_one(FORMULA, command) || (command.starts_with('u') && is_one(COMMANDS, command))
        }),
        words: has_unknown(rest, is_letter),
        paths: rest.split('"').any(|text| is_drive(text) && has_unknown(text, is_letter)),
    };
    (shown, in_vain)
}

/// Returns the end of the outermost of `depth` containers, of which the innermost goes on at `at`,
/// outside of a string. `None` if the text ends before it.
fn end_of_value(window: &Window<'_>, at: usize, mut depth: usize) -> Option<usize> {
    let (mut at, mut inside) = (at, false);
    while let Some(byte) = window.byte(at).filter(|_| depth > 0) {
        match byte {
            b'\\' => at += 1,
            b'"' => inside = !inside,
            b'{' | b'[' if !inside => depth += 1,
            b'}' | b']' if !inside => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    (depth == 0).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::{Shown, escapes, shown};
    use crate::parser::Window;

    #[test]
    fn legal_escapes_that_may_be_text() {
        for (content, expected) in [
            (r"\frac{1}{2}", true),
            (r"a \theta", true),
            (r"\beta", true),
            (r"C:\temp", true),
            (r"C:\new", true),
            (r"one\ntwo", false),
            (r"one\nuntil", false),
            (r"a\tb", false),
            (r"\nu", false),
            (r"\\frac", false),
            (r"x\f", false),
        ] {
            assert_eq!(escapes(content).text, expected, "{content}");
        }
    }

    #[test]
    fn what_the_rest_shows() {
        let none = Shown::default();
        let words = Shown { words: true, ..none };
        for (rest, depth, expected) in [
            (r#", "b": "x"} "\alpha""#, 1, none),
            (r#", "b": "\alpha"}"#, 1, Shown { formulas: true, ..words }),
            (r#", "b": "\\alpha"}"#, 1, none),
            (r#"}, {"b": "\d+"}]"#, 2, words),
            (r#", "b": "C:\Users"}"#, 1, Shown { paths: true, ..words }),
            (r#", "b": "C:\new"}"#, 1, none),
            (r#", "}": "\d""#, 1, words),
        ] {
            assert_eq!(shown(&Window::whole(rest), 0, depth).0, expected, "{rest}");
        }
        assert_eq!(shown(&Window::whole("} x"), 0, 1).1, 0);
        assert_eq!(shown(&Window::whole("\"}\""), 0, 1).1, 3);
        let part = Window::part(r#", "b": "\d""#, 0, false);
        assert_eq!(shown(&part, 0, 1).0, none);
        assert!(part.is_starved());
    }
}
