//! Coercion to numbers.

use llmend_json::Decimal;

use crate::coerce::conversion::{Conversion, Refusal, Scalar};
use crate::coerce::{bare, expression};
use crate::{CoercionKind, Units};

/// Unambiguous digit group separators.
const SEPARATORS: [char; 6] = [',', '_', '\'', '\u{a0}', '\u{202f}', '\u{2009}'];
const CURRENCIES: [char; 5] = ['$', '€', '£', '¥', '₹'];

/// Reads a text as a number.
pub(crate) fn read(text: &str, units: Units) -> Result<Conversion, Refusal> {
    let bare = bare::bare(text);
    if is_grouped_or_not(bare) {
        return Err(Refusal::new("remove the trailing zeros: the point may separate thousands"));
    }
    if let Some((digits, kind)) = digits(bare) {
        return Ok(Conversion::new(Scalar::Number(digits), kind));
    }
    if let Some(amount) = without_unit(bare) {
        return match (units, digits(amount)) {
            (Units::Strip, Some((digits, _))) => {
                Ok(Conversion::new(Scalar::Number(digits), CoercionKind::NumberWithUnit))
            }
            _ => Err(Refusal::new("write the number without its unit")),
        };
    }
    Err(refusal(bare))
}

/// Returns the number in JSON notation, if the text is nothing else.
fn digits(text: &str) -> Option<(String, CoercionKind)> {
    let (sign, size) = match text.strip_prefix(['-', '−']) {
        Some(size) => ("-", size),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let size = if size.starts_with('.') { format!("0{size}") } else { size.to_owned() };
    let plain = format!("{sign}{size}");
    if Decimal::parse(&plain).is_some() && !size.starts_with('-') {
        return Some((plain, CoercionKind::NumberFromText));
    }
    Some((format!("{sign}{}", ungrouped(&size)?), CoercionKind::GroupedNumber))
}

/// Returns whether the point may as well separate groups of three digits, unless the digits after
/// it look like a fraction as programs write it: `1.000` is a thousand in many languages.
fn is_grouped_or_not(text: &str) -> bool {
    let amount = text.trim_matches(|mark: char| !mark.is_ascii_digit());
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    amount.split_once('.').is_some_and(|(whole, part)| {
        (1..=3).contains(&whole.len())
            && !whole.starts_with('0')
            && all_digits(whole)
            && part.len() == 3
            && all_digits(part)
            && part.ends_with('0')
    })
}

/// Removes digit group separators, if they are all the same and separate groups of three digits
/// before the point.
fn ungrouped(text: &str) -> Option<String> {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let separator = whole.chars().find(|character| SEPARATORS.contains(character))?;
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split(separator);
    let first = groups.next()?;
    let well_formed = all_digits(first)
        && first.len() <= 3
        && !first.starts_with('0')
        && groups.all(|group| group.len() == 3 && all_digits(group))
        && fraction.is_none_or(all_digits);
    let mut digits = whole.replace(separator, "");
    if let Some(fraction) = fraction {
        digits.push('.');
        digits.push_str(fraction);
    }
    well_formed.then_some(digits)
}

/// Removes one percent or currency sign.
fn without_unit(text: &str) -> Option<&str> {
    let amount = text
        .strip_suffix('%')
        .or_else(|| text.strip_prefix(CURRENCIES))
        .or_else(|| text.strip_suffix(CURRENCIES))?
        .trim();
    digits(amount).is_some().then_some(amount)
}

/// Explains why a text is not a number.
fn refusal(text: &str) -> Refusal {
    let lower = text.to_ascii_lowercase();
    if expression::is_expression(text) {
        return expression::refusal();
    }
    let comma = text.split_once(',').is_some_and(|(whole, part)| {
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        digits(whole.trim_start_matches('-')) && digits(part)
    });
    if comma {
        return Refusal::new("write a decimal point: the comma may separate thousands");
    }
    if matches!(lower.trim_start_matches(['-', '+']), "nan" | "inf" | "infinity") {
        return Refusal::new(
            "JSON has no such number: omit it, or write null where that is allowed",
        );
    }
    Refusal::new("write only the number, in digits")
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::coerce::conversion::Scalar;
    use crate::{CoercionKind as K, Units};

    #[test]
    fn numbers_are_read() {
        for (text, expected, kind) in [
            ("42", "42", K::NumberFromText),
            ("0.500", "0.500", K::NumberFromText),
            ("1.00", "1.00", K::NumberFromText),
            ("48.856", "48.856", K::NumberFromText),
            ("1.000e3", "1.000e3", K::NumberFromText),
            ("1000.000", "1000.000", K::NumberFromText),
            ("1,234.000", "1234.000", K::GroupedNumber),
            (" 7 ", "7", K::NumberFromText),
            ("**7**", "7", K::NumberFromText),
            ("1.50", "1.50", K::NumberFromText),
            ("1e3", "1e3", K::NumberFromText),
            ("-3", "-3", K::NumberFromText),
            ("−3", "-3", K::NumberFromText),
            ("+3", "3", K::NumberFromText),
            (".5", "0.5", K::NumberFromText),
            ("5.", "5", K::NumberFromText),
            ("12345678901234567890123", "12345678901234567890123", K::NumberFromText),
            ("1,234", "1234", K::GroupedNumber),
            ("-1,234,567.89", "-1234567.89", K::GroupedNumber),
            ("1_000", "1000", K::GroupedNumber),
            ("1\u{202f}000", "1000", K::GroupedNumber),
        ] {
            let conversion = read(text, Units::Refuse).unwrap();
            assert_eq!(
                (conversion.to, conversion.kind),
                (Scalar::Number(expected.to_owned()), kind),
                "{text}"
            );
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for (text, hint) in [
            ("1.000", "point"),
            ("-12.500", "point"),
            ("**1.000**", "point"),
            ("$1.000", "point"),
            ("~~5~~", "in digits"),
            ("3,14", "comma"),
            ("1,2,3", "in digits"),
            ("1,23,456", "in digits"),
            ("0,123", "comma"),
            ("12 apples", "in digits"),
            ("1/2", "evaluated"),
            ("100 * 2", "evaluated"),
            ("NaN", "no such number"),
            ("-Infinity", "no such number"),
            ("50%", "unit"),
            ("$1.50", "unit"),
            ("007", "in digits"),
            ("0x1F", "in digits"),
            ("--3", "in digits"),
            ("1.234,56", "in digits"),
            ("", "in digits"),
            ("٣", "in digits"),
        ] {
            let refusal = read(text, Units::Refuse).unwrap_err();
            assert!(refusal.hint.contains(hint), "{text}: {}", refusal.hint);
        }
    }

    #[test]
    fn units_are_removed_by_option() {
        for (text, expected) in [("50%", "50"), ("$1.50", "1.50"), ("1,000 €", "1000"), ("-$3", "")]
        {
            let read = read(text, Units::Strip).ok().map(|conversion| conversion.to);
            let expected = (!expected.is_empty()).then(|| Scalar::Number(expected.to_owned()));
            assert_eq!(read, expected, "{text}");
        }
        assert!(read("12 apples", Units::Strip).is_err());
        assert!(read("5 kg", Units::Strip).is_err());
    }
}
