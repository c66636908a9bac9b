//! Storage of the counters.
//!
//! What each text and each plan adds to are numbers of their own, so that a call takes no lock.
//! What each request to a model adds to is found by its labels.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use ::metrics::{Key, Label, Level, Metadata, with_recorder};

/// The source of the metrics, for exporters.
static SOURCE: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, Some(module_path!()));

/// A counter, with its key for exporters.
pub(super) struct Series {
    key: Key,
    count: AtomicU64,
}

impl Series {
    pub(super) const fn new(name: &'static str, labels: &'static [Label]) -> Self {
        Self { key: Key::from_static_parts(name, labels), count: AtomicU64::new(0) }
    }

    /// Creates a series with labels that are not constants.
    pub(super) fn labeled(name: &'static str, labels: Vec<Label>) -> Self {
        Self { key: Key::from_parts(name, labels), count: AtomicU64::new(0) }
    }

    pub(super) fn add(&self, by: u64) {
        self.count.fetch_add(by, Relaxed);
        with_recorder(|recorder| recorder.register_counter(&self.key, &SOURCE)).increment(by);
    }

    /// Returns the name with the labels, and the count.
    pub(super) fn entry(&self) -> (String, u64) {
        let labels = self.key.labels().map(|label| (label.key(), label.value()));
        (shown(self.key.name(), labels), self.count.load(Relaxed))
    }
}

/// A series of durations, with its key for exporters.
pub(super) struct Durations {
    key: Key,
    count: AtomicU64,
    microseconds: AtomicU64,
}

impl Durations {
    pub(super) const fn new(name: &'static str) -> Self {
        let key = Key::from_static_name(name);
        Self { key, count: AtomicU64::new(0), microseconds: AtomicU64::new(0) }
    }

    pub(super) fn add(&self, took: Duration) {
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.count.fetch_add(1, Relaxed);
        self.microseconds.fetch_add(microseconds, Relaxed);
        with_recorder(|recorder| recorder.register_histogram(&self.key, &SOURCE))
            .record(took.as_secs_f64());
    }

    /// Returns the number of durations and their sum. Empty if there are none.
    pub(super) fn entries(&self) -> Vec<(String, u64)> {
        let (name, count) = (self.key.name(), self.count.load(Relaxed));
        let sum = self.microseconds.load(Relaxed);
        let entries = vec![(format!("{name}_count"), count), (format!("{name}_sum_us"), sum)];
        if count > 0 { entries } else { Vec::new() }
    }
}

/// A label and its value, both from a table of this crate.
type Pair = (&'static str, &'static str);

/// Counts by name and labels; a missing second label is empty.
type Counts = BTreeMap<(&'static str, [Pair; 2]), u64>;

static REQUESTS: Mutex<Counts> = Mutex::new(BTreeMap::new());

/// Locks the counters of requests, which are consistent after each change, even if a thread
/// panicked.
fn requests() -> MutexGuard<'static, Counts> {
    REQUESTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds `by` to a series of requests with at most two labels.
pub(super) fn add<const N: usize>(name: &'static str, labels: [Pair; N], by: u64) {
    const { assert!(N <= 2, "a series has at most two labels") };
    let mut given = labels.into_iter();
    let series = (name, std::array::from_fn(|_| given.next().unwrap_or_default()));
    let mut requests = requests();
    let count = requests.entry(series).or_default();
    *count = count.saturating_add(by);
    drop(requests);
    ::metrics::counter!(name, &labels).increment(by);
}

/// Returns the counts of requests by name and labels.
pub(super) fn of_requests() -> Vec<(String, u64)> {
    let shown = |name: &str, labels: &[Pair]| {
        shown(name, labels.iter().copied().filter(|(label, _)| !label.is_empty()))
    };
    requests().iter().map(|((name, labels), count)| (shown(name, labels), *count)).collect()
}

/// Formats `name{label="value"}`.
fn shown<'a>(name: &str, labels: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = name.to_owned();
    let mut separator = '{';
    for (label, value) in labels {
        // Writing to a string cannot fail.
        let _ = write!(out, "{separator}{label}=\"{value}\"");
        separator = ',';
    }
    if separator == ',' {
        out.push('}');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_series_is_shown_with_its_labels() {
        let rows = [
            (&[][..], "a"),
            (&[("b", "c")], "a{b=\"c\"}"),
            (&[("b", "c"), ("d", "e")], "a{b=\"c\",d=\"e\"}"),
        ];
        for (labels, expected) in rows {
            assert_eq!(shown("a", labels.iter().copied()), expected);
        }
    }
}
