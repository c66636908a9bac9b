//! Metrics of this process.
//!
//! Everything is counted twice: here, for [`snapshot`], and through the facade of the crate
//! `metrics`, for any exporter ([`METRICS`] lists the metrics). Without an exporter that costs next
//! to nothing. Label values come from tables of this crate and never from a text, so that the
//! number of series is bounded.

mod store;
mod table;

use std::{collections::BTreeMap, time::Duration};

use llmend_json::{Fit, Options, Parsed, Report, Value};

pub use table::{METRICS, Metric, MetricKind};

use crate::{
    asking::{Attempt, FailureKind, Strategy},
    stopwatch::Stopwatch,
};

/// The counters of plans, by the names of the `OpenManus` documents.
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

    /// Increments the counter.
    pub(crate) fn count(self) {
        store::add(self.name(), [], 1);
    }
}

/// Counts a plan that was read, and its time where there is a clock.
pub(crate) fn succeeded(took: Option<Duration>) {
    Counter::Ok.count();
    if let Some(took) = took {
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        store::add(Counter::TotalMs.name(), [], milliseconds);
    }
    Counter::TotalCount.count();
}

/// Parses like [`llmend_json::parse_with`], and counts the result.
pub(crate) fn parse_counted<'t>(
    text: &'t str,
    options: &Options,
) -> Result<Parsed<'t>, llmend_json::Error> {
    timed(|| llmend_json::parse_with(text, options))
}

/// Parses like [`llmend_json::parse_fitting`], and counts the result.
pub(crate) fn parse_fitting_counted<'t>(
    text: &'t str,
    options: &Options,
    fits: impl FnMut(&Value<'_>) -> Fit,
) -> Result<Parsed<'t>, llmend_json::Error> {
    timed(|| llmend_json::parse_fitting(text, options, fits))
}

/// Counts the result of parsing a text, and its time where there is a clock.
fn timed<'t>(
    parse: impl FnOnce() -> Result<Parsed<'t>, llmend_json::Error>,
) -> Result<Parsed<'t>, llmend_json::Error> {
    let watch = Stopwatch::start();
    let outcome = parse();
    if let Some(took) = watch.elapsed() {
        store::time("llmend_parse_seconds", took);
    }
    counted(outcome)
}

/// Counts the result of parsing a text.
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

/// Counts a request to a model and its usage.
pub(crate) fn attempted(attempt: &Attempt) {
    let kind = attempt.failure.map_or("ok", FailureKind::as_str);
    let strategy = attempt.strategy.map_or("first", Strategy::as_str);
    store::add("llmend_attempts_total", [("kind", kind), ("rung", strategy)], 1);
    let attempt_word = if attempt.number > 1 { "retry" } else { "first" };
    let tokens = attempt.usage.plus(attempt.lost.usage).total();
    store::add("llmend_tokens_total", [("attempt", attempt_word)], tokens);
}

/// Records the time spent on an answer besides waiting for the model.
pub(crate) fn overhead(took: Duration) {
    store::time("llmend_overhead_seconds", took);
}

/// Returns the counters of this process by name: all plan counters, even if zero, and each other
/// series with a count, as in `llmend_parse_total{outcome="repaired"}`. Durations are given as
/// their number and their sum in microseconds.
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

/// Registers the descriptions of all metrics with the exporter. Call it once, after the exporter
/// was installed.
///
/// ```
/// // Once, after an exporter was installed.
/// llmend::metrics::describe();
/// ```
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
