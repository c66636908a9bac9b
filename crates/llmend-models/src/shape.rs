//! The requested shape of an answer in requests and prompts.

use std::borrow::Cow;

use llmend_model::{ChatRequest, Message, Output, OutputMode, Rewording, Role, Shape, stable_hash};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::wrapping;

/// The maximum length of a name that every provider accepts, in characters.
const MAX_NAME_CHARS: usize = 64;

/// The schema of any object.
const ANY_OBJECT: &str = "{\"type\": \"object\"}";

/// The requested shape, as requests contain it.
#[derive(Debug)]
pub(crate) struct RequestedShape<'r> {
    shape: Option<&'r Shape>,
    schema: Box<RawValue>,
    /// Whether the schema is that of an object around the answer.
    pub(crate) is_wrapped: bool,
}

impl<'r> RequestedShape<'r> {
    /// Parses the schema of an output. Fails if it is not JSON.
    pub(crate) fn of(output: &'r Output) -> Result<Self, serde_json::Error> {
        let shape = output.shape();
        let text = shape.map_or(ANY_OBJECT, |shape| shape.schema.trim());
        Ok(Self { shape, schema: RawValue::from_string(text.to_owned())?, is_wrapped: false })
    }

    /// Returns the shape of an object around the answer.
    pub(crate) fn wrapped(&self) -> Result<Self, serde_json::Error> {
        let schema = wrapping::wrapped(self.schema.get())?;
        Ok(Self { shape: self.shape, schema, is_wrapped: true })
    }

    /// Returns the name in a form that every provider accepts.
    pub(crate) fn name(&self) -> String {
        let name = self.shape.map_or("", |shape| shape.name.as_str());
        let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let fine: String =
            name.chars().take(MAX_NAME_CHARS).map(|c| if is_fine(c) { c } else { '_' }).collect();
        if fine.is_empty() { "answer".to_owned() } else { fine }
    }

    pub(crate) fn description(&self) -> &str {
        self.shape.map_or("", |shape| shape.description.as_str())
    }

    pub(crate) fn schema(&self) -> &RawValue {
        &self.schema
    }

    /// Returns a short key of the schema, which stays the same in every version and on every machine.
    pub(crate) fn key(&self) -> String {
        format!("{:016x}", stable_hash(self.schema.get()))
    }

    /// Returns whether the shape evidently is an object, as the arguments of a tool must be.
    pub(crate) fn is_object(&self) -> bool {
        const ALTERNATIVES: [&str; 5] = ["anyOf", "oneOf", "allOf", "enum", "not"];
        let schema: Value = serde_json::from_str(self.schema.get()).unwrap_or_default();
        schema.get("type").and_then(Value::as_str) == Some("object")
            && ALTERNATIVES.iter().all(|keyword| schema.get(keyword).is_none())
    }
}

/// Returns the modes for an output, the one to try first in front.
pub(crate) fn modes(output: &Output) -> &'static [OutputMode] {
    use OutputMode::{ForcedTool, JsonObject, JsonSchema, Prompt};
    match output {
        Output::Json => &[JsonObject, Prompt],
        Output::Schema(_) => &OutputMode::BEST_FIRST,
        Output::Tool(_) => &[ForcedTool, JsonSchema, JsonObject, Prompt],
        // Plain text needs no mode; neither does an output form unknown to this version.
        _ => &[],
    }
}

/// Returns the messages of a request, with what the mode requires in the prompt.
///
/// It is appended to the last message of the user, which small models pay attention to.
pub(crate) fn messages<'r>(
    request: &'r ChatRequest,
    mode: Option<OutputMode>,
    shape: &RequestedShape<'_>,
) -> Vec<Cow<'r, Message>> {
    let mut messages: Vec<_> = request.messages.iter().map(Cow::Borrowed).collect();
    if let Some(Rewording { from, to }) = request.in_object.as_ref().filter(|_| shape.is_wrapped) {
        for message in messages.iter_mut().filter(|message| message.content.contains(from)) {
            message.to_mut().content = message.content.replace(from, to);
        }
    }
    let around =
        || format!("The answer stands in the member `{}` of one JSON object.", wrapping::MEMBER);
    let addition = addition(request, mode).or_else(|| shape.is_wrapped.then(around));
    let Some(addition) = addition else {
        return messages;
    };
    match messages.iter_mut().rev().find(|message| message.role == Role::User) {
        Some(last) => {
            let last = last.to_mut();
            last.content = format!("{}\n\n{addition}", last.content.trim_end());
        }
        None => messages.push(Cow::Owned(Message::user(addition))),
    }
    messages
}

/// Moves the instructions into the message of the user that follows them, for models without a role for them.
pub(crate) fn instruct_as_user(messages: &mut Vec<Cow<'_, Message>>) {
    let mut instructions = String::new();
    messages.retain(|message| {
        let is_instruction = message.role == Role::System;
        if is_instruction {
            instructions.extend([message.content.trim_end(), "\n\n"]);
        }
        !is_instruction
    });
    match messages.iter_mut().find(|message| message.role == Role::User) {
        Some(first) => first.to_mut().content.insert_str(0, &instructions),
        None => messages.insert(0, Cow::Owned(Message::user(instructions.trim_end()))),
    }
}

fn addition(request: &ChatRequest, mode: Option<OutputMode>) -> Option<String> {
    if !matches!(mode?, OutputMode::JsonObject | OutputMode::Prompt) {
        return None;
    }
    let says = |wanted: &dyn Fn(&str) -> bool| {
        request.messages.iter().any(|message| wanted(&message.content))
    };
    match request.output.shape().map(|shape| shape.schema.trim()) {
        Some(schema) if says(&|text| text.contains(schema)) => None,
        Some(schema) => Some(format!(
            "Answer with JSON alone, without any other text. It has to fit this JSON Schema:\n\n{schema}"
        )),
        // OpenAI rejects JSON mode unless a message mentions JSON.
        None if says(&|text| text.to_ascii_lowercase().contains("json")) => None,
        None => Some("Answer with one JSON object alone, without any other text.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use llmend_model::{ChatRequest, Message, Output, OutputMode, Shape};

    use std::borrow::Cow;

    use super::{RequestedShape, instruct_as_user, messages, modes};

    #[test]
    fn names_fit_every_provider() {
        let rows = [
            ("trip", "trip"),
            ("trip plan/1", "trip_plan_1"),
            ("", "answer"),
            ("Städte", "St_dte"),
        ];
        for (name, expected) in rows {
            let output = Output::Schema(Shape::new(name, "{}"));
            assert_eq!(RequestedShape::of(&output).unwrap().name(), expected, "{name}");
        }
        let long = Output::Schema(Shape::new("a".repeat(100), "{}"));
        assert_eq!(RequestedShape::of(&long).unwrap().name().len(), 64);
    }

    #[test]
    fn a_schema_has_to_be_json() {
        assert!(RequestedShape::of(&Output::Schema(Shape::new("a", "{'a': 1}"))).is_err());
        assert!(RequestedShape::of(&Output::Text).is_ok());
    }

    #[test]
    fn only_objects_can_be_arguments() {
        let rows =
            [("{\"type\": \"object\"}", true), ("{\"type\": \"array\"}", false), ("{}", false)];
        for (schema, expected) in rows {
            let output = Output::Schema(Shape::new("a", schema));
            assert_eq!(RequestedShape::of(&output).unwrap().is_object(), expected, "{schema}");
        }
    }

    #[test]
    fn the_schema_stands_in_the_prompt_where_it_has_to_and_once() {
        use OutputMode::{ForcedTool, JsonObject, JsonSchema, Prompt};
        let schema = "{\"type\": \"object\"}";
        let plain = RequestedShape::of(&Output::Json).unwrap();
        let shape = Output::Schema(Shape::new("a", schema));
        let rows = [
            (&shape, "Hello", JsonSchema, None),
            (&shape, "Hello", ForcedTool, None),
            (&shape, "Hello", JsonObject, Some(schema)),
            (&shape, "Hello", Prompt, Some(schema)),
            (&shape, "It is {\"type\": \"object\"}.", Prompt, None),
            (&Output::Json, "Hello", JsonObject, Some("one JSON object")),
            (&Output::Json, "Some json, please", JsonObject, None),
        ];
        for (output, text, mode, expected) in rows {
            let mut request = ChatRequest::new([Message::user(text), Message::assistant("Yes?")]);
            request.output = output.clone();
            let found = messages(&request, Some(mode), &plain);
            assert_eq!(found.len(), 2);
            match expected {
                None => assert_eq!(found[0].content, text, "{mode:?}"),
                Some(part) => {
                    assert!(found[0].content.starts_with(text), "{}", found[0].content);
                    assert!(found[0].content.contains(part), "{}", found[0].content);
                }
            }
            assert_eq!(found[1].content, "Yes?");
        }
        let mut request = ChatRequest::new([Message::system("s")]);
        request.output = Output::Json;
        assert_eq!(messages(&request, Some(Prompt), &plain).len(), 2);
        assert_eq!(messages(&request, None, &plain).len(), 1);
    }

    #[test]
    fn instructions_move_into_the_first_message_of_the_user() {
        let (system, user, model) = (Message::system, Message::user, Message::assistant);
        for (given, expected) in [
            (vec![system("s"), user("u")], vec![user("s\n\nu")]),
            (
                vec![system("s\n"), system("t"), user("u"), model("a"), user("v")],
                vec![user("s\n\nt\n\nu"), model("a"), user("v")],
            ),
            (vec![system("s")], vec![user("s")]),
        ] {
            let mut messages: Vec<_> = given.into_iter().map(Cow::Owned).collect();
            instruct_as_user(&mut messages);
            assert_eq!(messages.into_iter().map(Cow::into_owned).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn every_order_ends_with_the_prompt() {
        for output in
            [Output::Json, Output::Schema(Shape::default()), Output::Tool(Shape::default())]
        {
            assert_eq!(modes(&output).last(), Some(&OutputMode::Prompt), "{output:?}");
        }
        assert!(modes(&Output::Text).is_empty());
    }
}
