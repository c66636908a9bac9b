//! The rate that is learnt from refusals, since not every server states its limits.

use std::time::{Duration, Instant};

/// The time between two requests after the first refusal.
const FIRST: Duration = Duration::from_millis(100);
/// The longest time between two requests of a client that sends too many.
const LONGEST: Duration = Duration::from_secs(10);
/// The longest time between two requests to a server that has too much to do, whoever asks: it says little of
/// this client's rate.
const LONGEST_OF_OVERLOAD: Duration = Duration::from_millis(250);
/// A shorter time between two requests is none.
const SHORTEST: Duration = Duration::from_millis(20);

/// Why a server that has too much to do refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// This client sends too many.
    Limit,
    /// All clients together do.
    Overload,
}

/// The time between two requests. It grows with refusals and shrinks with answers, so that it stays
/// near the rate that the server allows.
#[derive(Debug, Default)]
pub(super) struct Rate {
    between: Duration,
    /// When the next request may be sent.
    next: Option<Instant>,
    /// When the time between requests last grew.
    grown: Option<Instant>,
    /// Whether there was an answer since.
    is_answered: bool,
}

impl Rate {
    /// Returns the time from `now` until a request may be sent.
    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        self.next?.checked_duration_since(now).filter(|wait| !wait.is_zero())
    }

    /// Counts a request that is sent at `now`.
    pub(super) fn take(&mut self, now: Instant) {
        if !self.between.is_zero() {
            let from = self.next.map_or(now, |next| next.max(now));
            self.next = Some(from + self.between);
        }
    }

    /// Counts a refusal at `now` of a request that was sent at `sent`. One that was sent before the rate
    /// was last lowered says nothing about the rate of now.
    pub(super) fn refused(&mut self, why: Refusal, sent: Instant, now: Instant) {
        if self.grown.is_some_and(|grown| sent < grown) {
            return;
        }
        // Until there is an answer, the right rate is far away.
        let factor = if self.is_answered { 1.5 } else { 2.0 };
        let longest = match why {
            Refusal::Limit => LONGEST,
            Refusal::Overload => LONGEST_OF_OVERLOAD.max(self.between),
        };
        self.between = self.between.mul_f64(factor).clamp(FIRST, longest);
        self.grown = Some(now);
        self.is_answered = false;
        self.next = Some(now + self.between);
    }

    /// Counts an answer.
    pub(super) fn answered(&mut self) {
        self.is_answered = true;
        self.between = self.between.mul_f64(0.95);
        if self.between < SHORTEST {
            (self.between, self.next) = (Duration::ZERO, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::VecDeque,
        time::{Duration, Instant},
    };

    use super::{
        Rate,
        Refusal::{Limit, Overload},
    };

    /// Sends 200 requests, a few at a time, to a server that takes `most` of them in each `span`.
    /// Returns how many were refused, and the time that it took.
    fn run(most: usize, span: Duration) -> (usize, Duration) {
        let start = Instant::now();
        let (mut rate, mut now, mut refused, mut left) = (Rate::default(), start, 0, 200);
        let mut taken: VecDeque<Instant> = VecDeque::new();
        while left > 0 {
            // No answer takes less time than this.
            now += Duration::from_millis(10);
            now += rate.wait(now).unwrap_or_default();
            rate.take(now);
            taken.retain(|at| *at + span > now);
            if taken.len() < most {
                taken.push_back(now);
                rate.answered();
                left -= 1;
            } else {
                rate.refused(Limit, now, now);
                refused += 1;
            }
        }
        (refused, now - start)
    }

    #[test]
    fn the_rate_stays_near_what_the_server_allows() {
        // Requests in a span of milliseconds, the most refusals, and the most seconds for 200 requests.
        for (most, span, refusals, seconds) in
            [(1, 1_000, 40, 300), (3, 1_000, 40, 100), (10, 2_000, 40, 80), (100, 1_000, 10, 4)]
        {
            let (refused, took) = run(most, Duration::from_millis(span));
            assert!(refused <= refusals, "{most} in {span} ms: {refused} refusals");
            assert!(took < Duration::from_secs(seconds), "{most} in {span} ms: {took:?}");
        }
    }

    #[test]
    fn requests_that_were_under_way_count_once() {
        let (mut rate, now) = (Rate::default(), Instant::now());
        for _ in 0..8 {
            rate.refused(Limit, now, now + Duration::from_millis(5));
        }
        let after = now + Duration::from_millis(5);
        assert_eq!(rate.wait(after), Some(Duration::from_millis(100)));
        // One after another.
        rate.take(after);
        assert_eq!(rate.wait(after), Some(Duration::from_millis(200)));
        rate.refused(Limit, after, after);
        assert_eq!(rate.wait(after), Some(Duration::from_millis(200)));
        assert_eq!(rate.wait(after + Duration::from_millis(200)), None);
    }

    #[test]
    fn an_overload_slows_down_a_little() {
        let (mut rate, start) = (Rate::default(), Instant::now());
        let mut now = start;
        for _ in 0..20 {
            now += rate.wait(now).unwrap_or_default();
            rate.refused(Overload, now, now);
        }
        assert_eq!(rate.wait(now), Some(Duration::from_millis(250)));
        for _ in 0..20 {
            now += rate.wait(now).unwrap_or_default();
            rate.refused(Limit, now, now);
        }
        assert_eq!(rate.wait(now), Some(Duration::from_secs(10)));
        // It takes back nothing of what a limit has shown.
        rate.refused(Overload, now, now);
        assert_eq!(rate.wait(now), Some(Duration::from_secs(10)));
    }

    #[test]
    fn nothing_is_waited_for_without_a_refusal_or_long_after_one() {
        let (mut rate, now) = (Rate::default(), Instant::now());
        rate.take(now);
        rate.answered();
        assert_eq!(rate.wait(now), None);
        rate.refused(Limit, now, now);
        for _ in 0..32 {
            rate.answered();
            rate.take(now);
        }
        assert_eq!(rate.wait(now), None);
    }
}
