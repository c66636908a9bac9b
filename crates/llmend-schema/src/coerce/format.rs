//! Coercion to date formats.

use crate::coerce::conversion::{Conversion, Refusal, Scalar};
use crate::{CoercionKind, coerce::bare};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/// Rewrites a text in `format`, if it has the same meaning in another, unambiguous form.
pub(crate) fn read(format: &str, text: &str) -> Result<Conversion, Refusal> {
    let bare = bare::bare(text);
    let written = match format {
        "date" => date(bare).map(|text| (text, CoercionKind::DateForm)),
        "date-time" => date_time(bare),
        _ => None,
    };
    written
        .map(|(text, kind)| Conversion::new(Scalar::Text(text), kind))
        .ok_or_else(|| Refusal::new(hint(format)))
}

fn hint(format: &str) -> &'static str {
    match format {
        "date" => "write it as 2024-12-31: other forms are ambiguous",
        "date-time" => "write it as 2024-12-31T23:59:59Z",
        "uuid" => "write it as 123e4567-e89b-12d3-a456-426614174000",
        "uri" => "write the complete URI, such as https://example.com/page",
        "email" => "write it as name@example.com",
        _ => "write it in the expected format",
    }
}

/// Returns a date as `2024-12-31`.
fn date(text: &str) -> Option<String> {
    numeric(text).or_else(|| worded(text))
}

/// Reads a numeric date: the year first, or the year last with a number above twelve that must be
/// the day.
fn numeric(text: &str) -> Option<String> {
    let separator = text.chars().find(|character| matches!(character, '-' | '/' | '.'))?;
    let parts: Vec<&str> = text.split(separator).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let (a, b, c) = (count(first)?, count(second)?, count(third)?);
    match (first.len(), third.len()) {
        (4, 1 | 2) => day(a, b, c),
        (1 | 2, 4) if a > 12 => day(c, b, a),
        (1 | 2, 4) if b > 12 => day(c, a, b),
        // Equal numbers are unambiguous.
        (1 | 2, 4) if a == b => day(c, a, b),
        _ => None,
    }
}

/// Reads a date with a named month: `April 3, 2024`, `3rd of Apr 2024`.
fn worded(text: &str) -> Option<String> {
    let cleaned = text.replace([',', '.'], " ").to_lowercase();
    let parts: Vec<&str> = cleaned.split_whitespace().filter(|part| *part != "of").collect();
    let (named, parts) = match parts.as_slice() {
        [first, rest @ ..] if rest.len() == 3 => (Some(weekday(first)?), rest),
        all => (None, all),
    };
    let [first, second, year] = parts else { return None };
    let year = count(year).filter(|_| year.len() == 4)?;
    let (month, ordinal) = match (month(first), month(second)) {
        (Some(month), None) => (month, second),
        (None, Some(month)) => (month, first),
        _ => return None,
    };
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| ordinal.strip_suffix(ending))
        .unwrap_or(ordinal);
    let number = count(digits)?;
    // If date and day of the week disagree, either may be wrong.
    let agrees = named.is_none_or(|named| named == weekday_of(year, month, number));
    day(year, month, number).filter(|_| agrees)
}

/// Returns the day of the week, from Sunday as 0, by its name or at least its first three letters.
fn weekday(name: &str) -> Option<u32> {
    let at = WEEKDAYS.iter().position(|day| name.len() >= 3 && day.starts_with(name))?;
    u32::try_from(at).ok()
}

/// Returns the day of the week of a Gregorian date, from Sunday as 0.
fn weekday_of(year: u32, month: u32, day: u32) -> u32 {
    // Sakamoto's method: years start in March, so that the leap day is the last.
    const MONTHS_BEFORE: [u32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let year = if month < 3 { year.saturating_sub(1) } else { year };
    let before = MONTHS_BEFORE.get(month.saturating_sub(1) as usize).copied().unwrap_or_default();
    (year + year / 4 - year / 100 + year / 400 + before + day) % 7
}

/// Returns the month by its name or at least its first three letters.
fn month(name: &str) -> Option<u32> {
    let at = MONTHS.iter().position(|month| name.len() >= 3 && month.starts_with(name));
    at.or_else(|| (name == "sept").then_some(8)).and_then(|at| u32::try_from(at + 1).ok())
}

fn count(digits: &str) -> Option<u32> {
    let plain = !digits.is_empty() && digits.len() <= 4;
    (plain && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// Formats a date if it exists in the calendar.
fn day(year: u32, month: u32, day: u32) -> Option<String> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// Returns a date and time as `2024-12-31T23:59:59Z`, the zone only if the text has one. Seconds
/// that are missing are zero, and a time that is missing is midnight, as in pydantic.
fn date_time(text: &str) -> Option<(String, CoercionKind)> {
    if let Some(day) = date(text) {
        return Some((format!("{day}T00:00:00"), CoercionKind::DateCompletion));
    }
    let (day, time) = text.split_once(['T', 't', ' '])?;
    let day = numeric(day)?;
    let time = time.trim();
    let zone_at = time.find(['Z', 'z', '+', '-', ' ', 'U']).unwrap_or(time.len());
    let (clock, zone) = (time.get(..zone_at)?, time.get(zone_at..)?.trim());
    let (seconds, kind) = match clock.len() {
        5 => (":00", CoercionKind::DateCompletion),
        _ => ("", CoercionKind::DateForm),
    };
    let zone = match zone {
        "Z" | "z" | "UTC" | "utc" => "Z".to_owned(),
        zone if zone.len() == 5 && !zone.contains(':') => {
            let (hours, minutes) = zone.split_at_checked(3)?;
            format!("{hours}:{minutes}")
        }
        zone => zone.to_owned(),
    };
    Some((format!("{day}T{clock}{seconds}{zone}"), kind))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::coerce::conversion::Scalar;

    #[test]
    fn days_that_can_mean_one_thing_are_rewritten() {
        for (format, text, expected) in [
            ("date", "2024/04/03", Some("2024-04-03")),
            ("date", "2024-4-3", Some("2024-04-03")),
            ("date", "2024.04.03", Some("2024-04-03")),
            ("date", "April 3, 2024", Some("2024-04-03")),
            ("date", "3rd of Apr. 2024", Some("2024-04-03")),
            ("date", "Wednesday, April 3, 2024", Some("2024-04-03")),
            ("date", "Wed, 3 Apr 2024", Some("2024-04-03")),
            ("date", "Thursday, 29 February 2024", Some("2024-02-29")),
            ("date", "Sunday, January 1, 2023", Some("2023-01-01")),
            ("date", "Sunday, April 3, 2024", None),
            ("date", "Yesterday, April 3, 2024", None),
            ("date", "Birthday April 3, 2024", None),
            ("date", "day, April 3, 2024", None),
            ("date", "13/04/2024", Some("2024-04-13")),
            ("date", "04/13/2024", Some("2024-04-13")),
            ("date", "13.04.2024", Some("2024-04-13")),
            ("date", "04/04/2024", Some("2024-04-04")),
            ("date", "29 February 2024", Some("2024-02-29")),
            ("date", "03/04/2024", None),
            ("date", "03.04.2024", None),
            ("date", "03/04/24", None),
            ("date", "29 February 2023", None),
            ("date", "2024-13-01", None),
            ("date", "2024-04-03T00:00:00Z", None),
            ("date", "tomorrow", None),
            ("date", "Q2 2024", None),
            ("date-time", "2024-04-03 10:00:00Z", Some("2024-04-03T10:00:00Z")),
            ("date-time", "2024-04-03T10:00Z", Some("2024-04-03T10:00:00Z")),
            ("date-time", "2024-04-03 10:00:00 UTC", Some("2024-04-03T10:00:00Z")),
            ("date-time", "2024-04-03 10:00:00+0200", Some("2024-04-03T10:00:00+02:00")),
            ("date-time", "2024-04-03 10:00:00", Some("2024-04-03T10:00:00")),
            ("date-time", "2024-04-03T10:00", Some("2024-04-03T10:00:00")),
            ("date-time", "2024-04-03", Some("2024-04-03T00:00:00")),
            ("date-time", "May 6, 2024", Some("2024-05-06T00:00:00")),
            ("date-time", "April 2024", None),
            ("uuid", "not one", None),
        ] {
            let read = read(format, text).ok().map(|conversion| conversion.to);
            let expected = expected.map(|text| Scalar::Text(text.to_owned()));
            assert_eq!(read, expected, "{format} {text}");
        }
    }
}
