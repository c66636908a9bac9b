//! Messages (Anthropic, `/v1/messages`).
//!
//! The content is a list of blocks: texts, and uses of tools whose input is an object. A stream reports
//! each block as it begins, grows and ends, its input as pieces of JSON.

use llmend::json::{Kind, Node, Value};
use llmend::model::Shape;
use llmend_models::sse::Dialect;
use serde_json::json;

use self::call_events::Blocks;
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
use crate::protocol::event::{CallEvents, StreamAdapter, named};
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
pub(super) struct Messages;

pub(super) const PROFILE: Profile = Profile {
    endpoint: "messages",
    dialect: Dialect::Anthropic,
    key_style: KeyStyle::ApiKey,
    call_ids: Alphabet::Word,
    numbering: CallNumbering::Together,
    error_format: ErrorFormat::Anthropic,
    retry: RetryFields {
        messages: "messages",
        omitted: &["stream", "output_format", "output_config", "tool_choice"],
        limits: &["max_tokens"],
        no_tools: "{\"type\":\"none\"}",
    },
};

impl Adapter for Messages {
    fn error_event(&self, failure: &Failure, _number: u64) -> String {
        named("error", &failure.anthropic().to_string())
    }

    fn end_mark(&self) -> &'static str {
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
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
        // Some servers write one text in place of the blocks.
        let is_content = |content: &Node<'_>| matches!(content.kind(), Kind::Array | Kind::String);
        let content = root.get("content").filter(is_content);
        content.map(|_| ()).ok_or_else(|| Failure::lacks("content"))
    }

    fn completions(&self, value: &Value<'_>) -> Vec<Completion> {
        vec![response::completion(value.root())]
    }

    fn convert(&self, body: &str, value: &Value<'_>, context: &ConvertContext<'_>) -> Converted {
        calls::convert(body, value, context)
    }

    fn of_text(&self, text: &str, defaults: &ResponseDefaults) -> String {
        let ResponseDefaults { id, model, .. } = defaults;
        json!({"id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": model,
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
            "stop_sequence": null, "usage": {"input_tokens": 0, "output_tokens": 0}})
        .to_string()
    }

    fn rewrite(&self, response: &ResponseRewrite<'_>) -> String {
        response::rewrite(response)
    }

    fn events(&self, body: &str, value: &Value<'_>, depth: usize) -> Option<String> {
        // A lone surrogate cannot be rewritten.
        (!has_half(body, depth)).then(|| events::events(body, value.root()))
    }

    fn path(&self, _choice: u32, kind: &PartKind) -> String {
        match kind {
            PartKind::Content => "content".to_owned(),
            PartKind::Call { index, .. } | PartKind::Input { index, .. } => {
                format!("tool_use[{index}].input")
            }
        }
    }

    fn call_events(&self, context: &StreamContext) -> Option<Box<dyn CallEvents>> {
        if context.request.content.is_some() {
            let calls = DeferredItems::new(Blocks, Blocks, context)?;
            return Some(Box::new(calls));
        }
        ItemCalls::new(Blocks, context).map(|calls| Box::new(calls) as _)
    }

    fn stream(&self, context: StreamContext) -> Box<dyn StreamAdapter> {
        Box::new(ItemStream::new(&Self, &context))
    }

    fn schema_format(&self, _shape: &Shape, schema: &serde_json::Value) -> (&'static str, String) {
        ("output_format", json!({"type": "json_schema", "schema": schema}).to_string())
    }
}
