//! Prometheus metrics of one gateway.
//!
//! Label values come from fixed lists (rules, classes, outcomes, endpoints), so that clients cannot
//! create series.

use std::fmt::Write as _;
use std::time::Duration;

use llmend::asking::{FailureKind, Ledger, Strategy};
use llmend::metrics::{METRICS, snapshot};
use prometheus::{Error, Histogram, HistogramOpts, IntCounterVec, Opts, Registry, TextEncoder};

use crate::answer::part::{ResponsePart, is_reported};
use crate::repair::decide::Decision;

/// The counters of one gateway.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    parsed: IntCounterVec,
    repairs: IntCounterVec,
    attempts: IntCounterVec,
    tokens: IntCounterVec,
    clients_gone: IntCounterVec,
    parse_seconds: Histogram,
    overhead_seconds: Histogram,
}

/// Upper bounds of the buckets, in seconds.
const BOUNDS: [f64; 12] =
    [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0];

/// Attempts with a higher number share the label of this one.
const MAX_ATTEMPT_LABEL: u32 = 9;

impl Metrics {
    /// Registers all metrics. Fails only if a name or label is invalid or used twice.
    pub(crate) fn new() -> Result<Self, Error> {
        let registry = Registry::new();
        let counter = |name, help, labels: &[&str]| {
            let counter = IntCounterVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(counter.clone())).map(|()| counter)
        };
        let histogram = |name, help| {
            let options = HistogramOpts::new(name, help).buckets(BOUNDS.to_vec());
            let histogram = Histogram::with_opts(options)?;
            registry.register(Box::new(histogram.clone())).map(|()| histogram)
        };
        Ok(Self {
            requests: counter(
                "llmend_requests_total",
                "Requests by endpoint and status.",
                &["endpoint", "status"],
            )?,
            parsed: counter("llmend_parse_total", "Inspected answers by outcome.", &["outcome"])?,
            repairs: counter(
                "llmend_repairs_total",
                "Repairs and coercions by name and class.",
                &["rule", "class"],
            )?,
            attempts: counter(
                "llmend_attempts_total",
                "Model answers by kind of failure and retry strategy.",
                &["kind", "strategy"],
            )?,
            tokens: counter(
                "llmend_tokens_total",
                "Tokens of retries as reported by upstreams, by attempt.",
                &["attempt"],
            )?,
            clients_gone: counter(
                "llmend_clients_gone_total",
                "Clients that disconnected before the end of an answer.",
                &["endpoint"],
            )?,
            parse_seconds: histogram(
                "llmend_parse_seconds",
                "Time to evaluate and repair an answer.",
            )?,
            overhead_seconds: histogram(
                "llmend_overhead_seconds",
                "Time of a request without waiting for upstreams.",
            )?,
            registry,
        })
    }

    /// Counts an answered request.
    pub(crate) fn request(&self, endpoint: &'static str, status: u16) {
        self.requests.with_label_values(&[endpoint, &status.to_string()]).inc();
    }

    /// Counts a client that disconnected early.
    pub(crate) fn client_gone(&self, endpoint: &'static str) {
        self.clients_gone.with_label_values(&[endpoint]).inc();
    }

    /// Records how long an answer took to evaluate. A stream that fails before its end takes no time
    /// of its own.
    pub(crate) fn took(&self, time: Duration) {
        self.parse_seconds.observe(time.as_secs_f64());
    }

    /// Counts what became of an answer.
    pub(crate) fn evaluated(&self, parts: &[ResponsePart], decision: &Decision) {
        let outcome = match decision {
            Decision::Answer { cut_off } if !cut_off.is_empty() => "truncated",
            Decision::Answer { .. } if is_reported(parts) => "repaired",
            Decision::Answer { .. } => "unchanged",
            Decision::Refuse(_) => "refused",
            Decision::Reask { .. } | Decision::Again { .. } => "reasked",
        };
        self.parsed.with_label_values(&[outcome]).inc();
        for part in parts {
            match &part.outcome {
                Ok(repaired) => {
                    for (name, class) in &repaired.done {
                        self.repairs.with_label_values(&[name, class.as_str()]).inc();
                    }
                }
                Err(fault) => {
                    self.attempts.with_label_values(&[fault.kind.as_str(), "first"]).inc();
                }
            }
        }
    }

    /// Counts the retries of a ledger. Its first attempt was counted by [`Self::evaluated`].
    pub(crate) fn retried(&self, ledger: &Ledger) {
        for (attempt, number) in ledger.attempts.iter().zip(1..).skip(1) {
            let kind = attempt.failure.map_or("ok", FailureKind::as_str);
            let strategy = attempt.strategy.map_or("first", Strategy::as_str);
            self.attempts.with_label_values(&[kind, strategy]).inc();
            let tokens = attempt.usage.input.saturating_add(attempt.usage.output);
            let number = number.min(MAX_ATTEMPT_LABEL).to_string();
            self.tokens.with_label_values(&[&number]).inc_by(tokens);
        }
    }

    /// Records the time of a request that was not spent waiting for upstreams.
    pub(crate) fn overhead(&self, time: Duration) {
        self.overhead_seconds.observe(time.as_secs_f64());
    }

    /// Writes all metrics in the text format of Prometheus, version 0.0.4, including the planning counters
    /// of this process and the numbers of recorded and dropped exchanges.
    pub(crate) fn text(&self, (recorded, dropped): (u64, u64)) -> String {
        // Writing to a string cannot fail.
        let mut out =
            TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default();
        let numbers = snapshot();
        let planning = METRICS.iter().filter(|metric| metric.name.starts_with("planning."));
        let planning = planning.map(|metric| {
            let count = numbers.get(metric.name).copied().unwrap_or_default();
            (metric.name.replace('.', "_"), metric.about, count)
        });
        let recording = [
            ("llmend_recorded_total".to_owned(), "Recorded exchanges.", recorded),
            (
                "llmend_recording_dropped_total".to_owned(),
                "Exchanges that could not be recorded.",
                dropped,
            ),
        ];
        for (name, help, count) in recording.into_iter().chain(planning) {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {count}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Metrics;

    #[test]
    fn counts_are_exported() {
        let metrics = Metrics::new().unwrap();
        metrics.request("chat", 200);
        metrics.request("chat", 200);
        metrics.overhead(Duration::from_micros(300));
        let text = metrics.text((2, 1));
        assert!(
            text.contains("llmend_requests_total{endpoint=\"chat\",status=\"200\"} 2\n"),
            "{text}"
        );
        assert!(text.contains("llmend_overhead_seconds_bucket{le=\"0.00025\"} 0\n"), "{text}");
        assert!(text.contains("llmend_overhead_seconds_bucket{le=\"0.0005\"} 1\n"), "{text}");
        assert!(text.contains("llmend_overhead_seconds_count 1\n"), "{text}");
        assert!(text.contains("llmend_recording_dropped_total 1\n"), "{text}");
        assert!(text.contains("# TYPE planning_ok counter\n"), "{text}");
    }
}
