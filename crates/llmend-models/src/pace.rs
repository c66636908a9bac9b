//! The pace that a server sets: until when it wants no requests, and how much it has room for.
//!
//! Requests of one model share it, so that many at a time do not run into the same refusal.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use reqwest::header::{DATE, HeaderMap};

mod rate;
pub(crate) mod reset;

use rate::Rate;
pub(crate) use rate::Refusal;

/// A limit whose state a server reports with each response.
struct Limit {
    /// The header with what remains.
    left: &'static str,
    /// The header with the time when the whole limit is available again, or how long until then.
    reset: &'static str,
    /// The header with the whole limit, if what was used becomes available again gradually. Empty if it does
    /// so all at once.
    most: &'static str,
    counted: Counted,
}

/// What a limit counts.
#[derive(Clone, Copy)]
enum Counted {
    Requests,
    /// Input and output.
    Tokens,
    Input,
    Output,
}

impl Limit {
    const fn of(
        left: &'static str,
        reset: &'static str,
        most: &'static str,
        counted: Counted,
    ) -> Self {
        Self { left, reset, most, counted }
    }

    /// Returns how much of the limit a request takes.
    const fn taken(&self, need: Need) -> u64 {
        match self.counted {
            Counted::Requests => 1,
            Counted::Tokens => need.input.saturating_add(need.output),
            Counted::Input => need.input,
            Counted::Output => need.output,
        }
    }
}

const LIMITS: [Limit; 10] = {
    use Counted::{Input, Output, Requests, Tokens};
    [
        Limit::of(
            "x-ratelimit-remaining-requests",
            "x-ratelimit-reset-requests",
            "x-ratelimit-limit-requests",
            Requests,
        ),
        Limit::of(
            "x-ratelimit-remaining-tokens",
            "x-ratelimit-reset-tokens",
            "x-ratelimit-limit-tokens",
            Tokens,
        ),
        Limit::of(
            "x-ratelimit-remaining-requests-day",
            "x-ratelimit-reset-requests-day",
            "",
            Requests,
        ),
        Limit::of(
            "x-ratelimit-remaining-tokens-minute",
            "x-ratelimit-reset-tokens-minute",
            "",
            Tokens,
        ),
        Limit::of(
            "anthropic-ratelimit-requests-remaining",
            "anthropic-ratelimit-requests-reset",
            "anthropic-ratelimit-requests-limit",
            Requests,
        ),
        Limit::of(
            "anthropic-ratelimit-tokens-remaining",
            "anthropic-ratelimit-tokens-reset",
            "anthropic-ratelimit-tokens-limit",
            Tokens,
        ),
        Limit::of(
            "anthropic-ratelimit-input-tokens-remaining",
            "anthropic-ratelimit-input-tokens-reset",
            "anthropic-ratelimit-input-tokens-limit",
            Input,
        ),
        Limit::of(
            "anthropic-ratelimit-output-tokens-remaining",
            "anthropic-ratelimit-output-tokens-reset",
            "anthropic-ratelimit-output-tokens-limit",
            Output,
        ),
        Limit::of("x-ratelimit-remaining", "x-ratelimit-reset", "", Requests),
        Limit::of("ratelimit-remaining", "ratelimit-reset", "", Requests),
    ]
};

/// The longest time after which a limit that comes back at once is waited for as a whole.
const WINDOW: Duration = Duration::from_mins(2);

/// The shortest wait that is shown.
pub(crate) const LEAST_SHOWN: Duration = Duration::from_millis(100);

/// The longest wait that a server can ask for. It may mean never.
const LONGEST: Duration = Duration::from_hours(30 * 24);

/// The tokens that a request needs, estimated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Need {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// A wait before a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The server asks for it: an earlier request is refused.
    Asked(Duration),
    /// There is room for the request after it, as far as is known.
    Room(Duration),
    /// The server refused requests that came faster.
    Rate(Duration),
}

/// What is known of a limit.
#[derive(Clone, Copy, Debug)]
struct Known {
    left: u64,
    /// What was taken since.
    taken: u64,
    most: Option<u64>,
    /// When this was so.
    at: Instant,
    /// When all of it is there again.
    full: Instant,
}

impl Known {
    /// Returns the time from `now` until there is room for this much.
    fn wait(&self, need: u64, comes: Comes, now: Instant) -> Option<Duration> {
        let wanted = need.saturating_add(self.taken);
        let lacking = wanted.checked_sub(self.left).filter(|lacking| *lacking > 0)?;
        let span = self.full.saturating_duration_since(self.at);
        // More than all of it is refused, or not, once all of it is there.
        let part = self.most.and_then(|most| most.checked_sub(self.left)).filter(|all| *all > 0);
        let part = match comes {
            Comes::AtOnce => 1.0,
            Comes::Gradually => part.map_or(1.0, |all| (ratio(lacking, all)).min(1.0)),
        };
        let until = self.at + span.mul_f64(part);
        until.checked_duration_since(now).filter(|wait| !wait.is_zero())
    }
}

/// How what was taken of a limit comes back. Servers do not say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Comes {
    #[default]
    Gradually,
    /// At the end of a window.
    AtOnce,
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn ratio(part: u64, all: u64) -> f64 {
    part as f64 / all as f64
}

/// The state of a server's limits.
#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Until when the server wants no requests.
    asked: Option<Instant>,
    limits: [Option<Known>; LIMITS.len()],
    comes: [Comes; LIMITS.len()],
    rate: Rate,
    /// The end of the latest wait that was shown.
    shown: Option<Instant>,
}

impl State {
    fn wait(&self, need: Need, now: Instant) -> Option<Wait> {
        let asked = self.asked.and_then(|until| until.checked_duration_since(now));
        if let Some(wait) = asked.filter(|wait| !wait.is_zero()) {
            return Some(Wait::Asked(wait));
        }
        let known = LIMITS.iter().zip(&self.limits).zip(self.comes);
        let waits = known.filter_map(|((limit, known), comes)| {
            known.as_ref()?.wait(limit.taken(need), comes, now)
        });
        match (waits.max(), self.rate.wait(now)) {
            (Some(room), Some(rate)) if room < rate => Some(Wait::Rate(rate)),
            (Some(room), _) => Some(Wait::Room(room)),
            (None, rate) => rate.map(Wait::Rate),
        }
    }

    fn take(&mut self, need: Need, now: Instant) {
        for (limit, known) in LIMITS.iter().zip(&mut self.limits) {
            if let Some(known) = known {
                known.taken = known.taken.saturating_add(limit.taken(need));
            }
        }
        self.rate.take(now);
    }
}

impl Pace {
    /// Returns how long to wait before a request.
    pub(crate) fn wait(&self, need: Need, now: Instant) -> Option<Wait> {
        self.state().wait(need, now)
    }

    /// Takes the room for a request, or returns how long to wait for it. The room that one call takes
    /// is not there for another one that waited for it too.
    pub(crate) fn turn(&self, need: Need, now: Instant) -> Result<(), Wait> {
        let mut state = self.state();
        if let Some(wait) = state.wait(need, now) {
            return Err(wait);
        }
        state.take(need, now);
        Ok(())
    }

    /// Counts a request that is sent though there may be no room for it.
    pub(crate) fn take(&self, need: Need, now: Instant) {
        self.state().take(need, now);
    }

    /// Holds all requests for this long, as the server asks.
    pub(crate) fn hold(&self, wait: Duration) {
        let until = Instant::now() + wait.min(LONGEST);
        let mut state = self.state();
        state.asked = state.asked.max(Some(until));
    }

    /// Slows all requests down, since one that was sent at `sent` was refused.
    pub(crate) fn refused(&self, why: Refusal, sent: Instant, now: Instant) {
        self.state().rate.refused(why, sent, now);
    }

    /// Returns whether to show a wait until this time. Calls that wait for the same limit say it once.
    pub(crate) fn is_news(&self, until: Instant) -> bool {
        let shown = &mut self.state().shown;
        let is_later = shown.is_none_or(|shown| until > shown + LEAST_SHOWN);
        if is_later {
            *shown = Some(until);
        }
        is_later
    }

    /// Counts an answer.
    pub(crate) fn answered(&self) {
        self.state().rate.answered();
    }

    /// Reads the state of the limits in a response. A limit that refuses a request although a part of it
    /// should be there again comes back as a whole.
    pub(crate) fn learn(&self, headers: &HeaderMap, is_limited: bool) {
        let now = Instant::now();
        let found = known(headers, now, SystemTime::now());
        let mut state = self.state();
        for (comes, found) in state.comes.iter_mut().zip(&found) {
            let is_used_up = |known: &Known| known.left == 0 && known.full <= now + WINDOW;
            if is_limited && found.as_ref().is_some_and(is_used_up) {
                *comes = Comes::AtOnce;
            }
        }
        for (known, found) in state.limits.iter_mut().zip(found) {
            *known = found.or(*known);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns what a response says about each limit.
fn known(headers: &HeaderMap, now: Instant, time: SystemTime) -> [Option<Known>; LIMITS.len()] {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<u64>().ok();
    // The server's clock may differ.
    let date = headers.get(DATE).and_then(|date| date.to_str().ok());
    let time = date.and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or(time);
    LIMITS.each_ref().map(|limit| {
        let left = number(limit.left)?;
        let reset = reset::of(text(limit.reset)?, time)?.min(LONGEST);
        let most = Some(limit.most).filter(|most| !most.is_empty()).and_then(number);
        Some(Known { left, taken: 0, most, at: now, full: now + reset })
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant, SystemTime};

    use super::{Need, Pace, Refusal, State, Wait, known};
    use crate::retry::tests::headers;

    const DATE: &str = "Wed, 21 Oct 2026 07:28:00 GMT";

    type Row<'r> = (&'r [(&'static str, &'static str)], u64);

    #[test]
    fn a_wait_for_the_same_limit_is_shown_once() {
        let (pace, now) = (Pace::default(), Instant::now());
        let until = |milliseconds| now + Duration::from_millis(milliseconds);
        let rows = [(2_000, true), (2_000, false), (2_050, false), (1_000, false), (4_000, true)];
        for (milliseconds, expected) in rows {
            assert_eq!(pace.is_news(until(milliseconds)), expected, "{milliseconds}");
        }
    }

    #[test]
    fn requests_wait_until_there_is_room() {
        let (left, reset) = ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests");
        let (left_tokens, reset_tokens) =
            ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens");
        let input = (
            "anthropic-ratelimit-input-tokens-remaining",
            "anthropic-ratelimit-input-tokens-reset",
            "anthropic-ratelimit-input-tokens-limit",
        );
        let output = (
            "anthropic-ratelimit-output-tokens-remaining",
            "anthropic-ratelimit-output-tokens-reset",
        );
        let in_a_minute = "2026-10-21T07:29:00Z";
        // Each request has 100 input tokens and at most 400 output tokens.
        let rows: [Row<'_>; 15] = [
            (&[], 0),
            (&[(left, "3"), (reset, "1s")], 0),
            (&[(left, "0"), (reset, "1s")], 1),
            (&[(left, "0")], 0),
            // All of them are there again in a minute, and one in a second.
            (&[(left, "0"), (reset, "1m0s"), ("x-ratelimit-limit-requests", "60")], 1),
            (&[(left_tokens, "500"), (reset_tokens, "1m0s")], 0),
            (&[(left_tokens, "499"), (reset_tokens, "1m0s")], 60),
            (
                &[(left_tokens, "0"), (reset_tokens, "1m0s"), ("x-ratelimit-limit-tokens", "1000")],
                30,
            ),
            // More than there can be: once all is there.
            (&[(left_tokens, "0"), (reset_tokens, "6s"), ("x-ratelimit-limit-tokens", "300")], 6),
            (&[(input.0, "0"), (input.1, in_a_minute), (input.2, "1000"), ("date", DATE)], 6),
            (&[(input.0, "100"), (input.1, in_a_minute), ("date", DATE)], 0),
            (&[(output.0, "399"), (output.1, in_a_minute), ("date", DATE)], 60),
            // The longest wait counts.
            (&[(left, "0"), (reset, "2s"), (left_tokens, "0"), (reset_tokens, "3s")], 3),
            // A point in time that is over.
            (&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000000")], 0),
            (&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "20")], 20),
        ];
        let need = Need { input: 100, output: 400 };
        let now = Instant::now();
        for (rows, expected) in rows {
            let limits = known(&headers(rows), now, SystemTime::now());
            let state = State { limits, ..State::default() };
            let expected = (expected > 0).then(|| Wait::Room(Duration::from_secs(expected)));
            assert_eq!(state.wait(need, now), expected, "{rows:?}");
            // Once all is there again, nothing is known.
            assert_eq!(state.wait(need, now + Duration::from_mins(2)), None, "{rows:?}");
        }
    }

    #[test]
    fn room_is_given_to_one_request_at_a_time() {
        let names = [
            "x-ratelimit-limit-requests",
            "x-ratelimit-remaining-requests",
            "x-ratelimit-reset-requests",
        ];
        let now = Instant::now();
        // Two of ten are left, and all of them are there in two seconds.
        let rows = headers(&[(names[0], "10"), (names[1], "2"), (names[2], "2s")]);
        let waits = |is_limited| {
            let pace = Pace::default();
            if is_limited {
                let refused = headers(&[(names[0], "10"), (names[1], "0"), (names[2], "2s")]);
                pace.learn(&refused, true);
            }
            pace.learn(&rows, false);
            [0; 5].map(|_| match pace.turn(Need::default(), now) {
                Ok(()) => 0,
                Err(Wait::Room(wait)) => {
                    pace.take(Need::default(), now);
                    wait.as_millis().div_ceil(50) * 50
                }
                Err(wait) => panic!("{wait:?}"),
            })
        };
        assert_eq!(waits(false), [0, 0, 250, 500, 750]);
        // The server refused a request when a part should have been there.
        assert_eq!(waits(true), [0, 0, 2000, 2000, 2000]);
    }

    #[test]
    fn the_longer_wait_counts() {
        let rows = headers(&[
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "2s"),
        ]);
        let (pace, now) = (Pace::default(), Instant::now());
        assert_eq!(pace.turn(Need::default(), now), Ok(()));
        pace.refused(Refusal::Limit, now, now);
        let Some(Wait::Rate(rate)) = pace.wait(Need::default(), now) else { panic!("a rate") };
        assert_eq!(rate, Duration::from_millis(100));
        pace.learn(&rows, false);
        assert!(matches!(pace.wait(Need::default(), now), Some(Wait::Room(_))));
        pace.hold(Duration::from_secs(9));
        assert!(matches!(pace.wait(Need::default(), now), Some(Wait::Asked(_))));
    }

    #[test]
    fn a_server_that_asks_for_a_wait_comes_first() {
        let (pace, now) = (Pace::default(), Instant::now());
        assert_eq!(pace.wait(Need::default(), now), None);
        pace.hold(Duration::from_hours(1));
        pace.hold(Duration::from_secs(1));
        let Some(Wait::Asked(wait)) = pace.wait(Need::default(), now) else { panic!("it asks") };
        assert!(wait > Duration::from_mins(59));
        pace.hold(Duration::MAX);
        assert!(pace.wait(Need::default(), now).is_some());
    }
}
