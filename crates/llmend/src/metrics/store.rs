//! Storage of the counters.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// A label and its value, both from a table of this crate.
type Label = (&'static str, &'static str);

/// A name and up to two labels; missing ones are empty.
type Series = (&'static str, [Label; 2]);

static NUMBERS: Mutex<BTreeMap<Series, u64>> = Mutex::new(BTreeMap::new());

/// Locks the counters, which are consistent after each change, even if a thread panicked.
fn numbers() -> MutexGuard<'static, BTreeMap<Series, u64>> {
    NUMBERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds `by` to a series of at most two labels.
pub(super) fn add<const N: usize>(name: &'static str, labels: [Label; N], by: u64) {
    keep(name, labels, by);
    ::metrics::counter!(name, &labels).increment(by);
}

/// Records a duration.
pub(super) fn time(name: &'static str, took: Duration) {
    keep(name, [("count", "")], 1);
    keep(name, [("sum_us", "")], u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    ::metrics::histogram!(name).record(took.as_secs_f64());
}

fn keep<const N: usize>(name: &'static str, labels: [Label; N], by: u64) {
    const { assert!(N <= 2, "a series has at most two labels") };
    let mut labels = labels.into_iter();
    let series = (name, std::array::from_fn(|_| labels.next().unwrap_or_default()));
    let mut numbers = numbers();
    let number = numbers.entry(series).or_default();
    *number = number.saturating_add(by);
}

/// Returns every series by its name and labels.
pub(super) fn all() -> Vec<(String, u64)> {
    numbers().iter().map(|((name, labels), number)| (shown(name, labels), *number)).collect()
}

/// Formats `name{label="value"}`; a label without a value is part of the name.
fn shown(name: &str, labels: &[Label]) -> String {
    let mut out = name.to_owned();
    let mut separator = "{";
    for (label, value) in labels.iter().filter(|(label, _)| !label.is_empty()) {
        // Writing to a string cannot fail.
        if value.is_empty() {
            let _ = write!(out, "_{label}");
        } else {
            let _ = write!(out, "{separator}{label}=\"{value}\"");
            separator = ",";
        }
    }
    if separator == "," {
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
            (("a", [("", ""), ("", "")]), "a"),
            (("a", [("b", "c"), ("", "")]), "a{b=\"c\"}"),
            (("a", [("b", "c"), ("d", "e")]), "a{b=\"c\",d=\"e\"}"),
            (("a", [("count", ""), ("", "")]), "a_count"),
        ];
        for ((name, labels), expected) in rows {
            assert_eq!(shown(name, &labels), expected);
        }
    }
}
