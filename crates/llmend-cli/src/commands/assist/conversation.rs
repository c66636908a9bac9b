//! The conversation, message by message.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use llmend::{
    asking::Validity,
    assistant::{Assistant, Reply, Turn},
    plan::Document,
};

use super::{
    AssistArguments,
    command::{Command, command, help},
    interruption::on_interruption,
    messages::line,
    proposal::{drawing, guessed, proposal, reasons, without_spans},
    session::{self, Origin, Session},
};
use crate::{
    approval::{Approval, declined},
    attempts::{Attempts, attempts, plain_lines, wait},
    exit::Exit,
    input::STDIN,
    models::OpenModels,
    outcome::Failure,
    output::{eprint, eprint_block},
    presentation::{Output, ReportFormat, finish},
    render::{
        Color, Named,
        changes::changes,
        explain::{refusal, warnings},
        guesses::guesses,
        ledger::spent,
    },
};

/// A conversation.
pub(super) struct Conversation<'a> {
    pub(super) arguments: &'a AssistArguments,
    pub(super) assistant: Assistant,
    pub(super) session: Session,
    /// What Ctrl-C writes.
    pub(super) latest: Arc<Mutex<String>>,
    /// The turns for the report.
    pub(super) turns: Vec<serde_json::Value>,
    pub(super) approval: Approval,
    /// The maximum length of a message in bytes.
    pub(super) max_bytes: usize,
    pub(super) color: Color,
}

impl Conversation<'_> {
    /// Sends the message, or each line of input, and writes the final workflow.
    pub(super) fn run(mut self, model: OpenModels) -> Exit {
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
            eprint("llmend: enter one message per line; /help lists the commands, Ctrl-D ends");
        }
        let mut exit = Exit::Value;
        for number in 1_usize.. {
            // The lock on standard input is released: the person may be asked to confirm in between.
            let read = line(&mut io::stdin().lock(), self.max_bytes);
            let said = match read {
                Ok(None) => break,
                Ok(Some(message)) if message.trim().is_empty() => Exit::Value,
                Ok(Some(message)) => match command(&message) {
                    Some(Ok(Command::Quit)) => break,
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
        match asked {
            Err(message) => return refused(&message),
            // Whoever reads the lines ends there.
            Ok(Command::Quit) => {}
            Ok(Command::Help) => eprint(&help()),
            Ok(Command::Show) => {
                let drawn = self.assistant.document().and_then(drawing);
                eprint_block(&plain_lines(&drawn.unwrap_or_else(|| "no workflow yet".to_owned())));
            }
            Ok(Command::Save(file)) => return self.write(file.map(Path::new)),
            Ok(Command::Undo) if self.session.undo(&mut self.assistant) => {
                return self.saved("llmend: last change undone");
            }
            Ok(Command::Undo) => return refused("there is no change to undo"),
        }
        Exit::Value
    }

    /// Writes the workflow to a file, by default the one that it was read from.
    fn write(&mut self, file: Option<&Path>) -> Exit {
        let own = self.arguments.workflow.as_deref().or_else(|| self.session.file());
        let Some(file) = file.or(own).map(Path::to_owned) else {
            return refused("/save needs a file: /save FILE");
        };
        if self.assistant.document().is_none() {
            return refused("there is no workflow to save");
        }
        if let Err(message) = self.session.may_write(&file) {
            return refused(&message);
        }
        let written = session::write(&file, &self.workflow());
        let written = written.and_then(|()| Origin::of(&file));
        let note = format!("llmend: saved in {}", file.display());
        let origin = match written {
            Ok(origin) => origin,
            Err(error) => return refused(&format!("{}: {error}", file.display())),
        };
        if self.session.wrote(origin) {
            return self.saved(&note);
        }
        self.note(&note);
        Exit::Value
    }

    /// Saves the conversation after a change, and says so.
    fn saved(&mut self, change: &str) -> Exit {
        let had_file = self.session.has_file();
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
                // A file that nobody named, and that could not be made, is no failure.
                if had_file { Exit::Io } else { Exit::Value }
            }
        }
    }

    /// Shows what a proposal changes, and to a person who is asked, the guesses in it and the workflow that it
    /// makes.
    fn show(&self, turn: &Turn, document: &Document) {
        let is_asked = self.approval == Approval::Person;
        if let Some(proposal) = proposal(turn)
            && let Some(review) = &proposal.review
            && is_asked
            && guessed(turn) > 0
        {
            let found = (&review.report, None);
            eprint_block(&guesses(&proposal.json, &turn.answer, found, self.color));
        }
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
            self.show(turn, document);
            let reasons = reasons(self.assistant.document(), turn, document);
            if !self.approval.ask(&reasons, "Apply this change?") {
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

/// Says why a command is not carried out.
fn refused(message: &str) -> Exit {
    eprint(&format!("llmend: {message}"));
    Exit::Usage
}
