//! `llmend config`: what is set, and by whom?

use llmend::config::{Configuration, SETTINGS, Setting, Source};
use serde::Serialize;

use crate::{
    answer::finish,
    configuration::load,
    exit::Exit,
    render::{Colour, table::columns},
};

const EXAMPLES: &str = "\
Examples:
  llmend config          each setting, what it says, and where that comes from
  llmend config --all    with what may be given, and what each is for
  llmend config --json   the same for a program

The later place counts: llmend.toml in the user's configuration folder, llmend.toml in the working folder
or above it, the environment, a flag. A file in a project may not set where requests go, which variable
holds a key, and which file is written.";

/// Show the settings and where each comes from
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Tell of each setting what may be given, and what it is for
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

/// A row of `llmend config --json`.
#[derive(Debug, Serialize)]
struct Row<'c> {
    #[serde(flatten)]
    setting: &'static Setting,
    value: Option<&'c str>,
    source: &'c Source,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    let found = load([])?;
    let rows: Vec<Row<'_>> = rows(&found).collect();
    let text = if arguments.json {
        let json = serde_json::to_string_pretty(&rows).unwrap_or_else(|_| "[]".to_owned());
        format!("{json}\n")
    } else if arguments.all {
        rows.iter().map(card).collect::<Vec<_>>().join("\n")
    } else {
        let cells = rows.iter().map(|row| {
            [row.setting.name.to_owned(), shown(row.value).to_owned(), row.source.to_string()]
        });
        columns(["SETTING", "VALUE", "FROM"], cells)
    };
    Ok(finish(&text, colour))
}

fn rows(found: &Configuration) -> impl Iterator<Item = Row<'_>> {
    SETTINGS.iter().map(|setting| {
        let (value, source) = found.of(setting);
        Row { setting, value: (!value.is_empty()).then_some(value), source }
    })
}

fn shown(value: Option<&str>) -> &str {
    value.unwrap_or("-")
}

/// All that is known of a setting.
fn card(row: &Row<'_>) -> String {
    let Setting { name, variables, flag, expected, about, .. } = row.setting;
    let flag = flag.map_or_else(|| "-".to_owned(), |flag| format!("--{flag}"));
    format!(
        "{name}\n  {about}\n  value     {}\n  from      {}\n  may be    {expected}\n  variable  {}\n  flag      {flag}\n",
        shown(row.value),
        row.source,
        variables.join(", "),
    )
}
