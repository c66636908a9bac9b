//! Detection of lists of keys and values: brackets or parentheses that are an object.

use crate::{
    judge::key::{REACH, is_strict_value},
    parser::{Window, quote},
};

/// How far another arrow is searched for, in bytes.
const LIST_REACH: usize = 400;

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
    use super::{has_argument, has_arrow};
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
