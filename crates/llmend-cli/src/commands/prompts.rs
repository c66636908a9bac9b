//! `llmend prompts`: the prompts.

use llmend::prompts::{self, PromptTemplate, ProviderNote};
use serde::Serialize;
#[cfg(feature = "models")]
use std::ffi::OsString;

use crate::{
    configuration::load,
    exit::{Exit, UsageError},
    presentation::finish,
    prompt_files,
    render::{Color, table::columns},
};

const EXAMPLES: &str = "\
Examples:
  llmend prompts               list the prompts with version, role and description
  llmend prompts plan          show the text of one
  llmend prompts plan --text   only its text, to start a file of your own
  llmend prompts --providers   show the notes on each provider's models
  llmend prompts --json        the same as JSON, with the texts
  llmend prompts plan --dry-run --model openai:gpt-4o --ask GOAL
                               print the request of `llmend plan`, without sending it

The version of a prompt changes with its text. <<…>> is a placeholder; if it is empty, its paragraph and
the line that introduces it are omitted. A file such as plan.md in the folder of the setting `prompts`
replaces a prompt, and has the same placeholders. --dry-run takes the options of plan, ask, patch, assist
and batch.";

/// Show the prompts that models get
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[cfg_attr(feature = "models", expect(clippy::struct_excessive_bools, reason = "each is a flag"))]
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
    /// Write only the text of the prompt
    #[arg(long, requires = "name", conflicts_with = "json")]
    text: bool,
    /// Print the request that `llmend NAME` would send, with its options behind
    #[cfg(feature = "models")]
    #[arg(long, requires = "name", conflicts_with_all = ["json", "text"])]
    dry_run: bool,
    #[cfg(feature = "models")]
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true, requires = "dry_run")]
    rest: Vec<OsString>,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &PromptsArguments, color: Color) -> Result<Exit, UsageError> {
    prompt_files::replace(&load([])?)?;
    let all: Vec<PromptTemplate> = prompts::ALL.iter().map(in_use).collect();
    let text = match (&arguments.name, arguments.json) {
        (None, true) if arguments.providers => json(prompts::PROVIDERS),
        (None, false) if arguments.providers => providers(prompts::PROVIDERS),
        (None, true) => json(&all),
        (None, false) => list(&all),
        (Some(name), as_json) => {
            let prompt = in_use(prompts::named(name).ok_or_else(|| unknown(name))?);
            match as_json {
                true => json(std::slice::from_ref(&prompt)),
                false if arguments.text => prompt.text.to_owned(),
                false => card(&prompt),
            }
        }
    };
    Ok(finish(&text, color))
}

/// Returns a prompt with the text that is used.
fn in_use(prompt: &PromptTemplate) -> PromptTemplate {
    let mut used = *prompt;
    used.text = prompt.text_in_use();
    used
}

#[cfg(feature = "models")]
impl PromptsArguments {
    /// Returns the command line whose first request is to be shown, if one is.
    pub(crate) fn previewed(&self) -> Result<Option<Vec<OsString>>, UsageError> {
        const ASKING: [&str; 5] = ["plan", "ask", "patch", "assist", "batch"];
        let Some(name) = self.name.as_deref().filter(|_| self.dry_run) else { return Ok(None) };
        if !ASKING.contains(&name) {
            let known = ASKING.join(", ");
            return Err(UsageError(format!("--dry-run expects one of {known}, found '{name}'")));
        }
        let command = ["llmend", name].map(OsString::from).into_iter();
        Ok(Some(command.chain(self.rest.iter().cloned()).chain(["--dry-run".into()]).collect()))
    }
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
