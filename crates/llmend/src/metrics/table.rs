//! The table of metrics.

use serde::Serialize;

/// A metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Metric {
    /// The name.
    pub name: &'static str,
    /// The kind.
    pub kind: MetricKind,
    /// The labels. The values of each come from a table: rules, classes, strategies, kinds of
    /// failures.
    pub labels: &'static [&'static str],
    /// The description.
    pub about: &'static str,
}

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricKind {
    /// A count of events, which only grows.
    Counter,
    /// Durations in seconds, each recorded.
    Seconds,
}

const fn counter(
    name: &'static str,
    labels: &'static [&'static str],
    about: &'static str,
) -> Metric {
    Metric { name, kind: MetricKind::Counter, labels, about }
}

/// Every metric.
pub const METRICS: &[Metric] = &[
    counter("planning.ok", &[], "Plans read."),
    counter("planning.repair_fail", &[], "Attempts without a value in the text."),
    counter("planning.parse_fail", &[], "Attempts in which the text was not JSON."),
    counter(
        "planning.schema_fail",
        &[],
        "Attempts whose value was not a plan, or a plan with errors.",
    ),
    counter("planning.retry", &[], "Retries for a plan."),
    counter("planning.total_ms_total", &[], "Milliseconds spent on plans read."),
    counter("planning.total_count", &[], "Plans counted in that total."),
    counter(
        "llmend_parse_total",
        &["outcome"],
        "Texts parsed, by outcome: unchanged, extracted, repaired or refused.",
    ),
    counter("llmend_repairs_total", &["rule", "class"], "Repairs of texts."),
    counter(
        "llmend_attempts_total",
        &["kind", "strategy"],
        "Requests to models, by kind of failure (or ok) and strategy (or first).",
    ),
    counter(
        "llmend_tokens_total",
        &["attempt"],
        "Input and output tokens, of the first attempt or of retries.",
    ),
    Metric {
        name: "llmend_parse_seconds",
        kind: MetricKind::Seconds,
        labels: &[],
        about: "Time to find and repair the value in a text.",
    },
    Metric {
        name: "llmend_overhead_seconds",
        kind: MetricKind::Seconds,
        labels: &[],
        about: "Time spent on an answer besides waiting for the model.",
    },
];
