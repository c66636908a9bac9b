//! Calls in the texts of earlier answers.

use llmend::calls::Call;
use llmend::json::Node;

use crate::calls::CallReading;
use crate::calls::ids::CallIds;
use crate::calls::tool_input::ToolInput;
use crate::splice::{Splice, quoted, text};

/// What a text of an earlier answer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PastText {
    /// The text around the calls, behind the reasoning.
    pub(crate) text: String,
    pub(crate) calls: Vec<PastTextCall>,
}

/// A call in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PastTextCall {
    /// The id, which the result has as well.
    pub(crate) id: String,
    pub(crate) name: String,
    /// What its tool takes.
    pub(crate) input: ToolInput,
    /// The arguments as JSON, or the text that the tool takes.
    pub(crate) arguments: String,
}

/// Returns what a message of the assistant says, if that is only text.
pub(crate) fn text_of_assistant(message: Node<'_>) -> Option<String> {
    let content = message.get("content").filter(|_| text(message, "role") == Some("assistant"))?;
    match content.str() {
        Some(words) => Some(words.to_owned()),
        None => content.items().map(|part| text(part, "text")).collect(),
    }
}

/// Reads the texts of earlier answers whose results follow.
#[derive(Debug)]
pub(crate) struct PastReader<'a> {
    pub(crate) reading: &'a CallReading,
    pub(crate) ids: CallIds,
    /// The member by which a result names its call.
    pub(crate) key: &'static str,
    /// What the tool takes whose result a node is, if that is known.
    pub(crate) input_of: fn(Node<'_>) -> Option<ToolInput>,
}

impl PastReader<'_> {
    /// Reads a text. `None` if it does not hold as many calls as there are results, or a call of
    /// another kind than its result. A result whose id no call can have gets another one.
    pub(crate) fn read(
        &mut self,
        words: &str,
        results: &[Node<'_>],
        splice: &mut Splice<'_>,
    ) -> Option<PastText> {
        if results.is_empty() {
            return None;
        }
        let read = llmend::calls::read(words, &self.reading.tools, &self.reading.options);
        if !read.is_usable() || read.calls.len() != results.len() {
            return None;
        }
        let mut both = read.calls.iter().zip(results);
        let is_of = |(call, result): (&Call, &Node<'_>)| {
            let input = (self.input_of)(*result);
            input.is_none_or(|input| input == self.reading.input_of(&call.name))
        };
        if !both.all(is_of) {
            return None;
        }
        let mut calls = Vec::new();
        for (call, result) in read.calls.iter().zip(results) {
            let known = text(*result, self.key);
            let id = self.ids.next(known);
            if known != Some(&id) {
                splice.members(*result, &[], &[(self.key, quoted(&id))]);
            }
            let input = self.reading.input_of(&call.name);
            let (name, arguments) = (call.name.clone(), input.passed(call));
            calls.push(PastTextCall { id, name, input, arguments });
        }
        let reasoning = read.reasoning.trim();
        let text = if reasoning.is_empty() {
            read.text
        } else {
            format!("<think>\n{reasoning}\n</think>\n\n{}", read.text).trim_end().to_owned()
        };
        Some(PastText { text, calls })
    }
}
