//! `llmend assist`: a conversation with a model about a workflow.

use std::{
    io::{self, BufRead, IsTerminal as _, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use llmend::{
    Dialect, Fixes,
    asking::Validity,
    assistant::{Assistant, Reply, Turn},
    config::Setting,
    draw::{Annotations, Format, draw},
    json::{Diagnostic, Severity},
    plan::{Document, diff_documents},
};

use crate::{
    approval::{Approval, declined},
    attempts::{Attempts, attempts, plain_lines, wait},
    exit::{Exit, UsageError},
    flags::{CheckFlags, EngineFlags, ModelFlags, OutputFlags},
    input::{STDIN, Source, decode, too_long, unreadable},
    models::{OpenModels, assistant, open_models},
    outcome::Failure,
    output::{eprint, eprint_block, write_stdout},
    planning,
    presentation::{Output, Presentation, ReportFormat, ResultKind, Stdout, finish},
    render::{
        Color, Named, counted,
        explain::{refusal, warnings},
    },
};

mod session;

use session::{Command, Resumed, Session, command};

const EXAMPLES: &str = "\
Examples:
  llmend assist --workflow flow.json --model ollama:llama3 'Send a mail if it fails'
  llmend assist --workflow flow.json --model ollama:llama3        one message per line of input
  llmend assist --model openai:gpt-4o 'Fetch the page, and store it'   start a new workflow

  llmend assist --session trip.session.json --model openai:gpt-4o     save each change, and go on later

In a conversation, /undo returns to the workflow before the last change, /show draws it, and /save FILE writes
it. Ctrl-C writes the workflow as it is and ends with status 130.
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
    /// Save the conversation in this file after every change, or continue the one that it holds
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    session: Option<PathBuf>,
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
    let mut session = Session::new(arguments.session.clone());
    let mut exchanges = Vec::new();
    if let Some(path) = &arguments.session {
        match Session::resume(path, &options) {
            Ok(None) => {}
            Ok(Some(_)) if document.is_some() => {
                let path = path.display();
                return Err(UsageError(format!("{path} holds a workflow; leave out --workflow")));
            }
            Ok(Some(resumed)) => {
                Resumed { session, document, exchanges } = resumed;
            }
            Err(error) => return Err(UsageError(format!("{}: {error}", path.display()))),
        }
    }
    let talk = document.map_or_else(Assistant::new, Assistant::about);
    let talk = talk.reviewing(options).options(asking).continuing(exchanges);
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

/// The exit status after Ctrl-C, as shells have it.
const INTERRUPTED: i32 = 130;

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
        on_interrupt(Arc::clone(&latest));
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
            Ok(Command::Save(file)) => match session::write(Path::new(file), &self.workflow()) {
                Ok(()) => Exit::Value,
                Err(error) => refused(format!("{file}: {error}")),
            },
            Ok(Command::Undo) if self.session.undo(&mut self.assistant) => {
                self.note("llmend: last change undone");
                self.saved(Exit::Value)
            }
            Ok(Command::Undo) => refused("there is no change to undo".to_owned()),
        }
    }

    /// Saves the conversation. Returns `exit`, unless that failed.
    fn saved(&self, exit: Exit) -> Exit {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = self.written();
        match self.session.save(self.assistant.document(), self.assistant.exchanges()) {
            Ok(()) => exit,
            Err(error) => {
                eprint(&format!("llmend: the session was not saved: {error}"));
                Exit::Io
            }
        }
    }

    /// Shows a person what a proposal changes: the patch, and the workflow that it makes.
    fn show(&self, document: &Document) {
        let before = self.assistant.document();
        let change = before.and_then(|before| diff_documents(before, document).ok());
        let patch = change.and_then(|change| serde_json::to_string_pretty(&change.patch).ok());
        for block in [patch, drawing(document)].into_iter().flatten() {
            eprint_block(&plain_lines(&block));
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
            if self.approval == Approval::Person {
                self.show(document);
            }
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
            self.note(&format!("llmend: {what}{checked}"));
            return self.saved(Exit::Value);
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

/// Writes the latest workflow when the person presses Ctrl-C, and ends the process.
fn on_interrupt(latest: Arc<Mutex<String>>) {
    thread::spawn(move || {
        let pressed = wait(tokio::signal::ctrl_c());
        if matches!(pressed, Ok(Ok(()))) {
            let text = latest.lock().unwrap_or_else(PoisonError::into_inner);
            // Whoever read it may be gone as well.
            let _ = write_stdout(&[&text]);
            std::process::exit(INTERRUPTED);
        }
    });
}

/// Reads the next line of at most `max_bytes`, without its end; `None` at the end of the input. A longer line
/// and one that is not UTF-8 are errors, after which the next line can be read.
fn line(input: &mut impl BufRead, max_bytes: usize) -> Result<Option<String>, Failure> {
    let broken = |error: io::Error| unreadable(STDIN, &error);
    let most = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    input.by_ref().take(most).read_until(b'\n', &mut bytes).map_err(broken)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.pop_if(|byte| *byte == b'\n').is_none() && bytes.len() > max_bytes {
        input.skip_until(b'\n').map_err(broken)?;
        return Err(too_long(max_bytes));
    }
    decode(&bytes).map(|text| Some(text.to_owned()))
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

    use super::{line, removed};

    #[test]
    fn each_line_is_read_separately() {
        let mut input: &[u8] = b"one\n\ntw\xffo\nthree\r\nfar too long\nend";
        let mut found = Vec::new();
        loop {
            match line(&mut input, 6) {
                Ok(None) => break,
                Ok(Some(text)) => found.push(text),
                Err(failure) => found.push(failure.diagnostics[0].code.to_string()),
            }
        }
        assert_eq!(found, ["one", "", "input/utf8", "three\r", "limit/bytes", "end"]);
    }

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
