//! Forms of the providers' answers.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod responses;

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::reply::Reply;

/// Form of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Chat completions.
    OpenAi,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// Ollama's `/api/chat`.
    Ollama,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 5] =
        [Self::OpenAi, Self::Responses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Returns the form of the provider with this path; chat completions for unknown paths.
    #[must_use]
    pub fn of_path(path: &str) -> Self {
        match path {
            _ if path.ends_with("/messages") => Self::Anthropic,
            _ if path.ends_with("/responses") => Self::Responses,
            _ if path.contains("enerateContent") => Self::Gemini,
            _ if path.ends_with("/api/chat") => Self::Ollama,
            _ => Self::OpenAi,
        }
    }

    /// Returns an error in this form.
    #[must_use]
    pub fn error(self, status: u16, message: &str) -> Reply {
        let body = match self {
            Self::OpenAi | Self::Responses => {
                json!({"error": {"message": message, "type": "error", "param": null, "code": null}})
            }
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": "api_error", "message": message}})
            }
            Self::Gemini => {
                json!({"error": {"code": status, "message": message, "status": "UNKNOWN"}})
            }
            Self::Ollama => json!({"error": message}),
        };
        Reply::json(status, body.to_string())
    }

    /// Returns the provider's stop reason.
    pub(crate) fn finish(self, answer: &Answer) -> Value {
        let words = match self {
            Self::OpenAi => ["stop", "tool_calls", "length"],
            Self::Responses => ["completed", "completed", "incomplete"],
            Self::Anthropic => ["end_turn", "tool_use", "max_tokens"],
            Self::Gemini => ["STOP", "STOP", "MAX_TOKENS"],
            Self::Ollama => ["stop", "stop", "length"],
        };
        match &answer.finish {
            Some(word) => json!(word),
            None if answer.is_function && !answer.is_cut_off && !answer.calls.is_empty() => {
                json!("function_call")
            }
            None if answer.is_cut_off => json!(words[2]),
            None if !answer.calls.is_empty() => json!(words[1]),
            None => json!(words[0]),
        }
    }

    pub(crate) fn whole(self, answer: &Answer) -> Reply {
        let finish = self.finish(answer);
        let body = match self {
            Self::OpenAi => openai::whole(answer, &finish),
            Self::Responses => responses::whole(answer, &finish),
            Self::Anthropic => anthropic::whole(answer, &finish),
            Self::Gemini => gemini::whole(answer, &answer.joined(), &finish),
            Self::Ollama => ollama::whole(answer, &answer.joined(), &finish),
        };
        Reply::json(200, body.to_string())
    }

    /// Returns a stream with a chunk for each piece, and one for the end.
    pub(crate) fn stream(self, answer: &Answer) -> Reply {
        let finish = self.finish(answer);
        match self {
            Self::OpenAi => openai::stream(answer, &finish),
            Self::Responses => responses::stream(answer, &finish),
            Self::Anthropic => anthropic::stream(answer, &finish),
            Self::Gemini => gemini::stream(answer, &finish),
            Self::Ollama => ollama::stream(answer, &finish),
        }
    }
}

/// Returns the arguments of a call as an object, which cannot hold invalid JSON.
fn object(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| json!({}))
}

/// Returns a stream of named events, which repeat their names in the data.
fn named(events: impl IntoIterator<Item = Value>) -> Reply {
    let mut reply = Reply::events("");
    for event in events {
        let name = event["type"].as_str().unwrap_or_default();
        reply = reply.text(format!("event: {name}\ndata: {event}\n\n"));
    }
    reply
}
