//! Requests to Anthropic's `/v1/messages`.

use llmend_model::OutputMode;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Call, Delivery, Turn};
use crate::client::PromptCache;
use crate::compatibility::RequestPart;

/// The API version of these requests.
pub(super) const VERSION: &str = "2023-06-01";

/// The default token limit: one is required, and every model accepts this one.
pub(super) const DEFAULT_MAX_TOKENS: u32 = 4096;

/// The maximum temperature.
const MAX_TEMPERATURE: f64 = 1.0;

#[derive(Serialize)]
struct Body<'c> {
    model: &'c str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<System>,
    messages: Vec<Turn<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tool<'c>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'c>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum System {
    Text(String),
    /// The server keeps what it read up to the mark, and charges less for it the next time.
    Marked([MarkedText; 1]),
}

#[derive(Serialize)]
struct MarkedText {
    r#type: &'static str,
    text: String,
    cache_control: CacheControl,
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

#[derive(Serialize)]
struct OutputConfig<'c> {
    format: Format<'c>,
}

#[derive(Serialize)]
struct Format<'c> {
    r#type: &'static str,
    schema: &'c RawValue,
}

#[derive(Serialize)]
struct Tool<'c> {
    name: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'c str,
    input_schema: &'c RawValue,
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
    let (schema, _) = super::schema(call);
    let temperature = call.request.temperature.map(|wanted| wanted.min(MAX_TEMPERATURE));
    let body = Body {
        model: call.model,
        max_tokens: call.output_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
        system: super::instructions(call).map(|text| match call.prompt_cache {
            PromptCache::Unmarked => System::Text(text),
            PromptCache::Marked => {
                let cache_control = CacheControl { r#type: "ephemeral" };
                System::Marked([MarkedText { r#type: "text", text, cache_control }])
            }
        }),
        messages: super::conversation(call).map(Turn::from).collect(),
        temperature: temperature.filter(|_| !call.refused.has(RequestPart::Temperature)),
        stream: (call.delivery == Delivery::Stream).then_some(true),
        tools: is_tool.then(|| {
            [Tool { name: &name, description: asked.description(), input_schema: asked.schema() }]
        }),
        tool_choice: is_tool.then(|| ToolChoice { r#type: "tool", name: &name }),
        output_config: (call.mode == Some(OutputMode::JsonSchema))
            .then(|| OutputConfig { format: Format { r#type: "json_schema", schema: &schema } }),
    };
    serde_json::to_string(&body)
}
