//! Calls out of the texts of whole chat completions.

use std::borrow::Cow;

use llmend::json::{Kind, Node, Value};
use serde_json::{Value as Json, json};

use super::choice::{Delivered, choices, finish, is_silent, said, words};
use crate::answer::completion::{CallForm, Finish};
use crate::answer::from_text::{Converted, FromText, TextCall};
use crate::calls::context::ConvertContext;
use crate::calls::reader::{ChoiceReader, Said};
use crate::splice::{Splice, quoted};

/// Members in which servers put reasoning.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// Reads the calls in the content of each choice.
pub(super) fn convert(body: &str, value: &Value<'_>, context: &ConvertContext<'_>) -> Converted {
    let mut splice = Splice::new(body);
    let mut converted = Converted::default();
    let mut ids = context.ids.clone();
    for (number, choice) in choices(value.root()) {
        let Some((message, content)) = readable(choice) else { continue };
        let Some(mut reader) = ChoiceReader::of(context.request, &ids) else { break };
        let Some(said) = reader.read_asked(&content, context) else { continue };
        ids = reader.ids().clone();
        let found = reader.found().clone();
        if !found.is_nothing() {
            write(message, &said, &found, context.request.call_form, &mut splice);
            converted.found.push((number, found));
        }
    }
    if !converted.found.is_empty() {
        converted.body = Some(splice.finish().into_owned());
    }
    converted
}

/// Returns the message of a choice and its text, if the text may hold calls: the server found none
/// itself, and the answer was not refused or stopped.
fn readable(choice: Node<'_>) -> Option<(Node<'_>, Cow<'_, str>)> {
    let message = said(choice, Delivered::Whole)?;
    let is_said = |key: &str| message.get(key).is_some_and(|value| !is_silent(value));
    let is_answered = finish(choice).is_none_or(|finish| Finish::is_answered(&finish));
    let has_others = ["tool_calls", "function_call", "refusal"].into_iter().any(is_said);
    let content = words(message);
    (is_answered && !has_others && !content.is_empty()).then_some((message, content))
}

/// Writes what was said into a message.
fn write(
    message: Node<'_>,
    said: &[Said],
    found: &FromText,
    form: CallForm,
    splice: &mut Splice<'_>,
) {
    let (mut content, mut reasoning) = (String::new(), String::new());
    for one in said {
        match one {
            Said::Text(text) => content.push_str(text),
            Said::Reasoning(text) => reasoning.push_str(text),
            _ => {}
        }
    }
    let is_null = content.is_empty() && !found.calls.is_empty();
    let content = if is_null { "null".to_owned() } else { quoted(&content) };
    let mut with = vec![("content", content)];
    if !reasoning.is_empty() {
        with.push(with_reasoning(message, &reasoning));
    }
    match form {
        _ if found.calls.is_empty() => {}
        CallForm::Tools => with.push(("tool_calls", tool_calls(found).to_string())),
        CallForm::Function => with.extend(function(found).map(|json| ("function_call", json))),
    }
    splice.members(message, &[], &with);
}

/// Returns the member for reasoning, with what the server found before.
fn with_reasoning(message: Node<'_>, reasoning: &str) -> (&'static str, String) {
    let known = REASONING.into_iter().find_map(|key| {
        let node = message.get(key).filter(|node| node.kind() == Kind::String)?;
        Some((key, node.str().filter(|known| !known.is_empty())?))
    });
    match known {
        Some((key, known)) => (key, quoted(&format!("{known}\n{reasoning}"))),
        None => (REASONING[0], quoted(reasoning)),
    }
}

fn tool_calls(found: &FromText) -> Json {
    let call = |read: &TextCall| {
        let function =
            json!({"name": read.call.name, "arguments": read.call.arguments.to_string()});
        json!({"id": read.id, "type": "function", "function": function})
    };
    found.calls.iter().map(call).collect()
}

fn function(found: &FromText) -> Option<String> {
    let call = &found.calls.first()?.call;
    Some(json!({"name": call.name, "arguments": call.arguments.to_string()}).to_string())
}
