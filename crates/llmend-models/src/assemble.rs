//! Assembly of an answer from its pieces.

use llmend_model::{ChatEvent, ChatResponse, Finish, ToolCall, Usage};

use crate::sse::{self, Delta, FinishReason, ProviderError};

/// The answer so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assembler {
    response: ChatResponse,
    usage: sse::Usage,
    finish: Option<Finish>,
    has_begun: bool,
    /// The error that the provider sent instead of the rest.
    pub(crate) error: Option<ProviderError>,
}

impl Assembler {
    /// Takes a piece, and returns the event to report. Only the first of several choices counts.
    pub(crate) fn take(&mut self, delta: Delta) -> Option<ChatEvent> {
        self.has_begun |= !matches!(delta, Delta::Error(_));
        match delta {
            Delta::Start { id, model } => {
                self.response.id = id;
                self.response.model = model;
                None
            }
            Delta::Content { choice: 0, text } => {
                self.response.text.push_str(&text);
                Some(ChatEvent::Text { text })
            }
            Delta::Reasoning { choice: 0, text } => {
                self.response.reasoning.push_str(&text);
                Some(ChatEvent::Reasoning { text })
            }
            Delta::Refusal { choice: 0, text } => {
                self.response.refusal.push_str(&text);
                None
            }
            Delta::ToolCall { choice: 0, index, id, name, arguments } => {
                Some(self.call(index, id, name, arguments))
            }
            Delta::Finish { choice: 0, reason, raw } => {
                self.finish = Some(finish(reason, raw));
                None
            }
            Delta::Usage(usage) => {
                self.usage.update(usage);
                None
            }
            Delta::Error(error) => {
                self.error.get_or_insert(error);
                None
            }
            _ => None,
        }
    }

    fn call(
        &mut self,
        index: u32,
        id: Option<String>,
        name: Option<String>,
        arguments: String,
    ) -> ChatEvent {
        let calls = &mut self.response.tool_calls;
        // Calls are numbered in the order in which they begin, so that there is no gap to fill.
        let at = (index as usize).min(calls.len());
        if at == calls.len() {
            calls.push(ToolCall::default());
        }
        let call = &mut calls[at];
        call.id = id.or(call.id.take());
        if let Some(name) = &name {
            call.name.clone_from(name);
        }
        call.arguments.push_str(&arguments);
        ChatEvent::ToolCall { index, name, arguments }
    }

    /// Returns whether any part of an answer has arrived, or the reason for its absence.
    pub(crate) fn has_answer(&self) -> bool {
        let response = &self.response;
        self.finish.is_some()
            || !(response.text.is_empty()
                && response.tool_calls.is_empty()
                && response.refusal.is_empty())
    }

    /// Returns whether the server has said anything but an error.
    pub(crate) const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Returns the token counts of an answer that broke off: those that the provider reported, but no
    /// fewer output tokens than have arrived, since most report them last. `unread` is the size of
    /// what arrived and is not a part of the answer so far.
    pub(crate) fn spent(&self, question_bytes: usize, unread: usize) -> Usage {
        let estimate = Usage::estimate(question_bytes, answer_bytes(&self.response) + unread);
        let sse::Usage { input_tokens: input, output_tokens: output, .. } = self.usage;
        let output = output.filter(|&told| self.finish.is_some() || told >= estimate.output);
        Usage {
            input: input.unwrap_or(estimate.input),
            output: output.unwrap_or(estimate.output),
            estimated: input.is_none() || output.is_none(),
        }
    }

    /// Returns the answer so far. `question_bytes` is the length of the request, for the estimate
    /// of a token count that the provider omitted while it reported the other one.
    pub(crate) fn response(&self, question_bytes: usize) -> ChatResponse {
        let mut response = self.response.clone();
        response.finish = self.finish.clone().unwrap_or_default();
        response.usage = usage(self.usage, question_bytes, answer_bytes(&response));
        response
    }
}

fn answer_bytes(response: &ChatResponse) -> usize {
    let calls = response.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
    response.text.len() + response.reasoning.len() + response.refusal.len() + calls.sum::<usize>()
}

fn usage(told: sse::Usage, question_bytes: usize, answer_bytes: usize) -> Option<Usage> {
    let estimate = Usage::estimate(question_bytes, answer_bytes);
    match (told.input_tokens, told.output_tokens) {
        (None, None) => None,
        (input, output) => Some(Usage {
            input: input.unwrap_or(estimate.input),
            output: output.unwrap_or(estimate.output),
            estimated: input.is_none() || output.is_none(),
        }),
    }
}

fn finish(reason: FinishReason, raw: String) -> Finish {
    match reason {
        FinishReason::Stop => Finish::Stop,
        FinishReason::Length => Finish::Length,
        FinishReason::ToolCalls => Finish::ToolCalls,
        FinishReason::ContentFilter => Finish::ContentFilter,
        FinishReason::Other => Finish::Other(raw),
    }
}

#[cfg(test)]
mod tests {
    use llmend_model::{Finish, Usage};

    use super::{Assembler, usage};
    use crate::sse::{self, Delta, FinishReason};

    fn call(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> Delta {
        let own = |text: Option<&str>| text.map(str::to_owned);
        Delta::ToolCall {
            choice: 0,
            index,
            id: own(id),
            name: own(name),
            arguments: arguments.into(),
        }
    }

    #[test]
    fn pieces_are_joined_and_other_choices_omitted() {
        let mut assembler = Assembler::default();
        assert!(!assembler.has_answer());
        let text = |choice, text: &str| Delta::Content { choice, text: text.to_owned() };
        let told: Vec<_> = [
            text(0, "a"),
            text(1, "x"),
            text(0, "b"),
            call(0, Some("1"), Some("f"), "{"),
            call(1, None, Some("g"), ""),
            call(0, None, None, "}"),
            Delta::Finish { choice: 1, reason: FinishReason::Length, raw: "length".into() },
            Delta::Finish { choice: 0, reason: FinishReason::Other, raw: "odd".into() },
        ]
        .into_iter()
        .filter_map(|delta| assembler.take(delta))
        .collect();
        assert_eq!(told.len(), 5);
        let response = assembler.response(0);
        assert_eq!(response.text, "ab");
        let calls: Vec<_> =
            response.tool_calls.iter().map(|c| (c.name.as_str(), c.arguments.as_str())).collect();
        assert_eq!(calls, [("f", "{}"), ("g", "")]);
        assert_eq!(response.tool_calls[0].id.as_deref(), Some("1"));
        assert_eq!(response.finish, Finish::Other("odd".to_owned()));
        assert_eq!(response.usage, None);
    }

    #[test]
    fn reported_usage_is_kept_and_the_rest_is_marked() {
        let rows = [
            (None, None, None),
            (Some(9), Some(8), Some((9, 8, false))),
            (Some(9), None, Some((9, 2, true))),
            (None, Some(8), Some((1, 8, true))),
        ];
        for (input_tokens, output_tokens, expected) in rows {
            let told = sse::Usage { input_tokens, output_tokens, ..sse::Usage::default() };
            let expected =
                expected.map(|(input, output, estimated)| Usage { input, output, estimated });
            assert_eq!(usage(told, 4, 8), expected);
        }
    }
}
