//! Keys that are written again before their value.

use crate::parser::{Window, is_space};

/// Longest key that is compared, in bytes.
const REACH: usize = 80;

/// Returns the end of the key at `at`, and of its colon, if it is the one that ends at `end`, perhaps with
/// a colon, again: `"age": "age": 58`.
pub(crate) fn stuttered(window: &Window<'_>, end: usize, at: usize) -> Option<usize> {
    let before = window.before(end, REACH);
    let before = before.trim_end_matches(|c: char| c == ':' || c.is_whitespace());
    let line = window.line_after(at, REACH);
    let colon = line.find(':')?;
    let key = line.get(..colon)?.trim_end();
    let is_name = !key.is_empty() && !key.contains(['{', '[', ',']);
    let rest = before.strip_suffix(key).filter(|_| is_name)?;
    // A value without quotes may begin with the name of its key: `image: image:latest`.
    let quoted = key.ends_with(['"', '\'', '`', '”']);
    if !quoted && !window.byte(at + colon + 1).is_some_and(is_space) {
        return None;
    }
    let apart = rest.bytes().next_back().is_none_or(|byte| is_space(byte) || b"{,".contains(&byte));
    let value = window.byte(window.skip_space(at + colon + 1))?;
    (apart && !matches!(value, b',' | b'}' | b']' | b':')).then_some(at + colon + 1)
}

#[cfg(test)]
mod tests {
    use super::stuttered;
    use crate::parser::Window;

    #[test]
    fn keys_written_twice() {
        for (before, rest, expected) in [
            ("{\"age\":", "\"age\": 58}", true),
            ("{\"a\": 1, \"age\" ", "\"age\": 58}", true),
            ("{\n  age:", "age: 58}", true),
            ("{'age':", "'age': [1]}", true),
            ("{image:", "image:latest}", false),
            ("{\"user\"", " {\"user\": 1}", false),
            ("{\"age\":", "\"age\"}", false),
            ("{\"age\":", "\"age\": }", false),
            ("{\"age\":", "\"ages\": 58}", false),
            ("{\"page\":", "age\": 58}", false),
            ("{\"a\":", "\"b\": 58}", false),
        ] {
            let text = format!("{before}{rest}");
            let window = Window::whole(&text);
            let end = before.trim_end().len();
            let found = stuttered(&window, end, before.len());
            let colon = before.len() + rest.find(':').map_or(0, |at| at + 1);
            assert_eq!(found, expected.then_some(colon), "{text}");
        }
    }
}
