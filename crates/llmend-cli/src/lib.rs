//! The `llmend` command: a model's answer in, JSON or a plan out.
//!
//! This is the outermost part of llmend's straight line: it reads the text, hands it to the
//! library, and shows what came of it. Results go to standard output, everything said about them
//! to standard error, and the exit status is 0 for a value, 1 for a refusal, 2 for a misuse of the
//! command and 3 for a failure of input or output.
//!
//! It is a library only so that the manual pages and the completions come from the same definition
//! as the command:
//!
//! ```
//! let command = llmend_cli::command();
//! assert!(command.find_subcommand("repair").is_some());
//! ```

mod absent;
mod answer;
#[cfg(feature = "models")]
mod approval;
mod arguments;
#[cfg(feature = "models")]
mod attempts;
mod commands;
mod configuration;
mod engine;
mod exit;
mod files;
mod fitting;
mod input;
mod lines;
#[cfg(feature = "models")]
mod models;
mod output;
mod planning;
mod pool;
mod render;
mod schemas;
#[cfg(feature = "table")]
mod table;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory, Parser};

use crate::{arguments::Arguments, exit::Exit};

/// The definition of the command line: every subcommand and option with its help.
#[must_use]
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Runs the command with the arguments and the environment of the process.
#[must_use]
pub fn main() -> ExitCode {
    run(std::env::args_os()).into()
}

/// Runs the command with `arguments`, the first of which is the name that it was called by, and the
/// environment of the process. Gives the exit status: from 0 to 3, as above.
///
/// ```
/// assert_eq!(llmend_cli::run(["llmend", "no-such-command"].map(Into::into)), 2);
/// ```
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    match Arguments::try_parse_from(arguments).map_err(absent::explain).and_then(Arguments::run) {
        Ok(exit) => exit.status(),
        Err(error) => {
            // Help that nobody reads to its end is no failure, and there is nowhere left to say so.
            let _ = error.print();
            if error.use_stderr() { Exit::Usage.status() } else { Exit::Value.status() }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
