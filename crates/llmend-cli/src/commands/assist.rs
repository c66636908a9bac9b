//! `llmend assist`: a conversation with a model about a workflow.

use std::{
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use llmend::{
    Dialect, Fixes, ReviewOptions,
    asking::Validity,
    assistant::{Assistant, Reply, Turn},
    config::Setting,
    draw::{Annotations, Format, draw},
    json::{Diagnostic, Severity},
    plan::Document,
};

use crate::{
    approval::{Approval, declined},
    attempts::{Attempts, attempts, plain_lines, wait},
    dry_run::dry_run,
    exit::{Exit, UsageError},
    flags::{CheckFlags, EngineFlags, ModelFlags, OutputFlags},
    input::{STDIN, Source},
    models::{OpenModels, assistant, open_models},
    outcome::Failure,
    output::{eprint, eprint_block},
    planning,
    presentation::{Output, Presentation, ReportFormat, ResultKind, Stdout, finish},
    render::{
        Color, Named,
        changes::changes,
        counted,
        explain::{refusal, warnings},
        ledger::spent,
    },
};

mod interruption;
mod messages;
mod session;

use interruption::on_interruption;
use messages::line;
use session::{Command, Resumed, Session, command};

const EXAMPLES: &str = "\
Examples:
  llmend assist --workflow flow.json --model ollama:llama3 'Send a mail if it fails'
  llmend assist --workflow flow.json --model ollama:llama3        one message per line of input
  llmend assist --model openai:gpt-4o 'Fetch the page, and store it'   start a new workflow
  llmend assist --session trip.session.json --model openai:gpt-4o     save each change, and go on later

In a conversation, /undo returns to the workflow before the last change, /show draws it, and /save [FILE]
writes it, by default to the file of --workflow. Each change is saved at once: without --session, in a new
file in $XDG_STATE_HOME/llmend/sessions or ~/.local/state/llmend/sessions, and where is printed. Ctrl-C writes
the workflow as it is and ends with status 130.
An answer is a patch, a whole workflow or plain text. The patched workflow is checked as a whole, and only a
valid one is accepted. The conversation is printed to standard error, the final workflow to standard output.
Exit status: 0 success, 1 an answer was rejected, 2 usage error, 3 model unreachable.";

/// Talk with a model about a workflow
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AssistArguments {
    /// The message; by default each line of standard input is one
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
    let attempts =
        Setting::named("max_repair_attempts").zip(arguments.max_repair_attempts.as_ref());
    let attempts = attempts.map(|(setting, value)| setting.given_as_flag(value));
    let found = arguments.model.load(attempts)?;
    let engine = arguments.engine.engine_with(&found)?;
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
            Ok(found) => document = Some(found),
            Err(none) => return Ok(presentation.failure(none.named(), &none.failure)),
        }
    }
    options.fixes = Fixes::Made;
    let asking = assistant(&found)?;
    let Resumed { session, document, exchanges } = resumed(arguments, document, &options)?;
    let talk = document.map_or_else(Assistant::new, Assistant::about);
    let talk = talk.reviewing(options).options(asking).continuing(exchanges);
    if let Some(message) = arguments.message.as_deref().filter(|_| arguments.dry_run) {
        return Ok(dry_run(&presentation, &found, |model| talk.request(model, message)));
    }
    let max_bytes = engine.options.max_bytes;
    let model = match open_models(&found) {
        Ok(model) => model,
        Err(failure) => {
            return Ok(presentation.failure(Named { name: "--model", text: "" }, &failure));
        }
    };
    let approval = arguments.model.approval();
    let turns = Vec::new();
    let conversation = Conversation {
        arguments,
        assistant: talk,
        session,
        latest: Arc::default(),
        turns,
        approval,
        max_bytes,
        color,
    };
    Ok(conversation.run(model))
}

/// Returns the session in the file that is named, or else a new one about `document`.
fn resumed(
    arguments: &AssistArguments,
    document: Option<Document>,
    options: &ReviewOptions,
) -> Result<Resumed, UsageError> {
    let AssistArguments { session: path, workflow, .. } = arguments;
    let found = path.as_ref().map(|path| {
        let found = Session::resume(path, options);
        found.map_err(|error| UsageError(format!("{}: {error}", path.display())))
    });
    match (found.transpose()?.flatten(), path) {
        (Some(_), Some(path)) if document.is_some() => {
            Err(UsageError(format!("{} holds a workflow; leave out --workflow", path.display())))
        }
        (Some(resumed), _) => Ok(resumed),
        (None, _) => {
            let session = Session::new(path.clone(), workflow.as_deref());
            Ok(Resumed { session, document, exchanges: Vec::new() })
        }
    }
}

/// A conversation.
struct Conversation<'a> {
    arguments: &'a AssistArguments,
    assistant: Assistant,
    session: Session,
    /// What Ctrl-C writes.
    latest: Arc<Mutex<String>>,
    /// The turns for the report.
    turns: Vec<serde_json::Value>,
    approval: Approval,
    /// The maximum length of a message in bytes.
    max_bytes: usize,
    color: Color,
}

impl Conversation<'_> {
    /// Sends the message, or each line of input, and writes the final workflow.
    fn run(mut self, model: OpenModels) -> Exit {
        let latest = Arc::new(Mutex::new(self.written()));
        on_interruption(Arc::clone(&latest));
        self.latest = latest;
        let exit = match &self.arguments.message {
            Some(message) => self.say(&model, message),
            None => self.say_lines(&model),
        };
        let exit = match finish(&self.written(), self.color) {
            Exit::Value => exit,
            failed => failed,
        };
        model.close(exit, self.color)
    }

    /// Sends each line of standard input. A line that cannot be read is reported, and the next one follows.
    fn say_lines(&mut self, model: &OpenModels) -> Exit {
        if io::stdin().is_terminal() {
            eprint("llmend: enter one message per line; press Ctrl-D to end");
        }
        let mut exit = Exit::Value;
        for number in 1_usize.. {
            // The lock on standard input is released: the person may be asked to confirm in between.
            let read = line(&mut io::stdin().lock(), self.max_bytes);
            let said = match read {
                Ok(None) => break,
                Ok(Some(message)) if message.trim().is_empty() => Exit::Value,
                Ok(Some(message)) => match command(&message) {
                    Some(asked) => self.obey(asked),
                    None => self.say(model, &message),
                },
                Err(failure) => {
                    eprint(&format!("llmend: line {number} of {STDIN} was not sent"));
                    self.refuse(STDIN, &failure);
                    if failure.exit == Exit::Io {
                        return Exit::Io;
                    }
                    failure.exit
                }
            };
            exit = if said == Exit::Value { exit } else { said };
        }
        exit
    }

    /// Sends one message, and applies the answer.
    fn say(&mut self, model: &OpenModels, message: &str) -> Exit {
        let shown =
            if self.arguments.output.output().quiet { Attempts::Quiet } else { Attempts::Shown };
        let mut callbacks = attempts(shown);
        let asked = wait(self.assistant.say(model.models(), message, &mut callbacks));
        let ledger = match &asked {
            Ok(Ok(turn)) => Some(&turn.ledger),
            Ok(Err(end)) => Some(&end.ledger),
            Err(_) => None,
        };
        if let Some(line) = ledger.and_then(|ledger| spent(model.spending(ledger))) {
            self.note(&line);
        }
        match asked {
            Ok(Ok(turn)) => self.apply(&turn),
            Ok(Err(end)) => {
                self.turns.push(serde_json::json!({
                    "said": null, "validity": null, "findings": end.diagnostics(), "ledger": end.ledger,
                }));
                let failure = model.gave_up(&end);
                self.refuse(&end.model, &failure);
                failure.exit
            }
            Err(failure) => {
                self.refuse("--model", &failure);
                failure.exit
            }
        }
    }

    /// Carries out a command of the person.
    fn obey(&mut self, asked: Result<Command<'_>, String>) -> Exit {
        let refused = |message: String| {
            eprint(&format!("llmend: {message}"));
            Exit::Usage
        };
        match asked {
            Err(message) => refused(message),
            Ok(Command::Show) => {
                let drawn = self.assistant.document().and_then(drawing);
                eprint_block(&plain_lines(&drawn.unwrap_or_else(|| "no workflow yet".to_owned())));
                Exit::Value
            }
            Ok(Command::Save(file)) => {
                let own = self.arguments.workflow.as_deref();
                let Some(file) = file.map(Path::new).or(own) else {
                    return refused("/save needs a file: /save FILE".to_owned());
                };
                match session::write(file, &self.workflow()) {
                    Ok(()) => {
                        self.note(&format!("llmend: saved in {}", file.display()));
                        Exit::Value
                    }
                    Err(error) => refused(format!("{}: {error}", file.display())),
                }
            }
            Ok(Command::Undo) if self.session.undo(&mut self.assistant) => {
                self.saved("llmend: last change undone")
            }
            Ok(Command::Undo) => refused("there is no change to undo".to_owned()),
        }
    }

    /// Saves the conversation after a change, and says so.
    fn saved(&mut self, change: &str) -> Exit {
        let is_named = self.session.has_file();
        let latest = Arc::clone(&self.latest);
        // Whoever interrupts waits until it is saved.
        let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
        *latest = self.written();
        let saved = self.session.save(self.assistant.document(), self.assistant.exchanges());
        drop(latest);
        self.note(change);
        match saved {
            Ok(None) => Exit::Value,
            Ok(Some(path)) => {
                let path = path.display();
                self.note(&format!("llmend: saved in {path}; go on later with --session {path}"));
                Exit::Value
            }
            Err(error) => {
                eprint(&format!("llmend: the session was not saved: {error}; use --session FILE"));
                // What nobody asked for is no failure.
                if is_named { Exit::Io } else { Exit::Value }
            }
        }
    }

    /// Shows what a proposal changes, and to a person who may be asked, the workflow that it makes.
    fn show(&self, document: &Document) {
        let is_asked = self.approval == Approval::Person;
        if is_asked || !self.arguments.output.output().quiet {
            eprint_block(&changes(self.assistant.document(), document, self.color));
        }
        if is_asked {
            eprint_block(&plain_lines(&drawing(document).unwrap_or_default()));
        }
    }

    fn apply(&mut self, turn: &Turn) -> Exit {
        let (kind, json) = match &turn.reply {
            Reply::Words(words) => ("words", words.as_str()),
            Reply::Patch(proposal) => ("patch", proposal.json.as_str()),
            Reply::Whole(proposal) => ("whole", proposal.json.as_str()),
            _ => ("other", ""),
        };
        self.turns.push(serde_json::json!({
            "said": kind, "answer": json, "validity": turn.validity, "findings": turn.findings,
            "ledger": turn.ledger,
        }));
        if kind == "words" {
            eprint(&plain_lines(json));
            return Exit::Value;
        }
        if turn.validity != Validity::Invalid
            && let Some(document) = turn.document()
        {
            if !self.arguments.output.output().quiet {
                let rows = without_spans(&turn.findings);
                eprint_block(&warnings(Named { name: "answer", text: "" }, &rows, self.color));
            }
            if self.assistant.document() == Some(document) {
                self.note("llmend: no changes");
                return Exit::Value;
            }
            self.show(document);
            if !self.approval.confirm(&self.reasons(turn, document), "Apply this change?") {
                self.refuse("answer", &declined());
                return Exit::Refused;
            }
        }
        let before = self.assistant.document().cloned();
        if self.assistant.accept(turn) {
            self.session.keep(before);
            let checked = if turn.validity == Validity::Unchecked { ", unchecked" } else { "" };
            let what = if kind == "patch" { "patch applied" } else { "workflow replaced" };
            return self.saved(&format!("llmend: {what}{checked}"));
        }
        let failure = Failure::new(Exit::Refused, turn.findings.clone());
        self.refuse("answer", &failure);
        eprint("llmend: the proposal is invalid and was not applied; the workflow is unchanged");
        Exit::Refused
    }

    /// Prints a message, unless `--quiet` was given.
    fn note(&self, line: &str) {
        if !self.arguments.output.output().quiet {
            eprint(line);
        }
    }

    /// Returns why a person should confirm a proposal.
    fn reasons(&self, turn: &Turn, document: &Document) -> Vec<String> {
        let mut reasons = Vec::new();
        let changed = self.assistant.document().map_or(0, |before| removed(before, document));
        if changed > 0 {
            reasons.push(format!("removes or changes {}", counted(changed, "part")));
        }
        if turn.validity == Validity::Unchecked {
            reasons.push("unchecked".to_owned());
        }
        let warnings = turn.findings.iter().filter(|row| row.severity == Severity::Warning).count();
        if warnings > 0 {
            reasons.push(counted(warnings, "warning"));
        }
        reasons
    }

    fn refuse(&self, name: &str, failure: &Failure) {
        let shown = Failure::new(failure.exit, without_spans(&failure.diagnostics));
        eprint_block(&refusal(Named { name, text: "" }, &shown, self.color));
    }

    /// Returns the workflow as JSON, on a line of its own.
    fn workflow(&self) -> String {
        let document = self.assistant.document();
        let text = if self.arguments.output.output().pretty {
            serde_json::to_string_pretty(&document)
        } else {
            serde_json::to_string(&document)
        };
        // Keys of the canonical form are strings, so serialization cannot fail.
        format!("{}\n", text.unwrap_or_default())
    }

    /// Returns the workflow, or the report on the conversation.
    fn written(&self) -> String {
        let Output { report, pretty, .. } = self.arguments.output.output();
        let document = self.assistant.document();
        let value = match report {
            Some(ReportFormat::Json) => {
                serde_json::json!({"workflow": document, "turns": self.turns})
            }
            None if document.is_none() => return String::new(),
            None => return self.workflow(),
        };
        if pretty { format!("{value:#}\n") } else { format!("{value}\n") }
    }
}

/// Returns a workflow or plan as a tree for the terminal.
fn drawing(document: &Document) -> Option<String> {
    Some(draw(&document.to_workflow()?, &Annotations::default(), Format::Tree))
}

/// Counts the parts of `before` (nodes, edges, steps) that are missing or changed in `after`.
fn removed(before: &Document, after: &Document) -> usize {
    // A document that cannot be serialized has no parts to compare.
    let json = |document: &Document| serde_json::to_value(document).unwrap_or_default();
    let (before, after) = (json(before), json(after));
    let lists = ["steps", "nodes", "edges"].map(|name| (before.get(name), after.get(name)));
    let parts = |list: Option<&serde_json::Value>| list.and_then(|list| list.as_array()).cloned();
    let gone = |(before, after): (Option<&_>, Option<&_>)| {
        let after = parts(after).unwrap_or_default();
        let before = parts(before).unwrap_or_default();
        before.iter().filter(|part| !after.contains(part)).count()
    };
    lists.into_iter().map(gone).sum()
}

/// Removes the spans, which refer to an answer that is not shown.
fn without_spans(rows: &[Diagnostic]) -> Vec<Diagnostic> {
    let without = |row: &Diagnostic| Diagnostic { span: None, ..row.clone() };
    rows.iter().map(without).collect()
}

#[cfg(test)]
mod tests {
    use llmend::plan::Document;

    use super::removed;

    #[test]
    fn additions_remove_nothing() {
        let read = |text: &str| -> Document {
            llmend::review_plan(text).expect("it reads").reviewed.value
        };
        let two = read(
            r#"{"nodes": [{"id": "a", "type": "tool", "tool": "t"}, {"id": "b", "type": "tool", "tool": "t"}], "edges": [{"from": "a", "to": "b"}]}"#,
        );
        let one = read(r#"{"nodes": [{"id": "a", "type": "tool", "tool": "t"}], "edges": []}"#);
        let other = read(r#"{"nodes": [{"id": "a", "type": "tool", "tool": "u"}], "edges": []}"#);
        let plan = read(r#"{"steps": [{"id": "a", "tool": "t"}]}"#);
        for (before, after, expected) in
            [(&one, &two, 0), (&two, &two, 0), (&two, &one, 2), (&one, &other, 1), (&one, &plan, 1)]
        {
            assert_eq!(removed(before, after), expected, "{before:?} {after:?}");
        }
    }
}
