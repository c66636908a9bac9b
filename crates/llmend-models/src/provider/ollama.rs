//! Requests to Ollama's `/api/chat`.

use llmend_model::OutputMode;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Call, Delivery, Turn};
use crate::compatibility::RequestPart;

#[derive(Serialize)]
struct Body<'c> {
    model: &'c str,
    messages: Vec<Turn<'c>>,
    /// Ollama streams by default.
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'c>>,
    #[serde(skip_serializing_if = "Settings::is_empty")]
    options: Settings,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Format<'c> {
    Word(&'static str),
    Schema(&'c RawValue),
}

#[derive(Serialize)]
struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<u32>,
}

impl Settings {
    const fn is_empty(&self) -> bool {
        self.num_predict.is_none() && self.temperature.is_none() && self.num_ctx.is_none()
    }
}

pub(super) fn body(call: &Call<'_>) -> Result<String, serde_json::Error> {
    let asked = call.shape;
    let temperature = call.request.temperature;
    let body = Body {
        model: call.model,
        messages: call.messages.iter().map(|message| Turn::from(&**message)).collect(),
        stream: call.delivery == Delivery::Stream,
        format: match call.mode {
            Some(OutputMode::JsonSchema) => Some(Format::Schema(asked.schema())),
            Some(OutputMode::JsonObject) => Some(Format::Word("json")),
            _ => None,
        },
        options: Settings {
            num_predict: call.output_tokens,
            temperature: temperature.filter(|_| !call.refused.has(RequestPart::Temperature)),
            num_ctx: call.context_tokens,
        },
    };
    serde_json::to_string(&body)
}
