//! `llmend assist`: what do a person and a model make of a workflow?

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    path::PathBuf,
};

use llmend::{
    Dialect, Fixes,
    asking::{AskOptions, Preset, Validity},
    assistant::{Assistant, Said, Turn},
    config::Setting,
};

use crate::{
    answer::{Asked, OutputArguments, Presentation, ReportFormat, Shown, finish},
    asking::{Attempts, attempts, gave_up, wait},
    engine::EngineArguments,
    exit::{Exit, Failure},
    input::Source,
    models::{ModelArguments, Opened, limited, opened},
    output::{say, say_block},
    planning::{self, CheckArguments},
    render::{Colour, Named, explain::refusal},
};

const EXAMPLES: &str = "\
Examples:
  llmend assist --workflow flow.json --model ollama:llama3 'Send a mail if it fails'
  llmend assist --workflow flow.json --model ollama:llama3        a message a line, until the input ends
  llmend assist --model openai:gpt-4o 'Fetch the page, and store it'   where there is no workflow yet

An answer is a patch, a whole workflow, or words. What a patch makes of the workflow is checked as a
whole; only what is valid is taken over. Standard error tells what is said; standard output gets the
workflow as it is in the end.
Exit status: 0 all went well, 1 an answer could not be used, 2 misused, 3 the model could not be asked.";

/// Talk with a model about a workflow
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What is said; without it, each line of standard input is said
    #[arg(value_name = "MESSAGE")]
    message: Option<String>,
    /// The file with the workflow or the plan, if there is one already
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    workflow: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArguments,
    /// Answers to one message: 0 to check none, 1 to check and ask nobody again, N to ask
    /// N - 1 times
    #[arg(
        long,
        value_name = "N",
        verbatim_doc_comment,
        help_heading = "Which model is asked, and how often"
    )]
    max_repair_attempts: Option<String>,
    #[command(flatten)]
    checks: CheckArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    let attempts =
        Setting::named("max_repair_attempts").zip(arguments.max_repair_attempts.as_ref());
    let attempts = attempts.map(|(setting, value)| setting.given_as_flag(value));
    let found = arguments.model.load(attempts)?;
    let engine = arguments.engine.engine_of(&found)?;
    let presentation = Presentation {
        arguments: &arguments.output,
        shown: Shown::Value,
        asked: Asked::Plan,
        engine: &engine,
        colour,
    };
    let mut options = match arguments.checks.options(Dialect::Auto, &engine, colour) {
        Ok(options) => options,
        Err(none) => return Ok(presentation.failure(none.named(), &none.failure)),
    };
    let mut document = None;
    if let Some(path) = &arguments.workflow {
        let source = Source::of(path);
        match planning::document(&source, &options, &engine) {
            Ok(found) => document = Some(found),
            Err(none) => return Ok(presentation.failure(none.named(), &none.failure)),
        }
    }
    options.fixes = Fixes::Made;
    let limits = Preset::ClickweaveAssistant(found.settings.max_repair_attempts);
    let asking = limited(AskOptions::preset(limits), &found);
    let assistant = document.map_or_else(Assistant::new, Assistant::about);
    let assistant = assistant.reviewing(options).options(asking);
    let model = match opened(&found) {
        Ok(model) => model,
        Err(failure) => {
            return Ok(presentation.failure(Named { name: "--model", text: "" }, &failure));
        }
    };
    Ok(Conversation { arguments, assistant, turns: Vec::new(), colour }.hold(model))
}

/// A conversation that is being held.
struct Conversation<'a> {
    arguments: &'a Arguments,
    assistant: Assistant,
    /// What a report says of each turn.
    turns: Vec<serde_json::Value>,
    colour: Colour,
}

impl Conversation<'_> {
    /// Says the message, or each line, and writes the workflow as it is then.
    fn hold(mut self, model: Opened) -> Exit {
        let mut exit = Exit::Value;
        if let Some(message) = &self.arguments.message {
            exit = self.say(&model, message);
        } else {
            if io::stdin().is_terminal() {
                say("llmend: say what is to change, a message a line; Ctrl-D ends");
            }
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                if !line.trim().is_empty() {
                    let said = self.say(&model, &line);
                    exit = if said == Exit::Value { exit } else { said };
                }
            }
        }
        if let Err(failure) = model.close() {
            self.refuse("--record", &failure);
            return failure.exit;
        }
        match finish(&self.written(), self.colour) {
            Exit::Value => exit,
            failed => failed,
        }
    }

    /// Says one message, and takes over what comes of it.
    fn say(&mut self, model: &Opened, message: &str) -> Exit {
        let shown = if self.arguments.output.quiet { Attempts::Quiet } else { Attempts::Shown };
        let mut callbacks = attempts(shown);
        let asked = wait(self.assistant.say(&model.model(), message, &mut callbacks));
        match asked {
            Ok(Ok(turn)) => self.take(&turn),
            Ok(Err(end)) => {
                self.turns.push(serde_json::json!({
                    "said": null, "validity": null, "findings": end.diagnostics(), "ledger": end.ledger,
                }));
                let failure = gave_up(&end);
                self.refuse(&end.model, &failure);
                failure.exit
            }
            Err(failure) => {
                self.refuse("--model", &failure);
                failure.exit
            }
        }
    }

    fn take(&mut self, turn: &Turn) -> Exit {
        let (kind, json) = match &turn.said {
            Said::Words(words) => ("words", words.as_str()),
            Said::Patch(proposal) => ("patch", proposal.json.as_str()),
            Said::Whole(proposal) => ("whole", proposal.json.as_str()),
            _ => ("other", ""),
        };
        self.turns.push(serde_json::json!({
            "said": kind, "answer": json, "validity": turn.validity, "findings": turn.findings,
            "ledger": turn.ledger,
        }));
        if kind == "words" {
            say(json);
            return Exit::Value;
        }
        if self.assistant.accept(turn) {
            let checked = if turn.validity == Validity::Unchecked { ", unchecked" } else { "" };
            let what = if kind == "patch" { "the patch is applied" } else { "the workflow is new" };
            say(&format!("llmend: {what}{checked}"));
            return Exit::Value;
        }
        let failure = Failure::new(Exit::Refused, turn.findings.clone());
        self.refuse("answer", &failure);
        say(
            "llmend: the last proposal is invalid and is not taken over; the workflow is as it was",
        );
        Exit::Refused
    }

    fn refuse(&self, name: &str, failure: &Failure) {
        // The places are those of an answer that is not shown.
        let mut rows = failure.diagnostics.clone();
        for row in &mut rows {
            row.span = None;
        }
        let shown = Failure::new(failure.exit, rows);
        say_block(&refusal(Named { name, text: "" }, &shown, self.colour));
    }

    /// The workflow as it is, or a report on all that was said.
    fn written(&self) -> String {
        let OutputArguments { report, pretty, .. } = self.arguments.output;
        let document = self.assistant.document();
        let value = match report {
            Some(ReportFormat::Json) => {
                serde_json::json!({"workflow": document, "turns": self.turns})
            }
            None if document.is_none() => return String::new(),
            None => {
                let text = if pretty {
                    serde_json::to_string_pretty(&document)
                } else {
                    serde_json::to_string(&document)
                };
                // The canonical form has no key that is no text, so that nothing can fail.
                return format!("{}\n", text.unwrap_or_default());
            }
        };
        if pretty { format!("{value:#}\n") } else { format!("{value}\n") }
    }
}
