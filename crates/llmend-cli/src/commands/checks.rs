//! `llmend checks`: the codes of findings.

use crate::{
    exit::Exit,
    presentation::finish,
    render::{
        Color,
        checks::{json, lines},
    },
};

const EXAMPLES: &str = "\
Examples:
  llmend checks         list each code with its severity and description
  llmend checks --json  the same as JSON

Codes are stable. The severity shown is the highest that a finding can have: with `--on-bad-step drop`,
for example, an error in a step becomes a warning.";

/// List the findings that checks of plans, workflows and patches report
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ChecksArguments {
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &ChecksArguments, color: Color) -> Exit {
    finish(&if arguments.json { json() } else { lines() }, color)
}
