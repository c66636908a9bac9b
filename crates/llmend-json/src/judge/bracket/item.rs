//! Ends of items of a list that cannot be read.

use crate::parser::{Window, is_space, starts_value};

/// Longest item, in bytes.
const REACH: usize = 1 << 16;
/// How far before a record its line may begin, in bytes.
const LINE_REACH: usize = 32;

/// Returns the end of the item at `start`, if it is certain: its brackets balance both with and
/// without regard to quotes, and another item or the end of the list follows.
pub(crate) fn end(window: &Window<'_>, start: usize) -> Option<usize> {
    let text = window.near(start, REACH);
    // What a quote is, is what cannot be told in a string.
    if text.starts_with(['"', '\'', '“', '`', ']', '}', ',', ':']) {
        return None;
    }
    let end = balanced(text, true)?;
    let last = text.get(..end)?.trim_end();
    let nested = text.starts_with(['{', '[']);
    let certain = balanced(text, false) == Some(end)
        && !last.is_empty()
        && (!nested || last.ends_with(['}', ']']))
        && (nested || !last.contains('\n'))
        && goes_on(text.get(end..)?, text.as_bytes().first().copied()?);
    certain.then_some(start + last.len())
}

/// Returns the end of the record that is the line from `start` on and cannot be read at `place`: it
/// begins and ends with its brackets, and so does what follows.
pub(crate) fn record_end(window: &Window<'_>, start: usize, place: usize) -> Option<usize> {
    let line = window.line_after(start, REACH).trim_end().trim_end_matches(',');
    let first = window.byte(start)?;
    let last = match first {
        b'{' => '}',
        b'[' => ']',
        _ => return None,
    };
    let own = window.line_before(start, LINE_REACH).is_some_and(|line| line.trim().is_empty());
    let next = window.byte(window.skip_space(start + line.len() + 1));
    let goes_on = next.is_none_or(|next| next == first || next == b'`');
    let whole = line.len() > 1 && line.ends_with(last) && place < start + line.len();
    (own && whole && goes_on).then_some(start + line.len())
}

/// Returns the first comma or closing bracket of `text` outside of brackets and, if they count, of
/// strings. Only white space may be between an item in brackets and it.
fn balanced(text: &str, quotes: bool) -> Option<usize> {
    let nested = text.starts_with(['{', '[']);
    let (mut depth, mut inside, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        if inside {
            inside = byte != b'"' || escaped;
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'"' if quotes => inside = true,
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' if depth > 0 => depth -= 1,
            b'}' | b']' | b')' => return Some(at).filter(|_| byte == b']'),
            b',' if depth == 0 => return Some(at),
            _ if nested && depth == 0 && !is_space(byte) => return None,
            _ => {}
        }
    }
    None
}

/// Returns whether the end of the list follows, or a comma and an item that begins like this one: with
/// the same bracket, or with none.
fn goes_on(rest: &str, first: u8) -> bool {
    let mut bytes = rest.bytes().filter(|&byte| !is_space(byte));
    match bytes.next() {
        Some(b',') => match (first, bytes.next()) {
            (b'{' | b'[', next) => next == Some(first),
            (_, next) => {
                next.is_some_and(|next| starts_value(next) || next.is_ascii_alphanumeric())
            }
        },
        next => next == Some(b']'),
    }
}

#[cfg(test)]
mod tests {
    use super::{end, record_end};
    use crate::parser::Window;

    #[test]
    fn records() {
        for (text, end) in [
            ("{\"a\": 2*3}\n{\"a\": 1}", Some(10)),
            ("{\"a\": 2*3},\n\n{\"a\": 1}", Some(10)),
            ("{\"a\": 2*3}", Some(10)),
            ("{\"a\": 2*3}\n```", Some(10)),
            ("{\"a\": 2*3\n}", None),
            ("{\"a\": 2*3} and\n{}", None),
            ("{\"a\": 2*3}\nmore", None),
            ("[2*3, 4}\n", None),
        ] {
            assert_eq!(record_end(&Window::whole(text), 0, 7), end, "{text}");
        }
    }

    #[test]
    fn ends() {
        for (text, item) in [
            (r#"{"a": 2*3}, {"a": 3}]"#, Some(r#"{"a": 2*3}"#)),
            ("{\"a\": f(1, {x})}\n, {\"a\": 3}]", Some("{\"a\": f(1, {x})}")),
            (r#"{"a": "x" y "z"}]"#, Some(r#"{"a": "x" y "z"}"#)),
            (r#"{"a": "}, {", b = c}, {"a": 3}]"#, None),
            (r#"{"a": "x" y "}, {"a": 3}]"#, None),
            (r#"{"a": 2*3, {"a": 3}]"#, None),
            (r#"{"a": 2*3}, "b": 3}]"#, None),
            (r#"{"a": 2*3}; {"a": 3}]"#, None),
            (r#"{"a": 2*3}"#, None),
            ("2*3, 4]", Some("2*3")),
            ("2 * 3 ]", Some("2 * 3")),
            ("f(1, 2), 3]", Some("f(1, 2)")),
            ("2*3\n, 4]", Some("2*3")),
            ("2*\n3, 4]", None),
            ("2*3}, 4]", None),
            ("\"a \"b\", c\", \"d\"]", None),
            ("[1, 2*], [3, 4]]", Some("[1, 2*]")),
            ("[1, 2*], 5]", None),
            (", 2]", None),
        ] {
            let window = Window::whole(text);
            assert_eq!(end(&window, 0), item.map(str::len), "{text}");
        }
    }
}
