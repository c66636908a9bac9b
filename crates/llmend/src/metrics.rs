//! How often did planning succeed and fail in this process, and how long did it take?
//!
//! | counter | counts |
//! |---|---|
//! | `planning.ok` | plans that were read |
//! | `planning.repair_fail` | attempts in which no value could be had from the text |
//! | `planning.parse_fail` | attempts in which the text was not JSON |
//! | `planning.schema_fail` | attempts in which the value was no plan |
//! | `planning.retry` | times that the model was asked again |
//! | `planning.total_ms_total` | milliseconds spent on the plans that were read |
//! | `planning.total_count` | plans whose time is in that total |

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// What is counted.
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

    fn cell(self) -> &'static AtomicU64 {
        static CELLS: [AtomicU64; Counter::ALL.len()] =
            [const { AtomicU64::new(0) }; Counter::ALL.len()];
        &CELLS[self as usize]
    }

    /// Counts one.
    pub(crate) fn count(self) {
        self.cell().fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts a plan that was read, and the time that it took.
pub(crate) fn succeeded(took: Duration) {
    Counter::Ok.count();
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    Counter::TotalMs.cell().fetch_add(milliseconds, Ordering::Relaxed);
    Counter::TotalCount.count();
}

/// The counters of this process by name, all of them, also those that are zero.
///
/// ```
/// let before = llmend::metrics::snapshot();
/// assert!(llmend::parse_plan_text("no plan at all", 0).is_err());
/// let after = llmend::metrics::snapshot();
/// assert_eq!(after["planning.repair_fail"], before["planning.repair_fail"] + 1);
/// ```
#[must_use]
pub fn snapshot() -> BTreeMap<String, u64> {
    Counter::ALL
        .into_iter()
        .map(|counter| (counter.name().to_owned(), counter.cell().load(Ordering::Relaxed)))
        .collect()
}
