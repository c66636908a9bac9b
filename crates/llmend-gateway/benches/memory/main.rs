//! Memory of the gateway.
//!
//! First of 1, 64 and 1,000 streams that are open at once, of each kind; the last are some 5,000 open files.
//! Then of many requests: those that pass, that are validated and that are repaired, whole and as streams,
//! one after another on four connections. The upstream and the clients are in the same process; they keep
//! nothing either.
//!
//! `cargo bench -p llmend-gateway --bench memory -- [REQUESTS]`, 100,000 by default.

#[path = "../latency/cases.rs"]
mod cases;
#[path = "../latency/client.rs"]
mod client;
#[path = "../latency/gateway.rs"]
mod gateway;
mod rounds;
mod streams;
#[path = "../latency/upstream.rs"]
mod upstream;

use std::time::Instant;

use crate::rounds::Rounds;

/// The number of measurements.
const ROUNDS: usize = 20;

fn main() {
    if streams::measured() {
        return;
    }
    streams::print();
    let argument = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let requests: usize = argument.unwrap_or(100_000);
    let rounds = Rounds::start();
    let started = Instant::now();
    println!("{:>10}  {:>8}  {:>8}", "requests", "seconds", "MiB");
    for round in 1..=ROUNDS {
        let kib = rounds.round(requests / ROUNDS);
        let (asked, seconds) = (requests / ROUNDS * round, started.elapsed().as_secs_f64());
        println!("{asked:>10}  {seconds:>8.1}  {:>6}.{}", kib / 1024, kib % 1024 * 10 / 1024);
    }
}
