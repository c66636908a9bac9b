//! Detection of keys.

use crate::{
    Span,
    judge::words::word,
    parser::{Frame, Spacing, Window, parent, quote, starts_value},
    sink::Container,
};
use colon::{colon, colon_after};

pub(crate) mod bracketed;
pub(crate) mod colon;
pub(crate) mod keyed;
pub(crate) mod repeated;
pub(crate) mod set;
pub(crate) mod stray_key;
pub(crate) mod stuttered;

/// Longest quoted key that is recognized, in bytes.
const REACH: usize = 80;
/// How far a key without its end mark is compared with the other reading, in bytes.
const LINE_REACH: usize = 256;
/// Longest unquoted key, in characters.
const BARE_REACH: usize = 256;

/// Returns whether the mark at `at` opens a key: its closing mark and a colon follow soon.
pub(crate) fn opens_key(window: &Window<'_>, at: usize) -> bool {
    let Some(delimiter) = quote::opening(window, at) else {
        return bracketed::bracketed_key(window, at).is_some() || is_symbol(window, at);
    };
    let start = at + delimiter.open;
    let mut end = start;
    if mismatched_mark(window, start).is_some() {
        return true;
    }
    while end < start + REACH
        && let Some(byte) = window.byte(end)
        && !matches!(byte, b'\n' | b',' | b'{' | b'[')
    {
        // No mark begins with one of these bytes.
        let is_text = byte.is_ascii_alphanumeric() || matches!(byte, b' ' | 0x80..=0xBF);
        if !is_text && let Some(length) = delimiter.style.closes(window, end) {
            return colon_after(window, end + length, Spacing::Plain).is_some();
        }
        // An escaped quote closes nothing.
        end += 1 + usize::from(byte == b'\\' && window.byte(end + 1).is_some());
    }
    false
}

/// Returns whether a symbol of Ruby and an arrow are at `at`: `:a => 1`.
fn is_symbol(window: &Window<'_>, at: usize) -> bool {
    if window.byte(at) != Some(b':') {
        return false;
    }
    let name = window.short_word(at + 1, REACH, |c| c.is_alphanumeric() || c == '_');
    name > 0 && window.starts_with(window.skip_space(at + 1 + name), b"=>")
}

/// Returns whether a quoted name is at `at`, and its value follows without a colon: `"a" 1`.
pub(crate) fn opens_pair(window: &Window<'_>, at: usize) -> bool {
    let Some(delimiter) = quote::opening(window, at) else { return false };
    let start = at + delimiter.open;
    let name = window.short_word(start, REACH, |c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let Some(length) = delimiter.style.closes(window, start + name) else { return false };
    let value = window.skip_space(start + name + length);
    let word = window.run(value, |byte| byte.is_ascii_alphabetic());
    let known = word::literal(window.slice(Span::new(value, value + word))).is_some();
    name > 0
        && value > start + name + length
        && (known
            || quote::opening(window, value).is_some()
            || window
                .byte(value)
                .is_some_and(|byte| starts_value(byte) && !byte.is_ascii_alphabetic()))
}

/// Returns the length of the sign at `at` that is written for a comma, if a quoted key, a colon and a
/// value follow: `| "b": 2`.
pub(crate) fn odd_separator(window: &Window<'_>, at: usize) -> Option<usize> {
    let length = match window.character(at)? {
        '|' => 1 + usize::from(window.byte(at + 1) == Some(b'|')),
        mark @ ('/' | '&' | '·' | '•') => mark.len_utf8(),
        '.' if window.byte(at + 1).is_some_and(|byte| byte.is_ascii_whitespace()) => 1,
        _ => return None,
    };
    let key = window.skip_space(at + length);
    let delimiter = quote::opening(window, key)?;
    let start = key + delimiter.open;
    let name = window.short_word(start, REACH, |c| !quote::is_mark(c) && !matches!(c, '\n' | ','));
    let end = start + name;
    let sign = window.skip_space(end + delimiter.style.closes(window, end)?);
    let value = window.skip_space(sign + 1);
    (name > 0 && window.byte(sign) == Some(b':') && is_strict_value(window, value))
        .then_some(length)
}

/// Returns whether the next object of the list around the innermost container of `stack` starts at
/// `at`.
pub(crate) fn next_object(window: &Window<'_>, at: usize, stack: &[Frame]) -> bool {
    parent(stack) == Some(Container::Array)
        && window.byte(at) == Some(b'{')
        && opens_key(window, window.skip_space(at + 1))
}

/// Returns the position of the opening mark of the key at `at` with a Python string prefix.
pub(crate) fn prefixed_key(window: &Window<'_>, at: usize) -> Option<usize> {
    quote::prefixed(window, at).filter(|&mark| opens_key(window, mark))
}

/// Returns the mark of another kind that closes the key whose content starts at `start`: a name,
/// the mark and a colon, as in `"a”: 1`.
pub(crate) fn mismatched_mark(window: &Window<'_>, start: usize) -> Option<Span> {
    let name =
        window.short_word(start, REACH, |c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    let at = start + name;
    let opened = window.character_before(start)?;
    let mark = window.character(at).filter(|&mark| name > 0 && quote::is_mark(mark))?;
    let closes = || {
        quote::opening(window, start - opened.len_utf8())
            .is_none_or(|opening| opening.style.closes(window, at).is_some())
    };
    let span = Span::new(at, at + mark.len_utf8());
    let colon = || window.byte(window.skip_space(span.end)) == Some(b':');
    (quote::is_mark(opened) && !closes() && colon()).then_some(span)
}

/// Returns the colon and the quote behind the name at `start`, the content of a key whose colon is
/// inside of it: white space and a value follow, as in `"a:" 1`.
pub(crate) fn inner_colon(window: &Window<'_>, start: usize) -> Option<Span> {
    let name = window.word(start, |c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    let end = start + name;
    let after = end + 2;
    let value = window.skip_space(after);
    (name > 0
        && window.starts_with(end, b":\"")
        && window.character_before(start) == Some('"')
        && value > after
        && window.byte(value).is_some_and(starts_value))
    .then_some(Span::new(end, after))
}

/// Returns the end of the name at `start`, the content of a key without an end mark: a colon and a
/// value follow, and no quote comes before another colon, as in `"a: 1`.
pub(crate) fn unmarked_name(window: &Window<'_>, start: usize) -> Option<usize> {
    let name = window.word(start, |c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    let end = start + name;
    if name == 0 || window.byte(end) != Some(b':') {
        return None;
    }
    let value = window.skip_space(end + 1);
    let line = window.line_after(end, LINE_REACH);
    let closed = line.find('"').is_some_and(|at| {
        line.get(at + 1..).is_some_and(|after| after.trim_start().starts_with(':'))
    });
    let is_value = window.byte(value).is_some_and(starts_value) || window.starts_with(value, b"'");
    (is_value && !closed).then_some(end)
}

/// Returns the end of the name at `at`, the content of a key without an opening quote: its closing
/// quote, a colon and a value follow, as in `a": 1`.
pub(crate) fn closed_name(window: &Window<'_>, at: usize) -> Option<usize> {
    let name =
        window.short_word(at, REACH, |c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    let end = at + name;
    let sign = window.skip_space(end + 1);
    let value = window.skip_space(sign + 1);
    (name > 0
        && window.byte(end) == Some(b'"')
        && window.byte(sign) == Some(b':')
        && is_strict_value(window, value))
    .then_some(end)
}

/// Returns the position of the colon after the unquoted key at `at`, if there is one.
pub(crate) fn bare_key(window: &Window<'_>, at: usize) -> Option<usize> {
    let first = window.character(at)?;
    if !(first.is_alphanumeric() || matches!(first, '_' | '$' | '@')) {
        return None;
    }
    let length = window.short_word(at, BARE_REACH, |c| {
        c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '-' | '.' | ' ')
    });
    // In `std::fmt`, a name follows.
    let value = |byte: u8| matches!(byte, b' ' | b'"' | b'[' | b'{' | b'-' | b'0'..=b'9');
    let sound = match colon(window, at + length)? {
        2 => {
            let next = at + length + 2;
            let literal = |word: &&str| window.starts_with(next, word.as_bytes());
            window.byte(next).is_some_and(value) || ["true", "false", "null"].iter().any(literal)
        }
        _ => !window.starts_with(at + length, b"://") && !is_time(window, at, at + length),
    };
    sound.then_some(at + length)
}

/// Returns whether a name and a time alone on their line are at `at`, with a colon at `colon`, as a
/// chat shows them above a message: `Ana Weiss  11:20`.
fn is_time(window: &Window<'_>, at: usize, colon: usize) -> bool {
    let name = window.slice(Span::new(at, colon));
    let hour = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let minutes = window.line_after(colon + 1, LINE_REACH).trim_end();
    matches!(hour, 1 | 2)
        && name.get(..name.len() - hour).is_some_and(|name| name.trim().len() < name.len())
        && minutes.len() == 2
        && minutes.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the position of the colon after an unquoted key with brackets or other marks at `at`:
/// `price (EUR): 5`, `tags[0]: 5`, `-1: 5`. Only a value whose keys are unquoted contains such keys.
pub(crate) fn odd_name(window: &Window<'_>, at: usize) -> Option<usize> {
    let line = window.line_after(at, REACH);
    let mut open = 0_usize;
    let length = line.char_indices().find_map(|(at, c)| match c {
        '(' | '[' | '{' => {
            open += 1;
            None
        }
        ')' | ']' | '}' if open == 0 => Some(None),
        ')' | ']' | '}' => {
            open -= 1;
            None
        }
        '"' | '`' | '\\' | ';' | '<' | '>' => Some(None),
        // In a tuple.
        ',' | '\'' if open == 0 => Some(None),
        ':' if open == 0 => Some(line.get(at + 1..)?.starts_with(' ').then_some(at)),
        _ => None,
    })??;
    let name = line.get(..length)?.trim_end();
    let sound = if name.starts_with(['(', '[', '{']) {
        // One item in parentheses is an enumeration.
        name.starts_with('(') && name.ends_with(')') && name.contains(',')
    } else {
        name.contains(char::is_alphanumeric)
    };
    (sound && name.split(' ').count() <= 5).then_some(at + length)
}

/// Returns the position of the colon after a key as of [`odd_name`] at `at`, if a value in strict
/// notation follows, so that no earlier key has to show that keys are unquoted.
pub(crate) fn odd_member(window: &Window<'_>, at: usize) -> Option<usize> {
    odd_name(window, at).filter(|&colon| is_strict_value(window, window.skip_space(colon + 1)))
}

/// Returns the position of the colon after a key like `#text` at `at`, if a value and the next
/// member or the end of the object follow on the same line, which is therefore no comment.
pub(crate) fn hash_name(window: &Window<'_>, at: usize) -> Option<usize> {
    window.character(at + 1).filter(|c| c.is_alphabetic())?;
    let colon = odd_member(window, at)?;
    let line = window.line_after(colon, LINE_REACH).trim_end();
    (line.ends_with([',', '}']) || line.contains(", ")).then_some(colon)
}

/// Returns whether a value in strict notation, or a quoted one, starts at `at`.
fn is_strict_value(window: &Window<'_>, at: usize) -> bool {
    let literal = |word: &&str| window.starts_with(at, word.as_bytes());
    window.byte(at).is_some_and(|byte| matches!(byte, b'{' | b'[' | b'-' | b'0'..=b'9'))
        || quote::opening(window, at).is_some()
        || ["true", "false", "null", "True", "False", "None"].iter().any(literal)
}

/// Returns whether `text` may be a key.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() < REACH && !text.contains(['\n', '{', '[', ':', ','])
}

#[cfg(test)]
mod tests {
    use super::{
        bare_key, closed_name, hash_name, mismatched_mark, odd_name, odd_separator, opens_key,
        opens_pair, prefixed_key, unmarked_name,
    };
    use crate::{
        Span,
        parser::{Window, quote},
    };

    #[test]
    fn key_openings() {
        for (text, expected) in [
            ("\"a\": 1", true),
            ("'a b' : 1", true),
            ("\"a”: 1", true),
            ("\\\"a\\\": 1", true),
            ("\"a\">1", true),
            ("\"a\", 1", false),
            ("\"say \\\"a\\\": b\"", false),
            ("a: 1", false),
            (":a => 1", true),
            (":a=>1", true),
            (":a, 1", false),
            ("[\"a\"] = 1", true),
        ] {
            assert_eq!(opens_key(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn signs_for_a_comma() {
        for (text, expected) in [
            ("| \"b\": 2", Some(1)),
            ("|| \"b\": \"x\"", Some(2)),
            (". 'b' : [1]", Some(1)),
            ("• \"b\": true", Some(3)),
            (".\"b\": 2", None),
            ("| \"b\"", None),
            ("| b: 2", None),
            ("+ \"b\": 2", None),
            ("| \"b\": no", None),
        ] {
            assert_eq!(odd_separator(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn names_before_a_value() {
        for (text, expected) in [
            ("\"a\" 1", true),
            ("\"a\" \"b\"", true),
            ("'a' true", true),
            ("\"a\" [1]", true),
            ("\"a\"1", false),
            ("\"a\" tree", false),
            ("\"a b\" 1", false),
            ("\"a\": 1", false),
            ("\"a\", 1", false),
            ("a 1", false),
        ] {
            assert_eq!(opens_pair(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn keys_closed_by_another_mark() {
        for (text, expected) in [
            ("\"a”: 1", Some(Span::new(2, 5))),
            ("'a\" : 1", Some(Span::new(2, 3))),
            ("\"a\": 1", None),
            ("“a\": 1", None),
            ("\"a b”: 1", None),
            ("\"a”, 1", None),
            ("\"”: 1", None),
        ] {
            let window = Window::whole(text);
            let start = quote::opening(&window, 0).expect(text).open;
            assert_eq!(mismatched_mark(&window, start), expected, "{text}");
        }
    }

    #[test]
    fn keys_with_a_prefix() {
        for (text, expected) in [
            ("b'a': 1", Some(1)),
            ("rb\"a\": 1", Some(2)),
            ("b'a', 1", None),
            ("'a': 1", None),
            ("x'a': 1", None),
        ] {
            assert_eq!(prefixed_key(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn names_without_an_opening_mark() {
        for (text, expected) in [
            ("a\": 1", Some(1)),
            ("start_at\" : \"x\"", Some(8)),
            ("a\": [", Some(1)),
            ("a\": b", None),
            ("a b\": 1", None),
            ("a\", 1", None),
            ("\"a\": 1", None),
            ("\": 1", None),
        ] {
            assert_eq!(closed_name(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn names_without_an_end_mark() {
        for (text, expected) in [
            ("a: 1}", Some(1)),
            ("a: 'x'}", Some(1)),
            ("a-b:{}", Some(3)),
            ("a: \"x\", \"b\": 1}", Some(1)),
            ("a: 1\": 2}", None),
            ("a: x}", None),
            ("a b: 1}", None),
            ("a\": 1}", None),
            (": 1}", None),
        ] {
            assert_eq!(unmarked_name(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn keys_with_marks() {
        for (text, expected) in [
            ("price (EUR): 5", Some(11)),
            ("diploma №: 7", Some(11)),
            ("/users: {}", Some(6)),
            ("one, two: 3", None),
            ("(1): 3", None),
            ("[1]: 3", None),
            ("(1, 2): 3", Some(6)),
            ("('a', 'b'): 3", Some(10)),
            ("a.b[0]: 3", Some(6)),
            ("/users/{id}: {}", Some(11)),
            ("#text: 3", Some(5)),
            ("-1: 3", Some(2)),
            ("Is it open?: true", Some(11)),
            ("a}: 3", None),
            ("a:3: 3", None),
            ("it's: 3", None),
            ("&quot;a&quot;: 3", None),
            ("a \"b\": 3", None),
            ("one of the things that follow: 3", None),
        ] {
            assert_eq!(odd_name(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn keys_with_a_hash() {
        for (text, expected) in [
            ("#text: \"hi\", a: 1}", Some(5)),
            ("#text: 1}", Some(5)),
            ("#text: 1", None),
            ("#text: see a, b}", None),
            ("# text: 1}", None),
        ] {
            assert_eq!(hash_name(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn keys_without_quotes() {
        for (text, expected) in [
            ("a: 1", Some(1)),
            ("$ref: 1", Some(4)),
            ("first name: x", Some(10)),
            ("a.b-c_d:1", Some(7)),
            ("é: 1", Some(2)),
            ("a :1", Some(2)),
            ("a, b: 1", None),
            ("std::fmt", None),
            ("a:: 1", Some(1)),
            ("年：1", Some(3)),
            ("https://x.y", None),
            ("-a: 1", None),
            ("\"a\": 1", None),
            ("a", None),
        ] {
            assert_eq!(bare_key(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
