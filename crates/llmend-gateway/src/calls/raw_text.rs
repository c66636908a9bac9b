//! What a model wrote, in an error of a server that could not read its tool calls.

use llmend::calls::{Accept, CallToWrite, NOTATIONS, Notation};
use serde_json::Value;

use crate::calls::CallReading;
use crate::calls::arguments_alone::arguments_alone;

/// What servers write before the text of the model, and behind it.
const FRAMES: [(&str, &str); 4] = [
    ("error parsing tool call: raw='", "', err="),
    ("Failed to parse input at pos ", ""),
    ("Failed to parse tool call", ""),
    ("Error in extracting tool call from response", ""),
];

/// What the names of members say that hold the model's text.
const OUTPUT: [&str; 4] = ["generat", "output", "raw", "completion"];

/// What messages speak of that are about the request.
const INPUT: [&str; 4] = ["prompt", "messages", "request", "template"];

/// Returns the text of a model in the body of an error, if it holds calls of the tools that are
/// offered.
///
/// In the words of a known server any call counts. Elsewhere it has to be marked, in a member that
/// names the output or a message about parsing, with nothing but calls behind it.
pub(crate) fn raw_text(body: &[u8], reading: &CallReading) -> Option<String> {
    let text = str::from_utf8(body).ok()?;
    // Some servers answer with words alone.
    let json = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let error = json.get("error").unwrap_or(&json);
    let message = message(error).or_else(|| message(&json));
    let known = message.and_then(framed).and_then(|text| {
        if holds(&text, reading, false) { Some(text) } else { of_only_tool(&text, reading) }
    });
    let marked = || {
        let members = [error, &json].into_iter().flat_map(outputs);
        let spoken = message.and_then(in_message);
        members.chain(spoken).find(|text| holds(text, reading, true)).map(str::to_owned)
    };
    known.or_else(marked)
}

/// Returns the call that arguments mean where one tool is offered, in marks.
fn of_only_tool(text: &str, reading: &CallReading) -> Option<String> {
    let mut tools = reading.tools.iter();
    let (Some(tool), None) = (tools.next(), tools.next()) else { return None };
    let demanded = Some(tool.name.clone());
    let call = arguments_alone(text, &CallReading { demanded, ..reading.clone() })?;
    let call = CallToWrite { name: &tool.name, arguments: call.arguments.root() };
    Notation::named("hermes")?.write(&[call])
}

fn message(error: &Value) -> Option<&str> {
    let of = |key: &str| error.get(key)?.as_str();
    error.as_str().or_else(|| of("message")).or_else(|| of("detail"))
}

/// Returns what a known server says of the model's text.
fn framed(message: &str) -> Option<String> {
    let (rest, end) = FRAMES.into_iter().find_map(|(start, end)| {
        let (_, rest) = message.split_once(start)?;
        Some((rest, end))
    })?;
    if !end.is_empty() {
        return rest.rsplit_once(end).map(|(text, _)| text.to_owned());
    }
    // The number of a byte, or nothing, precedes it.
    rest.split_once(": ").map(|(_, text)| text.to_owned())
}

/// Returns the members of an error that hold what the model wrote.
fn outputs(error: &Value) -> impl Iterator<Item = &str> {
    let members = error.as_object().into_iter().flatten();
    let is_output = |key: &str| OUTPUT.iter().any(|word| key.to_lowercase().contains(word));
    members.filter(move |(key, _)| is_output(key)).filter_map(|(_, value)| value.as_str())
}

/// Returns what begins with a mark in a message about parsing.
fn in_message(message: &str) -> Option<&str> {
    let openers = NOTATIONS.iter().flat_map(|row| row.openers);
    let at = openers.filter_map(|opener| message.find(opener)).min()?;
    let (before, text) = message.split_at_checked(at)?;
    let before = before.to_lowercase();
    let is_about_output =
        before.contains("pars") && !INPUT.iter().any(|word| before.contains(word));
    is_about_output.then_some(text)
}

/// Whether a text holds calls, and, if they have to be marked, no words besides.
fn holds(text: &str, reading: &CallReading, is_marked: bool) -> bool {
    let mut options = reading.options.clone();
    if is_marked {
        options.accept = Accept::Marked;
    }
    let read = llmend::calls::read(text, &reading.tools, &options);
    !read.calls.is_empty() && (!is_marked || read.text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::framed;

    #[test]
    fn the_text_of_the_model_is_found() {
        for (message, expected) in [
            (
                "Failed to parse input at pos 12: <tool_call>{\"name\": \"f\"}",
                Some("<tool_call>{\"name\": \"f\"}"),
            ),
            (
                "error parsing tool call: raw='{\"name\":\"f\", err=', err=invalid character",
                Some("{\"name\":\"f\", err="),
            ),
            ("Failed to parse tool call arguments as JSON: {\"a\": 1", Some("{\"a\": 1")),
            (
                "Error in extracting tool call from response: <tool_call>{\"name\": \"f\"}",
                Some("<tool_call>{\"name\": \"f\"}"),
            ),
            ("out of memory: {}", None),
            ("Failed to parse input at pos 3", None),
        ] {
            assert_eq!(framed(message).as_deref(), expected, "{message}");
        }
    }
}
