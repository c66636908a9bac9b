//! The answers to retries.

use llmend::model::{ChatResponse, Finish, Usage};
use llmend_models::sse::{self, Decoder, Delta, FinishReason, Options};

use crate::answer::part::{PartKind, ResponsePart};
use crate::calls::CallReading;
use crate::config::Limits;
use crate::error::Failure;
use crate::protocol::Protocol;

/// An answer to a retry.
#[derive(Clone, Debug)]
pub(super) struct RetryAnswer {
    answer: ChatResponse,
    /// The name and the arguments of each call, which are no part of its text.
    calls: Vec<(String, String)>,
}

impl RetryAnswer {
    /// Returns the answer as what was asked for: the arguments of a call, also where the model wrote
    /// the call around them.
    pub(super) fn about(self, part: &ResponsePart, reading: Option<&CallReading>) -> ChatResponse {
        let Self { mut answer, calls } = self;
        let PartKind::Call { name, .. } = &part.place.kind else { return answer };
        let of_server = match &calls[..] {
            [(known, arguments)] if known == name => Some(arguments.clone()),
            _ => None,
        };
        let arguments = of_server.or_else(|| arguments_in(&answer.text, name, reading?));
        answer.text = arguments.unwrap_or(answer.text);
        answer
    }
}

/// Returns the arguments of the call that a text holds, if it is one of this tool.
fn arguments_in(text: &str, name: &str, reading: &CallReading) -> Option<String> {
    let read = llmend::calls::read(text, &reading.tools, &reading.options);
    match &read.calls[..] {
        [call] if call.name == name && read.refused.is_empty() && read.cut.is_none() => {
            Some(call.arguments.to_string())
        }
        _ => None,
    }
}

/// Reads a whole answer.
pub(super) fn of_whole(
    body: &[u8],
    protocol: Protocol,
    limits: &Limits,
) -> Result<RetryAnswer, Failure> {
    let text = str::from_utf8(body)
        .map_err(|_| Failure::upstream("input/utf8", "the answer is not UTF-8"))?;
    let value = protocol.parse(text, limits)?;
    let written = protocol.adapter().completions(&value).into_iter().next().unwrap_or_default();
    let reason = written.finish.map(|finish| finish.reason);
    let mut answer = answer(written.content, written.refusal, reason);
    answer.usage = crate::answer::usage::reported(value.root());
    Ok(RetryAnswer { answer, calls: written.calls })
}

/// Reads a stream that was not requested. A stream that cannot be read to its end is an error.
pub(super) fn of_events(
    body: &[u8],
    protocol: Protocol,
    limits: &Limits,
) -> Result<RetryAnswer, Failure> {
    let options = Options { max_event_bytes: limits.answer_bytes };
    let mut decoder = Decoder::new(protocol.profile().dialect, options);
    decoder.push(body);
    decoder.finish();
    let (mut text, mut refusal, mut reason, mut usage) = (String::new(), String::new(), None, None);
    let mut calls: Vec<(String, String)> = Vec::new();
    while let Some(delta) = decoder.next_delta() {
        match delta.map_err(|error| Failure::malformed(&error.to_string()))? {
            Delta::Content { choice: 0, text: piece } => text.push_str(&piece),
            Delta::Refusal { choice: 0, text: piece } => refusal.push_str(&piece),
            Delta::ToolCall { choice: 0, index, name, arguments, .. } => {
                let index = usize::try_from(index).unwrap_or(usize::MAX).min(calls.len());
                if index == calls.len() {
                    calls.push((String::new(), String::new()));
                }
                calls[index].0.push_str(&name.unwrap_or_default());
                calls[index].1.push_str(&arguments);
            }
            Delta::Finish { choice: 0, reason: found, .. } => reason = Some(found),
            Delta::Usage(reported) => usage = Some(reported),
            Delta::Error(error) => {
                return Err(Failure::upstream("upstream_error", error.message));
            }
            _ => {}
        }
    }
    let mut answer = answer(text, refusal, reason);
    answer.usage = usage.and_then(|reported: sse::Usage| {
        let (input, output) = (reported.input_tokens?, reported.output_tokens?);
        Some(Usage { input, output, estimated: false })
    });
    Ok(RetryAnswer { answer, calls })
}

/// Returns the text of a complete stream that was not requested and holds nothing else.
pub(super) fn text_of_events(
    body: &[u8],
    protocol: Protocol,
    limits: &Limits,
) -> Result<String, Failure> {
    let RetryAnswer { answer, calls } = of_events(body, protocol, limits)?;
    if !calls.is_empty() || answer.text.trim().is_empty() || answer.finish != Finish::Stop {
        return Err(Failure::malformed("it was not asked for, and is no complete text"));
    }
    Ok(answer.text)
}

/// Makes an answer of a text. A refusal makes it empty, and only a known word makes it complete.
fn answer(text: String, refusal: String, reason: Option<FinishReason>) -> ChatResponse {
    let mut answer =
        ChatResponse::of_text(if refusal.trim().is_empty() { text } else { String::new() });
    answer.refusal = refusal;
    answer.finish = match reason {
        Some(FinishReason::Stop | FinishReason::ToolCalls) => Finish::Stop,
        Some(FinishReason::ContentFilter) => Finish::ContentFilter,
        _ => Finish::Length,
    };
    answer
}
