//! What the rest of a value shows of its backslashes: a string may come before the one that proves how
//! both were written.

use super::{
    COMMANDS, FORMULA, SHORT, has_command, has_unknown, is_control, is_drive, is_long_command,
    letters,
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

/// Returns whether legal escapes of `content` may be text, as in `\frac` and `C:\temp`.
pub(crate) fn may_be_text(content: &str) -> bool {
    let is_lower = |at: usize| content.as_bytes().get(at).is_some_and(u8::is_ascii_lowercase);
    let begins =
        |at: usize| is_lower(at + 2) && (is_control(content, at) || is_long_command(content, at));
    is_drive(content) || has_command(content, begins)
}

/// Returns whether a legal escape of `content` begins like a command of two letters, as in `\nu`. Only a
/// formula in another string shows that it is one.
pub(crate) fn may_be_short(content: &str) -> bool {
    // After `\n`, a word usually goes on.
    let is_short = |at| !content.as_bytes().get(at + 3).is_some_and(u8::is_ascii_alphabetic);
    has_command(content, |at| is_short(at) && SHORT.contains(&letters(content, at)))
}

/// Returns what the strings from `at` to the end of the outermost of `depth` containers show.
pub(crate) fn shown(window: &Window<'_>, at: usize, depth: usize) -> Shown {
    let end = end_of_value(window, at, depth);
    if window.is_starved() {
        return Shown::default();
    }
    let rest = window.slice(Span::new(at, end));
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric();
    Shown {
        formulas: has_command(rest, |at| {
            let command = letters(rest, at);
            FORMULA.contains(&command) || (command.starts_with('u') && COMMANDS.contains(&command))
        }),
        words: has_unknown(rest, is_letter),
        paths: rest.split('"').any(|text| is_drive(text) && has_unknown(text, is_letter)),
    }
}

/// Returns the end of the outermost of `depth` containers, of which the innermost goes on at `at`,
/// outside of a string.
fn end_of_value(window: &Window<'_>, at: usize, mut depth: usize) -> usize {
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
    at.min(window.end())
}

#[cfg(test)]
mod tests {
    use super::{Shown, may_be_text, shown};
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
            assert_eq!(may_be_text(content), expected, "{content}");
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
            assert_eq!(shown(&Window::whole(rest), 0, depth), expected, "{rest}");
        }
        let part = Window::part(r#", "b": "\d""#, 0, false);
        assert_eq!(shown(&part, 0, 1), none);
        assert!(part.is_starved());
    }
}
