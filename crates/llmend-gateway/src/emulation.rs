//! Tools for models whose servers know none: offered in the prompt, and called in text.
//!
//! A request is written as one without tools. The prompt describes them, earlier calls and results
//! become text, and the calls in the answer are read as those of any text.

pub(crate) mod conversation;
mod prompt;

use llmend::calls::{CallToWrite, Notation};
use llmend::json::{Kind, Node, Value};

use self::prompt::Offer;
use crate::calls::offered::OfferedTool;
use crate::calls::tool_input::as_arguments;
use crate::calls::{Parallel, ToolChoice};
use crate::config::PLAIN;
use crate::splice::{changed, quoted, strict};

/// What a request without tools is written with.
#[derive(Debug)]
pub(crate) struct Emulation {
    pub(crate) notation: &'static Notation,
    /// What offers the tools, if there are any.
    prompt: Option<String>,
    depth: usize,
}

/// An earlier call: the name, and the arguments as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PastCall {
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl PastCall {
    pub(crate) fn new(name: Option<&str>, arguments: Option<Node<'_>>) -> Self {
        let name = name.unwrap_or_default().to_owned();
        let json = |node: Node<'_>| node.str().map_or_else(|| node.to_string(), str::to_owned);
        let arguments = arguments.map(json).filter(|text| !text.trim().is_empty());
        Self { name, arguments: arguments.unwrap_or_else(|| "{}".to_owned()) }
    }
}

impl PastCall {
    /// Makes a call of a tool that takes a text.
    pub(crate) fn of_text(name: Option<&str>, text: &str) -> Self {
        Self { name: name.unwrap_or_default().to_owned(), arguments: as_arguments(text) }
    }
}

impl Emulation {
    /// Emulates tools in a notation, or in plain JSON if it cannot write calls of them.
    pub(crate) fn new(
        notation: &'static Notation,
        tools: &[OfferedTool<'_>],
        choice: &ToolChoice,
        parallel: Parallel,
        depth: usize,
    ) -> Self {
        let offer = |notation| Offer { tools, choice, parallel, notation };
        let is_written = offer(notation).is_writable();
        let notation = if is_written { notation } else { PLAIN };
        let prompt = (!tools.is_empty()).then(|| offer(notation).prompt());
        Self { notation, prompt, depth }
    }

    /// Returns what offers the tools, or `None` if there are none.
    pub(crate) fn prompt(&self) -> Option<&str> {
        self.prompt.as_deref()
    }

    /// Writes earlier calls, in plain JSON if the notation has no way to write them.
    pub(crate) fn calls(&self, calls: &[PastCall]) -> String {
        let values: Option<Vec<_>> =
            calls.iter().map(|call| strict(&call.arguments, self.depth).ok()).collect();
        let values = values.filter(|values| values.iter().all(is_object)).unwrap_or_default();
        let both = calls.iter().zip(&values);
        let to_write: Vec<_> = both
            .map(|(call, value)| CallToWrite { name: &call.name, arguments: value.root() })
            .collect();
        let written =
            [self.notation, PLAIN].into_iter().find_map(|notation| notation.write(&to_write));
        written.filter(|_| to_write.len() == calls.len()).unwrap_or_else(|| as_they_are(calls))
    }

    /// Writes the result of an earlier call.
    pub(crate) fn result(&self, name: Option<&str>, result: &str) -> String {
        self.notation.write_result(name.unwrap_or("the tool"), result)
    }
}

/// Writes calls that no notation can write: arguments that are no object, or an odd name.
fn as_they_are(calls: &[PastCall]) -> String {
    let call = |call: &PastCall| {
        let PastCall { name, arguments } = call;
        format!("{{\"name\": {}, \"arguments\": {arguments}}}", quoted(name))
    };
    calls.iter().map(call).collect::<Vec<_>>().join("\n")
}

fn is_object(value: &Value<'_>) -> bool {
    value.root().kind() == Kind::Object
}

/// Writes a request without the members that are `about` tools, but for tools that the prompt does
/// not offer, and `with` other ones. `None` if there is nothing to change.
pub(crate) fn without_tools<'m>(
    body: &str,
    root: Node<'_>,
    about: &[&'static str],
    is_offered: impl Fn(Node<'_>) -> bool,
    with: impl Iterator<Item = (&'m str, String)>,
) -> Option<String> {
    let tools = root.get("tools").map(Node::items).into_iter().flatten();
    let others: Vec<String> = tools
        .filter(|tool| !is_offered(*tool))
        .map(|tool| tool.span().of(body).to_owned())
        .collect();
    let others = (!others.is_empty()).then(|| ("tools", format!("[{}]", others.join(","))));
    let without: Vec<&str> =
        about.iter().copied().filter(|key| others.is_none() || *key != "tools").collect();
    let with: Vec<_> = with.chain(others).collect();
    let is_changed = !with.is_empty() || without.iter().any(|key| root.get(key).is_some());
    is_changed.then(|| changed(body, root, &without, &with))
}
