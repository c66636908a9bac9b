//! Times as servers write them in the headers of rate limits.

use std::time::{Duration, SystemTime};

/// Numbers from here on are points in time: seconds, or milliseconds, since 1970.
const SECONDS_SINCE: f64 = 1e9;
const MILLISECONDS_SINCE: f64 = 1e12;

/// Reads `1m30s`, `250ms`, a number of seconds, or a point in time, and returns how long it is from
/// `now` until then.
pub(super) fn of(text: &str, now: SystemTime) -> Option<Duration> {
    let until = |since: Option<Duration>| {
        let then = SystemTime::UNIX_EPOCH.checked_add(since?)?;
        Some(then.duration_since(now).unwrap_or_default())
    };
    let Ok(number) = text.parse::<f64>() else {
        return duration(text).or_else(|| until(since_1970(text)));
    };
    let seconds = |seconds| Duration::try_from_secs_f64(seconds).ok();
    if number >= MILLISECONDS_SINCE {
        until(seconds(number / 1000.0))
    } else if number >= SECONDS_SINCE {
        until(seconds(number))
    } else {
        seconds(number)
    }
}

/// Reads `1m30s`.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (number, after) = rest.split_at(digits);
        let end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let factor = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * factor).ok()?;
        sum = sum.checked_add(part)?;
        rest = after;
    }
    (!text.is_empty()).then_some(sum)
}

/// Reads a time in the form of RFC 3339, in UTC.
fn since_1970(text: &str) -> Option<Duration> {
    let text = text.strip_suffix(['Z', 'z']).or_else(|| text.strip_suffix("+00:00"))?;
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let [year, month, day] = numbers(date, '-')?;
    let (time, _fraction) = time.split_once('.').unwrap_or((time, ""));
    let [hour, minute, second] = numbers(time, ':')?;
    let is_valid = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    is_valid.then(|| {
        let seconds = (days(year, month, day) * 24 + hour) * 3600 + minute * 60 + second;
        Duration::from_secs(seconds)
    })
}

/// Reads three numbers.
fn numbers(text: &str, between: char) -> Option<[u64; 3]> {
    let mut parts = text.split(between).map(|part| {
        let is_plain = part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u64>().ok().filter(|_| is_plain)
    });
    let found = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(found)
}

/// The days from the beginning of the year 0, in March, to 1970-01-01.
const TO_1970: u64 = 719_468;

/// Returns the number of days from 1970-01-01 to a day, which is not before it.
const fn days(year: u64, month: u64, day: u64) -> u64 {
    // Years that begin in March have their leap day at their end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - TO_1970
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::of;

    #[test]
    fn times_as_servers_write_them() {
        let ms = |ms| Some(Duration::from_millis(ms));
        // 2026-11-27T07:15:50Z.
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_763_750);
        for (text, expected) in [
            ("1s", ms(1_000)),
            ("6m0s", ms(360_000)),
            ("2m59.56s", ms(179_560)),
            ("250ms", ms(250)),
            ("1.5", ms(1_500)),
            ("1h", ms(3_600_000)),
            ("1d", ms(86_400_000)),
            ("1795763760", ms(10_000)),
            ("1795763760500", ms(10_500)),
            ("1795763740", ms(0)),
            ("2026-11-27T07:16:00Z", ms(10_000)),
            ("2026-11-27T07:16:00.25+00:00", ms(10_000)),
            ("2026-11-28T07:15:50Z", ms(86_400_000)),
            ("2028-03-01T07:15:50Z", ms(460 * 86_400_000)),
            ("2020-01-01T00:00:00Z", ms(0)),
            ("2026-13-01T00:00:00Z", None),
            ("2026-11-27", None),
            ("soon", None),
            ("3y", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(of(text, now), expected, "{text}");
        }
    }
}
