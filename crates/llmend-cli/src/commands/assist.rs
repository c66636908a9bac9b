//! `llmend assist`: a conversation with a model about a workflow.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use llmend::{Dialect, Fixes, assistant::Assistant, config::Setting, plan::Document};

use crate::{
    dry_run::dry_run,
    exit::{Exit, UsageError},
    flags::{CheckFlags, EngineFlags, ModelFlags, OutputFlags},
    input::{STDIN, Source},
    models::{assistant, open_models},
    planning,
    presentation::{Presentation, ResultKind, Stdout},
    render::{Color, Named},
};

mod command;
mod conversation;
mod interruption;
mod lock;
mod messages;
mod proposal;
mod session;
mod workflow_file;

use command::command;
use conversation::Conversation;
use interruption::Latest;
use lock::SessionLock;
use session::{Resumed, Session};
use workflow_file::WorkflowFile;

const EXAMPLES: &str = "\
Examples:
  llmend assist --workflow flow.json --model ollama:llama3 'Send a mail if it fails'
  llmend assist --workflow flow.json --model ollama:llama3        one message per line of input
  llmend assist --model openai:gpt-4o 'Fetch the page, and store it'   start a new workflow
  llmend assist --session trip.session.json --model openai:gpt-4o     save each change, and go on later

An answer is a patch, a whole workflow or plain text. The patched workflow is checked as a whole, and only a
valid one is accepted. A person at the terminal sees each change and the workflow that it makes, and confirms
it, unless --autonomous is given.
In a conversation, /undo returns to the workflow before the last change, /show draws it, /save [FILE] writes
it, by default to the file of --workflow, and /help lists the commands; MESSAGE may be a command too. /save
replaces only a file that the session read or wrote itself, /save! FILE any other but its own. Each change
is saved at once: without --session, in a new file in $XDG_STATE_HOME/llmend/sessions or
~/.local/state/llmend/sessions, whose name is printed. A session goes on with its own workflow; --workflow
may name the file from which it was begun. One process at a time can be in a session.
The conversation is printed to standard error, the final workflow to standard output. Ctrl-C writes the
workflow as it is and ends with status 130.
Exit status: 0 success, 1 an answer was rejected, 2 usage error, 3 model unreachable.";

/// Talk with a model about a workflow
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AssistArguments {
    /// The message or command; by default each line of standard input is one
    #[arg(value_name = "MESSAGE")]
    message: Option<String>,
    /// The workflow or plan to change; by default a new one is made
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    workflow: Option<PathBuf>,
    /// Save the conversation in this file after every change, or continue the one that it holds; by
    /// default it is saved in a new file
    #[arg(long, verbatim_doc_comment, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    session: Option<PathBuf>,
    /// Print the first request as it would be sent, and send nothing
    #[arg(long, requires = "message", help_heading = "Model")]
    dry_run: bool,
    #[command(flatten)]
    model: ModelFlags,
    /// Attempts per message: 0 to accept answers unchecked, 1 to check without retrying,
    /// N to retry N - 1 times
    #[arg(long, value_name = "N", verbatim_doc_comment, help_heading = "Model")]
    max_repair_attempts: Option<String>,
    #[command(flatten)]
    checks: CheckFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    engine: EngineFlags,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &AssistArguments, color: Color) -> Result<Exit, UsageError> {
    check(arguments)?;
    let attempts =
        Setting::named("max_repair_attempts").zip(arguments.max_repair_attempts.as_ref());
    let attempts = attempts.map(|(setting, value)| setting.given_as_flag(value));
    let found = arguments.model.load(attempts)?;
    let engine = arguments.engine.engine_with(found.settings())?;
    let presentation = Presentation {
        output: arguments.output.output(),
        stdout: Stdout::Value,
        kind: ResultKind::Plan,
        engine: &engine,
        color,
    };
    let mut options = match arguments.checks.options(Dialect::Auto, &engine, color) {
        Ok(options) => options,
        Err(none) => return Ok(presentation.failure(none.named(), &none.failure)),
    };
    let mut document = None;
    if let Some(path) = &arguments.workflow {
        let source = Source::of(path);
        match planning::document(&source, &options, &engine) {
            Ok((found, _)) => document = Some(found),
            Err(none) => return Ok(presentation.failure(none.named(), &none.failure)),
        }
    }
    options.fixes = Fixes::Made;
    let asking = assistant(&found)?;
    // Held from before the session is read until after it is last written.
    let lock = arguments.session.as_deref().map(locked).transpose()?;
    let Resumed { session, document, exchanges, not_applied } = resumed(arguments, document)?;
    let talk = document.map_or_else(Assistant::new, Assistant::about).continuing(exchanges);
    let talk = talk.telling(not_applied).reviewing(options).options(asking);
    if let Some(message) = arguments.message.as_deref().filter(|_| arguments.dry_run) {
        return Ok(dry_run(&presentation, &found, |model| talk.request(model, message)));
    }
    let model = match open_models(&found) {
        Ok(model) => model,
        Err(failure) => {
            return Ok(presentation.failure(Named { name: "--model", text: "" }, &failure));
        }
    };
    let conversation = Conversation {
        arguments,
        assistant: talk,
        session,
        latest: Arc::new(Mutex::new(Latest { text: String::new(), lock })),
        is_over: false,
        turns: Vec::new(),
        approval: arguments.model.approval(),
        max_bytes: engine.options.max_bytes,
        color,
    };
    Ok(conversation.run(model))
}

/// Checks that the message can be sent, or is a command.
fn check(AssistArguments { message, dry_run, .. }: &AssistArguments) -> Result<(), UsageError> {
    match message.as_deref().map(|message| (message.trim(), command(message))) {
        Some(("", _)) => Err("the message is empty".into()),
        Some((_, Some(Err(wrong)))) => Err(UsageError(wrong)),
        Some((command, Some(Ok(_)))) if *dry_run => {
            Err(UsageError(format!("{command} is a command, for which no request is sent")))
        }
        _ => Ok(()),
    }
}

/// Locks a session. What keeps it from being saved is said before anything is asked.
fn locked(path: &Path) -> Result<SessionLock, UsageError> {
    SessionLock::of(path).map_err(|error| UsageError(format!("{}: {error}", path.display())))
}

/// Returns the session in the file that is named, or else a new one about `document`.
fn resumed(arguments: &AssistArguments, document: Option<Document>) -> Result<Resumed, UsageError> {
    let AssistArguments { session: path, workflow, .. } = arguments;
    // Standard input and pipes are read once.
    let file = workflow.as_deref().filter(|file| *file != Path::new(STDIN) && file.is_file());
    let of = |file: &Path| {
        WorkflowFile::of(file).map_err(|error| format!("{}: {error}", file.display()))
    };
    let origin = file.map(of).transpose().map_err(UsageError)?;
    if let Some(path) = path {
        let wrong = |error: &dyn Display| UsageError(format!("{}: {error}", path.display()));
        if let Some(mut found) = Session::resume(path).map_err(|error| wrong(&error))? {
            if let Some(origin) = origin {
                let is_empty = found.document.is_none();
                found.session.belongs_to(origin, is_empty).map_err(|error| wrong(&error))?;
            } else if document.is_some() && found.document.is_some() {
                return Err(wrong(&"the session has a workflow; leave out --workflow"));
            }
            found.document = found.document.or(document);
            return Ok(found);
        }
    }
    let session = Session::new(path.clone(), origin);
    Ok(Resumed { session, document, ..Resumed::default() })
}
