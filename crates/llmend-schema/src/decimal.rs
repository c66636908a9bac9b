//! Which number do these digits say, exactly?

use std::cmp::Ordering;

/// A number as JSON writes it, without rounding: the digits, and how many places the point stands
/// to their right.
///
/// Invariant: no zeros at either end of the digits; zero has none, no sign and no exponent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// Most digits that a number is written out with.
const MOST_DIGITS: i64 = 400;

impl Decimal {
    /// Reads the text of a JSON number.
    pub(crate) fn read(text: &str) -> Option<Self> {
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
        // A power that no i64 holds is as good as endless.
        let size = size.parse::<i64>().unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
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

    /// Whether there is no fraction.
    pub(crate) const fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The digits of an integer, without a point or a power of ten; nothing if it is no integer,
    /// or one of more than 400 digits.
    pub(crate) fn integer_text(&self) -> Option<String> {
        if !self.is_integer() || self.exponent > MOST_DIGITS {
            return None;
        }
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let zeros = usize::try_from(self.exponent).ok()?;
        let sign = if self.negative { "-" } else { "" };
        Some(format!("{sign}{}{}", self.digits, "0".repeat(zeros)))
    }

    /// Whether it is a whole number of times `unit`, which has at most nineteen digits; nothing is
    /// a multiple of zero, or of a number with more digits.
    pub(crate) fn is_multiple_of(&self, unit: &Self) -> bool {
        if self.digits.is_empty() {
            return true;
        }
        let Ok(divisor @ 1..) = unit.digits.parse::<u64>() else { return false };
        // There are no zeros at the end of the digits, so that no power of ten divides them.
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

    /// Writes a text that only equal numbers share.
    pub(crate) fn write_canonical(&self, out: &mut String) {
        if self.negative {
            out.push('-');
        }
        out.push_str(&self.digits);
        out.push('e');
        out.push_str(&self.exponent.to_string());
    }

    /// Place of the first digit: 0 of a number below ten, 1 below a hundred.
    fn magnitude(&self) -> i64 {
        self.exponent + i64::try_from(self.digits.len()).unwrap_or(i64::MAX / 4) - 1
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
        // Digits of numbers of one magnitude compare as texts: the first one that differs decides,
        // and one that ends first has only zeros to come.
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
    fn numbers_are_read_as_json_writes_them() {
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
            let number = Decimal::read(text).unwrap();
            assert_eq!(number.integer_text().as_deref(), integer, "{text}");
        }
        for text in ["", "-", "1.", ".5", "01", "+1", "1e", "1e+", "0x1F", "1_000", "NaN", "1 "] {
            assert_eq!(Decimal::read(text), None, "{text}");
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
            let (a, b) = (Decimal::read(less).unwrap(), Decimal::read(more).unwrap());
            assert_eq!(a.cmp(&b), Ordering::Less, "{less} {more}");
            assert_eq!(b.cmp(&a), Ordering::Greater, "{less} {more}");
        }
        assert_eq!(Decimal::read("1.50e2"), Decimal::read("150"));
    }
}
