//! Lines that begin left of the lines around them: what a program printed while the value was written.
//!
//! The value is indented and complete without them, so they need not look like prose.

use super::{LINE_REACH, LINES, conflict, pay};
use crate::{
    judge::key::opens_key,
    parser::{Spacing, Window, trivia},
    sink::Container,
};

/// How far before a line the one above it is searched for, in bytes.
const ABOVE_REACH: usize = 2 * LINE_REACH;

/// Returns the end of the lines at `at`, in a container of kind `top`, that begin left of the lines around
/// them.
pub(crate) fn end(
    window: &Window<'_>,
    at: usize,
    top: Container,
    budget: &mut usize,
) -> Option<usize> {
    // Most tokens are members, items and brackets, or do not begin a line.
    let is_token = matches!(window.byte(at)?, b'"' | b'\'' | b'{' | b'}' | b']' | b',' | b':');
    if is_token || !matches!(window.byte_before(at), Some(b'\n' | b' ' | b'\t')) {
        return None;
    }
    let own = window.line_before(at, LINE_REACH).filter(|blanks| blanks.trim().is_empty())?.len();
    let (above, indent) = above(window, at)?;
    let opens = above.ends_with(['{', '[']);
    if indent < own || (indent == own && !opens) {
        return None;
    }
    let (mut place, mut column) = (at, own);
    for _ in 0..LINES {
        let line = window.line_after(place, LINE_REACH);
        pay(budget, line.len());
        let end = place + line.len();
        if window.byte(end) != Some(b'\n') || !is_printed(line.trim_end()) {
            return None;
        }
        let next = trivia::skip(window, end, Spacing::Plain);
        let right = window.column(next, LINE_REACH)?;
        if right > column && continues(window, next, top, above) {
            return Some(place + line.trim_end().len());
        }
        (place, column) = (next, column.max(right));
    }
    None
}

/// Returns whether the line at `at` is the last one and begins left of the one above it, which a value is
/// open behind: a prompt, or what a program printed.
pub(crate) fn is_last(window: &Window<'_>, at: usize) -> bool {
    let line = window.line_after(at, LINE_REACH);
    let is_last = || window.at_end && window.skip_space(at + line.len()) == window.end();
    let own = window.line_before(at, LINE_REACH).filter(|blanks| blanks.trim().is_empty());
    own.zip(above(window, at)).is_some_and(|(own, (_, indent))| own.len() < indent)
        && !line.contains(['"', '{', '}', '[', ']'])
        && !line.trim_end().ends_with(',')
        && is_last()
}

/// Returns the last line before that of `at` that is not empty, without the white space around it, and the
/// length of the white space before it.
fn above<'w>(window: &Window<'w>, at: usize) -> Option<(&'w str, usize)> {
    let text = window.before(at, ABOVE_REACH);
    let (lines, _) = text.rsplit_once('\n')?;
    let line = lines.trim_end();
    let line = line.rsplit_once('\n').map_or(line, |(_, line)| line);
    let content = line.trim_start();
    Some((content, line.len() - content.len()))
}

/// Returns whether a line is no member, item or bracket.
fn is_printed(line: &str) -> bool {
    let words = line.contains(' ') && line.chars().any(char::is_alphabetic);
    let progress = || line.contains(char::is_whitespace) || !line.is_ascii();
    // A bullet, or a mark of a difference, before an item or member.
    let marked = || {
        let rest = line.trim_start_matches(['-', '+', '*', '>', '|', ' ', '\t']);
        rest.len() < line.len() && rest.starts_with(['"', '\'', '{', '[', '}', ']'])
    };
    let is_list = || line.starts_with('[') && line.ends_with(']') && !words;
    !conflict::marks(line)
        && !line.starts_with(['"', '\'', '{', '}', ']', ',', ':'])
        && !line.ends_with([',', '{', '[', ':', '"'])
        && !marked()
        && (words || progress())
        && !is_list()
}

/// Returns whether the container goes on or ends at `at`, behind the line `above`.
fn continues(window: &Window<'_>, at: usize, top: Container, above: &str) -> bool {
    let follows = || above.ends_with([',', '{', '[']);
    match (window.byte(at), top) {
        (Some(b'}'), Container::Object) | (Some(b']'), Container::Array) => true,
        (Some(b'"' | b'\''), Container::Object) => follows() && opens_key(window, at),
        (Some(b'"' | b'\'' | b'{' | b'[' | b'-' | b'0'..=b'9'), Container::Array) => follows(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{end, is_last};
    use crate::{parser::Window, sink::Container};

    #[test]
    fn last_lines() {
        for (text, expected) in [
            ("{\n  \"a\": 1\n|user@box:~$ ", true),
            ("{\n  \"a\": 1\n|real 0m1s\n", true),
            ("{\n  \"a\": 1\n  |b: 2", false),
            ("{\n\"a\": 1\n|b: 2", false),
            ("{\n  \"a\": 1\n|b: 2}", false),
            ("{\n  \"a\": 1\n|b: 2\nc: 3", false),
        ] {
            let at = text.find('|').expect(text);
            assert_eq!(is_last(&Window::whole(&text.replacen('|', "", 1)), at), expected, "{text}");
        }
    }

    /// Checks what is left of each text after the lines at `|`.
    #[test]
    fn lines_left_of_the_others() {
        use Container::{Array, Object};
        for (top, text, expected) in [
            (Object, "{\n  \"a\": 1,\n|WARN: old\n  \"b\": 2", Some("\n  \"b\": 2")),
            (Object, "{\n|[tool] took 0.8s\n  \"b\": 2", Some("\n  \"b\": 2")),
            (Object, "{\n \"a\": 1,\n|[01, x: I/M] Done {'id': 7}\n \"b\": 2", Some("\n \"b\": 2")),
            (Object, "{\n  \"a\": 1,\n|one two\n three 4\n  \"b\": 2", Some("\n  \"b\": 2")),
            (Object, "[\n  {\n    \"a\": 1\n|⠹ …\n  }", Some("\n  }")),
            (Array, "[\n  1,\n| 45%|██| 9/20 [00:03]\n  2", Some("\n  2")),
            (Array, "[\n|/lib/x.py:1: Old: use y\n  \"b\"", Some("\n  \"b\"")),
            // As far right as the lines around it.
            (Object, "{\n  \"a\": 1,\n  |WARN: old\n  \"b\": 2", None),
            (Object, "{\n\"a\": 1,\n|WARN: old\n\"b\": 2", None),
            (Object, "{\n  \"a\": 1,\n|<<<<<<< HEAD (mine)\n  \"b\": 2", None),
            // Members and items.
            (Object, "{\n  \"a\": 1,\n|b: 2,\n  \"c\": 2", None),
            (Object, "{\n  \"a\": 1\n|WARN: old\n  \"b\": 2", None),
            (Object, "{\n  \"a\": 1,\n|-  \"b\": 2\n  \"c\": 2", None),
            (Array, "[\n  1,\n|2\n  3", None),
            (Array, "[\n  [1],\n|[2, 3]\n  [4]", None),
            (Array, "[\n  1,\n|\"b c\"\n  3", None),
            (Array, "[\n  1,\n|and so on", None),
        ] {
            let at = text.find('|').expect(text);
            let text = text.replacen('|', "", 1);
            let found = end(&Window::whole(&text), at, top, &mut { usize::MAX });
            assert_eq!(found.map(|end| &text[end..]), expected, "{text}");
        }
    }
}
