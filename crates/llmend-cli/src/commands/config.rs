//! `llmend config`: the settings and their sources.

use llmend::config::{Configuration, SETTINGS, Setting, Source};
use serde::Serialize;

use crate::{
    configuration::{load, sections},
    exit::{Exit, UsageError},
    presentation::finish,
    render::{Color, table::columns},
};

const EXAMPLES: &str = "\
Examples:
  llmend config          show each setting with its value and source
  llmend config --all    with the accepted values and a description
  llmend config --json   the same as JSON

In order of increasing precedence: llmend.toml in the user's configuration directory, llmend.toml in the
working directory or the nearest parent, the environment, flags. A project file cannot set where requests
are sent, which variable holds a key, or which file is written.";

/// Show the settings and their sources
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConfigArguments {
    /// Show the accepted values and the description of each setting
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

/// A row of `llmend config --json`.
#[derive(Debug, Serialize)]
struct Row<'c> {
    /// The model that the setting is for; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'c str>,
    #[serde(flatten)]
    setting: &'static Setting,
    value: Option<&'c str>,
    source: &'c Source,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &ConfigArguments, color: Color) -> Result<Exit, UsageError> {
    let found = load([])?;
    let sections = sections()?;
    let of_models = sections.iter().flat_map(|(model, own)| {
        let own = rows(own, Some(model));
        own.filter(|row| !matches!(row.source, Source::Default))
    });
    let rows: Vec<Row<'_>> = rows(&found, None).chain(of_models).collect();
    let text = if arguments.json {
        let json = serde_json::to_string_pretty(&rows).unwrap_or_else(|_| "[]".to_owned());
        format!("{json}\n")
    } else if arguments.all {
        rows.iter().map(card).collect::<Vec<_>>().join("\n")
    } else {
        let cells = rows
            .iter()
            .map(|row| [row.name(), shown(row.value).to_owned(), row.source.to_string()]);
        columns(["SETTING", "VALUE", "SOURCE"], cells)
    };
    Ok(finish(&text, color))
}

impl Row<'_> {
    /// Returns the name, with that of the model before it.
    fn name(&self) -> String {
        let name = self.setting.name;
        self.model.map_or_else(|| name.to_owned(), |model| format!("[{model}] {name}"))
    }
}

fn rows<'c>(found: &'c Configuration, model: Option<&'c str>) -> impl Iterator<Item = Row<'c>> {
    SETTINGS.iter().map(move |setting| {
        let (value, source) = found.of(setting);
        // The values of headers may be secrets.
        let is_secret = setting.name == "headers" && !value.is_empty();
        let value = if is_secret { "[hidden]" } else { value };
        Row { model, setting, value: (!value.is_empty()).then_some(value), source }
    })
}

fn shown(value: Option<&str>) -> &str {
    value.unwrap_or("-")
}

/// Returns the details of a setting.
fn card(row: &Row<'_>) -> String {
    let name = row.name();
    let Setting { variables, flag, expected, about, .. } = row.setting;
    let flag = flag.map_or_else(|| "-".to_owned(), |flag| format!("--{flag}"));
    format!(
        "{name}\n  {about}\n  value     {}\n  source    {}\n  accepts   {expected}\n  variable  {}\n  flag      {flag}\n",
        shown(row.value),
        row.source,
        variables.join(", "),
    )
}
