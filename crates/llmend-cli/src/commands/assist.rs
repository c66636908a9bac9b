//! `llmend assist`: what do a person and a model make of a workflow?

use std::{
    io::{self, BufRead, IsTerminal as _, Read as _},
    path::PathBuf,
};

use llmend::{
    Dialect, Fixes,
    asking::Validity,
    assistant::{Assistant, Reply, Turn},
    config::Setting,
    json::{Diagnostic, Severity},
    plan::Document,
};

use crate::{
    answer::{Asked, OutputArguments, Presentation, ReportFormat, Shown, finish},
    approval::{Approval, declined},
    attempts::{Attempts, attempts, gave_up, plain_lines, wait},
    engine::EngineArguments,
    exit::{Exit, Failure},
    input::{STDIN, Source, decode, too_long, unreadable},
    models::{ModelArguments, Opened, assistant, opened},
    output::{say, say_block},
    planning::{self, CheckArguments},
    render::{
        Colour, Named, counted,
        explain::{refusal, warnings},
    },
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
    let asking = assistant(&found)?;
    let talk = document.map_or_else(Assistant::new, Assistant::about);
    let talk = talk.reviewing(options).options(asking);
    let max_bytes = engine.options.max_bytes;
    let model = match opened(&found) {
        Ok(model) => model,
        Err(failure) => {
            return Ok(presentation.failure(Named { name: "--model", text: "" }, &failure));
        }
    };
    let approval = arguments.model.approval();
    let turns = Vec::new();
    let held = Conversation { arguments, assistant: talk, turns, approval, max_bytes, colour };
    Ok(held.hold(model))
}

/// A conversation that is being held.
struct Conversation<'a> {
    arguments: &'a Arguments,
    assistant: Assistant,
    /// What a report says of each turn.
    turns: Vec<serde_json::Value>,
    approval: Approval,
    /// Most bytes of a message.
    max_bytes: usize,
    colour: Colour,
}

impl Conversation<'_> {
    /// Says the message, or each line, and writes the workflow as it is then.
    fn hold(mut self, model: Opened) -> Exit {
        let exit = match &self.arguments.message {
            Some(message) => self.say(&model, message),
            None => self.say_lines(&model),
        };
        let exit = match finish(&self.written(), self.colour) {
            Exit::Value => exit,
            failed => failed,
        };
        model.close(exit, self.colour)
    }

    /// Says each line of standard input. One that cannot be said is told, and the others go on.
    fn say_lines(&mut self, model: &Opened) -> Exit {
        if io::stdin().is_terminal() {
            say("llmend: say what is to change, a message a line; Ctrl-D ends");
        }
        let mut exit = Exit::Value;
        for number in 1_usize.. {
            // Standard input is let go of: the person may be asked something in between.
            let read = line(&mut io::stdin().lock(), self.max_bytes);
            let said = match read {
                Ok(None) => break,
                Ok(Some(message)) if message.trim().is_empty() => Exit::Value,
                Ok(Some(message)) => self.say(model, &message),
                Err(failure) => {
                    say(&format!("llmend: line {number} of {STDIN} is not said"));
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

    /// Says one message, and takes over what comes of it.
    fn say(&mut self, model: &Opened, message: &str) -> Exit {
        let shown = if self.arguments.output.quiet { Attempts::Quiet } else { Attempts::Shown };
        let mut callbacks = attempts(shown);
        let asked = wait(self.assistant.say(model.models(), message, &mut callbacks));
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
            say(&plain_lines(json));
            return Exit::Value;
        }
        if turn.validity != Validity::Invalid
            && let Some(document) = turn.document()
        {
            if !self.arguments.output.quiet {
                let rows = without_places(&turn.findings);
                say_block(&warnings(Named { name: "answer", text: "" }, &rows, self.colour));
            }
            if self.assistant.document() == Some(document) {
                self.tell("llmend: nothing changes");
                return Exit::Value;
            }
            if !self.approval.given(&self.reasons(turn, document)) {
                self.refuse("answer", &declined());
                return Exit::Refused;
            }
        }
        if self.assistant.accept(turn) {
            let checked = if turn.validity == Validity::Unchecked { ", unchecked" } else { "" };
            let what = if kind == "patch" { "the patch is applied" } else { "the workflow is new" };
            self.tell(&format!("llmend: {what}{checked}"));
            return Exit::Value;
        }
        let failure = Failure::new(Exit::Refused, turn.findings.clone());
        self.refuse("answer", &failure);
        say(
            "llmend: the last proposal is invalid and is not taken over; the workflow is as it was",
        );
        Exit::Refused
    }

    /// Says what became of an answer, unless nothing but what was asked for is wanted.
    fn tell(&self, line: &str) {
        if !self.arguments.output.quiet {
            say(line);
        }
    }

    /// Why a person would want to see a proposal before it is taken over.
    fn reasons(&self, turn: &Turn, document: &Document) -> Vec<String> {
        let mut reasons = Vec::new();
        let changed = self.assistant.document().map_or(0, |before| taken_away(before, document));
        if changed > 0 {
            reasons.push(format!("{} that there are go or change", counted(changed, "part")));
        }
        if turn.validity == Validity::Unchecked {
            reasons.push("it is unchecked".to_owned());
        }
        let told = turn.findings.iter().filter(|row| row.severity == Severity::Warning).count();
        if told > 0 {
            reasons.push(counted(told, "warning"));
        }
        reasons
    }

    fn refuse(&self, name: &str, failure: &Failure) {
        let shown = Failure::new(failure.exit, without_places(&failure.diagnostics));
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

/// The next line of at most `max_bytes`, without its end; nothing at the end of the input. A longer one, and
/// one that is no text, is an error, behind which the next line stands.
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

/// How many parts of `before` (nodes, edges, steps) are not in `after` as they were.
fn taken_away(before: &Document, after: &Document) -> usize {
    // What has no form as JSON has no parts that could be compared.
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

/// The findings without their places, which are those of an answer that is not shown.
fn without_places(rows: &[Diagnostic]) -> Vec<Diagnostic> {
    let without = |row: &Diagnostic| Diagnostic { span: None, ..row.clone() };
    rows.iter().map(without).collect()
}

#[cfg(test)]
mod tests {
    use llmend::plan::Document;

    use super::{line, taken_away};

    #[test]
    fn each_line_is_read_on_its_own() {
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
    fn what_is_only_added_takes_nothing_away() {
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
            assert_eq!(taken_away(before, after), expected, "{before:?} {after:?}");
        }
    }
}
