//! How much, and for how long?

use std::time::Duration;

use serde::Deserialize;

/// Limits of what is taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The largest request, in bytes. 20 MB by default; more is refused with 413.
    pub body_bytes: usize,
    /// The most bytes of an answer that are held back until they can be repaired. 16 MB by default;
    /// more is refused with 502.
    pub answer_bytes: usize,
    /// The most requests at once. 512 by default; more are refused with 503 and `Retry-After`.
    pub in_flight: usize,
    /// The most levels of nesting of a request or an answer. 128 by default.
    pub depth: usize,
    /// The largest schema, in bytes. 1 MB by default; more is refused with 400.
    pub schema_bytes: usize,
    /// The most steps of work to make one value fit its schema, besides those that its size allows. Two
    /// million by default.
    pub repair_work: usize,
    /// The most steps of work to make one value fit its schema, whatever its size. 50 million by default:
    /// three for each byte of the largest answer, and some seconds of a processor.
    pub repair_work_in_all: usize,
    /// The largest head of a request, in bytes: names and values of all headers. 64 kB by default.
    pub head_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 20_000_000,
            answer_bytes: 16_000_000,
            in_flight: 512,
            depth: 128,
            schema_bytes: 1_000_000,
            repair_work: 2_000_000,
            repair_work_in_all: 50_000_000,
            head_bytes: 64_000,
        }
    }
}

/// Limits of time, each in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timers {
    /// Until a connection to an upstream is made. 10 seconds by default.
    pub connect_ms: u64,
    /// Until the head of its answer has come. Two minutes by default: a whole answer has no head
    /// before it is written.
    pub first_byte_ms: u64,
    /// Between two pieces of its answer. A minute by default.
    pub idle_ms: u64,
    /// For a request from its first byte to the last of its answer. Ten minutes by default.
    pub total_ms: u64,
    /// Between two comments that keep a connection alive while an answer is held back. 10 seconds by
    /// default.
    pub keep_alive_ms: u64,
    /// For a client to send the head of a request, and then its body. 30 seconds by default.
    pub client_ms: u64,
    /// For one answer to be repaired. 5 seconds by default.
    pub repair_ms: u64,
    /// From the wish to stop until no more connections are taken, so that a balancer sees that this
    /// one is not ready. Nothing by default.
    pub lame_duck_ms: u64,
    /// From then until what still runs is ended with an error. 25 seconds by default.
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
