//! Manual pages, rendered from the definition of the command line.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

pub(crate) fn run(root: &Path) -> Result<()> {
    let folder = root.join("target/man");
    let pages = render(command()?, &folder)?;
    println!("{pages} pages in {}", folder.display());
    Ok(())
}

/// The command line of llmend.
#[cfg(feature = "command")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
fn command() -> anyhow::Result<clap::Command> {
    Ok(llmend_cli::command())
}

/// Fails: this build lacks the command line.
#[cfg(not(feature = "command"))]
fn command() -> anyhow::Result<clap::Command> {
    anyhow::bail!("this chore needs the feature `command` of xtask")
}

/// Writes a page for `command` and each of its subcommands, and returns their number.
fn render(command: clap::Command, folder: &Path) -> Result<usize> {
    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    clap_mangen::generate_to(command, folder).context("render the manual pages")?;
    Ok(fs::read_dir(folder)?.count())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Command;

    use super::render;

    #[test]
    fn each_command_has_a_page() {
        let folder = std::env::temp_dir().join(format!("llmend-man-{}", std::process::id()));
        let sample = Command::new("sample")
            .about("Repairs things")
            .subcommand(Command::new("repair").about("Repairs one thing"));
        let pages = render(sample, &folder).unwrap();
        let page = fs::read_to_string(folder.join("sample-repair.1")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert!(page.contains("Repairs one thing"), "{page}");
        // One for the command, one for `repair`, and those that clap adds for `help`.
        assert!(pages >= 2, "{pages} pages");
    }
}
