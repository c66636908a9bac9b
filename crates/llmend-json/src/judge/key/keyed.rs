//! Detection of lists of keys and values: brackets or parentheses that are an object.

use crate::{
    Span,
    judge::key::{REACH, is_name, is_strict_value},
    parser::{Window, quote},
};

/// How far another arrow is searched for, in bytes.
const LIST_REACH: usize = 400;
/// Longest list of members that is read, in bytes.
const MEMBERS_REACH: usize = 1 << 12;
/// Maximum number of keys that are compared.
const MAX_KEYS: usize = 64;

/// Returns whether a key, `=>` and a value are at `at`, after an opening bracket or parenthesis. A
/// name may also be the parameter of a function, so a value in strict notation and another arrow
/// must follow.
pub(crate) fn has_arrow(window: &Window<'_>, at: usize) -> bool {
    let at = window.skip_space(at);
    if let Some(delimiter) = quote::opening(window, at) {
        let start = at + delimiter.open;
        let length = window.short_word(start, REACH, |c| !quote::is_mark(c) && c != '\n');
        let close = delimiter.style.closes(window, start + length);
        let sign = close.map(|close| window.skip_space(start + length + close));
        return sign.is_some_and(|sign| window.starts_with(sign, b"=>"));
    }
    let symbol = usize::from(window.byte(at) == Some(b':'));
    let name = name(window, at + symbol);
    let sign = window.skip_space(at + symbol + name);
    let value = || {
        let value = window.skip_space(sign + 2);
        is_strict_value(window, value) || is_word(window, value)
    };
    let another = || {
        let parameter = symbol == 0 && window.character(at).is_some_and(char::is_alphabetic);
        !parameter || window.near(sign + 2, LIST_REACH).contains("=>")
    };
    name > 0 && window.starts_with(sign, b"=>") && value() && another()
}

/// The members in brackets of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyedMembers {
    /// Several, with different keys: the array is an object.
    Object,
    /// Several, with a key twice: they are of several objects.
    Objects,
}

/// Returns what the members with quoted keys at `at`, after an opening bracket, are. `None` if there are
/// not several, or if there is anything else. A list that is too long to be read has several objects.
pub(crate) fn members(window: &Window<'_>, at: usize, budget: &mut usize) -> Option<KeyedMembers> {
    let stop = at + MEMBERS_REACH.min(*budget);
    let mut keys = Vec::new();
    let mut place = window.skip_space(at);
    let ends = loop {
        if place >= stop || keys.len() == MAX_KEYS {
            break false;
        }
        if window.byte(place) != Some(b'"') {
            return None;
        }
        let (end, _) = window.scan_string(place + 1)?;
        let colon = window.skip_space(end + 1);
        let key = window.slice(Span::new(place + 1, end));
        // A stream has already shown a text that cannot be a name as an item.
        if window.byte(colon) != Some(b':') || !is_name(key) {
            return None;
        }
        keys.push(key);
        let value = value_end(window, window.skip_space(colon + 1), stop);
        *budget = budget.saturating_sub(value.unwrap_or(stop).saturating_sub(place));
        place = window.skip_space(value?);
        match window.byte(place)? {
            b',' => place = window.skip_space(place + 1),
            b']' | b'}' => break true,
            _ => return None,
        }
    };
    let twice = |(at, key): (usize, &&str)| keys.iter().take(at).any(|other| other == key);
    match keys.len() {
        0 | 1 => None,
        _ if !ends || keys.iter().enumerate().any(twice) => Some(KeyedMembers::Objects),
        _ => Some(KeyedMembers::Object),
    }
}

/// Returns the end of the value in strict notation at `at`, before `stop`. The brackets in it are
/// counted.
fn value_end(window: &Window<'_>, at: usize, stop: usize) -> Option<usize> {
    let (mut place, mut depth) = (at, 0_usize);
    while place < stop {
        match window.byte(place)? {
            b'"' => place = window.scan_string(place + 1)?.0,
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' if depth == 0 => return (place > at).then_some(place),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        place += 1;
    }
    None
}

/// Returns whether a name, `=` and a value are at `at`, after the parenthesis of a call.
pub(crate) fn has_argument(window: &Window<'_>, at: usize) -> bool {
    let at = window.skip_space(at);
    let name = name(window, at);
    let sign = window.skip_space(at + name);
    name > 0
        && window.byte(sign) == Some(b'=')
        && window.byte(sign + 1).is_some_and(|byte| !matches!(byte, b'=' | b'>'))
}

fn name(window: &Window<'_>, at: usize) -> usize {
    window.short_word(at, REACH, |c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// Returns whether a literal in capitals, a symbol or a nested list is at `at`.
fn is_word(window: &Window<'_>, at: usize) -> bool {
    ["TRUE", "FALSE", "NULL", "array(", "(", ":", "undef", "nil"]
        .iter()
        .any(|word| window.starts_with(at, word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{KeyedMembers, has_argument, has_arrow, members};
    use crate::parser::Window;

    #[test]
    fn keys_with_an_arrow() {
        for (text, expected) in [
            ("\"a\" => 1]", true),
            (" 'a b' => x]", true),
            ("0 => 'x']", true),
            ("a => 1, b => 2)", true),
            ("a => 1)", false),
            (":a => :b]", true),
            ("a => TRUE, b => 1]", true),
            ("x => x + 1]", false),
            ("\"a\", 1]", false),
            ("\"a\": 1]", false),
            ("1 >= 0]", false),
            ("a]", false),
        ] {
            assert_eq!(has_arrow(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn members_in_brackets() {
        for (text, expected) in [
            (r#""a": 1, "b": [2, 3]]"#, Some(KeyedMembers::Object)),
            (r#" "a" : "x]", "b": {"c": 1}}"#, Some(KeyedMembers::Object)),
            (r#""a": 1, "b": 2, "a": 3]"#, Some(KeyedMembers::Objects)),
            (r#""a": 1]"#, None),
            (r#""a, b": 1, "c": 2]"#, None),
            (r#""a": 1, 2]"#, None),
            (r#""a", "b": 1]"#, None),
            (r#""a": 1, "b": 2"#, None),
        ] {
            assert_eq!(members(&Window::whole(text), 0, &mut 10_000), expected, "{text}");
        }
    }

    #[test]
    fn arguments_with_a_name() {
        for (text, expected) in [
            ("a=1)", true),
            (" first_name = 'x', b=2)", true),
            ("a == 1)", false),
            ("a => 1)", false),
            ("'a', b=1)", false),
            (")", false),
        ] {
            assert_eq!(has_argument(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
