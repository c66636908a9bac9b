//! Pieces of an answer, independent of the provider.

use serde::Serialize;

use super::FinishReason;

/// A piece of an answer. Texts are pieces too: join those of a kind, in order.
///
/// `choice` is the number of the answer if several were requested (`n`, `candidateCount`). It
/// starts at 0 and is below 128, the most that OpenAI allows.
///
/// A delta is serialized as an object with the variant's name under `type`: `{"type": "content",
/// "choice": 0, "text": "Hello"}`. `None` is omitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delta {
    /// The start of the answer. At most once, and not in every dialect.
    Start {
        /// The provider's id of the answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The model that answers, which may differ from the one requested.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A piece of the answer's text, never empty.
    Content {
        /// The number of the answer.
        choice: u32,
        /// The piece.
        text: String,
    },
    /// A piece of the model's reasoning before the answer, never empty. Not part of the answer.
    Reasoning {
        /// The number of the answer.
        choice: u32,
        /// The piece.
        text: String,
    },
    /// A piece of the model's refusal, never empty.
    Refusal {
        /// The number of the answer.
        choice: u32,
        /// The piece.
        text: String,
    },
    /// A piece of a tool call for the caller to make.
    ToolCall {
        /// The number of the answer.
        choice: u32,
        /// The index of the call, from 0 in the order in which calls begin, whatever the provider's
        /// numbers. All pieces of a call have the same.
        index: u32,
        /// The provider's id of the call. Once, usually with the first piece; not in every dialect.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The name of the tool. Once, usually with the first piece.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// A piece of the arguments: JSON as the model wrote it, not necessarily valid. If a
        /// provider sends an object instead of text, this is its text, with its numbers as written.
        /// No text in any piece means no arguments.
        arguments: String,
    },
    /// The end of an answer and its reason. If a provider reports it more than once, differently,
    /// the last one holds.
    Finish {
        /// The number of the answer.
        choice: u32,
        /// The reason.
        reason: FinishReason,
        /// The reason in the provider's own word. Empty if it gave none.
        raw: String,
    },
    /// The tokens used so far. Each one updates the previous: the last one has the final counts.
    Usage(Usage),
    /// An error that the provider sent inside the stream. The answer is then never complete,
    /// whatever follows: the stream also ends with [`Error::UnexpectedEnd`](super::Error), for
    /// callers that overlook this.
    Error(ProviderError),
}

/// Token counts of the provider. `None` was not reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Input tokens, including those read from or written to a cache. (Anthropic counts them
    /// separately; they are added.)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Output tokens, including reasoning. (Gemini counts it separately; it is added.)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Input tokens that were read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
    /// Output tokens of reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl Usage {
    /// Takes over the counts of `later`, and keeps the others.
    pub fn update(&mut self, later: Self) {
        self.input_tokens = later.input_tokens.or(self.input_tokens);
        self.output_tokens = later.output_tokens.or(self.output_tokens);
        self.cached_input_tokens = later.cached_input_tokens.or(self.cached_input_tokens);
        self.reasoning_tokens = later.reasoning_tokens.or(self.reasoning_tokens);
    }
}

/// An error that a provider sent inside a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProviderError {
    /// The provider's message. Empty if it gave none.
    pub message: String,
    /// The kind: `type` of OpenAI and Anthropic (`overloaded_error`), `status` of Gemini
    /// (`RESOURCE_EXHAUSTED`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The code, as text: `code` of OpenAI and Gemini.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The data of the event, verbatim. Some servers include an answer that they could not read.
    pub raw: String,
}
