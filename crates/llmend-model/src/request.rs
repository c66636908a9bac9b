//! Requests to a model.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A request to a model. A field that is `None` is left to the provider.
///
/// ```
/// use llmend_model::{ChatRequest, Message, Output, Shape};
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
    /// The conversation, oldest message first.
    pub messages: Vec<Message>,
    /// The requested form of the answer.
    #[serde(default, skip_serializing_if = "Output::is_text")]
    pub output: Output,
    /// The maximum number of tokens of the answer, from 1. A longer answer is cut off with
    /// [`Finish::Length`](super::Finish::Length). `None` is the provider's own limit, or 4096 where the
    /// provider requires one (Anthropic).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// The sampling temperature, from 0 (least random) to 2 (Anthropic: 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The time limit of the call, including waits and retries, from the first poll of its future. The
    /// call then fails with [`ChatErrorKind::Timeout`](super::ChatErrorKind::Timeout). `None` sets no
    /// overall limit; a model has limits of its own for each step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// The maximum number of answers that the call may begin, from 1. An answer that breaks off may be
    /// asked for again, and costs as much as another one. `None` is the model's own limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_answers: Option<u32>,
    /// What the messages say of the form of the answer, and what they say where it has to be the member
    /// [`ANSWER_MEMBER`] of an object, since the server accepts no other form. Not part of a record.
    #[serde(skip)]
    pub in_object: Option<Rewording>,
}

/// The member that holds an answer which has to be an object but is none.
pub const ANSWER_MEMBER: &str = "answer";

/// A part of the messages that is replaced by another text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewording {
    /// The text in the messages.
    pub from: String,
    /// The text that replaces it.
    pub to: String,
}

impl ChatRequest {
    /// Creates a request for plain text, without limits.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: messages.into_iter().collect(), ..Self::default() }
    }
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The author's role.
    pub role: Role,
    /// The text.
    pub content: String,
}

impl Message {
    /// Creates a system message.
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: Role::System, content: content.into() }
    }

    /// Creates a message of the user.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// Creates a message of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions. For a provider with a separate field for them, all system messages go there, in
    /// order.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// The requested form of an answer. A model may not support it ([`OutputMode`]), and no provider is
/// trusted to enforce it.
///
/// [`OutputMode`]: super::OutputMode
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Output {
    /// Plain text, or whatever the messages ask for.
    #[default]
    Text,
    /// Any JSON object.
    Json,
    /// JSON that fits a schema, asked for in the best way that the model supports.
    Schema(Shape),
    /// The arguments of a forced tool call, or the best other way if the model has no tools.
    Tool(Shape),
}

impl Output {
    /// Returns the requested schema and its name.
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

/// The schema of an answer, with a name and a description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Shape {
    /// The name of the schema or tool: 1 to 64 ASCII letters, digits, `_` and `-`. Other characters are
    /// sent as `_`.
    pub name: String,
    /// A description for the model. May be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// A JSON Schema as text. It is sent verbatim, since a model writes members in the schema's order. A
    /// text that is not JSON fails the call with
    /// [`ChatErrorKind::Request`](super::ChatErrorKind::Request).
    ///
    /// A schema that has to go into the prompt is added there unless a message already contains this exact
    /// text.
    pub schema: String,
}

impl Shape {
    /// Creates a shape without a description.
    pub fn new(name: impl Into<String>, schema: impl Into<String>) -> Self {
        Self { name: name.into(), description: String::new(), schema: schema.into() }
    }
}
