//! How does a chore come by the engine?
//!
//! Most chores do without. To build the engine for all of them would be to build it twice for the tests:
//! once with the features that the chores ask of it, and once with those that the tests do.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Runs this chore once more, by a build that holds the engine.
pub(crate) fn run_with_it(root: &Path) -> Result<()> {
    let status = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "xtask", "--features", "engine", "--"])
        .args(std::env::args_os().skip(1))
        .current_dir(root)
        .status()
        .context("build the chores with the engine")?;
    if !status.success() {
        bail!("it ended with {status}");
    }
    Ok(())
}
