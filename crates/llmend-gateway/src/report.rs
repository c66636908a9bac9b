//! Which model breaks what, how often?
//!
//! [`of`] makes a report of exchanges, without looking anywhere; [`read`] takes them from a journal. A report
//! is data, and serialises; [`html`] shows it in a page of its own.
//!
//! ```no_run
//! use llmend_gateway::report::{Filter, html, read};
//!
//! # fn example() -> Result<(), llmend_gateway::report::JournalError> {
//! let filter = Filter { model: Some("llama*".to_owned()), ..Filter::default() };
//! let report = read("exchanges.db".as_ref(), &filter)?;
//! println!("{} of {} were looked at", report.all.looked_at(), report.exchanges);
//! std::fs::write("report.html", html(&report, "exchanges.db"))?;
//! # Ok(())
//! # }
//! ```

mod html;
mod plot;
mod tally;

use std::path::Path;
use std::time::SystemTime;

use llmend::Class;
use serde::Serialize;

pub use self::html::html;
use self::tally::Tally;
use crate::config::matches;
use crate::recording::Reader;
use crate::recording::moment;
pub use crate::recording::{Finding, JournalError, Outcome, Summary};

/// An exchange, and what was done and found in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its numbers.
    pub summary: Summary,
    /// Each name once.
    pub findings: Vec<Finding>,
}

/// Which exchanges count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Those that began at this moment or later, in milliseconds since 1970.
    pub since_ms: Option<u64>,
    /// Those that began before this moment.
    pub until_ms: Option<u64>,
    /// Those of models with such a name, in which a `*` stands for any text.
    pub model: Option<String>,
}

impl Filter {
    fn takes(&self, summary: &Summary) -> bool {
        self.since_ms.is_none_or(|since| summary.at_ms >= since)
            && self.until_ms.is_none_or(|until| summary.at_ms < until)
            && self.model.as_ref().is_none_or(|pattern| matches(pattern, &summary.model))
    }
}

/// What models broke.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// How many exchanges count.
    pub exchanges: u64,
    /// When the first of them began, as RFC 3339 has it; nothing if there is none.
    pub first: Option<String>,
    /// When the last of them began.
    pub last: Option<String>,
    /// What holds of all of them; its name is empty.
    pub all: ModelReport,
    /// Each model, the one that was asked most often first; 50 at most.
    pub models: Vec<ModelReport>,
    /// How many models were left out.
    pub more_models: u64,
    /// How many exchanges there were when, the first time first, without gaps.
    pub times: Vec<Time>,
}

/// What one model broke.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ModelReport {
    /// Its name, as the requests had it: text of others.
    pub model: String,
    /// How many exchanges asked it.
    pub exchanges: u64,
    /// How many came to what; what never happened is left out.
    pub outcomes: Vec<OutcomeCount>,
    /// Of how many the gravest repair was of which class; likewise.
    pub classes: Vec<ClassCount>,
    /// What was repaired and found, the most frequent first.
    pub findings: Vec<FindingReport>,
    /// How often the model was asked, over all exchanges.
    pub attempts: u64,
    /// In how many exchanges it was asked more than once.
    pub asked_again: u64,
    /// Tokens of the questions, of those exchanges that tell.
    pub tokens_in: u64,
    /// Tokens of the answers, likewise.
    pub tokens_out: u64,
    /// How many exchanges tell nothing of tokens.
    pub tokens_untold: u64,
    /// The time within which half of the exchanges ended, in milliseconds.
    pub median_ms: u64,
    /// The time within which 95 of 100 ended.
    pub p95_ms: u64,
}

impl ModelReport {
    /// How many exchanges came to this.
    pub fn came_to(&self, outcome: Outcome) -> u64 {
        self.outcomes.iter().find(|row| row.outcome == outcome).map_or(0, |row| row.count)
    }

    /// How many answers were looked at: those that were given, and those that were refused.
    pub fn looked_at(&self) -> u64 {
        [Outcome::Unchanged, Outcome::Repaired, Outcome::Truncated, Outcome::Refused]
            .into_iter()
            .map(|outcome| self.came_to(outcome))
            .sum()
    }
}

/// How many exchanges came to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OutcomeCount {
    /// To what.
    pub outcome: Outcome,
    /// How many.
    pub count: u64,
}

/// How many exchanges needed a repair of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClassCount {
    /// Which class.
    pub class: Class,
    /// How many.
    pub count: u64,
}

/// How often a rule was applied, or a code found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FindingReport {
    /// The rule, the coercion, or the code of what was wrong.
    pub name: String,
    /// How sure the repair is; nothing of what was not repaired.
    pub class: Option<Class>,
    /// In how many exchanges.
    pub exchanges: u64,
    /// How often in all of them.
    pub count: u64,
}

/// What happened in a stretch of time: an hour, a day, or a week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Time {
    /// When it begins.
    pub from: String,
    /// How many seconds it lasts.
    pub seconds: u64,
    /// How many exchanges began in it, by what came of them.
    pub outcomes: Vec<OutcomeCount>,
}

/// The moment that a text says, in milliseconds since 1970: a day (`2026-11-22`), a day and a time in UTC
/// (`2026-11-22T14:05Z`), or a length of time before `now` (`30m`, `12h`, `7d`, `2w`). `None` if it says none.
pub fn moment_of(text: &str, now: SystemTime) -> Option<u64> {
    moment::parse(text, moment::millis(now))
}

/// The report of these exchanges.
pub fn of(rows: impl IntoIterator<Item = Row>) -> Report {
    let mut tally = Tally::default();
    for row in rows {
        tally.add(&row);
    }
    tally.report()
}

/// The report of what a journal holds, which may be written meanwhile.
pub fn read(journal: &Path, filter: &Filter) -> Result<Report, JournalError> {
    let mut tally = Tally::default();
    Reader::open(journal)?.each(|row| {
        if filter.takes(&row.summary) {
            tally.add(&row);
        }
    })?;
    Ok(tally.report())
}
