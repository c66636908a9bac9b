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

#[cfg(test)]
mod tests {
    use super::{LAST, text};

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
