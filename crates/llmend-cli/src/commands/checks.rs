//! `llmend checks`: what is found in plans, workflows and patches?

use crate::{
    answer::finish,
    exit::Exit,
    render::{
        Colour,
        checks::{json, lines},
    },
};

const EXAMPLES: &str = "\
Examples:
  llmend checks         the table: each code, how much it matters, and what it says
  llmend checks --json  the table for a program

The codes are stable. A severity is the gravest that the finding has: what is an error where a plan
is read whole is a warning where `--on-bad-step drop` leaves the step out.";

/// List what is found in plans, workflows and patches
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Exit {
    finish(&if arguments.json { json() } else { lines() }, colour)
}
