//! Requests to chat completions.

use llmend_model::OutputMode;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Call, Delivery, Turn};
use crate::compatibility::RequestPart;

#[derive(Serialize)]
struct Body<'c> {
    model: &'c str,
    messages: Vec<Turn<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tool<'c>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Tool<'c>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'c> {
    JsonObject,
    JsonSchema { json_schema: JsonSchema<'c> },
}

#[derive(Serialize)]
struct JsonSchema<'c> {
    name: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'c str,
    /// Whether the server enforces the schema. OpenAI then accepts only a part of JSON Schema.
    strict: bool,
    schema: &'c RawValue,
}

#[derive(Serialize)]
struct Tool<'c> {
    r#type: &'static str,
    function: Function<'c>,
}

#[derive(Serialize)]
struct Function<'c> {
    name: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'c RawValue>,
}

pub(super) fn body(call: &Call<'_>) -> Result<String, serde_json::Error> {
    let asked = call.shape;
    let name = asked.name();
    let tool = |parameters| Tool {
        r#type: "function",
        function: Function { name: &name, description: asked.description(), parameters },
    };
    let is_tool = call.mode == Some(OutputMode::ForcedTool);
    let (schema, strict) = super::schema(call);
    let limit = call.output_tokens;
    let is_stream = call.delivery == Delivery::Stream;
    let body = Body {
        model: call.model,
        messages: call.messages.iter().map(|message| Turn::from(&**message)).collect(),
        max_tokens: limit.filter(|_| !call.refused.has(RequestPart::MaxTokens)),
        max_completion_tokens: limit.filter(|_| call.refused.has(RequestPart::MaxTokens)),
        temperature: call
            .request
            .temperature
            .filter(|_| !call.refused.has(RequestPart::Temperature)),
        stream: is_stream.then_some(true),
        stream_options: (is_stream && !call.refused.has(RequestPart::StreamOptions))
            .then_some(StreamOptions { include_usage: true }),
        response_format: match call.mode {
            Some(OutputMode::JsonSchema) => Some(ResponseFormat::JsonSchema {
                json_schema: JsonSchema {
                    name: &name,
                    description: asked.description(),
                    strict,
                    schema: &schema,
                },
            }),
            Some(OutputMode::JsonObject) => Some(ResponseFormat::JsonObject),
            _ => None,
        },
        tools: is_tool.then(|| [tool(Some(asked.schema()))]),
        tool_choice: is_tool.then(|| Tool {
            r#type: "function",
            function: Function { name: &name, description: "", parameters: None },
        }),
    };
    serde_json::to_string(&body)
}
