//! The chores of the workspace: `cargo xtask help` lists them.
//!
//! A chore is a file with a `run` function. What a chore decides is a function from text to
//! findings, so that its tests are rows of text; reading files and printing happens at the edge.

mod finding;
mod pages;
mod rebuild;
mod requirements;
mod source;
mod test;
mod texts;
mod tidy;
mod tree;
mod version;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The chores of the llmend workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Run every test of the workspace and print the totals.
    Test(test::Arguments),
    /// Check manifests, names, module circles and file sizes.
    Tidy,
    /// List the requirements, with the tests that cite each of them.
    Requirements(requirements::Arguments),
    /// Write the pages of docs/reference that list rules, coercions, checks and settings.
    Pages(pages::Arguments),
    /// Write testing/fixtures/texts.txt, the list of user-visible texts.
    Texts(texts::Arguments),
    /// Set the version in every file that states it.
    Version(version::Arguments),
}

impl Chore {
    /// The feature that it needs, if this build lacks it.
    const fn missing_feature(&self) -> Option<&'static str> {
        match self {
            Self::Pages(_) if cfg!(not(feature = "engine")) => Some("engine"),
            _ => None,
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // Without a backtrace: that a check fails is no fault of the program.
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let root = tree::root()?;
    let chore = Arguments::parse().chore;
    if let Some(feature) = chore.missing_feature() {
        return rebuild::run_with(feature, &root);
    }
    match chore {
        Chore::Test(arguments) => test::run(&root, &arguments),
        Chore::Tidy => tidy::run(&root),
        Chore::Requirements(arguments) => requirements::run(&root, &arguments),
        Chore::Pages(arguments) => pages::run(&root, &arguments),
        Chore::Texts(arguments) => texts::run(&root, &arguments),
        Chore::Version(arguments) => version::run(&root, &arguments),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }

    #[test]
    fn every_chore_that_the_pages_name_is_there() {
        let root = super::tree::root().unwrap();
        let chores = super::Arguments::command();
        for page in [
            "README.md",
            "CONTRIBUTING.md",
            "ARCHITECTURE.md",
            "DESIGN.md",
            ".ci/run",
            "packaging/README.md",
        ] {
            let text = fs::read_to_string(root.join(page)).unwrap();
            for rest in text.split("cargo xtask ").skip(1) {
                let end = rest.find(|c: char| c != '-' && !c.is_ascii_lowercase());
                let name = &rest[..end.unwrap_or(rest.len())];
                assert!(chores.find_subcommand(name).is_some(), "`{name}` in {page}");
            }
        }
    }
}
