//! Which metrics are there? One table of all of them.

use serde::Serialize;

/// A metric that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// What it is a number of.
    pub kind: MetricKind,
    /// Its labels. The values of each come from a table: rules, classes, rungs, kinds of failures.
    pub labels: &'static [&'static str],
    /// What it says.
    pub about: &'static str,
}

/// What a metric is a number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricKind {
    /// Times that something happened, which only grows.
    Counter,
    /// Seconds that something took, each told.
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
    counter("planning.ok", &[], "Plans that were read."),
    counter("planning.repair_fail", &[], "Attempts in which no value could be had from the text."),
    counter("planning.parse_fail", &[], "Attempts in which the text was not JSON."),
    counter(
        "planning.schema_fail",
        &[],
        "Attempts in which the value was no plan, or one with errors.",
    ),
    counter("planning.retry", &[], "Times that a model was asked again for a plan."),
    counter("planning.total_ms_total", &[], "Milliseconds spent on the plans that were read."),
    counter("planning.total_count", &[], "Plans whose time is in that total."),
    counter(
        "llmend_parse_total",
        &["outcome"],
        "Texts from which a value was to be read: unchanged, extracted, repaired or refused.",
    ),
    counter("llmend_repairs_total", &["rule", "class"], "Repairs of texts."),
    counter(
        "llmend_attempts_total",
        &["kind", "rung"],
        "Questions to models: the kind of their failure, or ok, and the rung, or first.",
    ),
    counter(
        "llmend_tokens_total",
        &["attempt"],
        "Tokens of questions and answers: of the first attempt, or of retries.",
    ),
    Metric {
        name: "llmend_parse_seconds",
        kind: MetricKind::Seconds,
        labels: &[],
        about: "How long it took to find and mend the value in a text.",
    },
    Metric {
        name: "llmend_overhead_seconds",
        kind: MetricKind::Seconds,
        labels: &[],
        about: "What an answer took beside the time in which a model was waited for.",
    },
];
