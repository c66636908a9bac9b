//! Reports on the failures of models, from a journal.
//!
//! [`read`] summarizes the exchanges of a journal. The report is plain data that serializes to JSON; [`html`]
//! renders it as a page.
//!
//! ```no_run
//! use llmend_gateway::report::{Filter, html, read};
//!
//! # fn example() -> Result<(), llmend_gateway::report::JournalError> {
//! let filter = Filter { model: Some("llama*".to_owned()), ..Filter::default() };
//! let report = read("exchanges.db".as_ref(), &filter, &|_| None)?;
//! println!("{} of {} answers were inspected", report.all.inspected(), report.exchanges);
//! std::fs::write("report.html", html(&report, "exchanges.db"))?;
//! # Ok(())
//! # }
//! ```

mod cost;
mod escape;
mod html;
mod plot;
mod tally;

use std::path::Path;
use std::time::SystemTime;

use llmend::Class;
use serde::Serialize;

pub use self::cost::PriceOf;
pub use self::html::html;
use self::tally::Tally;
use crate::calls::parts::LEFT;
use crate::config::matches;
use crate::recording::Reader;
use crate::recording::moment;
use crate::recording::{Finding, Summary};
pub use crate::recording::{JournalError, Outcome};

/// An exchange with its findings.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    summary: Summary,
    /// Each name once.
    findings: Vec<Finding>,
}

/// Selection of exchanges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Exchanges that began at this time or later, in milliseconds since 1970.
    pub since_ms: Option<u64>,
    /// Exchanges that began before this time, in milliseconds since 1970.
    pub until_ms: Option<u64>,
    /// Exchanges of models that match this pattern, in which `*` matches any text.
    pub model: Option<String>,
}

impl Filter {
    fn matches(&self, summary: &Summary) -> bool {
        self.since_ms.is_none_or(|since| summary.at_ms >= since)
            && self.until_ms.is_none_or(|until| summary.at_ms < until)
            && self.model.as_ref().is_none_or(|pattern| matches(pattern, &summary.model))
    }
}

/// Report on all models.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Number of selected exchanges.
    pub exchanges: u64,
    /// Start of the first exchange in RFC 3339; `None` if there is none.
    pub first: Option<String>,
    /// Start of the last exchange.
    pub last: Option<String>,
    /// Totals of all models, with an empty name.
    pub all: ModelReport,
    /// At most 50 models, by number of exchanges, highest first.
    pub models: Vec<ModelReport>,
    /// Number of omitted models.
    pub more_models: u64,
    /// Exchanges over time, oldest first, without gaps.
    pub times: Vec<Period>,
}

/// Report on one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ModelReport {
    /// Name of the model as in the requests. Untrusted text.
    pub model: String,
    /// Number of exchanges.
    pub exchanges: u64,
    /// Exchanges by outcome, without zeros.
    pub outcomes: Vec<OutcomeCount>,
    /// Exchanges by worst repair class, without zeros.
    pub classes: Vec<ClassCount>,
    /// Repairs, coercions and errors, the most frequent first.
    pub findings: Vec<FindingReport>,
    /// Number of calls in all answers, also of those that could not be used.
    pub calls: u64,
    /// Number of calls that the model wrote as text.
    pub calls_from_text: u64,
    /// Number of those that could not be read.
    pub calls_unread: u64,
    /// Number of requests to the model, over all exchanges.
    pub attempts: u64,
    /// Number of exchanges with retries.
    pub asked_again: u64,
    /// Input tokens, where reported.
    pub tokens_in: u64,
    /// Output tokens, where reported.
    pub tokens_out: u64,
    /// What these tokens cost, with the currency: `None` if a price is unknown, or there are several
    /// currencies.
    pub cost: Option<String>,
    /// Number of exchanges without token usage.
    pub tokens_untold: u64,
    /// Median duration in milliseconds.
    pub median_ms: u64,
    /// 95th percentile of the duration in milliseconds.
    pub p95_ms: u64,
}

impl ModelReport {
    /// Returns the number of exchanges with this outcome.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.outcomes.iter().find(|row| row.outcome == outcome).map_or(0, |row| row.count)
    }

    /// Returns what is to be said of calls that came as text, and of what was kept back as no call, in
    /// one line; `None` if there is neither.
    pub fn calls_line(&self) -> Option<String> {
        let Self { calls, calls_from_text, calls_unread, findings, .. } = self;
        let percent = (calls_from_text * 100 + calls / 2).checked_div(*calls).unwrap_or(0);
        let read = match calls_unread {
            0 => "all read".to_owned(),
            unread => format!("{unread} of {calls_from_text} not read"),
        };
        let read =
            (*calls_from_text > 0).then(|| format!("{percent} % of calls came as text, {read}"));
        let kept: u64 = findings.iter().filter(|row| row.is_kept()).map(|row| row.count).sum();
        let kept = (kept > 0).then(|| format!("{kept} kept back as no calls"));
        read.into_iter().chain(kept).reduce(|read, kept| format!("{read}; {kept}"))
    }

    /// Returns the number of inspected answers: delivered or refused.
    pub fn inspected(&self) -> u64 {
        [Outcome::Unchanged, Outcome::Repaired, Outcome::Truncated, Outcome::Refused]
            .into_iter()
            .map(|outcome| self.count(outcome))
            .sum()
    }
}

/// Number of exchanges with an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OutcomeCount {
    /// Outcome.
    pub outcome: Outcome,
    /// Number of exchanges.
    pub count: u64,
}

/// Number of exchanges whose worst repair has a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClassCount {
    /// Repair class.
    pub class: Class,
    /// Number of exchanges.
    pub count: u64,
}

/// Occurrences of a rule, coercion or code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FindingReport {
    /// Name of the rule or coercion, or code of an error or of what was kept back as no call.
    pub name: String,
    /// Class of the repair; `None` for an error and for what was kept back.
    pub class: Option<Class>,
    /// Number of exchanges.
    pub exchanges: u64,
    /// Number of occurrences in all exchanges.
    pub count: u64,
}

impl FindingReport {
    /// Whether it is something like a call that is not sent as one.
    fn is_kept(&self) -> bool {
        self.class.is_none() && LEFT.contains(&self.name.as_str())
    }

    /// Returns the class in a word.
    pub fn class_word(&self) -> &'static str {
        let without = if self.is_kept() { "kept back" } else { "not repaired" };
        self.class.map_or(without, Class::as_str)
    }
}

/// Exchanges in a period: an hour, a day or a week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Period {
    /// Start in RFC 3339.
    pub from: String,
    /// Length in seconds.
    pub seconds: u64,
    /// Exchanges that began in the period, by outcome.
    pub outcomes: Vec<OutcomeCount>,
}

/// Parses a date (`2026-11-22`), a date and time in UTC (`2026-11-22T14:05Z`) or a duration before `now`
/// (`30m`, `12h`, `7d`, `2w`), and returns milliseconds since 1970.
pub fn parse_time(text: &str, now: SystemTime) -> Option<u64> {
    moment::parse(text, moment::millis(now))
}

/// Summarizes exchanges.
#[cfg(test)]
fn of(rows: impl IntoIterator<Item = Row>) -> Report {
    let mut tally = Tally::default();
    for row in rows {
        tally.add(&row);
    }
    tally.report(&|_| None)
}

/// Summarizes the exchanges of a journal, which may be open for writing in another process, and what they
/// cost at these prices.
pub fn read(
    journal: &Path,
    filter: &Filter,
    price_of: &PriceOf<'_>,
) -> Result<Report, JournalError> {
    let mut tally = Tally::default();
    Reader::open(journal)?.each(|summary, findings| {
        if filter.matches(&summary) {
            tally.add(&Row { summary, findings });
        }
    })?;
    Ok(tally.report(price_of))
}
