//! The state of a run, and what the end of a request means for it.

use std::fmt::Write as _;

use llmend::{
    Value,
    asking::{AskError, ExhaustedBudget, GiveUpReason, ValueAnswer},
    model::ChatErrorKind,
};

use crate::{
    commands::batch::unfinished::{Unfinished, Used, failure},
    outcome::Failure,
    render::{
        counted,
        summary::{BatchTally, batch_summary},
    },
};

/// The end of the request for one line.
pub(super) struct Answered {
    pub(super) number: usize,
    pub(super) granted: Used,
    /// Whether the line was granted less than it may need.
    pub(super) is_short: bool,
    pub(super) asked: Result<ValueAnswer<Value<'static>>, AskError>,
}

/// What the end of a request means for the run.
pub(super) enum Fate {
    /// The line has an answer, or none for a reason of its own.
    Line,
    /// The server failed.
    Failed,
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
            GiveUpReason::Transport(error) => match error.kind {
                ChatErrorKind::Authentication | ChatErrorKind::NotFound | ChatErrorKind::Quota => {
                    Fate::Fatal
                }
                ChatErrorKind::Request
                | ChatErrorKind::ContentRefused
                | ChatErrorKind::Unreadable => Fate::Line,
                _ => Fate::Failed,
            },
            _ => Fate::Line,
        }
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
    /// Lines whose requests failed in a row, with their objects and what they used.
    pub(super) failed: Vec<(usize, String, Used)>,
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

    /// Keeps the lines whose requests failed, since the server answers others.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        for (number, line, _) in std::mem::take(&mut self.failed) {
            self.keep(number, &line)?;
            self.tally.add(&BatchTally::of_refusal());
        }
        Ok(())
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
