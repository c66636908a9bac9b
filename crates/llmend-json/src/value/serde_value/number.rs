//! Conversion of numbers to `serde_json`.

use serde_json::Number;

use crate::value::short_number::{Short, short};

/// Converts a number in JSON notation to the nearest `serde_json` number; `None` if it is out of
/// range.
///
/// The result is that of `serde_json::from_str`, except that floats with many digits are always
/// rounded correctly, which `serde_json` does only under a feature.
#[inline]
pub(crate) fn number(digits: &str) -> Option<Number> {
    match short(digits.as_bytes()) {
        Some(Short::Integer(number)) => Some(Number::from(number)),
        Some(Short::Float(number)) => Number::from_f64(number),
        None => long(digits),
    }
}

/// Parses numbers of any form.
#[inline(never)]
fn long(digits: &str) -> Option<Number> {
    let integer = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if integer && digits != "-0" {
        if let Ok(number) = digits.parse::<u64>() {
            return Some(number.into());
        }
        if let Ok(number) = digits.parse::<i64>() {
            return Some(number.into());
        }
    }
    digits.parse().ok().and_then(Number::from_f64)
}

/// Returns whether `number` differs from `digits` by more than the rounding of a fraction: in its
/// integer part, or because it is missing or became zero.
#[cold]
pub(crate) fn is_another(number: Option<&Number>, digits: &str) -> bool {
    let Some(kept) = number.and_then(Number::as_f64) else { return true };
    if let Some((mantissa, _)) = digits.split_once(['e', 'E']) {
        return kept == 0.0 && mantissa.contains(|it| matches!(it, '1'..='9'));
    }
    let whole = digits.split_once('.').map_or(digits, |(whole, _)| whole);
    format!("{:.0}", kept.trunc()) != whole
}

#[cfg(test)]
mod tests {
    use super::{is_another, number};

    #[test]
    fn a_number_is_another_one_if_more_than_the_end_of_a_fraction_is_lost() {
        for (digits, expected) in [
            ("1.50", false),
            ("-0", false),
            ("-0.5", false),
            ("0.12345678901234567890", false),
            ("1e30", false),
            ("0.0e-400", false),
            ("18446744073709551616", false),
            ("18446744073709551617", true),
            ("-9223372036854775809", true),
            ("9007199254740993.0", true),
            ("0.99999999999999999999", true),
            ("1e400", true),
            ("1e-400", true),
        ] {
            assert_eq!(is_another(number(digits).as_ref(), digits), expected, "{digits}");
        }
    }

    #[test]
    fn short_numbers_are_what_long_ones_are() {
        for digits in [
            "0",
            "-0",
            "7",
            "-7",
            "0.5",
            "-0.5",
            "-0.0",
            "0.0",
            "1.50",
            "123456789012345678",
            "-123456789012345678",
            "1234567890123456789",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
            "-9223372036854775808",
            "-9223372036854775809",
            "18446744073709551616",
            "0.1",
            "0.30000000000000004",
            "9007199254740993.0",
            "9007199254740991.5",
            "900719925474099.25",
            "0.0000000000000001",
            "1e3",
            "-1E-3",
            "1e-400",
            "2.2250738585072014e-308",
            "5e-324",
        ] {
            let found = number(digits).expect(digits);
            match digits.parse::<i128>() {
                Ok(integer)
                    if digits != "-0"
                        && (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&integer) =>
                {
                    assert_eq!(found.as_i128(), Some(integer), "{digits}");
                }
                _ => {
                    let float: f64 = digits.parse().expect(digits);
                    assert_eq!(found.as_f64().map(f64::to_bits), Some(float.to_bits()), "{digits}");
                    assert!(found.is_f64(), "{digits}");
                }
            }
        }
    }

    #[test]
    fn numbers_beyond_floats_are_none() {
        for digits in ["1e400", "-1e400", &"9".repeat(400)] {
            assert_eq!(number(digits), None, "{digits}");
        }
    }
}
