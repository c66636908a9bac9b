//! `llmend coercions`: which changes can make a value fit a schema?

use clap::builder::{PossibleValuesParser, TypedValueParser};
use llmend::CoercionKind;

use crate::{
    answer::finish,
    exit::Exit,
    render::{
        Colour,
        coercions::{cards, json, lines},
    },
};

const EXAMPLES: &str = "\
Examples:
  llmend coercions                    the table: each coercion, how sure it is, and an example
  llmend coercions number-from-text   all that is known of one
  llmend coercions --json             the table for a program

What the schema declares decides, never how a value looks: \"42\" stays a string where a string is
asked for. A value that fits already is not touched. The classes are those of `llmend rules`; those
of class loss happen only on demand: `--on-bad-item` and `--on-extra` of `llmend repair --schema`.";

/// List the changes that can make a value fit a schema
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The coercions to tell about; all of them, if none is named
    #[arg(value_name = "NAME", value_parser = kinds(), hide_possible_values = true)]
    names: Vec<CoercionKind>,
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

fn kinds() -> impl TypedValueParser<Value = CoercionKind> {
    PossibleValuesParser::new(CoercionKind::ALL.iter().map(|kind| kind.name())).try_map(|name| {
        let named = |kind: &&CoercionKind| kind.name() == name;
        CoercionKind::ALL.iter().find(named).copied().ok_or("no coercion has that name")
    })
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Exit {
    let named = &arguments.names;
    let kinds = if named.is_empty() { CoercionKind::ALL } else { named.as_slice() };
    let text = if arguments.json {
        json(kinds)
    } else if named.is_empty() {
        lines(kinds)
    } else {
        cards(kinds)
    };
    finish(&text, colour)
}
