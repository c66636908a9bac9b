//! The original prompt and task.

use crate::model::{Message, Rewording, Role};

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
    /// What is said instead where the answer has to be a member of an object: see
    /// [`ChatRequest::in_object`](crate::model::ChatRequest).
    pub in_object: Option<Rewording>,
}

impl Task {
    /// Creates a task of instructions and a prompt.
    pub fn new(rules: impl Into<String>, prompt: impl Into<Prompt>) -> Self {
        let mut messages = vec![Message::system(rules)];
        match prompt.into() {
            Prompt::Question(question) => messages.push(Message::user(question)),
            Prompt::Conversation(said) => messages.extend(said),
        }
        Self { messages, in_object: None }
    }

    /// Puts instructions before all others.
    pub(crate) fn begin_with(&mut self, system: &str) {
        let system = system.trim();
        match self.messages.first_mut().filter(|message| message.role == Role::System) {
            Some(rules) => rules.content = format!("{system}\n\n{}", rules.content),
            None => self.messages.insert(0, Message::system(system)),
        }
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
