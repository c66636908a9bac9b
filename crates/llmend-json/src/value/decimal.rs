//! Exact decimal numbers.

use std::cmp::Ordering;
use std::fmt;

/// A JSON number of any size and precision, compared by its exact value.
///
/// ```
/// use llmend_json::Decimal;
///
/// let parse = |text| Decimal::parse(text).expect("a JSON number");
/// assert_eq!(parse("1.50"), parse("15e-1"));
/// assert!(parse("9007199254740992") < parse("9007199254740993"));
/// assert_eq!(Decimal::parse("01"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    // Invariant: the value is `digits` times ten to the power `exponent`; `digits` neither begins
    // nor ends with a zero. Zero has no digits, no sign and the exponent 0.
    negative: bool,
    digits: String,
    exponent: i64,
}

/// Largest number of digits that `to_integer_string` writes.
const MAX_DIGITS: i64 = 400;

/// Largest power of ten that is kept; sums with the length of a text cannot overflow.
const MAX_POWER: i64 = i64::MAX / 4;

impl Decimal {
    /// Parses a number in JSON's notation; `None` if `text` is anything else.
    ///
    /// The sign of zero is dropped, and powers of ten beyond ±2⁶¹ are clamped: see
    /// [`is_exact`](Self::is_exact).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        if mantissa.ends_with('.') || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        let power = power.strip_prefix('+').unwrap_or(power);
        let (sign, size) = power.strip_prefix('-').map_or((1, power), |size| (-1, size));
        if size.is_empty() || !all_digits(size) {
            return None;
        }
        let size = size.parse::<i64>().unwrap_or(MAX_POWER).min(MAX_POWER);
        let fraction_length = i64::try_from(fraction.len()).ok()?;
        let joined = format!("{whole}{fraction}");
        let digits = joined.trim_start_matches('0');
        let kept = digits.trim_end_matches('0');
        if kept.is_empty() {
            return Some(Self { negative: false, digits: String::new(), exponent: 0 });
        }
        let trimmed = i64::try_from(digits.len() - kept.len()).ok()?;
        let exponent = sign * size - fraction_length + trimmed;
        Some(Self { negative, digits: kept.to_owned(), exponent })
    }

    /// Returns whether the power of ten was small enough to be kept. Numbers that are not exact
    /// may compare as equal although they differ.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        self.exponent.unsigned_abs() < MAX_POWER.unsigned_abs() / 2
    }

    /// Returns whether the number has no fraction: `3.0` and `1e3` are integers.
    #[must_use]
    pub const fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Returns the digits of an integer, without a point or an exponent; `None` for a fraction, or
    /// if the exponent is above 400.
    #[must_use]
    pub fn to_integer_string(&self) -> Option<String> {
        if !self.is_integer() || self.exponent > MAX_DIGITS {
            return None;
        }
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let zeros = usize::try_from(self.exponent).ok()?;
        let sign = if self.negative { "-" } else { "" };
        Some(format!("{sign}{}{}", self.digits, "0".repeat(zeros)))
    }

    /// Returns whether the number is a whole multiple of `unit`. Always false for a non-zero number
    /// if `unit` is zero or has more than 19 significant digits.
    #[must_use]
    pub fn is_multiple_of(&self, unit: &Self) -> bool {
        if self.digits.is_empty() {
            return true;
        }
        let Ok(divisor @ 1..) = unit.digits.parse::<u64>() else { return false };
        // The digits end in no zero, so a smaller exponent is never a multiple.
        let Ok(shift) = u64::try_from(self.exponent - unit.exponent) else { return false };
        let divisor = u128::from(divisor);
        let read = |rest: u128, digit: u8| (rest * 10 + u128::from(digit - b'0')) % divisor;
        let mut rest = self.digits.bytes().fold(0, read);
        let (mut power, mut left) = (10 % divisor, shift);
        while left > 0 {
            if left & 1 == 1 {
                rest = rest * power % divisor;
            }
            power = power * power % divisor;
            left >>= 1;
        }
        rest == 0
    }

    /// Returns the power of ten of the first digit: 0 for 1 to 9, 1 for 10 to 99.
    fn magnitude(&self) -> i64 {
        self.exponent + i64::try_from(self.digits.len()).unwrap_or(MAX_POWER) - 1
    }
}

/// Writes the canonical form, such as `15e-1`, which only equal numbers share.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let digits = if self.digits.is_empty() { "0" } else { &self.digits };
        write!(f, "{sign}{digits}e{}", self.exponent)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign.is_ne() || self.digits.is_empty() {
            return by_sign;
        }
        // Digits of numbers of one magnitude compare as texts: the shorter one continues with zeros.
        let by_size = self
            .magnitude()
            .cmp(&other.magnitude())
            .then_with(|| self.digits.as_bytes().cmp(other.digits.as_bytes()));
        if self.negative { by_size.reverse() } else { by_size }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::Decimal;

    #[test]
    fn json_numbers_are_parsed() {
        for (text, integer) in [
            ("0", Some("0")),
            ("-0.0", Some("0")),
            ("42", Some("42")),
            ("42.0", Some("42")),
            ("4.2e1", Some("42")),
            ("1E+3", Some("1000")),
            ("-120e-1", Some("-12")),
            ("12345678901234567890123", Some("12345678901234567890123")),
            ("9007199254740993.0", Some("9007199254740993")),
            ("3.7", None),
            ("1e-1", None),
            ("1e999999999999999999999", None),
        ] {
            let number = Decimal::parse(text).unwrap();
            assert_eq!(number.to_integer_string().as_deref(), integer, "{text}");
        }
        for text in ["", "-", "1.", ".5", "01", "+1", "1e", "1e+", "0x1F", "1_000", "NaN", "1 "] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_compare_exactly() {
        for (less, more) in [
            ("9007199254740992", "9007199254740993"),
            ("-2", "-1.5"),
            ("-1", "0"),
            ("0", "1e-400"),
            ("1e400", "1e401"),
            ("1.5", "15e0"),
            ("0.1", "0.11"),
        ] {
            let (a, b) = (Decimal::parse(less).unwrap(), Decimal::parse(more).unwrap());
            assert_eq!(a.cmp(&b), Ordering::Less, "{less} {more}");
            assert_eq!(b.cmp(&a), Ordering::Greater, "{less} {more}");
        }
        assert_eq!(Decimal::parse("1.50e2"), Decimal::parse("150"));
    }

    #[test]
    fn equal_numbers_share_one_canonical_form() {
        for (text, expected) in
            [("1.50", "15e-1"), ("15e-1", "15e-1"), ("-0.0", "0e0"), ("-1200", "-12e2")]
        {
            assert_eq!(Decimal::parse(text).unwrap().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn only_numbers_with_clamped_powers_are_inexact() {
        for (text, expected) in [
            ("1e400", true),
            ("-0e99999999999999999999", true),
            ("1e1000000000000000000", true),
            ("1e99999999999999999999", false),
            ("1.5e-99999999999999999999", false),
        ] {
            assert_eq!(Decimal::parse(text).unwrap().is_exact(), expected, "{text}");
        }
    }
}
