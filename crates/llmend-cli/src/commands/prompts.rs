//! `llmend prompts`: the prompts.

use llmend::prompts::{self, PromptTemplate, ProviderNote};
use serde::Serialize;

use crate::{
    exit::{Exit, UsageError},
    presentation::finish,
    render::{Color, table::columns},
};

const EXAMPLES: &str = "\
Examples:
  llmend prompts               list the prompts with version, role and description
  llmend prompts plan          show the text of one
  llmend prompts --providers   show the notes on each provider's models
  llmend prompts --json        the same as JSON, with the texts

The version of a prompt changes with its text. <<…>> is a placeholder; if it is empty, its paragraph and
the line that introduces it are omitted.";

/// Show the prompts that models get
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PromptsArguments {
    /// The prompt to show [default: list all]
    #[arg(value_name = "NAME", conflicts_with = "providers")]
    name: Option<String>,
    /// Show the notes on each provider instead
    #[arg(long)]
    providers: bool,
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &PromptsArguments, color: Color) -> Result<Exit, UsageError> {
    let text = match (&arguments.name, arguments.json) {
        (None, true) if arguments.providers => json(prompts::PROVIDERS),
        (None, false) if arguments.providers => providers(prompts::PROVIDERS),
        (None, true) => json(prompts::ALL),
        (None, false) => list(prompts::ALL),
        (Some(name), as_json) => {
            let prompt = prompts::named(name).ok_or_else(|| unknown(name))?;
            if as_json { json(std::slice::from_ref(prompt)) } else { card(prompt) }
        }
    };
    Ok(finish(&text, color))
}

fn unknown(name: &str) -> UsageError {
    let names = prompts::ALL.iter().map(|prompt| prompt.name);
    let nearest =
        llmend::json::nearest(name, names).map(|near| format!("; did you mean '{near}'?"));
    let message = format!(
        "unknown prompt '{name}'{}",
        nearest.unwrap_or_else(|| "; run `llmend prompts` to list them".to_owned())
    );
    UsageError(message)
}

fn json<T: Serialize>(rows: &[T]) -> String {
    let mut out = serde_json::to_string_pretty(rows).unwrap_or_else(|_| "[]".to_owned());
    out.push('\n');
    out
}

fn list(prompts: &[PromptTemplate]) -> String {
    let row = |prompt: &PromptTemplate| {
        let PromptTemplate { name, version, place, about, .. } = prompt;
        [(*name).to_owned(), version.to_string(), place.to_string(), (*about).to_owned()]
    };
    columns(["NAME", "VERSION", "ROLE", "DESCRIPTION"], prompts.iter().map(row))
}

fn card(prompt: &PromptTemplate) -> String {
    let PromptTemplate { name, version, place, about, text, .. } = prompt;
    format!("{name}, version {version}, {place}: {about}\n\n{text}")
}

fn providers(notes: &[ProviderNote]) -> String {
    let cards = notes.iter().map(|note| {
        let ProviderNote { provider, json_mode, tendency, line, .. } = note;
        let json_mode = json_mode.unwrap_or("none");
        let line = if line.is_empty() { "nothing" } else { line };
        format!(
            "{provider}\n  JSON mode  {json_mode}\n  tends to   {tendency}\n  prompt     {line}\n"
        )
    });
    cards.collect::<Vec<_>>().join("\n")
}
