//! How often did what happen, as Prometheus reads it?
//!
//! Every label comes from a list of ours (rules, classes, outcomes, endpoints), so that no client can
//! make more series.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use llmend::asking::{FailureKind, Ledger, Rung};

use crate::repair::decide::{Decision, Part};

/// The counters of one gateway.
#[derive(Debug, Default)]
pub(crate) struct Metrics(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    counters: BTreeMap<(&'static str, String), u64>,
    histograms: BTreeMap<&'static str, Histogram>,
}

/// Upper bounds of the buckets, in seconds.
const BOUNDS: [f64; 12] =
    [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0];

/// Attempts beyond this one are counted with it.
const MOST_NUMBERED: u32 = 9;

#[derive(Debug, Default)]
struct Histogram {
    buckets: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

/// What each metric counts.
const HELP: [(&str, &str, &str); 10] = [
    ("llmend_requests_total", "counter", "Requests by endpoint and status."),
    ("llmend_parse_total", "counter", "Answers that were looked at, by what came of them."),
    ("llmend_repairs_total", "counter", "Repairs and coercions by name and class."),
    (
        "llmend_attempts_total",
        "counter",
        "Answers of models, by what was wrong with them and rung.",
    ),
    ("llmend_tokens_total", "counter", "Tokens that upstreams told of, by attempt."),
    ("llmend_clients_gone_total", "counter", "Clients that left before the end of an answer."),
    ("llmend_recorded_total", "counter", "Exchanges that were kept."),
    ("llmend_recording_dropped_total", "counter", "Exchanges that could not be kept."),
    ("llmend_parse_seconds", "histogram", "Time to judge and repair an answer."),
    (
        "llmend_overhead_seconds",
        "histogram",
        "Time of a request that was not spent waiting for upstreams.",
    ),
];

impl Metrics {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Counters stay counters whoever panicked meanwhile.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts under a name with labels, written as Prometheus has them: `a="b",c="d"`.
    fn add(&self, name: &'static str, labels: String, count: u64) {
        *self.inner().counters.entry((name, labels)).or_default() += count;
    }

    fn observe(&self, name: &'static str, time: Duration) {
        let seconds = time.as_secs_f64();
        let mut inner = self.inner();
        let histogram = inner.histograms.entry(name).or_default();
        for (bucket, bound) in histogram.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
        histogram.count += 1;
        histogram.sum += seconds;
    }

    pub(crate) fn request(&self, endpoint: &'static str, status: u16) {
        self.add(
            "llmend_requests_total",
            format!("endpoint=\"{endpoint}\",status=\"{status}\""),
            1,
        );
    }

    pub(crate) fn client_gone(&self, endpoint: &'static str) {
        self.add("llmend_clients_gone_total", format!("endpoint=\"{endpoint}\""), 1);
    }

    /// What came of an answer.
    pub(crate) fn settled(&self, parts: &[Part], decision: &Decision, took: Duration) {
        let is_changed =
            |part: &Part| part.outcome.as_ref().is_ok_and(|mended| mended.json.is_some());
        let outcome = match decision {
            Decision::Answer { cut_off } if !cut_off.is_empty() => "truncated",
            Decision::Answer { .. } if parts.iter().any(is_changed) => "repaired",
            Decision::Answer { .. } => "unchanged",
            Decision::Refuse(_) => "refused",
            Decision::Reask { .. } => "reasked",
        };
        self.add("llmend_parse_total", format!("outcome=\"{outcome}\""), 1);
        self.observe("llmend_parse_seconds", took);
        for part in parts {
            match &part.outcome {
                Ok(mended) => {
                    for (name, class) in &mended.done {
                        let labels = format!("rule=\"{name}\",class=\"{}\"", class.as_str());
                        self.add("llmend_repairs_total", labels, 1);
                    }
                }
                Err(fault) => {
                    let labels = format!("kind=\"{}\",rung=\"first\"", fault.kind.as_str());
                    self.add("llmend_attempts_total", labels, 1);
                }
            }
        }
    }

    /// What was asked again, and what came of it. The first attempt of a ledger was counted when it was
    /// settled.
    pub(crate) fn reasked(&self, ledger: &Ledger) {
        for (attempt, number) in ledger.attempts.iter().zip(1..).skip(1) {
            let kind = attempt.failure.map_or("ok", FailureKind::as_str);
            let rung = attempt.rung.map_or("first", Rung::as_str);
            self.add("llmend_attempts_total", format!("kind=\"{kind}\",rung=\"{rung}\""), 1);
            let tokens = attempt.usage.input.saturating_add(attempt.usage.output);
            self.add(
                "llmend_tokens_total",
                format!("attempt=\"{}\"", number.min(MOST_NUMBERED)),
                tokens,
            );
        }
    }

    pub(crate) fn overhead(&self, time: Duration) {
        self.observe("llmend_overhead_seconds", time);
    }

    /// All of it in the text format of Prometheus, version 0.0.4, with the counters of planning in this
    /// process, and how many exchanges were kept and dropped.
    pub(crate) fn text(&self, (kept, dropped): (u64, u64)) -> String {
        let mut out = String::new();
        let inner = self.inner();
        for (name, kind, help) in HELP {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for ((_, labels), count) in
                inner.counters.iter().filter(|((known, _), _)| *known == name)
            {
                let _ = writeln!(out, "{name}{{{labels}}} {count}");
            }
            match name {
                "llmend_recorded_total" => _ = writeln!(out, "{name} {kept}"),
                "llmend_recording_dropped_total" => _ = writeln!(out, "{name} {dropped}"),
                _ => {}
            }
            if let Some(histogram) = inner.histograms.get(name) {
                for (bound, count) in BOUNDS.iter().zip(histogram.buckets) {
                    let _ = writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {count}");
                }
                let Histogram { count, sum, .. } = histogram;
                let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {count}");
                let _ = writeln!(out, "{name}_sum {sum}\n{name}_count {count}");
            }
        }
        drop(inner);
        for (name, count) in llmend::metrics::snapshot() {
            let name = name.replace('.', "_");
            let _ = writeln!(out, "# TYPE {name} counter\n{name} {count}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Metrics;

    #[test]
    fn what_was_counted_is_told() {
        let metrics = Metrics::default();
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
