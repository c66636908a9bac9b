//! Size and time limits.

use std::time::Duration;

use serde::Deserialize;

/// Size limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Maximum size of a request body in bytes. Default: 20 MB. Larger requests are rejected with 413.
    pub body_bytes: usize,
    /// Maximum size of a buffered answer in bytes. Default: 16 MB. Larger answers are rejected with 502.
    pub answer_bytes: usize,
    /// Maximum number of concurrent requests. Default: 512. Others are rejected with 503 and `Retry-After`.
    pub in_flight: usize,
    /// Maximum nesting depth of a request or an answer. Default: 128.
    pub depth: usize,
    /// Maximum size of a schema in bytes. Default: 1 MB. Larger schemas are rejected with 400.
    pub schema_bytes: usize,
    /// Work budget for coercing one value to its schema, in steps, in addition to the steps that its size
    /// allows. Default: 2 million.
    pub repair_work: usize,
    /// Total work budget for coercing one value to its schema, in steps, whatever its size. Default:
    /// 50 million, which is three steps per byte of the largest answer and a few seconds of CPU time.
    pub repair_work_in_all: usize,
    /// Maximum size of the headers of a request, names and values, in bytes. Default: 64 kB.
    pub head_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let of_texts = llmend_endpoints::Settings::default();
        Self {
            body_bytes: of_texts.max_bytes,
            answer_bytes: 16_000_000,
            in_flight: 512,
            depth: of_texts.max_depth,
            schema_bytes: 1_000_000,
            repair_work: of_texts.max_work,
            repair_work_in_all: of_texts.max_work_in_all,
            head_bytes: 64_000,
        }
    }
}

/// Time limits in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timers {
    /// Maximum time to connect to an upstream. Default: 10 seconds.
    pub connect_ms: u64,
    /// Maximum time until the headers of its answer arrive. Default: 2 minutes, because an answer that is
    /// not streamed sends its headers only once it is complete.
    pub first_byte_ms: u64,
    /// Maximum time between two chunks of its answer. Default: 1 minute.
    pub idle_ms: u64,
    /// Maximum time from the first byte of a request to the last byte of its answer. Default: 10 minutes.
    pub total_ms: u64,
    /// Interval of the comments that keep a connection alive while an answer is buffered. Default:
    /// 10 seconds.
    pub keep_alive_ms: u64,
    /// Maximum time for a client to send the headers of a request, and again for the body. Default:
    /// 30 seconds.
    pub client_ms: u64,
    /// Maximum time to repair one answer. Default: 5 seconds.
    pub repair_ms: u64,
    /// Time between the stop signal and the end of accepting connections, for a load balancer to notice
    /// that this gateway is not ready. Default: 0.
    pub lame_duck_ms: u64,
    /// Time after that until requests still running end with an error. Default: 25 seconds.
    pub drain_ms: u64,
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            connect_ms: 10_000,
            first_byte_ms: 120_000,
            idle_ms: 60_000,
            total_ms: 600_000,
            keep_alive_ms: 10_000,
            client_ms: 30_000,
            repair_ms: 5_000,
            lame_duck_ms: 0,
            drain_ms: 25_000,
        }
    }
}

macro_rules! durations {
    ($($name:ident = $field:ident,)+) => {
        impl Timers {
            $(pub(crate) const fn $name(&self) -> Duration {
                Duration::from_millis(self.$field)
            })+
        }
    };
}

durations! {
    connect = connect_ms,
    first_byte = first_byte_ms,
    idle = idle_ms,
    total = total_ms,
    keep_alive = keep_alive_ms,
    client = client_ms,
    repair = repair_ms,
    lame_duck = lame_duck_ms,
    drain = drain_ms,
}
