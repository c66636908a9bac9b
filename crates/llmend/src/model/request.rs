//! What is a model asked?

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A question to a model. What is `None` is left to the provider.
///
/// ```
/// use llmend::model::{ChatRequest, Message, Output, Shape};
///
/// let schema = r#"{"type": "object", "properties": {"city": {"type": "string"}}}"#;
/// let mut request = ChatRequest::new([
///     Message::system("You are a JSON API."),
///     Message::user("Where is the Vigeland park?"),
/// ]);
/// request.output = Output::Schema(Shape::new("place", schema));
/// request.max_output_tokens = Some(200);
/// request.temperature = Some(0.2);
/// # assert_eq!(request.messages.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatRequest {
    /// The conversation so far, the oldest message first, the question last.
    pub messages: Vec<Message>,
    /// In which form the answer is wanted.
    #[serde(default, skip_serializing_if = "Output::is_text")]
    pub output: Output,
    /// The most tokens that the answer may have, from 1. An answer that needs more is cut off, with
    /// [`Finish::Length`](super::Finish). `None` is the provider's own limit, or 4096 where the provider
    /// demands one (Anthropic).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// How much chance there is in the answer: 0 for as little as possible, at most 2 (Anthropic: 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How long the call may take, with all that the model does for it, waiting and asking again
    /// included: from the first poll of its future. Then it fails with
    /// [`ChatErrorKind::Timeout`](super::ChatErrorKind). `None` is no limit over all; a model has limits
    /// of its own for each step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
}

impl ChatRequest {
    /// Asks for words, without limits.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: messages.into_iter().collect(), ..Self::default() }
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Whose it is.
    pub role: Role,
    /// What it says.
    pub content: String,
}

impl Message {
    /// What the model is told before anything else.
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: Role::System, content: content.into() }
    }

    /// What the user says.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// What the model said earlier.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

/// Whose message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions. Where a provider has a place of its own for them, those of all messages go there,
    /// in order.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// In which form an answer is wanted: a wish, which the model may not know ([`OutputMode`]) and which no
/// provider is trusted to fulfil.
///
/// [`OutputMode`]: super::OutputMode
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Output {
    /// Words, or whatever the messages ask for.
    #[default]
    Text,
    /// Some JSON object.
    Json,
    /// JSON that fits a schema, in the best way that the model is known to have.
    Schema(Shape),
    /// The arguments of a tool that the model has to call; in another way where it cannot.
    Tool(Shape),
}

impl Output {
    /// The schema that is asked for, and what it is called.
    #[must_use]
    pub const fn shape(&self) -> Option<&Shape> {
        match self {
            Self::Text | Self::Json => None,
            Self::Schema(shape) | Self::Tool(shape) => Some(shape),
        }
    }

    const fn is_text(&self) -> bool {
        matches!(self, Self::Text)
    }
}

/// The shape of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Shape {
    /// What it is called, also as a tool: 1 to 64 ASCII letters, digits, `_` and `-`. Other characters
    /// are sent as `_`.
    pub name: String,
    /// What it is for, in words. May be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// A JSON Schema, as text: it is sent as it stands, since a model writes members in the order in
    /// which the schema has them. A text that is not JSON fails the call with
    /// [`ChatErrorKind::Request`](super::ChatErrorKind).
    ///
    /// Where the schema has to stand in the prompt, it is added there, unless a message holds this very
    /// text already.
    pub schema: String,
}

impl Shape {
    /// A shape without a description.
    pub fn new(name: impl Into<String>, schema: impl Into<String>) -> Self {
        Self { name: name.into(), description: String::new(), schema: schema.into() }
    }
}
