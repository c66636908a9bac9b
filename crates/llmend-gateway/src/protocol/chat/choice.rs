//! The choices of chat completions and their chunks.
//!
//! A whole response has a choice in its `message`, an event a piece of it in its `delta`. Both are
//! read here, in every form that servers write.

use std::borrow::Cow;

use llmend::json::{Kind, Node};
use llmend_models::sse::{CallPiece, Calls};

use crate::answer::completion::Finish;
use crate::calls::tool_input::ToolInput;

/// Choices are numbered below this, the most that `OpenAI` allows.
const MOST_CHOICES: u32 = 128;

/// Returns the index of a choice, or its place if it has none. `None` if the index is not a number.
pub(crate) fn number(choice: Node<'_>, at: u32) -> Option<u32> {
    choice.get("index").filter(|index| !index.is_null()).map_or(Some(at), index)
}

/// Reads an index as servers write it: `1`, `1.0` and `"1"`.
pub(crate) fn index(node: Node<'_>) -> Option<u32> {
    let text = node.number().or_else(|| node.str())?.trim();
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}

/// Whether the `index` is written as every client reads it.
pub(crate) fn is_numbered(node: Node<'_>, number: usize) -> bool {
    let index = node.get("index").and_then(Node::number);
    index.is_some_and(|index| index == number.to_string())
}

fn all(root: Node<'_>) -> impl Iterator<Item = (Node<'_>, u32)> {
    root.get("choices").map(Node::items).into_iter().flatten().zip(0..)
}

/// Returns the choices of an event by number: two of one number are pieces of one choice. `None` if
/// an index is invalid.
pub(crate) fn pieces(root: Node<'_>) -> Option<Vec<(u32, Node<'_>)>> {
    let numbered = |(choice, at)| {
        number(choice, at).filter(|number| *number < MOST_CHOICES).map(|number| (number, choice))
    };
    all(root).map(numbered).collect()
}

/// Returns the choices of a whole response by number. Where two have the same number, each gets
/// that of its place.
pub(crate) fn choices(root: Node<'_>) -> Vec<(u32, Node<'_>)> {
    let mut found: Vec<(u32, Node<'_>)> =
        all(root).map(|(choice, at)| (number(choice, at).unwrap_or(at), choice)).collect();
    let mut numbers: Vec<u32> = found.iter().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    if numbers.windows(2).any(|two| two.first() == two.last()) {
        for ((number, _), at) in found.iter_mut().zip(0..) {
            *number = at;
        }
    }
    found
}

/// How a choice is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivered {
    Whole,
    InEvents,
}

impl Delivered {
    /// The member that clients read, and the one that some servers use instead.
    const fn members(self) -> [&'static str; 2] {
        match self {
            Self::Whole => ["message", "delta"],
            Self::InEvents => ["delta", "message"],
        }
    }
}

/// Returns the message of a choice, or the piece of it.
pub(crate) fn message_of(choice: Node<'_>, delivered: Delivered) -> Option<Node<'_>> {
    let members = delivered.members().map(|key| choice.get(key));
    members.into_iter().flatten().find(|message| !message.is_null())
}

/// Returns the name of the unread member beside it.
pub(crate) fn beside(choice: Node<'_>, delivered: Delivered) -> Option<&'static str> {
    let [read, other] = delivered.members();
    let is_read = choice.get(read).is_some_and(|message| !message.is_null());
    (is_read && choice.get(other).is_some()).then_some(other)
}

/// Returns why a choice ends.
pub(crate) fn finish(choice: Node<'_>) -> Option<Finish> {
    let reason = choice.get("finish_reason").filter(|reason| !reason.is_null())?;
    let word = reason.str().map_or_else(|| reason.to_string(), str::to_owned);
    (!word.is_empty()).then(|| Finish::of(&word))
}

/// Returns the calls of a message or of a piece.
pub(crate) fn calls(message: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    message.get("tool_calls").map(Node::items).into_iter().flatten()
}

/// Returns what a call or a piece of one calls: a function, or a custom tool.
pub(crate) fn called(call: Node<'_>) -> Option<Node<'_>> {
    called_tool(call).map(|(_, called)| called)
}

/// Returns what a call or a piece of one calls, and what that takes.
pub(super) fn called_tool(call: Node<'_>) -> Option<(ToolInput, Node<'_>)> {
    let of = |key: &str, input| Some((input, call.get(key)?));
    of("function", ToolInput::Arguments).or_else(|| of("custom", ToolInput::Text))
}

/// Returns which call of its choice a piece belongs to, from 0, and what of it is new.
pub(crate) fn call_piece(
    known: &mut Calls,
    choice: u32,
    call: Node<'_>,
) -> Result<CallPiece, String> {
    let name = called(call).and_then(|called| word(called, "name"));
    let number = call.get("index").filter(|number| !number.is_null());
    let number = number.map(|number| index(number).ok_or("the index of a call is not a number"));
    known.piece(choice, number.transpose()?, word(call, "id"), name)
}

/// Returns the function call in the form of older clients.
pub(crate) fn legacy(message: Node<'_>) -> Option<Node<'_>> {
    message.get("function_call").filter(|function| function.kind() == Kind::Object)
}

/// Returns a member that is a non-empty string.
pub(crate) fn word<'v>(node: Node<'v>, key: &str) -> Option<&'v str> {
    node.get(key)?.str().filter(|word| !word.is_empty())
}

/// Returns the arguments as text, also where a server sends an object.
pub(crate) fn arguments(function: Node<'_>) -> String {
    function.get("arguments").map(as_text).unwrap_or_default()
}

/// Whether the arguments arrived parsed.
pub(crate) fn is_read(function: Node<'_>) -> bool {
    function.get("arguments").is_some_and(|passed| !passed.is_null() && passed.str().is_none())
}

/// Returns the text of a content, also where it is a list of parts.
pub(crate) fn text(content: Node<'_>) -> String {
    match content.kind() {
        Kind::Array => content.items().filter_map(|part| part.get("text")?.str()).collect(),
        _ => as_text(content),
    }
}

/// Returns the content of a message or of a piece that is only text, also in a list of parts.
pub(crate) fn words(message: Node<'_>) -> Cow<'_, str> {
    let Some(content) = message.get("content") else { return Cow::Borrowed("") };
    if content.kind() != Kind::Array {
        return Cow::Borrowed(content.str().unwrap_or_default());
    }
    let parts = content.items().map(|part| part.get("text")?.str());
    Cow::Owned(parts.collect::<Option<String>>().unwrap_or_default())
}

/// Members in which servers put reasoning.
pub(crate) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

/// Returns the reasoning of a message or of a piece, and the member in which it is.
pub(crate) fn reasoning_in(message: Node<'_>) -> Option<(&'static str, &str)> {
    REASONING.into_iter().find_map(|key| Some((key, word(message, key)?)))
}

/// Whether a message or a piece says nothing but white space to the user.
pub(crate) fn is_blank(message: Node<'_>) -> bool {
    let is_blank = |content: Node<'_>| match content.str() {
        Some(text) => text.trim().is_empty(),
        None => is_silent(content),
    };
    message.get("content").is_none_or(is_blank)
}

fn as_text(node: Node<'_>) -> String {
    match node.str() {
        Some(text) => text.to_owned(),
        None if node.is_null() => String::new(),
        None => node.to_string(),
    }
}

/// Whether a value is null, or an empty string or list.
pub(crate) fn is_silent(value: Node<'_>) -> bool {
    value.is_null()
        || value.str().is_some_and(str::is_empty)
        || (value.kind() == Kind::Array && value.is_empty())
}

/// Whether a member of a message or of a piece says anything.
pub(crate) fn has_value(message: Node<'_>, key: &str) -> bool {
    message.get(key).is_some_and(|value| !is_silent(value))
}

/// Whether every client can read a whole response: each call says what it calls.
pub(crate) fn is_whole(root: Node<'_>) -> bool {
    let is_call = |call: Node<'_>| {
        let kind = word(call, "type").unwrap_or("function");
        kind != "function" || call.get("function").or_else(|| call.get("custom")).is_some()
    };
    let message = |(choice, _)| message_of(choice, Delivered::Whole);
    is_readable(root) && all(root).filter_map(message).flat_map(calls).all(is_call)
}

/// Whether lists and objects are where they have to be, so that nothing is overlooked.
pub(crate) fn is_readable(root: Node<'_>) -> bool {
    let is = |node: Node<'_>, key: &str, kind: Kind| {
        node.get(key).is_none_or(|value| value.is_null() || value.kind() == kind)
    };
    let is_call =
        |call: Node<'_>| call.kind() == Kind::Object && is(call, "function", Kind::Object);
    let is_message = |choice: Node<'_>| {
        let is_called = |message: Node<'_>| {
            is(message, "tool_calls", Kind::Array)
                && is(message, "function_call", Kind::Object)
                && calls(message).all(is_call)
        };
        ["delta", "message"].into_iter().all(|key| {
            is(choice, key, Kind::Object)
                && choice.get(key).filter(|message| !message.is_null()).is_none_or(is_called)
        })
    };
    let is_choice =
        |(choice, _): (Node<'_>, u32)| choice.kind() == Kind::Object && is_message(choice);
    root.kind() == Kind::Object && is(root, "choices", Kind::Array) && all(root).all(is_choice)
}

#[cfg(test)]
mod tests {
    use super::{choices, is_readable, pieces};
    use crate::splice::strict;

    #[test]
    fn a_choice_has_its_index_or_its_place() {
        // (choices, their numbers in an event, and in a whole answer)
        type Row = (&'static str, Option<&'static [u32]>, &'static [u32]);
        let rows: [Row; 11] = [
            (r"[{},{}]", Some(&[0, 1]), &[0, 1]),
            (r#"[{"index":1},{"index":0}]"#, Some(&[1, 0]), &[1, 0]),
            (r#"[{"index":null},{"index":null}]"#, Some(&[0, 1]), &[0, 1]),
            (r#"[{"index":"0"},{"index":1.0}]"#, Some(&[0, 1]), &[0, 1]),
            (r#"[{"index":7}]"#, Some(&[7]), &[7]),
            // One number occurs twice, also if one is a place.
            (r#"[{"index":0},{"index":0}]"#, Some(&[0, 0]), &[0, 1]),
            (r#"[{"index":1},{}]"#, Some(&[1, 1]), &[0, 1]),
            (r#"[{"index":-1}]"#, None, &[0]),
            (r#"[{"index":"first"}]"#, None, &[0]),
            (r#"[{"index":128}]"#, None, &[128]),
            ("[]", Some(&[]), &[]),
        ];
        for (json, in_event, in_whole) in rows {
            let json = format!("{{\"choices\":{json}}}");
            let value = strict(&json, 9).unwrap();
            let root = value.root();
            let numbers = |found: Vec<(u32, _)>| -> Vec<u32> {
                found.into_iter().map(|(number, _)| number).collect()
            };
            assert_eq!(pieces(root).map(numbers).as_deref(), in_event, "{json}");
            assert_eq!(numbers(choices(root)), in_whole, "{json}");
        }
    }

    #[test]
    fn a_malformed_event_is_not_read_in_part() {
        let rows = [
            (r#"{"choices":[{"delta":{"tool_calls":[{"function":{}}]}}]}"#, true),
            (r#"{"choices":[{"delta":null,"message":{"tool_calls":null}}]}"#, true),
            (r#"{"choices":null}"#, true),
            ("{}", true),
            (r#"{"choices":7}"#, false),
            ("7", false),
            (r#"{"choices":[7]}"#, false),
            (r#"{"choices":[{"delta":"{}"}]}"#, false),
            (r#"{"choices":[{"delta":{"tool_calls":{}}}]}"#, false),
            (r#"{"choices":[{"delta":{"tool_calls":["f"]}}]}"#, false),
            (r#"{"choices":[{"message":{"tool_calls":[{"function":"f"}]}}]}"#, false),
            (r#"{"choices":[{"delta":{"function_call":"f"}}]}"#, false),
        ];
        for (json, expected) in rows {
            assert_eq!(is_readable(strict(json, 9).unwrap().root()), expected, "{json}");
        }
    }
}
