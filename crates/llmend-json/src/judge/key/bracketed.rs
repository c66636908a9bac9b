//! Keys in brackets, as in a table of Lua and a computed key of JavaScript: `["a"] = 1`, `["a"]: 1`.

use crate::{
    Span,
    parser::{Window, quote},
};

/// Longest such key, in bytes.
const REACH: usize = 80;

/// Returns the position of the sign between the key in the bracket at `at` and its value.
pub(crate) fn bracketed_colon(window: &Window<'_>, at: usize) -> Option<usize> {
    let key = bracketed_key(window, at)?;
    Some(window.skip_space(key.end + 1))
}

/// Returns the quoted key, with its marks, in the bracket at `at`, if a colon or an equals sign follows.
pub(crate) fn bracketed_key(window: &Window<'_>, at: usize) -> Option<Span> {
    if window.byte(at) != Some(b'[') {
        return None;
    }
    let start = window.skip_space(at + 1);
    let delimiter = quote::opening(window, start)?;
    let inside = start + delimiter.open;
    let mut end = inside;
    while end < inside + REACH
        && let Some(character) = window.character(end)
        && !matches!(character, '\n' | '\\')
    {
        let Some(length) = delimiter.style.closes(window, end) else {
            end += character.len_utf8();
            continue;
        };
        let close = end + length;
        let sign = window.skip_space(close + 1);
        let names = window.byte(close) == Some(b']')
            && matches!(window.byte(sign), Some(b':' | b'='))
            && window.byte(sign + 1) != Some(b'=');
        return names.then(|| Span::new(start, close));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::bracketed_key;
    use crate::parser::Window;

    #[test]
    fn keys_in_brackets() {
        for (text, key) in [
            ("[\"a b\"] = 1", Some("\"a b\"")),
            ("['a']: 1", Some("'a'")),
            ("[ \"a\"]=>1", Some("\"a\"")),
            ("[\"a\"] == b", None),
            ("[\"a\"], 1", None),
            ("[\"a\", \"b\"]: 1", None),
            ("[a] = 1", None),
            ("[1] = 1", None),
        ] {
            let found = bracketed_key(&Window::whole(text), 0).map(|key| &text[key.start..key.end]);
            assert_eq!(found, key, "{text}");
        }
    }
}
