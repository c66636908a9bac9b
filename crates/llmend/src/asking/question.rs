//! The task, the requests of retries and the merging of their answers.

use llmend_json::{Class, Diagnostic, Options, Parsed, Report, Severity, parse_with};

use super::{FailureKind, schema_subject::doubted, subject::Ending, words};
use crate::model::{Message, Output, Role};

/// The prompt of a caller.
#[derive(Clone, Debug, PartialEq)]
pub enum Prompt {
    /// A question.
    Question(String),
    /// A conversation that ends with the question.
    Conversation(Vec<Message>),
}

impl From<&str> for Prompt {
    fn from(question: &str) -> Self {
        Self::Question(question.to_owned())
    }
}

impl From<String> for Prompt {
    fn from(question: String) -> Self {
        Self::Question(question)
    }
}

impl From<Vec<Message>> for Prompt {
    fn from(messages: Vec<Message>) -> Self {
        Self::Conversation(messages)
    }
}

/// The original task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// The instructions and the conversation, the question last. Each retry repeats all of it.
    pub messages: Vec<Message>,
}

impl Task {
    /// Creates a task of instructions and a prompt.
    pub fn new(rules: impl Into<String>, prompt: impl Into<Prompt>) -> Self {
        let mut messages = vec![Message::system(rules)];
        match prompt.into() {
            Prompt::Question(question) => messages.push(Message::user(question)),
            Prompt::Conversation(said) => messages.extend(said),
        }
        Self { messages }
    }

    /// Returns the messages with texts before and after the content of the last message of the
    /// user, so that no two messages of one role follow each other: some models reject that.
    pub(crate) fn with(&self, before: &str, after: &str) -> Vec<Message> {
        let mut messages = self.messages.clone();
        let parts = |task: &str| {
            let parts = [before, task, after].into_iter().map(str::trim);
            parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
        };
        match messages.last_mut().filter(|message| message.role == Role::User) {
            Some(last) => last.content = parts(&last.content),
            None => messages.push(Message::user(parts(""))),
        }
        messages
    }
}

/// The position of a retry in the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// The number of the retry, from 1.
    pub(crate) retry: u32,
    /// The maximum number of retries.
    pub(crate) of: u32,
    /// Whether this is the last retry.
    pub(crate) is_last: bool,
    /// The maximum size of the shown answer, and of the excerpts, in bytes.
    pub(crate) shown: usize,
}

/// The messages and the output form of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    pub(crate) messages: Vec<Message>,
    pub(crate) output: Output,
}

/// The result of merging an answer with the earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// A complete answer, to be read like any other.
    Answer(Whole),
    /// A patch in the subject's own form.
    Patch,
}

/// A complete answer, and what was done to the part that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) text: String,
    pub(crate) ending: Ending,
    /// The worst class of the repairs of the part. `None` without repairs.
    pub(crate) class: Option<Class>,
    /// The number of repairs of the part.
    pub(crate) repairs: usize,
    /// The findings in the part.
    pub(crate) findings: Vec<Diagnostic>,
}

impl Whole {
    /// Creates an answer of one piece.
    pub(crate) const fn plain(text: String, ending: Ending) -> Self {
        Self { text, ending, class: None, repairs: 0, findings: Vec::new() }
    }

    /// Creates an answer from a merged text and the report on the part.
    pub(crate) fn merged(text: String, part: &Report, mut findings: Vec<Diagnostic>) -> Self {
        // Diagnostics of the part have their places in the part.
        let told =
            part.diagnostics.iter().map(|row| Diagnostic { span: None, edit: None, ..row.clone() });
        findings.extend(told);
        let (class, repairs) = (part.class, part.repairs.len());
        Self { text, ending: Ending::Complete, class, repairs, findings }
    }
}

/// Reads a part that was asked for, with these member names. A part that may lack something is
/// rejected.
pub(crate) fn part(
    answer: &str,
    ending: Ending,
    names: impl IntoIterator<Item = String>,
) -> Result<Parsed<'_>, Misfit> {
    let mut options = Options::default();
    options.hints.keys = names.into_iter().collect();
    let parsed = parse_with(answer, &options).map_err(|error| Misfit::of_json(&error))?;
    if ending != Ending::Complete || parsed.report.truncated() {
        return Err(Misfit::cut());
    }
    match doubted(&parsed.report, &[], ending) {
        Some((kind, row)) => Err(Misfit { kind, findings: vec![row] }),
        None => Ok(parsed),
    }
}

/// An answer that does not match the request. The earlier answer stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub(crate) kind: FailureKind,
    pub(crate) findings: Vec<Diagnostic>,
}

impl Misfit {
    /// Rejects an answer without readable JSON.
    pub(crate) fn of_json(error: &llmend_json::Error) -> Self {
        let kind = FailureKind::of_json(error.kind());
        Self { kind, findings: vec![error.into()] }
    }

    /// Rejects an answer that was cut off, so that its part may lack something.
    pub(crate) fn cut() -> Self {
        let row = Diagnostic::new("value/truncated", Severity::Error, words::PART_CUT);
        Self { kind: FailureKind::Truncation, findings: vec![row] }
    }

    /// Rejects an answer that does not do what was asked for.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        let findings = vec![Diagnostic::new(code, Severity::Error, message)];
        Self { kind: FailureKind::Schema, findings }
    }
}
