//! What did a model answer?

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{ChatErrorKind, OutputMode};

/// The whole answer of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ChatResponse {
    /// The text of the answer, as the model wrote it. Empty where it only called tools.
    pub text: String,
    /// The tools that it called, in the order in which it began to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What it thought before, where the provider tells: no part of the answer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// Why it does not answer, in its words, where the provider tells those apart.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub refusal: String,
    /// Why the answer goes no further.
    pub finish: Finish,
    /// What was used, as the provider counts. `None` where it did not tell: [`Usage::estimate`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that answered, in the provider's words, which may be another than the one asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the provider calls the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// In which way structured output was asked for in the end. `None` where none was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputMode>,
    /// Parts of the request that the server would not take and that were left out, by their names
    /// (`temperature`). Never the limit of tokens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// How often the provider was asked again, because of the connection or because it was busy.
    #[serde(skip_serializing_if = "is_zero")]
    pub transport_retries: u32,
}

impl ChatResponse {
    /// An answer of words, complete.
    pub fn of_text(text: impl Into<String>) -> Self {
        Self { text: text.into(), finish: Finish::Stop, ..Self::default() }
    }

    /// The text in which to look for what was asked for: the arguments of a tool call
    /// ([`call`](Self::call)), or the text of the answer.
    #[must_use]
    pub fn answer(&self) -> &str {
        self.call().map_or(&self.text, |call| &call.arguments)
    }

    /// The tool call whose arguments are the answer: the first with arguments, where a tool was the way in
    /// which the answer was asked for. Where it was not, a text that may hold JSON goes before a call that
    /// nobody asked for.
    #[must_use]
    pub fn call(&self) -> Option<&ToolCall> {
        let is_asked = self.output == Some(OutputMode::ForcedTool);
        let call = self.tool_calls.iter().find(|call| !call.arguments.trim().is_empty());
        call.filter(|_| is_asked || !self.text.contains(['{', '[']))
    }

    /// The whole answer as the events of a stream.
    pub fn events(&self) -> impl Iterator<Item = ChatEvent> {
        let reasoning = (!self.reasoning.is_empty())
            .then(|| ChatEvent::Reasoning { text: self.reasoning.clone() });
        let text = (!self.text.is_empty()).then(|| ChatEvent::Text { text: self.text.clone() });
        let calls = self.tool_calls.iter().zip(0..).map(|(call, index)| ChatEvent::ToolCall {
            index,
            name: Some(call.name.clone()),
            arguments: call.arguments.clone(),
        });
        reasoning.into_iter().chain(text).chain(calls)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A tool that the model wants to be called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCall {
    /// What the provider calls the call, for the message with its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool. Empty where a server left it out.
    pub name: String,
    /// The arguments: JSON as the model wrote it, and so not always valid.
    pub arguments: String,
}

/// Why an answer goes no further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// The model came to an end.
    Stop,
    /// The limit of tokens was reached: the answer is cut off.
    Length,
    /// The model waits for the results of the tools that it called. Not every provider tells this from
    /// [`Stop`](Self::Stop).
    ToolCalls,
    /// A filter of the provider, or the model itself, refused to go on.
    ContentFilter,
    /// Another reason, in the provider's word. Empty where it gave none.
    Other(String),
}

impl Default for Finish {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

/// Tokens of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the question, those from a cache included.
    pub input: u64,
    /// Tokens of the answer, reasoning included.
    pub output: u64,
    /// Whether either number is an estimate, since the provider did not tell it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Usage {
    /// An estimate from the lengths of a question and its answer in bytes: a token for each four bytes,
    /// rounded up. English comes to four or five, code and JSON to three, other scripts to fewer.
    #[must_use]
    pub const fn estimate(question_bytes: usize, answer_bytes: usize) -> Self {
        const BYTES_A_TOKEN: usize = 4;
        Self {
            input: question_bytes.div_ceil(BYTES_A_TOKEN) as u64,
            output: answer_bytes.div_ceil(BYTES_A_TOKEN) as u64,
            estimated: true,
        }
    }
}

/// Something that happened during a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChatEvent {
    /// A piece of the answer's text, never empty.
    Text {
        /// The piece.
        text: String,
    },
    /// A piece of what the model thinks before it answers, never empty.
    Reasoning {
        /// The piece.
        text: String,
    },
    /// A piece of a tool call.
    ToolCall {
        /// Which call, from 0.
        index: u32,
        /// The name of the tool, once.
        name: Option<String>,
        /// A piece of the arguments, which may be empty.
        arguments: String,
    },
    /// The provider will be asked again, since the connection failed or it was busy. Only before any
    /// piece of an answer.
    TransportRetry {
        /// What went wrong.
        kind: ChatErrorKind,
        /// How long is waited before.
        wait: Duration,
    },
}
