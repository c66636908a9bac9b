//! The protocols of providers: what differs between them, behind one trait.

use std::fmt::Debug;
use std::sync::Arc;

use llmend::json::{Node, Value};
use llmend::model::Shape;
use llmend_models::sse::Dialect;

use crate::answer::completion::{Completion, FinishChanges};
use crate::answer::from_text::{CallNumbering, Converted};
use crate::answer::part::{PartKind, ResponsePart};
use crate::calls::CallReading;
use crate::calls::context::ConvertContext;
use crate::calls::ids::{Alphabet, CallIds};
use crate::config::Limits;
use crate::emulation::Emulation;
use crate::error::{ErrorFormat, Failure};
use crate::protocol::event::{CallEvents, StreamAdapter};
use crate::protocol::request::{OutputRequest, RequestFields};
use crate::repair::RepairOptions;
use crate::splice::strict;

mod chat;
pub(crate) mod event;
mod items;
mod messages;
mod queue;
pub(crate) mod request;
mod responses;

/// The protocol of a request and its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// `/v1/chat/completions`
    Chat,
    /// `/v1/responses`
    Responses,
    /// `/v1/messages`
    Messages,
}

/// Where servers of a protocol look for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyStyle {
    /// `Authorization: Bearer …`
    Bearer,
    /// `x-api-key: …`, as Anthropic has it.
    ApiKey,
    /// `api-key: …`, as Azure has it.
    AzureApiKey,
}

impl KeyStyle {
    /// Where the provider of a path looks for a key, if the path does not say: as `usual`.
    pub(crate) fn of_path(path: &str, usual: Self) -> Self {
        let path = path.strip_prefix("/v1").unwrap_or(path);
        match () {
            () if path.starts_with("/openai/") => Self::AzureApiKey,
            () if path.starts_with("/messages") => Self::ApiKey,
            () => usual,
        }
    }
}

/// The fixed properties of a protocol.
#[derive(Debug)]
pub(crate) struct Profile {
    /// The name in labels of metrics and in records.
    pub(crate) endpoint: &'static str,
    /// The form of streams.
    pub(crate) dialect: Dialect,
    /// Where servers look for a key.
    pub(crate) key_style: KeyStyle,
    /// The characters that ids of calls may have.
    pub(crate) call_ids: Alphabet,
    /// How the calls of an answer are numbered.
    pub(crate) numbering: CallNumbering,
    /// The form of errors.
    pub(crate) error_format: ErrorFormat,
    /// The members of a request that matter when the model is asked again.
    pub(crate) retry: RetryFields,
}

/// How requests, responses and streams of a protocol are read and written.
pub(crate) trait Adapter: Debug + Sync {
    /// Writes the event with which a stream fails after its head was sent. `number` is the next one
    /// where events are numbered.
    fn error_event(&self, failure: &Failure, number: u64) -> String;

    /// The event that marks the end of a stream and says nothing else, where clients wait for it.
    fn end_mark(&self) -> &'static str {
        ""
    }

    /// Finds the fields of a request that say what is asked for.
    fn request<'v>(&self, root: Node<'v>) -> RequestFields<'v>;

    /// Writes a request without tools, or returns `None` if it is one.
    fn emulate(&self, body: &str, root: Node<'_>, emulation: &Emulation) -> Option<String>;

    /// Writes a request with the calls that stand as text in earlier messages as the protocol has
    /// them, or returns `None` if there are none.
    fn structured(&self, body: &str, root: Node<'_>, reading: &CallReading) -> Option<String>;

    /// Checks that a whole response has what every client reads.
    fn check(&self, root: Node<'_>) -> Result<(), Failure>;

    /// Reads what the model wrote in a whole response.
    fn completions(&self, value: &Value<'_>) -> Vec<Completion>;

    /// Reads the calls in the texts of a whole response, and writes them as the protocol has them.
    fn convert(&self, body: &str, value: &Value<'_>, context: &ConvertContext<'_>) -> Converted;

    /// Writes a whole response that says this text.
    fn of_text(&self, text: &str, defaults: &ResponseDefaults) -> String;

    /// Writes a whole response with what was made of its parts.
    fn rewrite(&self, response: &ResponseRewrite<'_>) -> String;

    /// Writes a whole response as the events of a stream, if they can say all of it.
    fn events(&self, body: &str, value: &Value<'_>, depth: usize) -> Option<String>;

    /// The path of a part in the words of the protocol.
    fn path(&self, choice: u32, kind: &PartKind) -> String;

    /// Reads the calls in the texts of a stream, if the request asks for that.
    fn call_events(&self, context: &StreamContext) -> Option<Box<dyn CallEvents>>;

    /// Reads and rewrites the events of a stream.
    fn stream(&self, context: StreamContext) -> Box<dyn StreamAdapter>;

    /// The member of a request that asks for a schema.
    fn schema_format(&self, shape: &Shape, schema: &serde_json::Value) -> (&'static str, String);
}

/// What a stream is read with.
#[derive(Clone, Debug)]
pub(crate) struct StreamContext {
    pub(crate) request: Arc<OutputRequest>,
    pub(crate) options: RepairOptions,
    /// The ids of calls that are read in texts.
    pub(crate) call_ids: CallIds,
    /// The maximum nesting depth.
    pub(crate) depth: usize,
    pub(crate) defaults: ResponseDefaults,
}

/// The members of a request that change when the model is asked again.
#[derive(Debug)]
pub(crate) struct RetryFields {
    /// The member with the conversation.
    pub(crate) messages: &'static str,
    /// The members that are omitted or rewritten.
    pub(crate) omitted: &'static [&'static str],
    /// The members that limit the tokens of an answer. If none is there, the last one is added.
    pub(crate) limits: &'static [&'static str],
    /// The JSON of a `tool_choice` that allows no call.
    pub(crate) no_tools: &'static str,
}

impl Protocol {
    pub(crate) const fn profile(self) -> &'static Profile {
        match self {
            Self::Chat => &chat::PROFILE,
            Self::Responses => &responses::PROFILE,
            Self::Messages => &messages::PROFILE,
        }
    }

    pub(crate) fn adapter(self) -> &'static dyn Adapter {
        match self {
            Self::Chat => &chat::Chat,
            Self::Responses => &responses::Responses,
            Self::Messages => &messages::Messages,
        }
    }

    /// Parses a whole response. An error object is the error that it says, whatever the status was.
    pub(crate) fn parse<'t>(self, body: &'t str, limits: &Limits) -> Result<Value<'t>, Failure> {
        let value = strict(body, limits.depth).map_err(|error| {
            let message = format!("the upstream's response is not valid JSON: {error}");
            Failure::upstream(error.code(), message)
        })?;
        if let Some(failure) = Failure::of_error_object(value.root()) {
            return Err(failure);
        }
        self.adapter().check(value.root())?;
        Ok(value)
    }
}

/// A whole response, and what was made of it.
#[derive(Debug)]
pub(crate) struct ResponseRewrite<'a> {
    pub(crate) body: &'a str,
    pub(crate) value: &'a Value<'a>,
    pub(crate) parts: &'a [ResponsePart],
    pub(crate) finish: &'a FinishChanges,
    pub(crate) defaults: &'a ResponseDefaults,
    pub(crate) report: Option<&'a serde_json::Value>,
}

/// The members that clients need and that some servers omit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResponseDefaults {
    pub(crate) id: String,
    /// Seconds since 1970.
    pub(crate) created: u64,
    pub(crate) model: String,
}
