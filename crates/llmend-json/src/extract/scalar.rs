//! Scalars beside a value.

use crate::{
    Span,
    judge::words::word,
    parser::{
        Window,
        trivia::{self, TriviaPosition},
    },
};

/// Returns whether `text` is a scalar of JSON, or a short list, and nothing else.
pub(super) fn is_scalar(text: &str) -> bool {
    let inside = |open, close| {
        text.strip_prefix(open)
            .and_then(|text| text.strip_suffix(close))
            .is_some_and(|inside: &str| !inside.is_empty() && !inside.contains([open, close]))
    };
    let list = || inside('[', ']') && !text.contains(char::is_alphabetic);
    matches!(text, "null" | "true" | "false") || word::is_strict(text) || inside('"', '"') || list()
}

/// Returns whether `byte` begins a number or literal.
pub(super) const fn begins_word(byte: u8) -> bool {
    matches!(byte, b'-' | b'0'..=b'9' | b'f' | b'n' | b't')
}

/// Returns the end of the strict scalar that begins at `at`.
pub(super) fn end(window: &Window<'_>, at: usize) -> Option<usize> {
    Some(match window.byte(at)? {
        b'"' => window.scan_string(at + 1)?.0 + 1,
        b'-' | b'0'..=b'9' => window.scan_number(at)?,
        _ => {
            at + ["true", "false", "null"]
                .iter()
                .find(|word| window.starts_with(at, word.as_bytes()))?
                .len()
        }
    })
}

/// Returns the span of the strict scalar that begins at `at` and is all of the rest of its line, but for
/// white space. A comma shows a list.
pub(super) fn line(window: &Window<'_>, at: usize) -> Option<Span> {
    let end = end(window, at)?;
    let rest = end + window.run(end, |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    matches!(window.byte(rest), None | Some(b'\n')).then_some(Span::new(at, end))
}

/// Returns where the semicolon and the comments in words at `at` end, which may follow a value that is
/// all of the text.
pub(super) fn behind_statement(window: &Window<'_>, at: usize) -> usize {
    let at = window.skip_space(at);
    let semicolon = window.byte(at) == Some(b';');
    let start = window.skip_space(at + usize::from(semicolon));
    let mut end = start;
    while let Some(comment) = trivia::trivia_at(window, end, TriviaPosition::Elsewhere) {
        end = window.skip_space(comment.end.max(end + 1));
    }
    // `5 // 2` is an expression.
    let says = window.slice(Span::new(start, end)).contains(char::is_alphabetic);
    if says { end } else { start }
}

/// Returns the span of the strict scalar that the text from `at` on is, with a semicolon or a comment behind
/// it.
pub(super) fn statement(window: &Window<'_>, at: usize) -> Option<Span> {
    let end = end(window, at)?;
    let is_more = window.byte(window.skip_space(end)).is_some();
    (is_more && window.byte(behind_statement(window, end)).is_none()).then_some(Span::new(at, end))
}

#[cfg(test)]
mod tests {
    use super::{is_scalar, line, statement};
    use crate::parser::Window;

    #[test]
    fn scalars() {
        for (text, scalar) in [
            ("1.5", true),
            ("null", true),
            ("\"a b\"", true),
            ("\"a\" b\"", false),
            ("[1, 2]", true),
            ("[a]", false),
            ("a", false),
            ("", false),
        ] {
            assert_eq!(is_scalar(text), scalar, "{text}");
        }
    }

    #[test]
    fn scalars_on_a_line() {
        for (text, expected) in [
            ("12\n", Some(2)),
            ("-1.5 \nx", Some(4)),
            ("-1.5,\n2", None),
            ("\"a\\\"b\"", Some(6)),
            ("true\r\n", Some(4)),
            ("trues", None),
            ("12 apples", None),
            ("\"a\": 1", None),
            ("x", None),
        ] {
            let found = line(&Window::whole(text), 0);
            assert_eq!(found.map(|span| span.end), expected, "{text}");
        }
    }

    #[test]
    fn statements() {
        for (text, expected) in [
            ("5 // five", true),
            ("5;", true),
            ("\"a\"; // b", true),
            ("true # it is", true),
            ("5", false),
            ("5 // 2", false),
            ("5 apples", false),
            ("5; 6", false),
            ("true or false", false),
            ("five // 5", false),
        ] {
            assert_eq!(statement(&Window::whole(text), 0).is_some(), expected, "{text}");
        }
    }
}
