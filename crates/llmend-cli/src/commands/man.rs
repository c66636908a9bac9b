//! `llmend man`: manual pages.

use std::{fs, path::PathBuf};

use crate::{exit::Exit, output::eprint};

const EXAMPLES: &str = "\
Examples:
  llmend man ~/.local/share/man/man1
  llmend man pages && man pages/llmend-repair.1";

/// Write the manual pages into a directory
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArguments {
    /// The directory, which is created if it is missing
    #[arg(value_hint = clap::ValueHint::DirPath)]
    directory: PathBuf,
}

/// Runs the subcommand: one page for `command` and one for each of its subcommands.
pub(crate) fn run(arguments: &ManArguments, command: clap::Command) -> Exit {
    let directory = &arguments.directory;
    let written =
        fs::create_dir_all(directory).and_then(|()| clap_mangen::generate_to(command, directory));
    match written {
        Ok(()) => Exit::Value,
        Err(error) => {
            eprint(&format!("llmend: {}: {error}", directory.display()));
            Exit::Io
        }
    }
}
