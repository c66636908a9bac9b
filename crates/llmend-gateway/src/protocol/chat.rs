//! Chat completions (`/v1/chat/completions`).

use llmend::json::{Kind, Node, Value};
use llmend::model::Shape;
use llmend_models::sse::Dialect;
use serde_json::json;

use self::call_stream::ChatCalls;
use self::deferred::DeferredCalls;
use self::stream::ChatStream;
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
use crate::protocol::event::{CallEvents, DONE, StreamAdapter, event};
use crate::protocol::request::RequestFields;

mod call_stream;
mod calls;
mod choice;
mod chunk;
mod deferred;
mod emulation;
mod later_calls;
mod past;
mod request;
mod response;
mod rewrite;
mod stream;

#[derive(Debug)]
pub(super) struct Chat;

pub(super) const PROFILE: Profile = Profile {
    endpoint: "chat",
    dialect: Dialect::OpenAiChat,
    key_style: KeyStyle::Bearer,
    call_ids: Alphabet::Graphic,
    numbering: CallNumbering::Together,
    error_format: ErrorFormat::OpenAi,
    retry: RetryFields {
        messages: "messages",
        omitted: &[
            "stream",
            "stream_options",
            "response_format",
            "n",
            "tool_choice",
            "function_call",
            "parallel_tool_calls",
            "logprobs",
            "top_logprobs",
        ],
        limits: &["max_completion_tokens", "max_tokens"],
        no_tools: "\"none\"",
    },
};

impl Adapter for Chat {
    fn error_event(&self, failure: &Failure, _number: u64) -> String {
        failure.event()
    }

    fn end_mark(&self) -> &'static str {
        DONE
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
        let choices = root.get("choices");
        // A model may say nothing, but in one of the choices.
        if !choices.is_some_and(|list| list.kind() == Kind::Array && !list.is_empty()) {
            return Err(Failure::lacks("choices"));
        }
        if !choice::is_whole(root) {
            let message = "the upstream's response is not a chat completion";
            return Err(Failure::upstream("bad_answer", message));
        }
        Ok(())
    }

    fn completions(&self, value: &Value<'_>) -> Vec<Completion> {
        response::completions(value)
    }

    fn convert(&self, body: &str, value: &Value<'_>, context: &ConvertContext<'_>) -> Converted {
        calls::convert(body, value, context)
    }

    fn of_text(&self, text: &str, defaults: &ResponseDefaults) -> String {
        let ResponseDefaults { id, created, model } = defaults;
        let message = json!({"role": "assistant", "content": text});
        let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
        json!({"id": id, "object": "chat.completion", "created": created, "model": model,
            "choices": [choice]})
        .to_string()
    }

    fn rewrite(&self, response: &ResponseRewrite<'_>) -> String {
        response::rewrite(response)
    }

    fn events(&self, body: &str, value: &Value<'_>, _depth: usize) -> Option<String> {
        let whole = response::numbered(body, value.root());
        Some(event(&whole) + DONE)
    }

    fn path(&self, choice: u32, kind: &PartKind) -> String {
        match kind {
            PartKind::Content => format!("choices[{choice}].message.content"),
            PartKind::Call { index, .. } => {
                format!("choices[{choice}].message.tool_calls[{index}].function.arguments")
            }
            PartKind::Input { index, .. } => {
                format!("choices[{choice}].message.tool_calls[{index}].custom.input")
            }
        }
    }

    fn call_events(&self, context: &StreamContext) -> Option<Box<dyn CallEvents>> {
        if context.request.content.is_some() {
            return DeferredCalls::new(context).map(|calls| Box::new(calls) as _);
        }
        ChatCalls::new(context).map(|calls| Box::new(calls) as _)
    }

    fn stream(&self, context: StreamContext) -> Box<dyn StreamAdapter> {
        Box::new(ChatStream::new(context))
    }

    fn schema_format(&self, shape: &Shape, schema: &serde_json::Value) -> (&'static str, String) {
        let named = json!({"name": shape.name, "schema": schema});
        ("response_format", json!({"type": "json_schema", "json_schema": named}).to_string())
    }
}
