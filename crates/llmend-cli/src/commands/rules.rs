//! `llmend rules`: the repair rules.

use llmend::json::Rule;

use crate::{
    exit::Exit,
    flags::RuleParser,
    presentation::finish,
    render::{
        Color,
        table::{cards, json, lines},
    },
};

const EXAMPLES: &str = "\
Examples:
  llmend rules                  list each rule with its class and an example
  llmend rules inner-quotes     show the details of one rule
  llmend rules --json           the same as JSON

The classes, from safe to risky: notation (the same value), completion (the only sensible
reading), guess (the most likely of several readings), loss (something is removed).";

/// List the repair rules
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RulesArguments {
    /// The rules to show [default: all]
    #[arg(value_name = "NAME", value_parser = RuleParser, hide_possible_values = true)]
    names: Vec<Rule>,
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &RulesArguments, color: Color) -> Exit {
    let rules = if arguments.names.is_empty() { Rule::ALL } else { &arguments.names };
    let text = if arguments.json {
        json(rules)
    } else if arguments.names.is_empty() {
        lines(rules)
    } else {
        cards(rules)
    };
    finish(&text, color)
}
