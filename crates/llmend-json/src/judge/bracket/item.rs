//! Ends of items of a list that cannot be read.

use crate::parser::{Window, is_space, starts_value};

/// Longest item, in bytes.
const REACH: usize = 1 << 16;

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
    use super::end;
    use crate::parser::Window;

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
