//! Detection of expressions. They are neither literals nor text, and are never computed.

use crate::{
    Span,
    parser::{Window, quote},
};

/// How much of the text after an `if` is read, in bytes.
const CONDITION_REACH: usize = 80;

/// Returns whether an operator at `at` continues the value that ends at `end`.
pub(crate) fn continues(window: &Window<'_>, end: usize, at: usize) -> bool {
    let sign = window.byte(at).is_some_and(|byte| b"*+-/%".contains(&byte));
    if sign && window.byte(at + 1).is_some_and(|byte| byte == b' ' || byte.is_ascii_digit()) {
        return true;
    }
    let word = window.word(at, |c| !c.is_whitespace());
    let operand = window.skip_space(at + word);
    let known = match window.slice(Span::new(at, at + word)) {
        "if" => window.line_after(operand, CONDITION_REACH).contains(" else "),
        "or" | "and" | "not" | "in" | "is" | "." | "&" | "&&" | "|" | "||" | "??" | "?" | "=="
        | "!=" => quote::opening(window, operand).is_some(),
        _ => false,
    };
    known && window.character_before(end).is_some_and(quote::is_mark)
}

/// Returns the length of the operator at `at` that joins strings: `+`, or that of another language
/// (`.`, `..`, `&`) with another literal after it.
pub(crate) fn joins(window: &Window<'_>, at: usize) -> Option<usize> {
    if window.byte(at) == Some(b'+') {
        return Some(1);
    }
    let length = window.run(at, |byte| matches!(byte, b'.' | b'&'));
    let known = matches!(window.slice(Span::new(at, at + length)), "." | ".." | "&");
    let operand = window.skip_space(at + length);
    (known && operand > at + length && quote::opening(window, operand).is_some()).then_some(length)
}

/// Returns whether `text`, an unquoted value, has an operator between operands.
///
/// Between digits, `-`, `/` and `:` without spaces form dates, ranges, fractions and times. With
/// spaces around it any operator counts, and `*` always does. Words joined by a dash are prose.
pub(crate) fn is_expression(text: &str) -> bool {
    if is_comprehension(text) {
        return true;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut quote = None;
    while let Some(&byte) = bytes.get(at) {
        if quote.is_some() {
            if Some(byte) == quote {
                quote = None;
            }
            at += 1;
            continue;
        }
        match byte {
            b'"' => quote = Some(byte),
            b'*' | b'+' | b'-' | b'/' | b'%' | b'^' if at > 0 => {
                let mut end = at + 1;
                while bytes.get(end) == Some(&byte) && end < at + 2 {
                    end += 1;
                }
                if operates(text, at, end, byte) {
                    return true;
                }
                at = end;
                continue;
            }
            b'=' | b'!' | b'<' | b'>'
                if at > 0
                    && bytes.get(at + 1) == Some(&b'=')
                    && operates(text, at, at + 2, b'=') =>
            {
                return true;
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// Returns whether `text` is the inside of a comprehension: `f(x) for x in y`, with its variable
/// twice.
fn is_comprehension(text: &str) -> bool {
    let Some((item, rest)) = text.split_once(" for ") else { return false };
    let Some((variables, _)) = rest.split_once(" in ") else { return false };
    let name = |c: char| c.is_alphanumeric() || c == '_';
    let mut variables = variables.split(',').map(str::trim);
    variables.clone().all(|variable| !variable.is_empty() && variable.chars().all(name))
        && variables.any(|variable| item.split(|c| !name(c)).any(|word| word == variable))
}

/// Returns whether the operator at `start..end` is between operands.
fn operates(text: &str, start: usize, end: usize, operator: u8) -> bool {
    let left = text.get(..start).unwrap_or_default();
    let right = text.get(end..).unwrap_or_default();
    let (Some(before), Some(after)) =
        (left.trim_end().chars().next_back(), right.trim_start().chars().next())
    else {
        return false;
    };
    let operand_before =
        before.is_alphanumeric() || matches!(before, ')' | ']' | '}' | '_' | '"' | '\'');
    let operand_after = after.is_alphanumeric()
        || matches!(after, '(' | '[' | '{' | '_' | '"' | '\'' | '-' | '$' | '.');
    if !operand_before || !operand_after {
        return false;
    }
    let spaced = left.ends_with(' ') && right.starts_with(' ');
    let number_near = last_word(left).bytes().any(|b| b.is_ascii_digit())
        || first_word(right).bytes().any(|b| b.is_ascii_digit());
    let digits_near = before.is_ascii_digit() && after.is_ascii_digit();
    let single_words = !left.trim().contains(' ') && !right.trim().contains(' ');
    match operator {
        b'*' => !left.trim_end().ends_with('/') || spaced,
        b'=' => spaced,
        b'+' => {
            digits_near
                || (spaced && (number_near || single_words || before == '"' || after == '"'))
        }
        b'%' | b'^' => digits_near || (spaced && (number_near || single_words)),
        _ => spaced && (number_near || single_words || before == ')' || after == '('),
    }
}

fn last_word(text: &str) -> &str {
    text.trim_end().rsplit(' ').next().unwrap_or_default()
}

fn first_word(text: &str) -> &str {
    text.trim_start().split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{continues, is_expression, joins};
    use crate::parser::Window;

    #[test]
    fn expressions() {
        // S1-10: arithmetic is a class of its own, and never evaluated.
        for text in [
            "100 * price",
            "60*60*24",
            "1200 - 450",
            "2*3",
            "100 * 2",
            "a * b",
            "1+2",
            "price + 5",
            "10 % 3",
            "2**8",
            "(1 + 2) / 3",
            "total / 4",
            "x == 1",
            "price * 1.2",
            "\"a\" + b",
            "i for i in range(10)",
            "f(x, 2) for x in items",
            "k for k, v in pairs",
        ] {
            assert!(is_expression(text), "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_expressions() {
        for text in [
            "3-5",
            "2024/05/01",
            "2024-05-01",
            "1/3",
            "10:30",
            "UTC+2",
            "A+",
            "12 kg",
            "45%",
            "-5",
            "+5",
            "src/app/main.rs",
            "$HOME/bin/run --fast",
            "well-known",
            "Kelp basin - still pending today",
            "https://x.y/z?a=1",
            "1.1.1",
            "8/10",
            "Mon-Fri",
            "C++",
            "the end",
            "and/or",
            "wait for help in line",
            "a cup for a day in June",
            "57eeeeb1-450b-482c-81b9-4be77e95dee2",
        ] {
            assert!(!is_expression(text), "{text}");
        }
    }

    #[test]
    fn operators_that_join_strings() {
        for (text, expected) in [
            ("+ x", Some(1)),
            (". \"b\"", Some(1)),
            (".. 'b'", Some(2)),
            ("& \"b\"", Some(1)),
            (". b", None),
            (".\"b\"", None),
            ("... \"b\"", None),
            ("&& \"b\"", None),
            ("* \"b\"", None),
        ] {
            assert_eq!(joins(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn values_continued_by_an_operator() {
        for (text, at, expected) in [
            (r"1 + 2", 2, true),
            (r"1 +2", 2, true),
            (r"1 +x", 2, false),
            (r#""a" * 3"#, 4, true),
            (r#""a" or "b""#, 4, true),
            (r#""a" ?? 'b'"#, 4, true),
            (r#""a" or b"#, 4, false),
            (r#"1 or "b""#, 2, false),
            (r#""a" if x else "b""#, 4, true),
            (r#""a" if only"#, 4, false),
            (r#""a" "b""#, 4, false),
        ] {
            let end = text.get(..at).unwrap_or_default().trim_end().len();
            assert_eq!(continues(&Window::whole(text), end, at), expected, "{text}");
        }
    }
}
