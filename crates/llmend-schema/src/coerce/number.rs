//! Which number does a text say?

use llmend_json::Decimal;

use crate::coerce::reading::{Reading, Refusal, Scalar};
use crate::coerce::{emphasis, expression};
use crate::{CoercionKind, Units};

/// Marks between groups of three digits that mean nothing else.
const SEPARATORS: [char; 6] = [',', '_', '\'', '\u{a0}', '\u{202f}', '\u{2009}'];
const CURRENCIES: [char; 5] = ['$', '€', '£', '¥', '₹'];

/// Reads a text as a number.
pub(crate) fn read(text: &str, units: Units) -> Result<Reading, Refusal> {
    let bare = emphasis::bare(text);
    if is_grouped_or_not(bare) {
        return Err(Refusal::new("write it without zeros at the end: a point may mean either"));
    }
    if let Some((digits, kind)) = digits(bare) {
        return Ok(Reading::new(Scalar::Number(digits), kind));
    }
    if let Some(amount) = without_unit(bare) {
        return match (units, digits(amount)) {
            (Units::Strip, Some((digits, _))) => {
                Ok(Reading::new(Scalar::Number(digits), CoercionKind::NumberWithUnit))
            }
            _ => Err(Refusal::new("write the number alone, without its unit")),
        };
    }
    Err(refusal(bare))
}

/// The number as JSON writes it, if that is all the text says.
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

/// Whether a point stands where it may as well part groups of three digits, and the digits after it
/// are not those of a fraction as programs write one: `1.000` is a thousand to many.
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

/// The digits without separators, if one kind of them stands between groups of three, and before
/// the point.
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

/// What stands beside one percent sign or currency sign.
fn without_unit(text: &str) -> Option<&str> {
    let amount = text
        .strip_suffix('%')
        .or_else(|| text.strip_prefix(CURRENCIES))
        .or_else(|| text.strip_suffix(CURRENCIES))?
        .trim();
    digits(amount).is_some().then_some(amount)
}

/// Why a text is no number.
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
        return Refusal::new("write a point before the decimals: a comma may mean either");
    }
    if matches!(lower.trim_start_matches(['-', '+']), "nan" | "inf" | "infinity") {
        return Refusal::new(
            "JSON has no such number: leave it out, or write null where that is allowed",
        );
    }
    Refusal::new("write a number, in digits and without anything else")
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::coerce::reading::Scalar;
    use crate::{CoercionKind as K, Units};

    #[test]
    fn what_says_a_number_is_one() {
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
            ("12345678901234567890123", "12345678901234567890123", K::NumberFromText),
            ("1,234", "1234", K::GroupedNumber),
            ("-1,234,567.89", "-1234567.89", K::GroupedNumber),
            ("1_000", "1000", K::GroupedNumber),
            ("1\u{202f}000", "1000", K::GroupedNumber),
        ] {
            let reading = read(text, Units::Refuse).unwrap();
            assert_eq!(
                (reading.to, reading.kind),
                (Scalar::Number(expected.to_owned()), kind),
                "{text}"
            );
        }
    }

    #[test]
    fn what_only_looks_like_a_number_is_none() {
        for (text, hint) in [
            ("1.000", "point"),
            ("-12.500", "point"),
            ("**1.000**", "point"),
            ("$1.000", "point"),
            ("~~5~~", "without anything else"),
            ("3,14", "comma"),
            ("1,2,3", "without anything else"),
            ("1,23,456", "without anything else"),
            ("0,123", "comma"),
            ("12 apples", "without anything else"),
            ("1/2", "computed"),
            ("100 * 2", "computed"),
            ("NaN", "no such number"),
            ("-Infinity", "no such number"),
            ("50%", "unit"),
            ("$1.50", "unit"),
            ("007", "without anything else"),
            ("5.", "without anything else"),
            ("0x1F", "without anything else"),
            ("--3", "without anything else"),
            ("1.234,56", "without anything else"),
            ("", "without anything else"),
            ("٣", "without anything else"),
        ] {
            let refusal = read(text, Units::Refuse).unwrap_err();
            assert!(refusal.hint.contains(hint), "{text}: {}", refusal.hint);
        }
    }

    #[test]
    fn units_go_by_option() {
        for (text, expected) in [("50%", "50"), ("$1.50", "1.50"), ("1,000 €", "1000"), ("-$3", "")]
        {
            let read = read(text, Units::Strip).ok().map(|reading| reading.to);
            let expected = (!expected.is_empty()).then(|| Scalar::Number(expected.to_owned()));
            assert_eq!(read, expected, "{text}");
        }
        assert!(read("12 apples", Units::Strip).is_err());
        assert!(read("5 kg", Units::Strip).is_err());
    }
}
