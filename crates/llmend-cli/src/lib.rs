//! The `llmend` command: a model's answer in, JSON or a plan out.
//!
//! Reads text, passes it to the library and presents the outcome. Results go to standard output, messages to
//! standard error. The exit status is 0 for a value, 1 if the input was refused, 2 for a usage error and 3 if
//! reading or writing failed.
//!
//! The features `gateway` (`serve` and `report`), `models` (`ask`, `assist` and `plan --ask`) and `table`
//! (`batch --column`) are on by default. Without them only the engine, schemas and plans are compiled.
//! `otlp`, off by default, exports traces.
//!
//! The crate is a library so that manual pages and completions use the same definition as the command:
//!
//! ```
//! let command = llmend_cli::command();
//! assert!(command.find_subcommand("repair").is_some());
//! ```

mod absent;
#[cfg(feature = "models")]
mod approval;
mod arguments;
#[cfg(feature = "models")]
mod attempts;
mod cache;
mod commands;
mod configuration;
#[cfg(feature = "models")]
mod dry_run;
mod engine;
mod environment;
mod exit;
mod files;
mod fitting;
mod flags;
mod input;
mod lines;
#[cfg(feature = "models")]
mod logs;
#[cfg(feature = "models")]
mod masking;
#[cfg(feature = "models")]
mod models;
mod outcome;
mod output;
mod planning;
mod pool;
mod presentation;
mod prompt_files;
mod render;
mod schemas;
mod tools;
#[cfg(feature = "otlp")]
mod traces;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory, Parser, error::ErrorKind};

use crate::{
    arguments::CommandLine,
    exit::{Exit, UsageError},
};

/// Returns the definition of the command line: every subcommand and option with its help.
#[must_use]
pub fn command() -> clap::Command {
    CommandLine::command()
}

/// Runs the command with the arguments and the environment of the process.
#[must_use]
pub fn main() -> ExitCode {
    run(std::env::args_os()).into()
}

/// Runs the command with `arguments`, of which the first is the program's name, and the environment of the
/// process. Returns the exit status, from 0 to 3 as above.
///
/// ```
/// assert_eq!(llmend_cli::run(["llmend", "no-such-command"].map(Into::into)), 2);
/// ```
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let parsed = CommandLine::try_parse_from(arguments).map_err(absent::explain);
    let ended = parsed.and_then(|arguments| {
        arguments
            .run()
            .map_err(|UsageError(message)| command().error(ErrorKind::InvalidValue, message))
    });
    match ended {
        Ok(exit) => exit.status(),
        Err(error) => {
            // A reader that closes the pipe of the help text is no failure.
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
