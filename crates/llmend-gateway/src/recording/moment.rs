//! Points in time as text: RFC 3339 in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::civil::{DateTime, date};
use jiff::{SignedDuration, Span};

const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// The accepted forms of a date, or of a date and a time.
const FORMATS: [&str; 3] = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];

/// Returns the milliseconds since 1970.
pub(crate) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    u64::try_from(since).unwrap_or(u64::MAX)
}

/// Formats a number of milliseconds since 1970 as `2026-11-22T14:05:00.123Z`.
pub(crate) fn text(millis: u64) -> String {
    format!("{:.3}Z", civil(millis))
}

/// Parses a date (`2026-11-22`), a date and a time in UTC (`2026-11-22T14:05Z`), or a duration before `now`
/// (`30m`, `12h`, `7d`, `2w`), and returns milliseconds since 1970.
pub(crate) fn parse(text: &str, now: u64) -> Option<u64> {
    let moment = match text.parse::<Span>() {
        Ok(span) if span.is_negative() => return None,
        Ok(span) => civil(now).saturating_sub(span).max(EPOCH),
        Err(_) if text.starts_with('+') => return None,
        Err(_) => {
            let text = text.replacen(' ', "T", 1);
            let text = text.strip_suffix('Z').filter(|text| text.contains('T')).unwrap_or(&text);
            FORMATS.iter().find_map(|format| DateTime::strptime(format, text).ok())?
        }
    };
    u64::try_from(moment.duration_since(EPOCH).as_millis()).ok()
}

/// Converts milliseconds since 1970, at most to the end of the year 9999.
fn civil(millis: u64) -> DateTime {
    let since = i64::try_from(millis).unwrap_or(i64::MAX);
    EPOCH.saturating_add(SignedDuration::from_millis(since))
}

#[cfg(test)]
mod tests {
    use super::{parse, text};

    #[test]
    fn dates_times_and_durations_are_parsed() {
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
            assert_eq!(parse(text, now).map(super::text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn moments_are_formatted_as_rfc_3339() {
        let rows = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (1_767_225_599_000, "2025-12-31T23:59:59.000Z"),
            (1_795_356_300_123, "2026-11-22T14:05:00.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (u64::MAX, "9999-12-31T23:59:59.999Z"),
        ];
        for (millis, expected) in rows {
            assert_eq!(text(millis), expected);
        }
    }
}
