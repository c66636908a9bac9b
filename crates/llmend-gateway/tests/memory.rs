//! The memory that the gateway holds stays flat, however many requests it answers.
//!
//! It is a process of its own, since what other tests hold would count too. `cargo bench -p llmend-gateway
//! --bench memory` does the same with 100,000 requests.
#![cfg(target_os = "linux")]

#[path = "../benches/latency/cases.rs"]
mod cases;
#[path = "../benches/latency/client.rs"]
mod client;
#[path = "../benches/latency/gateway.rs"]
mod gateway;
#[path = "../benches/memory/rounds.rs"]
mod rounds;
#[path = "../benches/latency/upstream.rs"]
mod upstream;

use crate::rounds::Rounds;

/// What an allocator may keep more of, in KiB: a third of what a leak of 1 KiB a request would come to.
const SLACK: u64 = 4 << 10;

#[test]
fn memory_is_flat_over_many_requests() {
    let rounds = Rounds::start();
    // Threads, connections and the tables of the metrics are had once.
    let warm = rounds.round(4_000);
    let after: Vec<u64> = (0..3).map(|_| rounds.round(4_000)).collect();
    assert!(after.iter().all(|held| *held <= warm + SLACK), "{warm} KiB, then {after:?}");
}
