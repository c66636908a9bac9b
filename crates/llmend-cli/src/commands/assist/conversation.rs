//! The conversation, message by message.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
    sync::Arc,
};

use llmend::{
    asking::{Validity, without_keys},
    assistant::{Assistant, Reply, Turn},
    model::masked,
    plan::Document,
};

use super::{
    AssistArguments,
    command::{Command, command, help},
    interruption::{SharedLatest, latest, on_interruption},
    lock::SessionLock,
    messages::line,
    proposal::{drawing, guessed, proposal, reasons, shown},
    session::Session,
    workflow_file::{Existing, WorkflowFile, write},
};
use crate::{
    approval::{Approval, Verdict, declined},
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
    /// What is left to do at the end, also for Ctrl-C.
    pub(super) latest: SharedLatest,
    /// Whether the person ended the conversation at a question.
    pub(super) is_over: bool,
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
        latest(&self.latest).text = self.written();
        on_interruption(Arc::clone(&self.latest));
        let exit = match &self.arguments.message {
            Some(message) => self.hear(&model, message),
            None => self.say_lines(&model),
        };
        let exit = match finish(&self.written(), self.color) {
            Exit::Value => exit,
            failed => failed,
        };
        latest(&self.latest).lock = None;
        model.close(exit, self.color)
    }

    /// Sends each line of standard input. A line that cannot be read is reported, and the next one follows.
    fn say_lines(&mut self, model: &OpenModels) -> Exit {
        let is_terminal = io::stdin().is_terminal();
        if is_terminal {
            eprint("llmend: enter one message per line; /help lists the commands, Ctrl-D ends");
        }
        let mut exit = Exit::Value;
        for number in 1_usize.. {
            // The lock on standard input is released: the person may be asked to confirm in between.
            let read = line(&mut io::stdin().lock(), self.max_bytes);
            let said = match read {
                Ok(None) => break,
                Ok(Some(message)) if message.trim().is_empty() => Exit::Value,
                Ok(Some(message)) => match self.hear(model, &message) {
                    // A person who mistypes a command sees so, and goes on.
                    Exit::Usage if is_terminal && command(&message).is_some() => Exit::Value,
                    said => said,
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
            if self.is_over {
                break;
            }
        }
        exit
    }

    /// Carries out a command, or sends a message.
    fn hear(&mut self, model: &OpenModels, message: &str) -> Exit {
        match command(message) {
            Some(asked) => self.obey(asked),
            None => self.say(model, message),
        }
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
            Ok(Command::Quit) => self.is_over = true,
            Ok(Command::Help) => eprint(&help()),
            Ok(Command::Show) => {
                let drawn = self.assistant.document().and_then(drawing);
                eprint_block(&plain_lines(&drawn.unwrap_or_else(|| "no workflow yet".to_owned())));
            }
            Ok(Command::Save(file, existing)) => return self.write(file.map(Path::new), existing),
            Ok(Command::Undo) if self.session.undo(&mut self.assistant) => {
                return self.saved("llmend: last change undone");
            }
            Ok(Command::Undo) => return refused("there is no change to undo"),
        }
        Exit::Value
    }

    /// Writes the workflow to a file, by default the one that it was read from, or else last written to.
    fn write(&mut self, file: Option<&Path>, existing: Existing) -> Exit {
        let named = self.session.file().and(self.arguments.workflow.as_deref());
        let own = named.or_else(|| self.session.file()).or_else(|| self.session.last_copy());
        let Some(file) = file.or(own).map(Path::to_owned) else {
            return refused("/save needs a file: /save FILE");
        };
        if self.assistant.document().is_none() {
            return refused("there is no workflow to save");
        }
        if let Err(message) = self.session.may_write(&file, existing) {
            return refused(&message);
        }
        let written = write(&file, &self.workflow()).and_then(|()| WorkflowFile::of(&file));
        let written = match written {
            Ok(written) => written,
            Err(error) => {
                eprint(&format!("llmend: {}: {error}", file.display()));
                return Exit::Io;
            }
        };
        let note = format!("llmend: saved in {}", file.display());
        if self.session.wrote(written) {
            return self.saved(&note);
        }
        self.note(&note);
        Exit::Value
    }

    /// Saves the conversation after a change, and says so.
    fn saved(&mut self, change: &str) -> Exit {
        let shared = Arc::clone(&self.latest);
        // Whoever interrupts waits until it is saved.
        let mut latest = latest(&shared);
        latest.text = self.written();
        let saved = self.session.save(&self.assistant);
        if let Ok(Some(path)) = &saved {
            // The name is new, so that nobody else can be in the session.
            latest.lock = SessionLock::of(path).ok();
        }
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
                if self.session.has_file() { Exit::Io } else { Exit::Value }
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

    /// Takes an answer: shows words, and applies a change that may be applied.
    fn apply(&mut self, turn: &Turn) -> Exit {
        self.turns.push(reported(turn));
        if let Reply::Words(words) = &turn.reply {
            eprint(&plain_lines(words));
            return Exit::Value;
        }
        if turn.validity != Validity::Invalid
            && let Some(document) = turn.document()
        {
            self.warn(turn);
            if self.assistant.document() == Some(document) {
                self.note("llmend: no changes");
                return Exit::Value;
            }
            self.show(turn, document);
            if !self.is_approved(turn, document) {
                return self.decline();
            }
        }
        self.accept(turn)
    }

    fn warn(&self, turn: &Turn) {
        if !self.arguments.output.output().quiet {
            let rows = shown(&turn.findings);
            eprint_block(&warnings(Named { name: "answer", text: "" }, &rows, self.color));
        }
    }

    /// Asks the person, who may also end the conversation.
    fn is_approved(&mut self, turn: &Turn, document: &Document) -> bool {
        let reasons = reasons(self.assistant.document(), turn, document);
        let verdict = self.approval.ask(&reasons, "Apply this change?");
        self.is_over = verdict == Verdict::Quit;
        verdict == Verdict::Yes
    }

    /// Leaves the workflow as it is, and keeps what was said.
    fn decline(&mut self) -> Exit {
        self.refuse("answer", &declined());
        self.assistant.decline();
        if self.session.has_file() && self.saved("") == Exit::Io {
            return Exit::Io;
        }
        Exit::Refused
    }

    fn accept(&mut self, turn: &Turn) -> Exit {
        let before = self.assistant.document().cloned();
        if self.assistant.accept(turn) {
            self.session.keep(before);
            let checked = if turn.validity == Validity::Unchecked { ", unchecked" } else { "" };
            let is_patch = matches!(turn.reply, Reply::Patch(_));
            let what = if is_patch { "patch applied" } else { "workflow replaced" };
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
            eprint_block(line);
        }
    }

    fn refuse(&self, name: &str, failure: &Failure) {
        let shown = Failure::new(failure.exit, shown(&failure.diagnostics));
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

/// Returns the turn for the report.
fn reported(turn: &Turn) -> serde_json::Value {
    let (kind, json) = match &turn.reply {
        Reply::Words(words) => ("words", words.as_str()),
        Reply::Patch(proposal) => ("patch", proposal.json.as_str()),
        Reply::Whole(proposal) => ("whole", proposal.json.as_str()),
        _ => ("other", ""),
    };
    let mut findings = turn.findings.clone();
    without_keys(&mut findings);
    serde_json::json!({
        "said": kind, "answer": masked(json), "validity": turn.validity, "findings": findings,
        "ledger": turn.ledger,
    })
}

/// Says why a command is not carried out.
fn refused(message: &str) -> Exit {
    eprint(&format!("llmend: {message}"));
    Exit::Usage
}
