//! A conversation whose calls and results are messages of their own kinds, written as plain messages.
//!
//! Calls join the message of the assistant before them, and results the message of the user behind
//! them, since many templates demand that the two take turns.

use llmend::json::{Kind, Node};
use serde_json::json;

use super::{Emulation, PastCall};
use crate::splice::{changed, quoted, text};

/// Writes the messages of a conversation, in order.
#[derive(Debug)]
pub(crate) struct Conversation<'b> {
    body: &'b str,
    emulation: &'b Emulation,
    /// The types of text parts of the assistant and the user.
    types: [&'static str; 2],
    out: Vec<String>,
    /// The message of the assistant that was written last, if nothing follows it.
    assistant: Option<(Node<'b>, &'static [&'static str])>,
    calls: Vec<PastCall>,
    order: CallOrder<'b>,
    results: Vec<(usize, Vec<Part>)>,
    is_changed: bool,
}

/// The order and the names of earlier calls by their ids. Results are written in it, since a notation
/// may tell them apart by nothing else.
#[derive(Debug, Default)]
pub(crate) struct CallOrder<'b>(Vec<(&'b str, Option<&'b str>)>);

impl<'b> CallOrder<'b> {
    pub(crate) fn add(&mut self, id: Option<&'b str>, name: Option<&'b str>) {
        self.0.push((id.unwrap_or_default(), name));
    }

    /// Returns the number of the last call with this id, behind all others if there is none, and its
    /// name.
    pub(crate) fn find(&self, id: Option<&str>) -> (usize, Option<&'b str>) {
        let id = id.filter(|id| !id.is_empty());
        let at = id.and_then(|id| self.0.iter().rposition(|(known, _)| *known == id));
        at.map_or((usize::MAX, None), |at| (at, self.0.get(at).and_then(|(_, name)| *name)))
    }
}

/// A part of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// An image or the like, as it is.
    Other(String),
}

impl<'b> Conversation<'b> {
    pub(crate) fn new(body: &'b str, emulation: &'b Emulation, types: [&'static str; 2]) -> Self {
        let (out, calls, results) = (Vec::new(), Vec::new(), Vec::new());
        let (assistant, order, is_changed) = (None, CallOrder::default(), false);
        Self { body, emulation, types, out, assistant, calls, order, results, is_changed }
    }

    /// Adds a message without some of its members.
    pub(crate) fn message(&mut self, message: Node<'b>, without: &'static [&'static str]) {
        self.end_calls();
        let role = text(message, "role");
        if role == Some("user") && !self.results.is_empty() {
            let before = self.take_results();
            let content = self.content(&before, message.get("content"));
            self.out.push(changed(self.body, message, without, &[("content", content)]));
            return;
        }
        self.end_results();
        let has = |key: &&str| message.get(key).is_some();
        if without.iter().any(has) {
            self.is_changed = true;
            self.out.push(changed(self.body, message, without, &[]));
        } else {
            self.out.push(message.span().of(self.body).to_owned());
        }
        self.assistant = (role == Some("assistant")).then_some((message, without));
    }

    /// Adds instructions, behind those of a message if there is one.
    pub(crate) fn instruct(&mut self, message: Option<Node<'b>>, words: &str) {
        self.is_changed = true;
        self.out.push(match message {
            Some(message) => {
                let content = with_text(self.body, message.get("content"), words, self.types[1]);
                changed(self.body, message, &[], &[("content", content)])
            }
            None => json!({"role": "system", "content": words}).to_string(),
        });
    }

    /// Adds a call.
    pub(crate) fn call(&mut self, id: Option<&'b str>, name: Option<&'b str>, call: PastCall) {
        self.end_results();
        self.order.add(id, name);
        self.calls.push(call);
    }

    /// Adds the result of the call with this id: a text, or a list of parts. `name` is that of the tool
    /// where no call is known.
    pub(crate) fn result(
        &mut self,
        id: Option<&str>,
        name: Option<&str>,
        content: Option<Node<'_>>,
    ) {
        self.end_calls();
        let (number, known) = self.order.find(id);
        let (words, others) = words(content);
        let text = Part::Text(self.emulation.result(known.or(name), &words));
        let others = others.into_iter().map(Part::Other);
        self.results.push((number, std::iter::once(text).chain(others).collect()));
        self.is_changed = true;
    }

    /// Takes the results in the order of their calls.
    fn take_results(&mut self) -> Vec<Part> {
        let mut results = std::mem::take(&mut self.results);
        results.sort_by_key(|(number, _)| *number);
        results.into_iter().flat_map(|(_, parts)| parts).collect()
    }

    /// Returns the messages as a list, or `None` if none changed.
    pub(crate) fn finish(mut self) -> Option<String> {
        self.end_calls();
        self.end_results();
        self.is_changed.then(|| format!("[{}]", self.out.join(",")))
    }

    fn end_calls(&mut self) {
        let (assistant, calls) = (self.assistant.take(), std::mem::take(&mut self.calls));
        if calls.is_empty() {
            return;
        }
        self.is_changed = true;
        let words = self.emulation.calls(&calls);
        if let Some((message, without)) = assistant {
            let content = with_text(self.body, message.get("content"), &words, self.types[0]);
            self.out.pop();
            self.out.push(changed(self.body, message, without, &[("content", content)]));
        } else {
            self.out.push(json!({"role": "assistant", "content": words}).to_string());
        }
    }

    fn end_results(&mut self) {
        let results = self.take_results();
        if !results.is_empty() {
            let content = self.content(&results, None);
            self.out.push(format!("{{\"role\":\"user\",\"content\":{content}}}"));
        }
    }

    /// Writes the content of a user: parts, and what the user says behind them.
    fn content(&self, parts: &[Part], behind: Option<Node<'_>>) -> String {
        let texts = parts.iter().map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Other(_) => None,
        });
        let is_list = behind.is_some_and(|content| content.kind() == Kind::Array);
        if let Some(texts) = texts.collect::<Option<Vec<_>>>().filter(|_| !is_list) {
            let behind = behind.and_then(Node::str);
            return quoted(&texts.into_iter().chain(behind).collect::<Vec<_>>().join("\n\n"));
        }
        let part = |part: &Part| match part {
            Part::Text(text) => text_part(self.types[1], text),
            Part::Other(json) => json.clone(),
        };
        let said = behind.into_iter().flat_map(|content| match content.str() {
            Some(text) => vec![text_part(self.types[1], text)],
            None => content.items().map(|item| item.span().of(self.body).to_owned()).collect(),
        });
        let all: Vec<String> = parts.iter().map(part).chain(said).collect();
        format!("[{}]", all.join(","))
    }
}

/// Returns the text of a content, and its other parts.
pub(crate) fn words(content: Option<Node<'_>>) -> (String, Vec<String>) {
    let Some(content) = content else { return (String::new(), Vec::new()) };
    match content.kind() {
        Kind::String => (content.str().unwrap_or_default().to_owned(), Vec::new()),
        Kind::Array => {
            let (texts, others): (Vec<_>, Vec<_>) =
                content.items().partition(|part| text(*part, "text").is_some());
            let texts: Vec<&str> =
                texts.into_iter().filter_map(|part| text(part, "text")).collect();
            (texts.join("\n"), others.into_iter().map(|part| part.to_string()).collect())
        }
        Kind::Null => (String::new(), Vec::new()),
        // Some clients leave the result as it is.
        _ => (content.to_string(), Vec::new()),
    }
}

/// Writes a content with a text behind it.
pub(crate) fn with_text(body: &str, content: Option<Node<'_>>, words: &str, kind: &str) -> String {
    match content {
        Some(list) if list.kind() == Kind::Array => {
            let parts = list.items().map(|part| part.span().of(body).to_owned());
            let all: Vec<String> = parts.chain([text_part(kind, words)]).collect();
            format!("[{}]", all.join(","))
        }
        content => {
            let before = content.and_then(Node::str).map(str::trim_end).unwrap_or_default();
            let gap = if before.is_empty() { "" } else { "\n\n" };
            quoted(&[before, gap, words].concat())
        }
    }
}

/// Writes a part that is a text.
pub(crate) fn text_part(kind: &str, words: &str) -> String {
    let mut part = json!({"type": kind, "text": words});
    if kind == "output_text" {
        part["annotations"] = json!([]);
    }
    part.to_string()
}
