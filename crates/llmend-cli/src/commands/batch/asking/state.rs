//! The state of a run, and what the end of a request means for it.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    time::{Duration, Instant},
};

use llmend::{
    Value,
    asking::{AskError, ExhaustedBudget, GiveUpReason, ValueAnswer},
    model::{ChatError, ChatErrorKind},
};

use crate::{
    commands::batch::unfinished::{Unfinished, Used, failure},
    outcome::Failure,
    render::{
        counted,
        summary::{BatchTally, batch_summary},
    },
};

/// Failures in a row before the run is stopped.
const FAILURES: usize = 10;
/// How often a line is asked for whose requests fail while others are answered.
const ROUNDS: u32 = 3;
/// The longest wait of a run that a server may ask for.
pub(crate) const PATIENCE: Duration = Duration::from_mins(15);

/// A line to ask for.
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) prompt: String,
    /// How often it was asked for before.
    pub(super) round: u32,
}

/// The end of the request for one line.
pub(super) struct Answered {
    pub(super) line: Line,
    pub(super) granted: Used,
    /// Whether the line was granted less than it may need.
    pub(super) is_short: bool,
    pub(super) asked: Result<ValueAnswer<Value<'static>>, AskError>,
}

/// How a server is busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Busy {
    /// The wait that it asks for.
    wait: Option<Duration>,
    /// Whether it was asked at all, and not spared because of an earlier refusal.
    is_asked: bool,
}

/// What the end of a request means for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The line has an answer, or none for a reason of its own.
    Line,
    /// The server failed, perhaps because of the line.
    Failed,
    /// The server is busy or out of reach, which says nothing about the line.
    Busy(Busy),
    /// No line can be asked for.
    Fatal,
    /// The budget of the run is used up.
    Spent,
}

impl Answered {
    pub(super) fn fate(&self) -> Fate {
        let Err(AskError::GaveUp(end)) = &self.asked else { return Fate::Line };
        match &end.why {
            GiveUpReason::Budget(ExhaustedBudget::Tokens | ExhaustedBudget::Cost)
                if self.is_short =>
            {
                Fate::Spent
            }
            GiveUpReason::NoPrice { .. } | GiveUpReason::NoModel => Fate::Fatal,
            GiveUpReason::Transport(error) => of_error(error),
            _ => Fate::Line,
        }
    }
}

/// Returns what a request without an answer means for the run.
fn of_error(error: &ChatError) -> Fate {
    match error.kind {
        ChatErrorKind::Authentication | ChatErrorKind::NotFound | ChatErrorKind::Quota => {
            Fate::Fatal
        }
        ChatErrorKind::Request | ChatErrorKind::ContentRefused | ChatErrorKind::Unreadable => {
            Fate::Line
        }
        _ if error.is_of_load() || error.context.not_reached => {
            let is_spared = error.kind == ChatErrorKind::RateLimited && error.context.not_reached;
            Fate::Busy(Busy { wait: error.context.retry_after, is_asked: !is_spared })
        }
        _ => Fate::Failed,
    }
}

/// The state of a run.
pub(super) struct State {
    pub(super) unfinished: Unfinished,
    pub(super) tally: BatchTally,
    /// The number of the last line that was read.
    pub(super) number: usize,
    /// The bytes or rows that were read.
    pub(super) read: u64,
    /// What is granted to the requests that run.
    pub(super) granted: Used,
    /// Lines to ask for again, after all others.
    pub(super) later: VecDeque<Line>,
    /// Requests that failed since the last one that was answered.
    failures: usize,
    /// Until when the server wants no requests.
    pub(super) held: Option<Instant>,
    /// Lines whose requests failed too often, with their objects and what they used.
    failed: Vec<(usize, String, Used)>,
    /// Why no more is asked.
    pub(super) stop: Option<Failure>,
}

impl State {
    pub(super) fn new(unfinished: Unfinished) -> Self {
        Self {
            unfinished,
            tally: BatchTally::default(),
            number: 0,
            read: 0,
            granted: Used::default(),
            later: VecDeque::new(),
            failures: 0,
            held: None,
            failed: Vec::new(),
            stop: None,
        }
    }

    /// Keeps the object of a line.
    pub(super) fn keep(&mut self, number: usize, line: &str) -> Result<(), Failure> {
        self.unfinished.answered(number, line).map_err(|error| failure(&error))
    }

    /// Notes that a request ended without an answer, and what it used.
    pub(super) fn release(&mut self, number: usize, used: Used) -> Result<(), Failure> {
        self.unfinished.released(number, used).map_err(|error| failure(&error))
    }

    /// Counts an answer: the server is there, so that lines which failed too often fail for their own
    /// reasons.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        self.failures = 0;
        for (number, line, _) in std::mem::take(&mut self.failed) {
            self.keep(number, &line)?;
            self.tally.add(&BatchTally::of_refusal());
        }
        Ok(())
    }

    /// Takes a line that the server was too busy for, which is asked for again.
    pub(super) fn postpone(
        &mut self,
        line: Line,
        used: Used,
        busy: Busy,
        jobs: usize,
        failure: Failure,
    ) -> Result<(), Failure> {
        self.release(line.number, used)?;
        self.later.push_back(Line { round: line.round + 1, ..line });
        let until = busy.wait.and_then(|wait| Instant::now().checked_add(wait));
        self.held = self.held.max(until);
        if busy.wait.is_some_and(|wait| wait > PATIENCE) {
            self.stop.get_or_insert(failure);
        } else if busy.is_asked {
            self.count(jobs, failure);
        }
        Ok(())
    }

    /// Takes a line whose request failed, with its object. It is asked for again, unless it failed before.
    pub(super) fn fail(
        &mut self,
        line: Line,
        object: String,
        used: Used,
        jobs: usize,
        failure: Failure,
    ) -> Result<(), Failure> {
        if line.round + 1 < ROUNDS {
            return self.postpone(line, used, Busy { wait: None, is_asked: true }, jobs, failure);
        }
        self.failed.push((line.number, object, used));
        self.count(jobs, failure);
        Ok(())
    }

    /// Counts a failure. A server that answers nothing more ends the run.
    fn count(&mut self, jobs: usize, failure: Failure) {
        self.failures += 1;
        if self.failures >= FAILURES.max(jobs) {
            self.stop.get_or_insert(failure);
        }
    }

    /// Ends the run: writes the output, or says why it is not finished.
    pub(super) fn end(
        mut self,
        resumed: usize,
        used: &str,
        noun: &'static str,
        finish: impl FnOnce(Unfinished) -> Result<(), Failure>,
    ) -> Result<String, Failure> {
        if let Some(mut stop) = self.stop.take() {
            for (number, _, used) in std::mem::take(&mut self.failed) {
                self.release(number, used)?;
            }
            let done = counted(self.unfinished.len(), noun);
            let help = stop.hint.take().or_else(|| stop.reason()?.help.clone());
            let help = help.map_or_else(String::new, |help| format!("{help} "));
            stop.hint = Some(format!(
                "{help}{done} have an answer ({used}). Run the command again to go on."
            ));
            return Err(stop);
        }
        self.settle()?;
        let mut summary = batch_summary(&self.tally, noun);
        if resumed > 0 {
            let _ = write!(summary, "; resumed after {}", counted(resumed, noun));
        }
        let _ = write!(summary, "; {used}");
        finish(self.unfinished)?;
        Ok(summary)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use llmend::model::{ChatError, ChatErrorKind};

    use super::{
        Busy,
        Fate::{self, Failed, Fatal, Line},
        of_error,
    };

    #[test]
    fn a_busy_server_says_nothing_about_a_line() {
        use ChatErrorKind as Kind;

        let wait = Some(Duration::from_secs(9));
        let busy = |is_asked| Fate::Busy(Busy { wait, is_asked });
        let rows: [(Kind, Option<u16>, bool, &str, Fate); 14] = [
            (Kind::RateLimited, Some(429), false, "", busy(true)),
            (Kind::RateLimited, None, true, "no request was sent", busy(false)),
            (Kind::Server, Some(503), false, "", busy(true)),
            (Kind::Server, Some(529), false, "", busy(true)),
            (Kind::Server, None, false, "Overloaded", busy(true)),
            (Kind::Connection, None, true, "could not be reached", busy(true)),
            (Kind::Connection, None, false, "closed the connection", Failed),
            (Kind::Server, Some(500), false, "", Failed),
            (Kind::Server, None, false, "internal error", Failed),
            (Kind::Timeout, None, false, "", Failed),
            (Kind::Stalled, None, false, "", Failed),
            (Kind::Quota, Some(429), false, "", Fatal),
            (Kind::NotFound, Some(404), false, "", Fatal),
            (Kind::Request, Some(400), false, "", Line),
        ];
        for (kind, status, not_reached, message, expected) in rows {
            let mut error = ChatError::new(kind, message);
            let context = &mut error.context;
            (context.status, context.not_reached, context.retry_after) =
                (status, not_reached, wait);
            assert_eq!(of_error(&error), expected, "{kind:?} {status:?} {message}");
        }
    }
}
