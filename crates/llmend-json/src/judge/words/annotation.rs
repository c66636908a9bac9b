//! Annotations after a string: notes in parentheses, footnote marks, citations.

use crate::{
    judge::key::opens_key,
    parser::{Spacing, Window, trivia},
};

/// Longest annotation, in bytes.
const REACH: usize = 120;
/// Maximum number of words of a remark.
const WORDS: usize = 6;
/// Types after `as`.
const TYPES: &[&str] = &["string", "number", "boolean", "integer", "str", "const", "any"];

/// Returns the end of the annotations at `at`, after a value that ends at `last`, if the container
/// continues or ends after them. `usize::MAX` stands for a number, whose signs may be operators.
pub(crate) fn end(window: &Window<'_>, last: usize, at: usize) -> Option<usize> {
    let string = last != usize::MAX
        && window.character_before(last).is_some_and(crate::parser::quote::is_mark);
    let mut end = at;
    while let Some(length) = one(window, end, end == last, string) {
        end += length;
        let next = trivia::skip(window, end, Spacing::Plain);
        match window.character(next)? {
            ',' | '}' | ']' | ')' | '，' | '｝' => return Some(end),
            _ if opens_key(window, next) => return Some(end),
            _ => end = next,
        }
    }
    None
}

/// Returns the end of the words at `at`, after a string in an object, if the next member or a closing
/// bracket follows them: `"Bern" I think, "b": 1`. Words that are operators are none.
pub(crate) fn words(window: &Window<'_>, at: usize) -> Option<usize> {
    let line = window.line_after(at, REACH);
    let length = line.find([',', '}', ']', '"', '\'', '{', '[', '(', ':', '\\'])?;
    let words = line.get(..length)?.trim_end();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | '!' | '?');
    let few = (1..=WORDS).contains(&words.split(' ').count());
    let first = words.split(' ').next().unwrap_or_default();
    if !words.starts_with(char::is_alphabetic)
        || !few
        || !words.chars().all(plain)
        || matches!(first, "or" | "and" | "if" | "in" | "is")
    {
        return None;
    }
    let next = at + length;
    let sound = match window.byte(next)? {
        b',' => opens_key(window, window.skip_space(next + 1)),
        b'}' => true,
        _ => false,
    };
    sound.then_some(at + words.len())
}

/// Returns the length of the annotation at `at`. Marks that could be operators or punctuation of
/// their own must directly follow the value, or follow a string.
fn one(window: &Window<'_>, at: usize, touches: bool, string: bool) -> Option<usize> {
    let line = window.line_after(at, REACH);
    let enclosed = |open: char, close: char| {
        let inside = line.strip_prefix(open)?;
        let length = inside.find(close)?;
        let sound = inside.get(..length)?.chars().all(|c| !r#""({[\"#.contains(c));
        (sound && inside.get(..length)?.contains(char::is_alphanumeric))
            .then_some(open.len_utf8() + length + close.len_utf8())
    };
    match line.chars().next()? {
        '(' => enclosed('(', ')'),
        '[' => enclosed('[', ']').filter(|_| line.get(1..2).is_some_and(is_digit)),
        '【' => enclosed('【', '】'),
        mark if is_picture(mark) => {
            let rest = line.trim_start_matches(|c| is_picture(c) || c == '\u{fe0f}');
            Some(line.len() - rest.len())
        }
        mark @ ('†' | '‡' | '§' | '¹' | '²' | '³') => Some(mark.len_utf8()),
        '*' if touches => Some(line.bytes().take_while(|&byte| byte == b'*').count()),
        '.' if touches && !line.starts_with("..") => Some(1),
        // In TypeScript, `!` says that a value is not null.
        '!' | '?' if touches => Some(1),
        '-' if string && !touches && line.starts_with("- ") => {
            let words = line.get(1..)?.trim_start();
            let length = remark(line);
            let sound = line.get(..length)?.chars().all(|c| !"(+*/=\'".contains(c));
            (words.starts_with(char::is_alphabetic) && sound).then_some(length)
        }
        '←' => Some(remark(line)),
        dash @ ('–' | '—') if !touches => {
            let words = line.get(dash.len_utf8()..)?.trim_start();
            words.starts_with(char::is_alphabetic).then(|| remark(line))
        }
        '<' if line.starts_with("<-") && !line.starts_with("<--") => Some(remark(line)),
        'a' if !touches => {
            let word = line.strip_prefix("as ")?;
            TYPES.iter().find(|name| word.starts_with(**name)).map(|name| 3 + name.len())
        }
        _ => None,
    }
}

/// Returns whether `character` is a picture, such as a check mark or a star.
pub(crate) const fn is_picture(character: char) -> bool {
    matches!(character, '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f300}'..='\u{1faff}')
}

/// Returns the length of the words up to the next mark of structure.
fn remark(line: &str) -> usize {
    line.find([',', '}', ']', '"', '{', '[']).unwrap_or(line.len())
}

fn is_digit(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{end, words};
    use crate::parser::Window;

    #[test]
    fn words_after_a_string() {
        for (text, expected) in [
            ("I think, \"b\": 1", Some(7)),
            ("obviously }", Some(9)),
            ("not Sydney, \"b\": 1", Some(10)),
            ("or so, \"b\": 1", None),
            ("think, b", None),
            ("think \"b\": 1", None),
            ("5 km, \"b\": 1", None),
            ("one two three four five six seven, \"b\": 1", None),
            ("f(x)}", None),
            ("bowl'}", None),
            ("think", None),
        ] {
            assert_eq!(words(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn dashes_after_a_string() {
        for (text, expected) in [
            ("\"a\" - first, \"b\"", Some(11)),
            ("\"a\" - first}", Some(11)),
            ("\"a\" - f(x)}", None),
            ("\"a\" -first}", None),
            ("\"a\" - 1}", None),
            ("1 - x}", None),
        ] {
            let last = text.find(" - ").or(text.find(" -")).unwrap();
            assert_eq!(end(&Window::whole(text), last, last + 1), expected, "{text}");
        }
    }

    #[test]
    fn annotations_before_structure() {
        for (text, last, expected) in [
            ("(see note), \"b\": 1", 0, Some(10)),
            (" (maybe)}", 0, Some(8)),
            ("(1)]", 0, Some(3)),
            (" ✅, \"b\": 1", 0, Some(4)),
            (" ⚠\u{fe0f}}", 0, Some(7)),
            ("✅ done}", 0, None),
            ("(maybe) and", 0, None),
            ("(a \"b\")}", 0, None),
            ("()}", 0, None),
            (".}", 0, Some(1)),
            ("., \"b\"", 0, Some(1)),
            ("...]", 0, None),
            (". And", 0, None),
            (" .}", 0, None),
            ("*, \"b\": 1", 0, Some(1)),
            ("***]", 0, Some(3)),
            ("!}", 0, Some(1)),
            (" !}", 0, None),
            ("†, \"b\": 1", 0, Some(3)),
            (" [2][3], \"b\": 1", 0, Some(7)),
            (" [x], \"b\": 1", 0, None),
            ("【4†source】}", 0, Some(16)),
            (" as string, \"b\": 1", 0, Some(10)),
            (" as it is}", 0, None),
            (" ← as rated, \"b\": 1", 0, Some(13)),
            (" <- was 3}", 0, Some(9)),
            (" – by phone}", 0, Some(13)),
            (" – 5}", 0, None),
            (" <-- x}", 0, None),
            ("maybe}", 0, None),
        ] {
            let at = text.len() - text.trim_start().len();
            assert_eq!(end(&Window::whole(text), last, at), expected, "{text}");
        }
    }
}
