//! Requests to Gemini's `generateContent`.

use llmend_model::{OutputMode, Role};
use reqwest::Url;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Call, Delivery};
use crate::compatibility::RequestPart;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instruction>,
    contents: Vec<Content<'c>>,
    generation_config: GenerationConfig<'c>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tools<'c>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig<'c>>,
}

#[derive(Serialize)]
struct Instruction {
    parts: [TextPart<String>; 1],
}

#[derive(Serialize)]
struct Content<'c> {
    role: &'static str,
    parts: [TextPart<&'c str>; 1],
}

/// The only part of a content: text.
#[derive(Serialize)]
struct TextPart<T> {
    text: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'c RawValue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'c> {
    function_declarations: [Function<'c>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Function<'c> {
    name: &'c str,
    /// Gemini requires a description, even an empty one.
    description: &'c str,
    parameters_json_schema: &'c RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolConfig<'c> {
    function_calling_config: FunctionCallingConfig<'c>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FunctionCallingConfig<'c> {
    mode: &'static str,
    allowed_function_names: [&'c str; 1],
}

pub(super) fn url(base: &Url, call: &Call<'_>) -> Option<Url> {
    let model = call.model.strip_prefix("models/").unwrap_or(call.model);
    let method = match call.delivery {
        Delivery::Whole => "generateContent",
        Delivery::Stream => "streamGenerateContent",
    };
    let mut url = super::below(base, &["models", &format!("{model}:{method}")])?;
    if call.delivery == Delivery::Stream {
        url.set_query(Some("alt=sse"));
    }
    Some(url)
}

pub(super) fn body(call: &Call<'_>) -> Result<String, serde_json::Error> {
    let asked = call.shape;
    let name = asked.name();
    let is_tool = call.mode == Some(OutputMode::ForcedTool);
    let is_json = matches!(call.mode, Some(OutputMode::JsonSchema | OutputMode::JsonObject));
    let is_schema = call.mode == Some(OutputMode::JsonSchema);
    let temperature = call.request.temperature;
    let body = Body {
        system_instruction: super::instructions(call)
            .map(|text| Instruction { parts: [TextPart { text }] }),
        contents: super::conversation(call)
            .map(|message| Content {
                role: if message.role == Role::Assistant { "model" } else { "user" },
                parts: [TextPart { text: &message.content }],
            })
            .collect(),
        generation_config: GenerationConfig {
            max_output_tokens: call.output_tokens,
            temperature: temperature.filter(|_| !call.refused.has(RequestPart::Temperature)),
            response_mime_type: is_json.then_some("application/json"),
            response_json_schema: is_schema.then(|| asked.schema()),
        },
        tools: is_tool.then(|| {
            let description = asked.description();
            let parameters_json_schema = asked.schema();
            [Tools {
                function_declarations: [Function {
                    name: &name,
                    description,
                    parameters_json_schema,
                }],
            }]
        }),
        tool_config: is_tool.then(|| ToolConfig {
            function_calling_config: FunctionCallingConfig {
                mode: "ANY",
                allowed_function_names: [&name],
            },
        }),
    };
    serde_json::to_string(&body)
}
