//! Calls out of the texts of whole chat completions.

use llmend::json::{Node, Value as Parsed};
use serde_json::{Value, json};

use super::choice::{
    Delivered, REASONING, arguments, called, calls, choices, finish, has_value, is_blank,
    is_silent, legacy, message_of, reasoning_in, word, words,
};
use crate::answer::completion::{CallForm, Finish};
use crate::answer::from_text::{Converted, FromText, TextCall};
use crate::calls::context::ConvertContext;
use crate::calls::native::NativeCall;
use crate::calls::reader::{ChoiceReader, Output, TextEnd};
use crate::calls::tool_input::{ToolInput, as_arguments};
use crate::splice::{Splice, quoted};

/// Reads the calls in the content of each choice.
pub(super) fn convert(body: &str, value: &Parsed<'_>, context: &ConvertContext<'_>) -> Converted {
    let mut splice = Splice::new(body);
    let mut converted = Converted::default();
    let mut ids = context.ids.clone();
    for (number, choice) in choices(value.root()) {
        let Some(message) = message_of(choice, Delivered::Whole) else { continue };
        let Some(mut reader) = ChoiceReader::of(context.request, &ids) else { break };
        let finish = finish(choice);
        let end = TextEnd::of(finish.as_ref());
        let outputs = match native_calls(message) {
            None if is_blank(message) && !has_value(message, "refusal") => reasoning_in(message)
                .filter(|_| finish.as_ref().is_none_or(Finish::is_complete))
                .map(|(_, words)| reader.read_reasoning(words)),
            // Text beside a refusal is not the JSON that was asked for.
            None if has_value(message, "refusal") && context.request.content.is_some() => None,
            None => reader.read_for(&words(message), end, context),
            // Text beside a call is not the JSON that was asked for, and stays as it is.
            Some(_) if context.request.content.is_some() => None,
            Some(native) => {
                reader.beside(native, context);
                Some(reader.read(&words(message), TextEnd::BeforeCall))
            }
        };
        let Some(outputs) = outputs else { continue };
        ids = reader.ids().clone();
        let found = reader.found().clone();
        if !found.is_nothing() {
            write(body, message, &outputs, &found, context.request.call_form, &mut splice);
        }
        if !found.is_silent() {
            converted.found.push((number, found));
        }
    }
    converted.body = splice.changed();
    converted
}

/// Returns the calls that the server found itself, or `None` if it found none.
fn native_calls(message: Node<'_>) -> Option<Vec<NativeCall>> {
    if !has_value(message, "tool_calls") && !has_value(message, "function_call") {
        return None;
    }
    let native = |function: Node<'_>| NativeCall {
        id: String::new(),
        name: word(function, "name").unwrap_or_default().to_owned(),
        arguments: passed(function),
    };
    Some(calls(message).filter_map(called).chain(legacy(message)).map(native).collect())
}

/// Returns the arguments of a function, or those by which the text of a custom tool is read.
fn passed(called: Node<'_>) -> String {
    called.get("input").and_then(Node::str).map_or_else(|| arguments(called), as_arguments)
}

/// Writes what was said into a message. Calls of the text stand before those of the server, as the
/// text does in a stream.
fn write(
    body: &str,
    message: Node<'_>,
    outputs: &[Output],
    found: &FromText,
    form: CallForm,
    splice: &mut Splice<'_>,
) {
    let (mut content, mut reasoning) = (String::new(), String::new());
    for one in outputs {
        match one {
            Output::Text(text) => content.push_str(text),
            Output::Reasoning(text) => reasoning.push_str(text),
            _ => {}
        }
    }
    let native = message.get("tool_calls").filter(|native| !is_silent(*native));
    let is_null = content.is_empty() && (!found.calls.is_empty() || native.is_some());
    let content = if is_null { "null".to_owned() } else { quoted(&content) };
    let mut with = vec![("content", content)];
    if !reasoning.is_empty() {
        with.push(with_reasoning(message, &reasoning));
    }
    match form {
        _ if found.calls.is_empty() => {}
        CallForm::Tools => {
            let native = native.into_iter().flat_map(Node::items);
            let native = native.map(|call| call.span().of(body).to_owned());
            let all: Vec<String> = tool_calls(found).chain(native).collect();
            with.push(("tool_calls", format!("[{}]", all.join(","))));
        }
        CallForm::Function => with.extend(function(found).map(|json| ("function_call", json))),
    }
    splice.members(message, &[], &with);
}

/// Returns the member for reasoning, with what the server found before.
fn with_reasoning(message: Node<'_>, reasoning: &str) -> (&'static str, String) {
    match reasoning_in(message) {
        Some((key, known)) => (key, quoted(&format!("{known}\n{reasoning}"))),
        None => (REASONING[0], quoted(reasoning)),
    }
}

fn tool_calls(found: &FromText) -> impl Iterator<Item = String> {
    let call = |TextCall { id, call, input, .. }: &TextCall| {
        tool_call(id, &call.name, *input, &input.passed(call)).to_string()
    };
    found.calls.iter().map(call)
}

/// Returns a call with what it passes to its tool.
pub(super) fn tool_call(id: &str, name: &str, input: ToolInput, passed: &str) -> Value {
    let (kind, key) = (kind(input), words_key(input));
    json!({"id": id, "type": kind, kind: {"name": name, key: passed}})
}

/// Returns the type of a call, and the member that says what is called.
pub(super) const fn kind(input: ToolInput) -> &'static str {
    match input {
        ToolInput::Arguments => "function",
        ToolInput::Text => "custom",
    }
}

/// Returns the member for what a call passes to its tool.
pub(super) const fn words_key(input: ToolInput) -> &'static str {
    match input {
        ToolInput::Arguments => "arguments",
        ToolInput::Text => "input",
    }
}

fn function(found: &FromText) -> Option<String> {
    let call = &found.calls.first()?.call;
    Some(json!({"name": call.name, "arguments": call.arguments.to_string()}).to_string())
}
