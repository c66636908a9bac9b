//! How is a moment written, and which moment does a text say?
//!
//! As RFC 3339 has it, in UTC. The calendar is that of Howard Hinnant's `days_from_civil`: years begin in
//! March, so that the day that some of them have more is their last.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// Days of 400 years, after which the calendar repeats.
const ERA: u64 = 146_097;

/// Days from the first of March of the year 0 to 1970.
const BEFORE_1970: u64 = 719_468;

/// The last moment that has a form: the end of the year 9999.
const LAST: u64 = 253_402_300_799_999;

/// Milliseconds since 1970.
pub(crate) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    u64::try_from(since).unwrap_or(LAST).min(LAST)
}

/// A moment as `2026-11-22T14:05:00.123Z`.
pub(crate) fn text(millis: u64) -> String {
    let millis = millis.min(LAST);
    let (days, rest) = (millis / DAY + BEFORE_1970, millis % DAY);
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    let year = year + era * 400;
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{of_month:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// The moment that a text says, in milliseconds since 1970: a day, or a day and a time, in UTC. A length of
/// time such as `30m`, `12h`, `7d` or `2w` is that long before `now`.
pub(crate) fn read(text: &str, now: u64) -> Option<u64> {
    let length = |unit: char, millis: u64| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        Some(now.saturating_sub(number.checked_mul(millis)?))
    };
    let lengths = [('m', 60_000), ('h', 3_600_000), ('d', DAY), ('w', 7 * DAY)];
    if let Some(then) = lengths.into_iter().find_map(|(unit, millis)| length(unit, millis)) {
        return Some(then);
    }
    let (date, time) = text.split_once(['T', ' ']).map_or((text, None), |(a, b)| (a, Some(b)));
    let [year, month, day] = numbers(date, '-')?[..] else { return None };
    let time = time.map_or(Some(0), |time| of_day(time.strip_suffix('Z').unwrap_or(time)))?;
    let is_date = (1970..=9999).contains(&year) && (1..=12).contains(&month);
    if !is_date || !(1..=31).contains(&day) {
        return None;
    }
    let (years, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * months + 2) / 5 + day - 1;
    let days = 365 * years + years / 4 - years / 100 + years / 400 + of_year - BEFORE_1970;
    let millis = days * DAY + time;
    // A day that its month does not have is another one when it is written again.
    self::text(millis).starts_with(&format!("{year:04}-{month:02}-{day:02}")).then_some(millis)
}

/// Milliseconds of a time such as `14:05` or `14:05:09`.
fn of_day(time: &str) -> Option<u64> {
    let (hour, minute, second) = match numbers(time, ':')?[..] {
        [hour, minute] => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let is_time = hour < 24 && minute < 60 && second < 60;
    is_time.then_some(hour * 3_600_000 + minute * 60_000 + second * 1000)
}

/// Numbers of at most four digits each.
fn numbers(text: &str, mark: char) -> Option<Vec<u64>> {
    let number = |part: &str| {
        let is_number = (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|_| is_number)
    };
    text.split(mark).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::{LAST, read, text};

    #[test]
    fn days_times_and_lengths_are_read() {
        let now = 1_795_356_300_000;
        let rows = [
            ("1970-01-01", Some("1970-01-01T00:00:00.000Z")),
            ("2026-11-22", Some("2026-11-22T00:00:00.000Z")),
            ("2024-02-29T23:59Z", Some("2024-02-29T23:59:00.000Z")),
            ("2026-11-22 14:05:09", Some("2026-11-22T14:05:09.000Z")),
            ("5m", Some("2026-11-22T14:00:00.000Z")),
            ("14h", Some("2026-11-22T00:05:00.000Z")),
            ("1d", Some("2026-11-21T14:05:00.000Z")),
            ("2w", Some("2026-11-08T14:05:00.000Z")),
            ("2026-02-29", None),
            ("2026-04-31", None),
            ("2026-13-01", None),
            ("2026-11-22T24:00", None),
            ("2026-11-22T14", None),
            ("1969-12-31", None),
            ("2026-11", None),
            ("+2026-11-22", None),
            ("99999999999999999999d", None),
            ("18446744073709551615w", None),
            ("d", None),
            ("yesterday", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(read(text, now).map(super::text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn moments_have_the_form_of_rfc_3339() {
        let rows = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (1_767_225_599_000, "2025-12-31T23:59:59.000Z"),
            (1_795_356_300_123, "2026-11-22T14:05:00.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (LAST, "9999-12-31T23:59:59.999Z"),
            (u64::MAX, "9999-12-31T23:59:59.999Z"),
        ];
        for (millis, expected) in rows {
            assert_eq!(text(millis), expected);
        }
    }
}
