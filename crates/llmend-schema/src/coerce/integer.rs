//! Which integer does a text say?

use llmend_json::Decimal;

use crate::Units;
use crate::coerce::number;
use crate::coerce::reading::{Reading, Refusal, Scalar};

/// Reads a text as an integer.
pub(crate) fn read(text: &str, units: Units) -> Result<Reading, Refusal> {
    let reading = number::read(text, units)?;
    let Scalar::Number(digits) = &reading.to else { return Ok(reading) };
    whole(digits).map(|digits| Reading::new(Scalar::Number(digits), reading.kind))
}

/// The digits of a number that has no fraction, written without one.
pub(crate) fn whole(digits: &str) -> Result<String, Refusal> {
    Decimal::parse(digits)
        .and_then(|number| number.to_integer_string())
        .ok_or_else(|| Refusal::new("write a whole number: nothing is rounded here"))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::Units;
    use crate::coerce::reading::Scalar;

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
            let read = read(text, Units::Refuse).ok().map(|reading| reading.to);
            assert_eq!(read, expected.map(|digits| Scalar::Number(digits.to_owned())), "{text}");
        }
    }
}
