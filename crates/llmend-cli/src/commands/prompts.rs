//! `llmend prompts`: what is a model told?

use llmend::prompts::{self, PromptTemplate, ProviderNote};
use serde::Serialize;

use crate::{
    answer::finish,
    engine::misuse,
    exit::Exit,
    render::{Colour, table::columns},
};

const EXAMPLES: &str = "\
Examples:
  llmend prompts               the prompts: name, version, where each stands, what it is for
  llmend prompts plan          the words of one
  llmend prompts --providers   what is known of each provider's models
  llmend prompts --json        the prompts for a program, with their words

A prompt is a file with a version, which changes with its words. <<…>> is a slot; where it is left
empty, its paragraph is left out, and the line that leads to it.";

/// Show what a model is told
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The prompt to show; a list of all of them, if none is named
    #[arg(value_name = "NAME", conflicts_with = "providers")]
    name: Option<String>,
    /// Show what is known of each provider in place of the prompts
    #[arg(long)]
    providers: bool,
    /// Write a JSON array of objects
    #[arg(long)]
    json: bool,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
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
    Ok(finish(&text, colour))
}

fn unknown(name: &str) -> clap::Error {
    let names = prompts::ALL.iter().map(|prompt| prompt.name);
    let nearest =
        llmend::json::nearest(name, names).map(|near| format!(": did you mean '{near}'?"));
    let message = format!(
        "there is no prompt '{name}'{}\n",
        nearest.unwrap_or_else(|| "; `llmend prompts` lists them".to_owned())
    );
    misuse(clap::error::ErrorKind::InvalidValue, message)
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
    columns(["NAME", "VERSION", "STANDS IN", "ABOUT"], prompts.iter().map(row))
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
            "{provider}\n  JSON mode  {json_mode}\n  tends to   {tendency}\n  is told    {line}\n"
        )
    });
    cards.collect::<Vec<_>>().join("\n")
}
