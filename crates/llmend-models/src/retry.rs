//! Transport retries and their waits.
//!
//! These retries are separate from those of the loop that reads the answers: they do not depend on
//! what an answer says, and have their own limits.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use backon::ExponentialBuilder;
use llmend_model::BoxFuture;
use reqwest::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};

use crate::pace::reset;

/// The limits and waits of transport retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The maximum number of retries of a call. 3 by default, of which one may follow an answer that
    /// broke off or did not come, since those cost tokens and time.
    pub max_retries: u32,
    /// The maximum number of those after a server could not be reached. 3 by default; fewer if another
    /// model is there to be asked instead.
    pub max_unreached_retries: u32,
    /// The wait before the first retry. It doubles with each one, and is increased by up to 100 %
    /// at random, so that many clients do not return at once. Half a second by default.
    pub first_wait: Duration,
    /// The maximum single wait, before the random increase. Half a minute by default.
    pub max_wait: Duration,
    /// The maximum total wait of one call over all of its retries. One minute by default. A server
    /// that asks for more ([`ErrorContext::retry_after`](llmend_model::ErrorContext)) is not asked
    /// again.
    pub total_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 3,
            max_unreached_retries: 3,
            first_wait: Duration::from_millis(500),
            max_wait: Duration::from_secs(30),
            total_wait: Duration::from_mins(1),
        }
    }
}

impl RetryPolicy {
    pub(crate) fn waits(&self) -> ExponentialBuilder {
        ExponentialBuilder::default()
            .with_jitter()
            .with_min_delay(self.first_wait)
            .with_max_delay(self.max_wait)
            .with_max_times(usize::try_from(self.max_retries).unwrap_or(usize::MAX))
    }

    /// Returns how long to wait now, or `None` to give up.
    ///
    /// `proposed` is the wait by the schedule, `None` at its end; `asked` is what the server asks
    /// for; `waited` is the total wait so far; `left` is the time left for the call.
    pub(crate) fn wait(
        &self,
        proposed: Option<Duration>,
        asked: Option<Duration>,
        waited: Duration,
        left: Option<Duration>,
    ) -> Option<Duration> {
        let wait = asked.unwrap_or(proposed?);
        self.exceeded(wait, waited, left).is_none().then_some(wait)
    }

    /// Returns the limit that a wait exceeds, in words.
    pub(crate) fn exceeded(
        &self,
        wait: Duration,
        waited: Duration,
        left: Option<Duration>,
    ) -> Option<String> {
        if let Some(left) = left.filter(|left| wait >= *left) {
            return Some(format!("the time limit of the call ends in {}", seconds(left)));
        }
        let is_more = waited.saturating_add(wait) > self.total_wait;
        is_more.then(|| format!("a call waits for at most {} in all", seconds(self.total_wait)))
    }
}

/// Returns a duration in whole seconds, or one decimal below ten.
pub(crate) fn seconds(duration: Duration) -> String {
    if duration.subsec_nanos() == 0 || duration.as_secs() >= 10 {
        return format!("{} s", duration.as_secs());
    }
    format!("{:.1} s", duration.as_secs_f64())
}

/// The function that waits. Tests replace it by one that takes no time.
#[derive(Clone)]
pub struct Sleep(Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>);

impl Sleep {
    /// Creates a wait function.
    pub fn new(sleep: impl Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(sleep))
    }

    pub(crate) fn wait(&self, wait: Duration) -> BoxFuture<'static, ()> {
        (self.0)(wait)
    }
}

impl Default for Sleep {
    fn default() -> Self {
        Self::new(|wait| Box::pin(tokio::time::sleep(wait)))
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sleep")
    }
}

/// Returns how long a server asks to wait: its `Retry-After`, in seconds or as a date, or in
/// milliseconds if given, as by OpenAI and Azure.
///
/// A date is relative to the date of the response, since the server's clock may differ.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |value: &HeaderValue| value.to_str().ok().map(|text| text.trim().to_owned());
    let date = |text: String| httpdate::parse_http_date(&text).ok();
    if let Some(milliseconds) = headers.get("retry-after-ms").and_then(text) {
        let seconds = milliseconds.parse::<f64>().ok().map(|milliseconds| milliseconds / 1000.0);
        if let Some(wait) = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            return Some(wait);
        }
    }
    let asked = headers.get(RETRY_AFTER).and_then(text)?;
    if let Ok(seconds) = asked.parse::<f64>() {
        // A wait beyond the range of a duration means never.
        let is_longer = seconds >= Duration::MAX.as_secs_f64();
        return if is_longer {
            Some(Duration::MAX)
        } else {
            Duration::try_from_secs_f64(seconds).ok()
        };
    }
    let now = headers.get(DATE).and_then(text).and_then(date).unwrap_or(now);
    Some(date(asked)?.duration_since(now).unwrap_or_default())
}

/// What comes before a wait in the body of a refusal.
const BEFORE_WAITS: [&str; 5] =
    ["\"retrydelay\"", "retry in ", "try again in ", "retry after ", "try again after "];

/// Returns how long the body of a refusal asks to wait: the longest time in it, as `"retryDelay": "2s"`
/// (Gemini), or in words, as `Please try again in 1m2.5s` (OpenAI, Groq) and `retry after 26 seconds`
/// (Azure).
pub(crate) fn wait_in(body: &str) -> Option<Duration> {
    let body = body.to_ascii_lowercase();
    let starts = BEFORE_WAITS.iter().flat_map(|words| {
        body.match_indices(words).map(|(at, words)| at + words.len()).collect::<Vec<_>>()
    });
    starts.filter_map(|start| duration_at(body.get(start..)?)).max()
}

/// Reads a time at the start of a text.
fn duration_at(text: &str) -> Option<Duration> {
    let text = text.trim_start_matches([':', ' ', '"']);
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let word = word.trim_end_matches('.');
    let Ok(number) = word.parse::<f64>() else { return reset::duration(word) };
    let unit = rest.trim_start();
    let factor = match unit.get(..3)? {
        "sec" => 1.0,
        "min" => 60.0,
        "hou" => 3600.0,
        "mil" => 0.001,
        _ => return None,
    };
    Duration::try_from_secs_f64(number * factor).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{RetryPolicy, retry_after, wait_in};

    /// Returns these headers.
    pub(crate) fn headers(rows: &[(&'static str, &'static str)]) -> HeaderMap {
        let rows = rows
            .iter()
            .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        rows.collect()
    }

    #[test]
    fn a_server_is_left_alone_for_as_long_as_it_asks() {
        const DATE: &str = "Wed, 21 Oct 2026 07:28:00 GMT";
        type Row = (&'static [(&'static str, &'static str)], Option<Duration>);
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let rows: [Row; 13] = [
            (&[], None),
            (&[("retry-after", "7")], seconds(7)),
            (&[("retry-after", " 0 ")], seconds(0)),
            (&[("retry-after", "1.5")], Some(Duration::from_millis(1500))),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "1e300")], Some(Duration::MAX)),
            (&[("retry-after", "99999999999999999999999")], Some(Duration::MAX)),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT"), ("date", DATE)], seconds(30)),
            (&[("retry-after", "Wed, 21 Oct 2026 07:27:30 GMT"), ("date", DATE)], seconds(0)),
            (&[("retry-after", DATE)], seconds(10)),
            (&[("retry-after-ms", "250"), ("retry-after", "1")], Some(Duration::from_millis(250))),
        ];
        let now = httpdate::parse_http_date(DATE).unwrap() - Duration::from_secs(10);
        for (headers, expected) in rows {
            assert_eq!(retry_after(&self::headers(headers), now), expected, "{headers:?}");
        }
        assert!(now > SystemTime::UNIX_EPOCH);
    }

    #[test]
    fn a_body_may_ask_for_a_wait() {
        let ms = |ms| Some(Duration::from_millis(ms));
        for (body, expected) in [
            (
                r#"{"error":{"message":"You exceeded your current quota. Please retry in 2.5s.","details":[{"retryDelay":"2s"}]}}"#,
                ms(2_500),
            ),
            (r#"{"details":[{"retryDelay": "36s"}]}"#, ms(36_000)),
            ("Limit 3, Used 3, Requested 1. Please try again in 20s. Visit https://…", ms(20_000)),
            ("Please try again in 250ms.", ms(250)),
            ("Please try again in 1m2.5s. Need more tokens?", ms(62_500)),
            ("Please retry after 26 seconds.", ms(26_000)),
            ("Try again in 2 minutes", ms(120_000)),
            ("Please retry in 9223372036854775807h", None),
            ("Please retry in a moment", None),
            ("Please retry after 5 attempts", None),
            ("rate limit exceeded", None),
            ("", None),
        ] {
            assert_eq!(wait_in(body), expected, "{body}");
        }
    }

    #[test]
    fn waits_stay_within_their_budget_and_the_time_that_is_left() {
        let policy = RetryPolicy { total_wait: Duration::from_secs(10), ..RetryPolicy::default() };
        let s = |seconds| Some(Duration::from_secs(seconds));
        let rows = [
            // By the schedule; as the server asks; at the end of the schedule.
            (s(1), None, 0, None, s(1)),
            (s(1), s(5), 0, None, s(5)),
            (None, None, 0, None, None),
            (None, s(1), 0, None, None),
            // All of the budget, and more than that.
            (s(1), s(4), 6, None, s(4)),
            (s(1), s(5), 6, None, None),
            (s(1), s(3600), 0, None, None),
            // The caller would be gone by then.
            (s(2), None, 0, s(3), s(2)),
            (s(3), None, 0, s(3), None),
        ];
        for (proposed, asked, waited, left, expected) in rows {
            let found = policy.wait(proposed, asked, Duration::from_secs(waited), left);
            assert_eq!(found, expected, "{proposed:?} {asked:?} {waited} {left:?}");
        }
        let said = |wait, left| policy.exceeded(Duration::from_secs(wait), Duration::ZERO, left);
        assert_eq!(said(11, s(99)).unwrap(), "a call waits for at most 10 s in all");
        let left = Some(Duration::from_millis(2_500));
        assert_eq!(said(11, left).unwrap(), "the time limit of the call ends in 2.5 s");
    }
}
