//! In which of the providers' forms is asked and answered?

use llmend::json::{Kind, Node, Value};
use llmend_models::sse::Dialect;

use crate::config::Limits;
use crate::error::Failure;
use crate::http::headers::KeyStyle;
use crate::http::reply;
use crate::protocol::chat::chunk::Defaults;
use crate::protocol::request::Wanted;
use crate::repair::decide::{Part, PlaceKind};
use crate::repair::evaluate::{Ends, Written};
use crate::splice::strict;

pub(crate) mod chat;
pub(crate) mod messages;
pub(crate) mod request;
pub(crate) mod responses;

/// A form of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// `/v1/chat/completions`
    Chat,
    /// `/v1/responses`
    Responses,
    /// `/v1/messages`
    Messages,
}

impl Protocol {
    /// What labels of metrics call it.
    pub(crate) const fn endpoint(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// Where a request says what it wants.
    pub(crate) fn wanted(self, root: Node<'_>) -> Wanted<'_> {
        match self {
            Self::Chat => chat::request::wanted(root),
            Self::Responses => responses::request::wanted(root),
            Self::Messages => messages::request::wanted(root),
        }
    }

    /// Reads a whole answer. An error object is the error that it says, whatever the status was.
    pub(crate) fn parse<'t>(self, body: &'t str, limits: &Limits) -> Result<Value<'t>, Failure> {
        let value = strict(body, limits.depth).map_err(|error| {
            let message = format!("the upstream's answer is not JSON that can be used: {error}");
            Failure::upstream(error.code(), message)
        })?;
        if let Some(failure) = Failure::of_error_object(value.root()) {
            return Err(failure);
        }
        let list = match self {
            Self::Chat => "choices",
            Self::Responses => "output",
            Self::Messages => "content",
        };
        let found = value.root().get(list);
        let is_there = found.is_some_and(|found| match (self, found.kind()) {
            // A model may say nothing; but what was to be one of some choices is then one that says nothing.
            (Self::Chat, Kind::Array) => !found.is_empty(),
            // Some servers write one text in place of the blocks of a message.
            (Self::Messages, Kind::String) => true,
            (_, kind) => kind == Kind::Array,
        });
        if !is_there {
            return Err(Failure::lacks(list));
        }
        if self == Self::Chat && !chat::choice::is_whole(value.root()) {
            let message = "the upstream's answer is no chat completion that clients can read";
            return Err(Failure::upstream("bad_answer", message));
        }
        Ok(value)
    }

    /// What a whole answer says, as the model wrote it.
    pub(crate) fn written(self, value: &Value<'_>) -> Vec<Written> {
        match self {
            Self::Chat => chat::response::written(value),
            Self::Responses => vec![responses::response::written(value.root())],
            Self::Messages => vec![messages::response::written(value.root())],
        }
    }

    /// A whole answer as the events of a stream, if they can tell all of it.
    pub(crate) fn events(self, body: &str, value: &Value<'_>) -> Option<String> {
        match self {
            Self::Chat => None,
            Self::Responses => responses::events::events(body, value.root()),
            Self::Messages => Some(messages::events::events(body, value.root())),
        }
    }

    /// A whole answer with what was made of its parts.
    pub(crate) fn rewritten(self, answer: &Answer<'_>) -> String {
        let Answer { body, value, parts, ends, defaults, report } = answer;
        match self {
            Self::Chat => {
                chat::response::rewritten(body, value, parts, ends, defaults, *report).into_owned()
            }
            Self::Responses => {
                responses::response::rewritten(body, value.root(), parts, ends, *report)
            }
            Self::Messages => {
                messages::response::rewritten(body, value.root(), parts, ends, *report)
            }
        }
    }

    /// Where a part stands, in the words of the protocol.
    pub(crate) fn path(self, choice: u32, kind: &PlaceKind) -> String {
        match (self, kind) {
            (Self::Chat, PlaceKind::Content) => format!("choices[{choice}].message.content"),
            (Self::Chat, PlaceKind::Call { index, .. }) => {
                format!("choices[{choice}].message.tool_calls[{index}].function.arguments")
            }
            (Self::Responses, PlaceKind::Content) => "output_text".to_owned(),
            (Self::Responses, PlaceKind::Call { index, .. }) => {
                format!("function_call[{index}].arguments")
            }
            (Self::Messages, PlaceKind::Content) => "content".to_owned(),
            (Self::Messages, PlaceKind::Call { index, .. }) => format!("tool_use[{index}].input"),
        }
    }

    /// How its clients read errors.
    pub(crate) const fn errors(self) -> reply::Dialect {
        match self {
            Self::Chat | Self::Responses => reply::Dialect::OpenAi,
            Self::Messages => reply::Dialect::Anthropic,
        }
    }

    /// Where its servers look for a key.
    pub(crate) const fn key_style(self) -> KeyStyle {
        match self {
            Self::Chat | Self::Responses => KeyStyle::Bearer,
            Self::Messages => KeyStyle::ApiKey,
        }
    }

    /// How its streams are read.
    pub(crate) const fn dialect(self) -> Dialect {
        match self {
            Self::Chat => Dialect::OpenAiChat,
            Self::Responses => Dialect::OpenAiResponses,
            Self::Messages => Dialect::Anthropic,
        }
    }

    /// The event with which a stream fails after its head was sent.
    pub(crate) fn error_event(self, failure: &Failure) -> String {
        match self {
            Self::Chat => failure.event(),
            Self::Responses => responses::stream::error_event(failure),
            Self::Messages => format!("event: error\ndata: {}\n\n", failure.anthropic()),
        }
    }
}

/// A whole answer, and what was made of it.
pub(crate) struct Answer<'a> {
    pub(crate) body: &'a str,
    pub(crate) value: &'a Value<'a>,
    pub(crate) parts: &'a [Part],
    pub(crate) ends: &'a Ends,
    pub(crate) defaults: &'a Defaults,
    pub(crate) report: Option<&'a serde_json::Value>,
}
