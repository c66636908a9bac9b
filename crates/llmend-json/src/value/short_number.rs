//! Numbers of few digits.

/// Number of digits that always fit an `i64`.
const SHORT: usize = 18;

/// Powers of ten that are exact as floats.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Integers up to this one are exact as floats.
const EXACT: i64 = 1 << 53;

/// A number that was short.
pub(crate) enum Short {
    Integer(i64),
    Float(f64),
}

/// Parses numbers of few digits without an exponent, the most frequent ones, in a single pass.
/// Returns `None` for others, and for minus zero.
#[inline]
pub(crate) fn short(text: &[u8]) -> Option<Short> {
    let (negative, text) = match text {
        [b'-', text @ ..] => (true, text),
        text => (false, text),
    };
    if text.len() > SHORT {
        return None;
    }
    let mut sum = 0_i64;
    let mut point = None;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => sum = sum * 10 + i64::from(byte - b'0'),
            b'.' => point = Some(at),
            _ => return None,
        }
    }
    let Some(point) = point else {
        // Only a float can represent minus zero.
        return (!negative || sum != 0).then_some(Short::Integer(if negative {
            -sum
        } else {
            sum
        }));
    };
    // Both operands are exact, so the quotient is correctly rounded.
    #[expect(clippy::cast_precision_loss, reason = "it is below 2^53")]
    let quotient = (sum < EXACT).then_some(sum as f64)? / POWERS.get(text.len() - point - 1)?;
    Some(Short::Float(if negative { -quotient } else { quotient }))
}

/// Parses a number in JSON notation as a float.
#[inline]
pub(crate) fn float(digits: &str) -> Option<f64> {
    match short(digits.as_bytes()) {
        #[expect(clippy::cast_precision_loss, reason = "rounded as by parsing")]
        Some(Short::Integer(number)) => Some(number as f64),
        Some(Short::Float(number)) => Some(number),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn short_floats_are_what_parsing_gives() {
        let short = "0 -0 -0.0 7 -7 0.5 -0.5 1.50 0.1 9007199254740991.5 900719925474099.25 0.0000000000000001";
        let whole = "9007199254740991 9007199254740993 123456789012345678 -123456789012345678";
        let long = "9007199254740993.0 18446744073709551616 1e3 1e-400";
        for digits in [short, whole, long].iter().flat_map(|all| all.split(' ')) {
            let parsed: f64 = digits.parse().expect("a number");
            assert_eq!(float(digits).map(f64::to_bits), Some(parsed.to_bits()), "{digits}");
        }
    }
}
