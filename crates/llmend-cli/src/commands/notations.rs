//! `llmend notations`: the notations of tool calls.

use llmend::calls::{NOTATIONS, Notation};

use crate::{
    exit::Exit,
    flags::NotationParser,
    presentation::finish,
    render::{
        Color,
        notations::{cards, json, lines},
    },
};

const EXAMPLES: &str = "\
Examples:
  llmend notations              list each notation with its family and the models that use it
  llmend notations hermes       show an example of one notation
  llmend notations --json       the same as JSON

`llmend calls` reads all of them and need not know the model. A notation whose call has no marks around
it is read only with --tools. Each example calls `get_time` with the argument `zone`.";

/// List the notations in which models write tool calls
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NotationsArguments {
    /// The notations to show [default: all]
    #[arg(value_name = "NAME", value_parser = NotationParser, hide_possible_values = true)]
    names: Vec<&'static Notation>,
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &NotationsArguments, color: Color) -> Exit {
    let all: Vec<&'static Notation>;
    let notations = if arguments.names.is_empty() {
        all = NOTATIONS.iter().collect();
        &all
    } else {
        &arguments.names
    };
    let text = if arguments.json {
        json(notations)
    } else if arguments.names.is_empty() {
        lines(notations)
    } else {
        cards(notations)
    };
    finish(&text, color)
}
