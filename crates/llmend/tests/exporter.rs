//! What does an exporter behind the facade see? In a process of its own, with one test.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use llmend::metrics::{METRICS, MetricKind, describe, snapshot};
use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};

type Seen = Arc<Mutex<BTreeMap<String, f64>>>;

/// An exporter that keeps what it is told.
#[derive(Default)]
struct Exporter {
    seen: Seen,
    described: Arc<Mutex<BTreeSet<String>>>,
}

/// One series.
struct Cell {
    name: String,
    seen: Seen,
}

impl Cell {
    fn add(&self, by: f64) {
        *self.seen.lock().unwrap().entry(self.name.clone()).or_default() += by;
    }
}

impl CounterFn for Cell {
    #[expect(clippy::cast_precision_loss, reason = "the numbers of this test are small")]
    fn increment(&self, value: u64) {
        self.add(value as f64);
    }

    fn absolute(&self, _value: u64) {
        unreachable!("a counter here only grows");
    }
}

impl HistogramFn for Cell {
    fn record(&self, value: f64) {
        assert!(value >= 0.0);
        self.add(1.0);
    }
}

impl Exporter {
    fn cell(&self, key: &Key) -> Arc<Cell> {
        let labels: Vec<String> =
            key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        let name = format!("{}[{}]", key.name(), labels.join(","));
        Arc::new(Cell { name, seen: self.seen.clone() })
    }

    fn describe(&self, key: &KeyName) {
        self.described.lock().unwrap().insert(key.as_str().to_owned());
    }
}

impl Recorder for Exporter {
    fn describe_counter(&self, key: KeyName, _unit: Option<Unit>, _about: SharedString) {
        self.describe(&key);
    }

    fn describe_gauge(&self, key: KeyName, _unit: Option<Unit>, _about: SharedString) {
        self.describe(&key);
    }

    fn describe_histogram(&self, key: KeyName, _unit: Option<Unit>, _about: SharedString) {
        self.describe(&key);
    }

    fn register_counter(&self, key: &Key, _metadata: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.cell(key))
    }

    fn register_gauge(&self, _key: &Key, _metadata: &Metadata<'_>) -> Gauge {
        unreachable!("there is no gauge")
    }

    fn register_histogram(&self, key: &Key, _metadata: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.cell(key))
    }
}

#[test]
fn an_exporter_sees_what_the_snapshot_holds() {
    let exporter = Exporter::default();
    let (seen, described) = (exporter.seen.clone(), exporter.described.clone());
    metrics::with_local_recorder(&exporter, || {
        describe();
        assert!(llmend::parse::<Vec<u8>>("[1, 2,]").is_ok());
        assert!(llmend::parse::<Vec<u8>>("[1, 2]").is_ok());
        assert!(llmend::parse::<Vec<u8>>("nothing").is_err());
        assert!(llmend::parse_plan_text("{}", 0).is_err());
    });
    let seen = seen.lock().unwrap();
    // S0-30, S0-31 and ours: the same numbers as in the process.
    let rows: [(&str, &str, u32); 6] = [
        ("llmend_parse_total[outcome=repaired]", "llmend_parse_total{outcome=\"repaired\"}", 1),
        ("llmend_parse_total[outcome=unchanged]", "llmend_parse_total{outcome=\"unchanged\"}", 2),
        ("llmend_parse_total[outcome=refused]", "llmend_parse_total{outcome=\"refused\"}", 1),
        (
            "llmend_repairs_total[rule=trailing-comma,class=notation]",
            "llmend_repairs_total{rule=\"trailing-comma\",class=\"notation\"}",
            1,
        ),
        ("planning.schema_fail[]", "planning.schema_fail", 1),
        ("llmend_parse_seconds[]", "llmend_parse_seconds_count", 4),
    ];
    let numbers = snapshot();
    for (series, name, expected) in rows {
        assert_eq!(seen.get(series).copied(), Some(f64::from(expected)), "{series}: {seen:?}");
        assert_eq!(numbers.get(name).copied(), Some(u64::from(expected)), "{name}");
    }
    let names: BTreeSet<String> = METRICS.iter().map(|metric| metric.name.to_owned()).collect();
    assert_eq!(*described.lock().unwrap(), names);
    // Whatever was told has a row in the table, with the labels that it names.
    for series in seen.keys() {
        let (name, labels) = series.trim_end_matches(']').split_once('[').unwrap();
        let metric = METRICS.iter().find(|metric| metric.name == name).unwrap();
        let labels: Vec<&str> =
            labels.split(',').filter_map(|label| label.split('=').next()).collect();
        let labels: Vec<&str> = labels.into_iter().filter(|label| !label.is_empty()).collect();
        assert_eq!(labels, metric.labels, "{series}");
        assert!(metric.kind == MetricKind::Counter || name.ends_with("_seconds"));
    }
}
