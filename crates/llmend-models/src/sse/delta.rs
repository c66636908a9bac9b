//! What can a model send, whoever its provider is?

use serde::Serialize;

use super::FinishReason;

/// One piece of an answer. Texts are pieces too: those of a kind are to be joined, in order.
///
/// `choice` tells the answers apart where more than one was asked for (`n`, `candidateCount`). It
/// starts at 0 and is below 128, the most that OpenAI allows.
///
/// It is written as an object with the name of the variant under `type`:
/// `{"type": "content", "choice": 0, "text": "Hello"}`. What is `None` is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delta {
    /// The answer begins. At most once, and not in every dialect.
    Start {
        /// What the provider calls the answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The model that answers, which may be another than the one that was asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A piece of the answer's text, never empty.
    Content {
        /// Which answer.
        choice: u32,
        /// The piece.
        text: String,
    },
    /// A piece of what the model thought before it answered, never empty: no part of the answer.
    Reasoning {
        /// Which answer.
        choice: u32,
        /// The piece.
        text: String,
    },
    /// A piece of the reason why the model does not answer, never empty.
    Refusal {
        /// Which answer.
        choice: u32,
        /// The piece.
        text: String,
    },
    /// A piece of a tool call that the caller is asked to make.
    ToolCall {
        /// Which answer.
        choice: u32,
        /// Which of its calls, from 0 in the order in which they begin, whatever numbers the provider
        /// gives them. Pieces of one call have the same.
        index: u32,
        /// What the provider calls it. Once, as a rule with the first piece; not in every dialect.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The name of the tool. Once, as a rule with the first piece.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// A piece of the arguments: JSON, as the model wrote it, and so not always valid. Where a
        /// provider sends an object in place of text, this is its text, with its numbers as they were.
        /// All of it empty means that there are none.
        arguments: String,
    },
    /// An answer is complete, or the provider says why it goes no further. Where a provider says so more
    /// than once, and not the same, the last one holds.
    Finish {
        /// Which answer.
        choice: u32,
        /// The reason.
        reason: FinishReason,
        /// The reason in the provider's own word. Empty where it gave none.
        raw: String,
    },
    /// How many tokens were used so far. Each one adds to and replaces what came before: the last one has
    /// the final count.
    Usage(Usage),
    /// The provider sent an error inside the stream. An answer that failed is never complete, whatever
    /// follows: the stream ends with [`Error::UnexpectedEnd`](super::Error) too, for those who overlook
    /// this.
    Error(ProviderError),
}

/// Tokens, as the provider counts them. `None` is what it did not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Tokens of the prompt, those included that came from a cache or went into one. (Anthropic counts
    /// them apart; they are added.)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, reasoning included. (Gemini counts it apart; it is added.)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Of the tokens of the prompt, those that were read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
    /// Of the tokens of the answer, those of reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl Usage {
    /// Takes over what `later` tells, and keeps the rest.
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
    /// What happened, in the provider's words. Empty where it gave none.
    pub message: String,
    /// Its kind: OpenAI's and Anthropic's `type` (`overloaded_error`), Gemini's `status`
    /// (`RESOURCE_EXHAUSTED`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its code, a number as its digits: OpenAI's and Gemini's `code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The data of the event, as it came. Some servers put an answer that they could not read in here.
    pub raw: String,
}
