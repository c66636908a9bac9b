//! Unquoted scalars of YAML, by the core schema of YAML 1.2.

use std::borrow::Cow;

/// The meaning of an unquoted scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plain<'t> {
    Null,
    Bool(bool),
    /// A number, in the notation of JSON.
    Number(Cow<'t, str>),
    /// `.inf` or `.nan`, for which JSON has no number.
    NotANumber,
    Text,
}

/// Returns the meaning of the unquoted scalar `text`. What YAML 1.1 has besides, such as `yes`, octal
/// numbers and dates, is text or a decimal number.
pub(super) fn plain(text: &str) -> Plain<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Null,
        "true" | "True" | "TRUE" => return Plain::Bool(true),
        "false" | "False" | "FALSE" => return Plain::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Plain::NotANumber,
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Plain::NotANumber;
    }
    if let Some((digits, radix)) =
        text.strip_prefix("0x").map(|rest| (rest, 16)).or(text.strip_prefix("0o").map(|r| (r, 8)))
    {
        let number = u128::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'));
        return number.map_or(Plain::Text, |number| Plain::Number(number.to_string().into()));
    }
    decimal(text, unsigned).map_or(Plain::Text, Plain::Number)
}

/// Returns a decimal number in the notation of JSON. `unsigned` is `text` without its sign.
fn decimal<'t>(text: &'t str, unsigned: &'t str) -> Option<Cow<'t, str>> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = unsigned.split_at(digits(unsigned));
    let point = rest.strip_prefix('.');
    let (fraction, rest) = point.map_or(("", rest), |rest| rest.split_at(digits(rest)));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || digits(exponent) < exponent.len() {
            return None;
        }
    } else if !rest.is_empty() {
        return None;
    }
    let short = whole.trim_start_matches('0');
    let canonical = !whole.is_empty()
        && (whole == "0" || whole == short)
        && (point.is_none() || !fraction.is_empty());
    if canonical && !text.starts_with('+') {
        return Some(Cow::Borrowed(text));
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let whole = if short.is_empty() { "0" } else { short };
    let fraction = match point {
        None => String::new(),
        Some(_) => format!(".{}", if fraction.is_empty() { "0" } else { fraction }),
    };
    Some(Cow::Owned(format!("{sign}{whole}{fraction}{rest}")))
}

#[cfg(test)]
mod tests {
    use super::{Plain, plain};

    #[test]
    fn numbers_are_those_of_the_core_schema() {
        for (text, expected) in [
            ("0", "0"),
            ("-12", "-12"),
            ("+12", "12"),
            ("012", "12"),
            ("-007", "-7"),
            ("00", "0"),
            ("1.10", "1.10"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("5.", "5.0"),
            ("1e3", "1e3"),
            ("1.5E-3", "1.5E-3"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ] {
            assert_eq!(plain(text), Plain::Number(expected.into()), "{text}");
        }
    }

    #[test]
    fn other_scalars() {
        for (texts, expected) in [
            (&["", "~", "null", "Null", "NULL"][..], Plain::Null),
            (&["true", "True", "TRUE"], Plain::Bool(true)),
            (&["false"], Plain::Bool(false)),
            (&[".inf", "-.inf", "+.Inf", ".nan"], Plain::NotANumber),
            (
                &[
                    "yes",
                    "no",
                    "on",
                    "off",
                    "y",
                    "2024-01-02",
                    "12:30",
                    "1.2.3",
                    "1_000",
                    "0x",
                    "0xG",
                    "0x+1",
                    "0o8",
                    "1e",
                    "e3",
                    ".",
                    "-",
                    "+",
                    "1,000",
                    "12kg",
                    "nULL",
                    "tRue",
                    "NaN",
                    "٣",
                ],
                Plain::Text,
            ),
        ] {
            for text in texts {
                assert_eq!(plain(text), expected, "{text}");
            }
        }
    }
}
