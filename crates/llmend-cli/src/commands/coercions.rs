//! `llmend coercions`: the coercions.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use llmend::CoercionKind;

use crate::{
    exit::Exit,
    presentation::finish,
    render::{
        Color,
        coercions::{cards, json, lines},
    },
};

const EXAMPLES: &str = "\
Examples:
  llmend coercions                    list each coercion with its class and an example
  llmend coercions number-from-text   show the details of one
  llmend coercions --json             the same as JSON

The schema decides, never the look of a value: \"42\" stays a string where the schema wants a string. A value
that fits is not changed. The classes are those of `llmend rules`; coercions of class loss have to be
requested with `--on-bad-item` or `--on-extra` of `llmend repair --schema`.";

/// List the coercions that make a value fit a schema
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CoercionsArguments {
    /// The coercions to show [default: all]
    #[arg(value_name = "NAME", value_parser = kinds(), hide_possible_values = true)]
    names: Vec<CoercionKind>,
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

fn kinds() -> impl TypedValueParser<Value = CoercionKind> {
    PossibleValuesParser::new(CoercionKind::ALL.iter().map(|kind| kind.name())).try_map(|name| {
        let named = |kind: &&CoercionKind| kind.name() == name;
        CoercionKind::ALL.iter().find(named).copied().ok_or("unknown coercion")
    })
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &CoercionsArguments, color: Color) -> Exit {
    let named = &arguments.names;
    let kinds = if named.is_empty() { CoercionKind::ALL } else { named.as_slice() };
    let text = if arguments.json {
        json(kinds)
    } else if named.is_empty() {
        lines(kinds)
    } else {
        cards(kinds)
    };
    finish(&text, color)
}
