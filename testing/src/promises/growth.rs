//! Linear growth of the work with the length of any text.
//!
//! Work is counted as time on the processor of this thread, at one size and at four times as much.
//! A busy machine slows both, and the least of several runs is taken, so that what is left is the
//! ratio: 4 where work is linear, 16 where it is quadratic.

use std::time::Duration;

use cpu_time::ThreadTime;
use llmend_json::{Options, repair_with};

use super::broken::{Broken, holds};

/// Length of the longer text relative to the shorter.
const LONGER: usize = 4;
/// Limit for the ratio of the work: far from 4, and farther from 16.
const MOST: u32 = 9;
/// Work below this is too little to measure.
const NOTHING: Duration = Duration::from_millis(2);
/// Number of runs before a text counts as slow.
const RUNS: usize = 6;

/// CPU time of one repair.
#[must_use]
pub fn work(text: &str, options: &Options) -> Duration {
    let start = ThreadTime::now();
    drop(repair_with(text, options));
    start.elapsed()
}

/// Checks the linear time of G7 on the texts of `make` for `size` and four times as much.
///
/// # Errors
/// G7, if the longer one is more work than its length explains, in every run.
pub fn growth(
    make: impl Fn(usize) -> String,
    size: usize,
    options: &Options,
) -> Result<(), Broken> {
    let (short, long) = (make(size), make(LONGER * size));
    let (mut little, mut much) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        little = little.min(work(&short, options));
        much = much.min(work(&long, options));
        if much <= MOST * little + NOTHING {
            return Ok(());
        }
    }
    let shown: String = short.chars().take(120).collect();
    holds("G7", false, || {
        format!("{little:?} for {} bytes, {much:?} for {}: {shown:?}…", short.len(), long.len())
    })
}
