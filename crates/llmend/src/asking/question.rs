//! What is asked on a rung, and what comes of the answer?

use llmend_json::{Class, Diagnostic, Options, Parsed, Report, Severity, parse_with};

use super::{FailureKind, schema_subject::doubted, subject::Ending, words};
use crate::model::{Message, Output, Role};

/// What a model is asked by a caller.
#[derive(Clone, Debug, PartialEq)]
pub enum Prompt {
    /// A question.
    Question(String),
    /// A conversation, at whose end it stands.
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

/// What is asked for, before anything failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// The instructions and the conversation, the question last. Each retry has all of it.
    pub messages: Vec<Message>,
}

impl Task {
    /// A question or a conversation, and the rules before it.
    pub fn new(rules: impl Into<String>, prompt: impl Into<Prompt>) -> Self {
        let mut messages = vec![Message::system(rules)];
        match prompt.into() {
            Prompt::Question(question) => messages.push(Message::user(question)),
            Prompt::Conversation(said) => messages.extend(said),
        }
        Self { messages }
    }

    /// The messages with words before and after the last one of the user's, so that no two messages
    /// of one role follow each other: some models cannot be asked so.
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

/// Which attempt it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// The number of the retry, from 1.
    pub(crate) retry: u32,
    /// How many retries there may be at most.
    pub(crate) of: u32,
    /// Whether there is none after it.
    pub(crate) is_last: bool,
    /// Bytes of the answer, and of the excerpts, that are shown at most.
    pub(crate) shown: usize,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    pub(crate) messages: Vec<Message>,
    pub(crate) output: Output,
}

/// What an answer makes, together with what there was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// A whole answer, to be read as any other.
    Answer(Whole),
    /// A patch of the kind that the subject has of its own.
    Patch,
}

/// A whole answer, and what was done to the part of it that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) text: String,
    pub(crate) ending: Ending,
    /// How sure the reading of the part was; nothing where nothing was done to it.
    pub(crate) class: Option<Class>,
    /// How many repairs were made in the part.
    pub(crate) repairs: usize,
    /// What there is to say of the part.
    pub(crate) findings: Vec<Diagnostic>,
}

impl Whole {
    /// An answer of one piece, which nothing was done to yet.
    pub(crate) const fn plain(text: String, ending: Ending) -> Self {
        Self { text, ending, class: None, repairs: 0, findings: Vec::new() }
    }

    /// What a part made of a whole; this was done to the part.
    pub(crate) fn merged(text: String, part: &Report, mut findings: Vec<Diagnostic>) -> Self {
        // What was told of the part has its places there.
        let told =
            part.diagnostics.iter().map(|row| Diagnostic { span: None, edit: None, ..row.clone() });
        findings.extend(told);
        let (class, repairs) = (part.class, part.repairs.len());
        Self { text, ending: Ending::Complete, class, repairs, findings }
    }
}

/// Reads a part that was asked for, of which these are the names. A part is as good as a whole: one that
/// may lack something is none.
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

/// An answer that is none to what was asked. What there was before stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub(crate) kind: FailureKind,
    pub(crate) findings: Vec<Diagnostic>,
}

impl Misfit {
    /// The answer holds no JSON that could be read.
    pub(crate) fn of_json(error: &llmend_json::Error) -> Self {
        let kind = FailureKind::of_json(error.kind());
        Self { kind, findings: vec![error.into()] }
    }

    /// The answer was cut off, so that the part that it gives may lack something.
    pub(crate) fn cut() -> Self {
        let row = Diagnostic::new("value/truncated", Severity::Error, words::PART_CUT);
        Self { kind: FailureKind::Truncation, findings: vec![row] }
    }

    /// The answer does not do what was asked for.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        let findings = vec![Diagnostic::new(code, Severity::Error, message)];
        Self { kind: FailureKind::Schema, findings }
    }
}
