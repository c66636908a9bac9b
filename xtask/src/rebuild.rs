//! Chores that need a part of llmend.
//!
//! Most do not. Building the engine into all of them would build it twice for the tests: once with the features that
//! xtask enables, and once with those that the tests enable.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Runs this chore again in a build with `feature`.
pub(crate) fn run_with(feature: &str, root: &Path) -> Result<()> {
    let status = Command::new(env!("CARGO"))
        .args(["run", "--package", "xtask", "--features", feature, "--"])
        .args(std::env::args_os().skip(1))
        .current_dir(root)
        .status()
        .context("build xtask")?;
    if !status.success() {
        bail!("the chore ended with {status}");
    }
    Ok(())
}
