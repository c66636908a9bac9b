//! Chores that need the engine.
//!
//! Most chores do not. Building the engine into all of them would build it twice for the tests: once with the
//! features that xtask enables, and once with those that the tests enable.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Runs this chore again in a build that includes the engine.
pub(crate) fn run_with_it(root: &Path) -> Result<()> {
    let status = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "xtask", "--features", "engine", "--"])
        .args(std::env::args_os().skip(1))
        .current_dir(root)
        .status()
        .context("build xtask with the engine")?;
    if !status.success() {
        bail!("the chore ended with {status}");
    }
    Ok(())
}
