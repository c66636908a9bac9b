//! Requests to OpenAI's `/v1/responses`.

use llmend_model::OutputMode;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Call, Delivery, Turn};
use crate::compatibility::RequestPart;

#[derive(Serialize)]
struct Body<'c> {
    model: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    input: Vec<Turn<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    /// The server keeps each response by default, for requests that refer to it.
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<TextSettings<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tool<'c>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice<'c>>,
}

#[derive(Serialize)]
struct TextSettings<'c> {
    format: Format<'c>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'c> {
    JsonObject,
    JsonSchema {
        name: &'c str,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'c str,
        strict: bool,
        schema: &'c RawValue,
    },
}

#[derive(Serialize)]
struct Tool<'c> {
    r#type: &'static str,
    name: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'c str,
    parameters: &'c RawValue,
    /// Where it is missing, the server takes the schema for a strict one.
    strict: bool,
}

#[derive(Serialize)]
struct ToolChoice<'c> {
    r#type: &'static str,
    name: &'c str,
}

pub(super) fn body(call: &Call<'_>) -> Result<String, serde_json::Error> {
    let asked = call.shape;
    let name = asked.name();
    let is_tool = call.mode == Some(OutputMode::ForcedTool);
    let (schema, strict) = super::schema(call);
    let format = match call.mode {
        Some(OutputMode::JsonSchema) => Some(Format::JsonSchema {
            name: &name,
            description: asked.description(),
            strict,
            schema: &schema,
        }),
        Some(OutputMode::JsonObject) => Some(Format::JsonObject),
        _ => None,
    };
    let temperature = call.request.temperature;
    let body = Body {
        model: call.model,
        instructions: super::instructions(call),
        input: super::conversation(call).map(Turn::from).collect(),
        max_output_tokens: call.output_tokens,
        temperature: temperature.filter(|_| !call.refused.has(RequestPart::Temperature)),
        stream: (call.delivery == Delivery::Stream).then_some(true),
        store: false,
        text: format.map(|format| TextSettings { format }),
        tools: is_tool.then(|| {
            let (description, parameters) = (asked.description(), &*schema);
            [Tool { r#type: "function", name: &name, description, parameters, strict }]
        }),
        tool_choice: is_tool.then_some(ToolChoice { r#type: "function", name: &name }),
    };
    serde_json::to_string(&body)
}
