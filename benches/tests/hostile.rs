//! The kinds of hostile text, held to their own tests: a benchmark has no harness to run them.

#[path = "../benches/hostile/kinds.rs"]
mod kinds;
