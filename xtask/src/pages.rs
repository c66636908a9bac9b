//! Reference pages of the book that are written from the code's own tables.

mod block;
mod calls;
mod checks;
mod coercions;
mod dialects;
mod rules;
mod settings;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing, and fail if a page is out of date.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(root: &Path, arguments: &Arguments) -> Result<()> {
    if cfg!(not(feature = "engine")) {
        bail!("this chore needs the feature `engine` of xtask");
    }
    for (name, page) in pages() {
        let path = root.join(name);
        if arguments.check {
            let found = fs::read_to_string(&path).with_context(|| format!("read {name}"))?;
            if found != page {
                bail!("{name} is out of date; run `cargo xtask pages`");
            }
        } else {
            fs::write(&path, page).with_context(|| format!("write {name}"))?;
        }
    }
    Ok(())
}

/// Each page with its path.
fn pages() -> [(&'static str, String); 6] {
    [
        ("docs/reference/rules.md", rules::page()),
        ("docs/reference/coercions.md", coercions::page()),
        ("docs/reference/checks.md", checks::page()),
        ("docs/reference/calls.md", calls::page()),
        ("docs/reference/dialects.md", dialects::page()),
        ("docs/reference/settings.md", settings::page()),
    ]
}

#[cfg(all(test, feature = "engine"))]
mod tests {
    #[test]
    fn pages_match_their_tables() {
        let root = crate::tree::root().unwrap();
        super::run(&root, &super::Arguments { check: true }).unwrap();
    }
}
