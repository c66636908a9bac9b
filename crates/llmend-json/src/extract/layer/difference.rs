//! Values in the lines of a difference, as `diff -u` writes it.

use crate::{Span, parser::Window};

/// How far the first changed line is searched for, in bytes.
const REACH: usize = 1 << 12;

/// Returns whether the bracket at `at` is the first of a difference: only its mark is before it, and
/// later lines are marked, too, some as changed.
pub(super) fn is_at(window: &Window<'_>, at: usize) -> bool {
    let before = window.line_before(at, 4);
    let Some(mark @ (" " | "  " | "+" | "+ ")) = before else { return false };
    let text = window.near(at, REACH);
    // Dashes alone may be bullets of an indented value.
    if mark == "  " && !["\n+", "\n-"].iter().all(|mark| text.contains(mark)) {
        return false;
    }
    let added = mark.starts_with('+');
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        let rest = text.get(end + 1..).unwrap_or_default();
        match rest.as_bytes().first() {
            // Every line is new: that is no more than a prefix.
            Some(b'+') if added => {}
            Some(b'+' | b'-') => return is_change(rest.split('\n').next().unwrap_or_default()),
            Some(b' ') if added => return true,
            None | Some(b' ' | b'\r' | b'\n') => {}
            Some(_) => return false,
        }
    }
    false
}

/// Returns whether a line that begins with a mark has a member, an item or a bracket behind it. A
/// sign and a number, or the bullet of an item, are no marks.
fn is_change(line: &str) -> bool {
    let rest = line.get(1..).unwrap_or_default();
    let indented = rest.starts_with(['\t', ' ']) && rest.len() > rest.trim_start().len() + 1;
    (indented || rest.trim_start().starts_with(['"', '\'', '{', '}', '[', ']']))
        && !rest.trim().is_empty()
}

/// Beginnings of the lines before the content of a difference.
const HEADERS: &[&str] = &[
    "diff --git ",
    "index ",
    "new file mode ",
    "--- ",
    "+++ ",
    "@@ ",
    "*** Add File",
    "*** Begin Patch",
];

/// Returns where the content of the difference at `at` begins, behind its headers.
pub(crate) fn content(window: &Window<'_>, at: usize) -> usize {
    let mut place = at;
    loop {
        let line = window.line_after(place, REACH);
        let next = place + line.len() + 1;
        let is_header = HEADERS.iter().any(|header| line.starts_with(header));
        if !is_header || next >= window.end() {
            return place;
        }
        place = next;
    }
}

/// Returns the spans to remove from the lines after the one at `at`, the marks and the removed
/// lines, and the end of the difference.
pub(super) fn edits(window: &Window<'_>, at: usize) -> (Vec<Span>, usize) {
    let (mut spans, mut place) = (Vec::new(), at);
    for line in window.rest(at).split_inclusive('\n') {
        let end = place + line.len();
        if place > at {
            match line.chars().next() {
                Some(' ' | '+') => spans.push(Span::new(place, place + 1)),
                // A note that the file has no last line break.
                Some('-' | '\\') => spans.push(Span::new(place, end)),
                Some('\n' | '\r') => {}
                _ => return (spans, place),
            }
        }
        place = end;
    }
    (spans, place)
}

#[cfg(test)]
mod tests {
    use super::{content, edits, is_at};
    use crate::{Span, parser::Window};

    #[test]
    fn headers() {
        for (text, expected) in [
            ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+{}", "+{}"),
            ("+{}\n", "+{}\n"),
            ("--- a", "--- a"),
        ] {
            assert_eq!(text.get(content(&Window::whole(text), 0)..), Some(expected), "{text}");
        }
    }

    #[test]
    fn differences() {
        for (text, expected) in [
            (" {\n-  \"a\": 1\n+  \"a\": 2\n }\nEnd", Some("{\n  \"a\": 2\n}\n")),
            (" [\n   1,\n+  2\n ]", Some("[\n  1,\n  2\n]")),
            ("+{\n+  \"a\": 1,\n   \"b\": 2\n }", Some("{\n  \"a\": 1,\n  \"b\": 2\n}")),
            (" {\n   \"a\": 1\n }", None),
            ("+{\n+  \"a\": 1\n+}", None),
            (" [\n-1,\n-2]", None),
            (" [\n -1,\n- 2\n ]", None),
            ("  {\n-  \"a\": 1\n  }", None),
            ("  {\n-  \"a\": 1\n+  \"a\": 2\n  }", Some("{\n  \"a\": 2\n }")),
            ("{\n-  \"a\": 1\n}", None),
        ] {
            let window = Window::whole(text);
            let at = text.find(['{', '[']).expect(text);
            let found = is_at(&window, at).then(|| {
                let (spans, end) = edits(&window, at);
                let (mut out, mut from) = (String::new(), at);
                for span in spans {
                    out.push_str(Span::new(from, span.start).of(text));
                    from = span.end;
                }
                out + Span::new(from, end).of(text)
            });
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
