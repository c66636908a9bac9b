//! `llmend rules`: which edits are there?

use llmend::json::Rule;

use crate::{
    answer::finish,
    engine::RuleParser,
    exit::Exit,
    render::{
        Colour,
        table::{cards, json, lines},
    },
};

const EXAMPLES: &str = "\
Examples:
  llmend rules                  the table: each rule, how sure it is, and an example
  llmend rules inner-quotes     all that is known of one rule
  llmend rules --json           the table for a program

The classes, from harmless to grave: notation (the same value, written otherwise),
completion (one sensible reading), guess (the likeliest of several), loss (something went).";

/// List the rules that a repair can follow
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The rules to tell about; all of them, if none is named
    #[arg(value_name = "NAME", value_parser = RuleParser, hide_possible_values = true)]
    names: Vec<Rule>,
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Exit {
    let rules = if arguments.names.is_empty() { Rule::ALL } else { &arguments.names };
    let text = if arguments.json {
        json(rules)
    } else if arguments.names.is_empty() {
        lines(rules)
    } else {
        cards(rules)
    };
    finish(&text, colour)
}
