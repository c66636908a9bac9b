//! Answers of a model.

use serde::{Deserialize, Serialize};

use super::{ChatEvent, OutputMode};

/// The complete answer of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ChatResponse {
    /// The text of the answer, as the model wrote it. Empty if it only called tools.
    pub text: String,
    /// The tool calls, in the order in which they began.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The reasoning before the answer, if the provider reports it. Not part of the answer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The model's refusal, if the provider reports refusals separately.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub refusal: String,
    /// Why the answer ended.
    pub finish: Finish,
    /// The provider's token counts. `None` if it reported none: [`Usage::estimate`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that answered, as the provider names it; it may differ from the one requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's id of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The way in which structured output was finally asked for. `None` if none was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputMode>,
    /// Names of request parameters that the server rejected and that were omitted (`temperature`). Never
    /// the token limit.
    #[serde(rename = "left_out", skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<String>,
    /// How often the call was retried at the provider after a connection failure or an overload.
    #[serde(skip_serializing_if = "is_zero")]
    pub transport_retries: u32,
    /// The requests of the call before the one that was answered.
    #[serde(skip_serializing_if = "Lost::is_none")]
    pub lost: Lost,
}

impl ChatResponse {
    /// Creates a complete answer of plain text.
    pub fn of_text(text: impl Into<String>) -> Self {
        Self { text: text.into(), finish: Finish::Stop, ..Self::default() }
    }

    /// Returns the text that holds the answer: the arguments of a tool call ([`call`](Self::call)), or
    /// [`text`](Self::text).
    #[must_use]
    pub fn answer(&self) -> &str {
        self.call().map_or(&self.text, |call| &call.arguments)
    }

    /// Returns the tool call whose arguments are the answer: the first with arguments, if the answer was
    /// requested as a tool call. Otherwise a text that may contain JSON takes precedence over an
    /// unrequested call.
    #[must_use]
    pub fn call(&self) -> Option<&ToolCall> {
        let is_asked = self.output == Some(OutputMode::ForcedTool);
        let call = self.tool_calls.iter().find(|call| !call.arguments.trim().is_empty());
        call.filter(|_| is_asked || !self.text.contains(['{', '[']))
    }

    /// Returns the complete answer as the events of a stream.
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde expects")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A tool call by the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCall {
    /// The provider's id of the call, for the message with its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of the tool. Empty if the server omitted it.
    pub name: String,
    /// The arguments: JSON as the model wrote it, not necessarily valid.
    pub arguments: String,
}

/// The reason why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// The model finished.
    Stop,
    /// The token limit was reached: the answer is cut off.
    Length,
    /// The model waits for the results of its tool calls. Not every provider distinguishes this from
    /// [`Stop`](Self::Stop).
    ToolCalls,
    /// A filter of the provider, or the model itself, refused to continue.
    ContentFilter,
    /// Another reason, in the provider's word. Empty if it gave none.
    Other(String),
}

impl Default for Finish {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

/// Token counts of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens, including cached ones.
    pub input: u64,
    /// Output tokens, including reasoning.
    pub output: u64,
    /// Whether either count is an estimate, since the provider did not report it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Usage {
    /// Estimates the token counts from the lengths of the input and the output in bytes: one token for
    /// each four bytes, rounded up. English has four to five bytes a token, code and JSON three, other
    /// scripts fewer.
    #[must_use]
    pub const fn estimate(input_bytes: usize, output_bytes: usize) -> Self {
        const BYTES_PER_TOKEN: usize = 4;
        Self {
            input: input_bytes.div_ceil(BYTES_PER_TOKEN) as u64,
            output: output_bytes.div_ceil(BYTES_PER_TOKEN) as u64,
            estimated: true,
        }
    }

    /// Adds other token counts. The sum is estimated if a part of it is.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            estimated: self.estimated || other.estimated,
        }
    }

    /// Returns input and output tokens together.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// The requests of a call before its last one: refused, or without a complete answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// The number of requests that reached the server.
    pub requests: u32,
    /// Their token counts, as the server reported them or else estimated. A refused request has none.
    pub usage: Usage,
}

impl Lost {
    /// Returns whether there is none.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.requests == 0
    }
}
