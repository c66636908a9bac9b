//! The pace that a server sets: until when it wants no requests.
//!
//! Requests of one model share it, so that many at a time do not run into the same refusal.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use reqwest::header::HeaderMap;

/// Headers with the number of requests that are left, and with the time until there are more.
const LIMITS: &[(&str, &str)] = &[
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
];

/// The longest wait that is taken from a header, since some hold a point in time.
const LONGEST: Duration = Duration::from_mins(2);

/// Until when a server wants no requests.
#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<Option<Instant>>);

impl Pace {
    /// Returns how long to wait before the next request.
    pub(crate) fn wait(&self) -> Option<Duration> {
        let until = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        until?.checked_duration_since(Instant::now()).filter(|wait| !wait.is_zero())
    }

    /// Holds all requests for this long.
    pub(crate) fn hold(&self, wait: Duration) {
        let until = Instant::now() + wait.min(LONGEST);
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *held = (*held).max(Some(until));
    }

    /// Holds requests if a response says that none is left.
    pub(crate) fn learn(&self, headers: &HeaderMap) {
        if let Some(wait) = exhausted(headers) {
            self.hold(wait);
        }
    }
}

/// Returns the time until more requests are allowed, if none is left.
fn exhausted(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    LIMITS.iter().find_map(|(remaining, reset)| {
        let none = text(remaining)?.parse::<u64>().ok()? == 0;
        none.then(|| duration(text(reset)?).filter(|wait| *wait <= LONGEST)).flatten()
    })
}

/// Reads `1m30s`, `250ms` or a number of seconds.
fn duration(text: &str) -> Option<Duration> {
    let seconds = |number: &str| {
        number.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    };
    if let Some(wait) = seconds(text) {
        return Some(wait);
    }
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
            _ => return None,
        };
        sum = sum.checked_add(seconds(number)?.mul_f64(factor))?;
        rest = after;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Pace, duration, exhausted};

    #[test]
    fn durations_as_servers_write_them() {
        let ms = |ms| Some(Duration::from_millis(ms));
        for (text, expected) in [
            ("1s", ms(1_000)),
            ("6m0s", ms(360_000)),
            ("250ms", ms(250)),
            ("1.5", ms(1_500)),
            ("1h", ms(3_600_000)),
            ("soon", None),
            ("3d", None),
            ("", Some(Duration::ZERO)),
            ("2026-11-26T10:00:00Z", None),
        ] {
            assert_eq!(duration(text), expected, "{text}");
        }
    }

    type Row<'r> = (&'r [(&'static str, &'static str)], Option<Duration>);

    #[test]
    fn requests_are_held_once_none_is_left() {
        let (left, reset) = ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests");
        let rows: [Row<'_>; 5] = [
            (&[(left, "3"), (reset, "1s")], None),
            (&[(left, "0"), (reset, "1s")], Some(Duration::from_secs(1))),
            (&[(left, "0")], None),
            // A point in time.
            (&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000000")], None),
            (&[], None),
        ];
        for (headers, expected) in rows {
            assert_eq!(exhausted(&crate::retry::tests::headers(headers)), expected, "{headers:?}");
        }
        let pace = Pace::default();
        assert_eq!(pace.wait(), None);
        pace.hold(Duration::from_secs(5));
        pace.hold(Duration::from_secs(1));
        assert!(pace.wait().is_some_and(|wait| wait > Duration::from_secs(3)));
    }
}
