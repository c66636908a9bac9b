//! Metrics of this process.
//!
//! Everything is counted twice: here, for [`snapshot`], and through the facade of the crate
//! `metrics`, for any exporter ([`METRICS`] lists the metrics). Without an exporter that costs next
//! to nothing. Label values come from tables of this crate and never from a text, so that the
//! number of series is bounded.

mod store;
mod table;

use std::{collections::BTreeMap, sync::LazyLock, time::Duration};

use ::metrics::Label;
use llmend_json::{Fit, Options, Parsed, Report, Rule, Status, Value};
use store::{Durations, Series};

pub use table::{METRICS, Metric, MetricKind};

use crate::{
    asking::{Attempt, FailureKind, Strategy},
    stopwatch::Stopwatch,
};

/// The counters of plans, in the order of [`PLANS`].
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

/// The counters of plans, by the names of the `OpenManus` documents.
static PLANS: [Series; 7] = [
    Series::new("planning.ok", &[]),
    Series::new("planning.repair_fail", &[]),
    Series::new("planning.parse_fail", &[]),
    Series::new("planning.schema_fail", &[]),
    Series::new("planning.retry", &[]),
    Series::new("planning.total_ms_total", &[]),
    Series::new("planning.total_count", &[]),
];

static OUTCOMES: [[Label; 1]; 4] = [
    [Label::from_static_parts("outcome", "unchanged")],
    [Label::from_static_parts("outcome", "extracted")],
    [Label::from_static_parts("outcome", "repaired")],
    [Label::from_static_parts("outcome", "refused")],
];

static UNCHANGED: Series = Series::new("llmend_parse_total", &OUTCOMES[0]);
static EXTRACTED: Series = Series::new("llmend_parse_total", &OUTCOMES[1]);
static REPAIRED: Series = Series::new("llmend_parse_total", &OUTCOMES[2]);
static REFUSED: Series = Series::new("llmend_parse_total", &OUTCOMES[3]);

/// The repairs by their rules, in the order of [`Rule::ALL`].
static REPAIRS: LazyLock<Vec<Series>> = LazyLock::new(|| {
    let series = |rule: &Rule| {
        let labels = [("rule", rule.name()), ("class", rule.class().as_str())];
        let labels = labels.map(|(label, value)| Label::from_static_parts(label, value));
        Series::labeled("llmend_repairs_total", labels.into())
    };
    Rule::ALL.iter().map(series).collect()
});

static PARSE: Durations = Durations::new("llmend_parse_seconds");
static OVERHEAD: Durations = Durations::new("llmend_overhead_seconds");

impl Counter {
    fn add(self, by: u64) {
        PLANS[self as usize].add(by);
    }

    /// Increments the counter.
    pub(crate) fn count(self) {
        self.add(1);
    }
}

/// Counts a plan that was read, and its time where there is a clock.
pub(crate) fn succeeded(took: Option<Duration>) {
    Counter::Ok.count();
    if let Some(took) = took {
        Counter::TotalMs.add(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
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
        PARSE.add(took);
    }
    counted(outcome)
}

/// Counts the result of parsing a text.
pub(crate) fn counted(
    outcome: Result<Parsed<'_>, llmend_json::Error>,
) -> Result<Parsed<'_>, llmend_json::Error> {
    let series = match &outcome {
        Ok(parsed) => {
            count_repairs(&parsed.report);
            match parsed.report.status {
                Status::Unchanged => &UNCHANGED,
                Status::Extracted => &EXTRACTED,
                Status::Repaired => &REPAIRED,
            }
        }
        Err(_) => &REFUSED,
    };
    series.add(1);
    outcome
}

fn count_repairs(report: &Report) {
    if report.repairs.is_empty() {
        return;
    }
    let mut counts = [0; Rule::ALL.len()];
    for repair in &report.repairs {
        counts[repair.rule as usize] += 1;
    }
    for (series, count) in REPAIRS.iter().zip(counts).filter(|(_, count)| *count > 0) {
        series.add(count);
    }
}

/// Counts a request to a model and its usage.
pub(crate) fn attempted(attempt: &Attempt) {
    let kind = attempt.failure.map_or("ok", FailureKind::as_str);
    let strategy = attempt.strategy.map_or("first", Strategy::as_str);
    store::add("llmend_attempts_total", [("kind", kind), ("strategy", strategy)], 1);
    let attempt_word = if attempt.number > 1 { "retry" } else { "first" };
    let tokens = attempt.usage.plus(attempt.lost.usage).total();
    store::add("llmend_tokens_total", [("attempt", attempt_word)], tokens);
}

/// Records the time spent on an answer besides waiting for the model.
pub(crate) fn overhead(took: Duration) {
    OVERHEAD.add(took);
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
    let outcomes = [&UNCHANGED, &EXTRACTED, &REPAIRED, &REFUSED];
    let texts = outcomes.into_iter().chain(REPAIRS.iter()).map(Series::entry);
    let mut found: BTreeMap<String, u64> = PLANS.iter().map(Series::entry).collect();
    found.extend(texts.filter(|(_, count)| *count > 0));
    found.extend([&PARSE, &OVERHEAD].into_iter().flat_map(Durations::entries));
    found.extend(store::of_requests());
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
