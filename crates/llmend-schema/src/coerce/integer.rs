//! Coercion to integers.

use llmend_json::Decimal;

use crate::Units;
use crate::coerce::conversion::{Conversion, Refusal, Scalar};
use crate::coerce::number;

/// Reads a text as an integer.
pub(crate) fn read(text: &str, units: Units) -> Result<Conversion, Refusal> {
    let conversion = number::read(text, units)?;
    let Scalar::Number(digits) = &conversion.to else { return Ok(conversion) };
    whole(digits).map(|digits| Conversion::new(Scalar::Number(digits), conversion.kind))
}

/// Writes a number without a fraction as an integer.
pub(crate) fn whole(digits: &str) -> Result<String, Refusal> {
    Decimal::parse(digits)
        .and_then(|number| number.to_integer_string())
        .ok_or_else(|| Refusal::new("write a whole number: fractions are not rounded"))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::Units;
    use crate::coerce::conversion::Scalar;

    #[test]
    fn integers_are_read_and_fractions_are_not() {
        for (text, expected) in [
            ("42", Some("42")),
            ("42.0", Some("42")),
            ("1,234", Some("1234")),
            (" 7 ", Some("7")),
            ("**7**", Some("7")),
            ("1e3", Some("1000")),
            ("-0", Some("0")),
            ("9007199254740993.0", Some("9007199254740993")),
            ("3.7", None),
            ("3,14", None),
            ("12 apples", None),
            ("1/2", None),
            ("100 * 2", None),
            ("1e-3", None),
            ("1e999999", None),
        ] {
            let read = read(text, Units::Refuse).ok().map(|conversion| conversion.to);
            assert_eq!(read, expected.map(|digits| Scalar::Number(digits.to_owned())), "{text}");
        }
    }
}
