//! Tests of the hostile texts, since a benchmark has no test harness.

#[path = "../benches/hostile/kinds.rs"]
mod kinds;
