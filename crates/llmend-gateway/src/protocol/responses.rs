//! Responses (`OpenAI`, `/v1/responses`).
//!
//! The output is a list of items: messages with parts of text, and calls. A stream reports each item and
//! each part as it begins, grows and ends, under numbers without a gap, and repeats all of it in its last
//! event.

use llmend::json::{Kind, Node, Value};
use llmend::model::Shape;
use llmend_models::sse::Dialect;
use serde_json::json;

use self::call_events::Items;
use super::{
    Adapter, KeyStyle, Profile, ResponseDefaults, ResponseRewrite, RetryFields, StreamContext,
};
use crate::answer::completion::Completion;
use crate::answer::from_text::{CallNumbering, Converted};
use crate::answer::part::PartKind;
use crate::calls::CallReading;
use crate::calls::context::ConvertContext;
use crate::calls::ids::Alphabet;
use crate::emulation::Emulation;
use crate::error::{ErrorFormat, Failure};
use crate::protocol::event::{CallEvents, StreamAdapter};
use crate::protocol::items::ItemStream;
use crate::protocol::items::calls::ItemCalls;
use crate::protocol::items::deferred::DeferredItems;
use crate::protocol::request::RequestFields;
use crate::splice::has_half;

mod call_events;
mod calls;
mod emulation;
mod events;
mod past;
mod request;
mod response;
mod stream;

#[derive(Debug)]
pub(super) struct Responses;

pub(super) const PROFILE: Profile = Profile {
    endpoint: "responses",
    dialect: Dialect::OpenAiResponses,
    key_style: KeyStyle::Bearer,
    call_ids: Alphabet::Graphic,
    numbering: CallNumbering::ByInput,
    error_format: ErrorFormat::OpenAi,
    retry: RetryFields {
        messages: "input",
        omitted: &["stream", "stream_options", "text", "tool_choice", "parallel_tool_calls"],
        limits: &["max_output_tokens"],
        no_tools: "\"none\"",
    },
};

impl Adapter for Responses {
    fn error_event(&self, failure: &Failure, number: u64) -> String {
        stream::error_event(failure, number)
    }

    fn request<'v>(&self, root: Node<'v>) -> RequestFields<'v> {
        request::fields(root)
    }

    fn emulate(&self, body: &str, root: Node<'_>, emulation: &Emulation) -> Option<String> {
        emulation::emulate(body, root, emulation)
    }

    fn structured(&self, body: &str, root: Node<'_>, reading: &CallReading) -> Option<String> {
        past::structured(body, root, reading)
    }

    fn check(&self, root: Node<'_>) -> Result<(), Failure> {
        let output = root.get("output").filter(|list| list.kind() == Kind::Array);
        output.map(|_| ()).ok_or_else(|| Failure::lacks("output"))
    }

    fn completions(&self, value: &Value<'_>) -> Vec<Completion> {
        vec![response::completion(value.root())]
    }

    fn convert(&self, body: &str, value: &Value<'_>, context: &ConvertContext<'_>) -> Converted {
        calls::convert(body, value, context)
    }

    fn of_text(&self, text: &str, defaults: &ResponseDefaults) -> String {
        let ResponseDefaults { id, created, model } = defaults;
        let message = calls::message(&format!("msg_{id}"), &calls::output_part(text));
        json!({"id": format!("resp_{id}"), "object": "response", "created_at": created,
            "status": "completed", "model": model, "output": [message],
            "parallel_tool_calls": true, "tool_choice": "auto", "tools": []})
        .to_string()
    }

    fn rewrite(&self, response: &ResponseRewrite<'_>) -> String {
        response::rewrite(response)
    }

    fn events(&self, body: &str, value: &Value<'_>, depth: usize) -> Option<String> {
        // A lone surrogate cannot be rewritten.
        if has_half(body, depth) { None } else { events::events(body, value.root()) }
    }

    fn path(&self, _choice: u32, kind: &PartKind) -> String {
        match kind {
            PartKind::Content => "output_text".to_owned(),
            PartKind::Call { index, .. } => format!("function_call[{index}].arguments"),
            PartKind::Input { index, .. } => format!("custom_tool_call[{index}].input"),
        }
    }

    fn call_events(&self, context: &StreamContext) -> Option<Box<dyn CallEvents>> {
        if context.request.content.is_some() {
            let calls = DeferredItems::new(Items, Items, context)?;
            return Some(Box::new(calls));
        }
        ItemCalls::new(Items, context).map(|calls| Box::new(calls) as _)
    }

    fn stream(&self, context: StreamContext) -> Box<dyn StreamAdapter> {
        Box::new(ItemStream::new(&Self, &context))
    }

    fn schema_format(&self, shape: &Shape, schema: &serde_json::Value) -> (&'static str, String) {
        let format = json!({"type": "json_schema", "name": shape.name, "schema": schema});
        ("text", json!({ "format": format }).to_string())
    }
}
