//! What happened in this process, how often, and how long did it take?
//!
//! Everything is counted twice: here, for [`snapshot`], and through the facade of the crate `metrics`, so
//! that any exporter can be put behind it ([`METRICS`] says what there is). Without an exporter that costs
//! next to nothing. Labels come from tables of this crate and never from a text, so that there are never
//! more series than those tables have rows.

mod store;
mod table;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use llmend_json::{Options, Parsed, Report};

pub use table::{METRICS, Metric, MetricKind};

use crate::asking::{Attempt, FailureKind, Rung};

/// What is counted of plans, under the names of the `OpenManus` documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    Ok,
    RepairFail,
    ParseFail,
    SchemaFail,
    Retry,
    TotalMs,
    TotalCount,
}

impl Counter {
    const ALL: [Self; 7] = [
        Self::Ok,
        Self::RepairFail,
        Self::ParseFail,
        Self::SchemaFail,
        Self::Retry,
        Self::TotalMs,
        Self::TotalCount,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "planning.ok",
            Self::RepairFail => "planning.repair_fail",
            Self::ParseFail => "planning.parse_fail",
            Self::SchemaFail => "planning.schema_fail",
            Self::Retry => "planning.retry",
            Self::TotalMs => "planning.total_ms_total",
            Self::TotalCount => "planning.total_count",
        }
    }

    /// Counts one.
    pub(crate) fn count(self) {
        store::add(self.name(), [], 1);
    }
}

/// Counts a plan that was read, and the time that it took.
pub(crate) fn succeeded(took: Duration) {
    Counter::Ok.count();
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    store::add(Counter::TotalMs.name(), [], milliseconds);
    Counter::TotalCount.count();
}

/// [`llmend_json::parse_with`], counted.
pub(crate) fn parse_counted<'t>(
    text: &'t str,
    options: &Options,
) -> Result<Parsed<'t>, llmend_json::Error> {
    let start = Instant::now();
    let outcome = llmend_json::parse_with(text, options);
    store::time("llmend_parse_seconds", start.elapsed());
    counted(outcome)
}

/// What came of a text, counted.
pub(crate) fn counted(
    outcome: Result<Parsed<'_>, llmend_json::Error>,
) -> Result<Parsed<'_>, llmend_json::Error> {
    let word = match &outcome {
        Ok(parsed) => {
            count_repairs(&parsed.report);
            parsed.report.status.as_str()
        }
        Err(_) => "refused",
    };
    store::add("llmend_parse_total", [("outcome", word)], 1);
    outcome
}

fn count_repairs(report: &Report) {
    for repair in &report.repairs {
        let labels = [("rule", repair.rule.name()), ("class", repair.rule.class().as_str())];
        store::add("llmend_repairs_total", labels, 1);
    }
}

/// Counts a question to a model, and what it used.
pub(crate) fn attempted(attempt: &Attempt) {
    let kind = attempt.failure.map_or("ok", FailureKind::as_str);
    let rung = attempt.rung.map_or("first", Rung::as_str);
    store::add("llmend_attempts_total", [("kind", kind), ("rung", rung)], 1);
    let attempt_word = if attempt.number > 1 { "retry" } else { "first" };
    let tokens = attempt.usage.input.saturating_add(attempt.usage.output);
    store::add("llmend_tokens_total", [("attempt", attempt_word)], tokens);
}

/// Tells what an answer took beside the time in which a model was waited for.
pub(crate) fn overhead(took: Duration) {
    store::time("llmend_overhead_seconds", took);
}

/// The counters of this process by name: those of plans, all of them, also where they are zero, and of the
/// others each series that was counted, as in `llmend_parse_total{outcome="repaired"}`. Of times there are
/// the number of them and their sum in microseconds.
///
/// ```
/// let before = llmend::metrics::snapshot();
/// assert!(llmend::parse_plan_text("no plan at all", 0).is_err());
/// let after = llmend::metrics::snapshot();
/// assert_eq!(after["planning.repair_fail"], before["planning.repair_fail"] + 1);
/// assert!(after["llmend_parse_total{outcome=\"refused\"}"] > 0);
/// ```
#[must_use]
pub fn snapshot() -> BTreeMap<String, u64> {
    let plans = Counter::ALL.into_iter().map(|counter| (counter.name().to_owned(), 0));
    let mut found: BTreeMap<String, u64> = plans.collect();
    found.extend(store::all());
    found
}

/// Tells the exporter behind the facade what each metric means. To be called once, after it was put there;
/// one that does not want to know ignores it.
pub fn describe() {
    for metric in METRICS {
        match metric.kind {
            MetricKind::Counter => ::metrics::describe_counter!(metric.name, metric.about),
            MetricKind::Seconds => {
                ::metrics::describe_histogram!(metric.name, ::metrics::Unit::Seconds, metric.about);
            }
        }
    }
}
