//! Stray words between members and items.

use crate::{
    Span,
    judge::key::opens_key,
    parser::{Spacing, Window, quote, trivia},
};

/// Returns whether the value is cut off at `end`, and a new paragraph of prose continues from `at`
/// to the end of the text.
pub(crate) fn is_prose(window: &Window<'_>, end: usize, at: usize, budget: &mut usize) -> bool {
    if !window.slice(Span::new(end, at)).contains('\n') {
        return false;
    }
    let rest = window.rest(at);
    *budget = budget.saturating_sub(rest.len() / 8);
    let is_sign = |c: char| !(c.is_ascii() || c.is_alphanumeric() || quote::is_mark(c));
    let words = rest.trim_start_matches(is_sign);
    let begins = words.len() == rest.len() || words.starts_with(' ');
    begins
        && words.trim_start().starts_with(char::is_alphabetic)
        && memchr::memchr3(b'}', b']', b'{', rest.as_bytes()).is_none()
        && rest.split_whitespace().nth(1).is_some()
}

/// Returns whether a blank line is between a value that ends at `end` and what is at `at`.
pub(crate) fn is_paragraph(window: &Window<'_>, end: usize, at: usize) -> bool {
    window.slice(Span::new(end, at)).matches('\n').count() > 1
}

/// Returns whether quotes in prose that follows a blank line come in pairs, so that none of them ends
/// a string before it.
pub(crate) fn is_apart(window: &Window<'_>, end: usize, at: usize) -> bool {
    let quotes = memchr::memchr_iter(b'"', window.rest(at).as_bytes()).count();
    quotes == 0
        || (is_paragraph(window, end, at)
            && quotes.is_multiple_of(2)
            && !window.rest(at).contains("\":"))
}

/// Returns whether a remark on the same line as the last value, up to the end of the text, is at
/// `at`: a sentence, as in `null Done!`.
pub(crate) fn is_remark(window: &Window<'_>, at: usize) -> bool {
    let rest = window.near(at, REMARK_REACH);
    window.at_end
        && at + rest.len() == window.end()
        && rest.starts_with(char::is_uppercase)
        && (rest.trim_end().ends_with(['.', '!', '?']) || rest.split_whitespace().nth(2).is_some())
        && !rest.contains(['{', '}', '[', ']', '"', ','])
}

/// Returns whether a line without quotes and a comma is at `at`, behind the line of the value that ends
/// at `end`, and the next line begins with a quoted key.
pub(crate) fn is_remark_line(window: &Window<'_>, end: usize, at: usize) -> bool {
    let line = window.line_after(at, REMARK_REACH);
    let comment = [" //", " /*", " #"].iter().filter_map(|mark| line.find(mark)).min();
    let words = line.get(..comment.unwrap_or(line.len())).unwrap_or(line).trim_end();
    window.slice(Span::new(end, at)).contains('\n')
        && !words.contains('"')
        && !words.ends_with([',', '{', '[', '}', ']'])
        && opens_key(window, window.skip_space(at + line.len()))
}

/// Longest remark, in bytes.
const REMARK_REACH: usize = 200;

/// Returns the end of the words at `at`, if structure follows them.
pub(crate) fn words(window: &Window<'_>, at: usize) -> Option<usize> {
    let length = window.word(at, |c| !matches!(c, '\n' | ',' | '}' | ']' | '{' | '[' | '"'));
    let words = window.slice(Span::new(at, at + length));
    let sound = words.starts_with(char::is_alphabetic)
        && words.chars().all(|c| {
            c.is_alphanumeric()
                || c.is_whitespace()
                || matches!(c, '.' | '\'' | '-' | '_' | '!' | '(' | ')')
        });
    (sound && at + length != window.end()).then_some(at + words.trim_end().len())
}

/// Returns whether the mark that ends the emphasis of a member is at `at`, directly after its
/// value, which ends at `last`.
pub(crate) fn emphasis(window: &Window<'_>, last: usize, at: usize) -> bool {
    last == at
        && window.starts_with(at, b"**")
        && (ends_part(window, at + 2) || opens_key(window, window.skip_space(at + 2)))
}

/// Returns whether a member or item may end at `at`.
fn ends_part(window: &Window<'_>, at: usize) -> bool {
    let next = trivia::skip(window, at, Spacing::Plain);
    matches!(window.byte(next), Some(b',' | b'}' | b']' | b')'))
}

/// Returns whether one word, perhaps with a closing quote, is at `at` in an array and ends the
/// item.
pub(crate) fn is_last_word(window: &Window<'_>, at: usize, spacing: Spacing) -> bool {
    let word = window.word(at, |c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let end = at + word + usize::from(window.byte(at + word) == Some(b'"'));
    word > 0 && matches!(window.byte(trivia::skip(window, end, spacing)), Some(b',' | b']'))
}

#[cfg(test)]
mod tests {
    use super::{is_last_word, is_prose, is_remark_line, words};
    use crate::parser::{Spacing, Window};

    #[test]
    fn prose_after_a_value_that_is_cut_off() {
        for (text, expected) in [
            ("\nThat is all.", true),
            ("\n\nI hope this helps: x", true),
            (" That is all.", false),
            ("\nThat", false),
            ("\nThat is }", false),
            ("\n- a list", false),
            ("\n\n▶ Continue generating", true),
            ("\n“a”: b", false),
        ] {
            let at = text.len() - text.trim_start().len();
            assert_eq!(is_prose(&Window::whole(text), 0, at, &mut 1000), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_that_may_be_remarks() {
        for (text, expected) in [
            ("\nNote: it is done.\n\"b\": 1", true),
            ("\nDr. Weiss 11:20\n  \"b\": 1", true),
            ("\nb: 2,\n\"c\": 1", false),
            ("\nb: \"x\"\n\"c\": 1", false),
            ("\nb: [\n\"c\"]", false),
            ("\nb: 2\nc: 1", false),
            (" b: 2\n\"c\": 1", false),
        ] {
            let at = text.len() - text.trim_start().len();
            assert_eq!(is_remark_line(&Window::whole(text), 0, at), expected, "{text:?}");
        }
    }

    #[test]
    fn words_before_structure() {
        for (text, expected) in [
            ("(see note)", None),
            ("see (note), \"b\": 1", Some(10)),
            ("and so on }", Some(9)),
            ("and so on", None),
            ("a = b, c", None),
            ("12 kg, c", None),
        ] {
            assert_eq!(words(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn items_of_one_word() {
        for (text, expected) in [
            ("red, blue]", true),
            ("red\"]", true),
            ("red /* */ ]", true),
            ("dark red]", false),
            (", red]", false),
            ("red}", false),
        ] {
            let found = is_last_word(&Window::whole(text), 0, Spacing::Plain);
            assert_eq!(found, expected, "{text}");
        }
    }
}
