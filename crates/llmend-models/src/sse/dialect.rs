//! Stream dialects of providers.

mod anthropic;
mod chat;
mod gemini;
mod lenient;
mod ollama;
mod responses;

use serde::Serialize;

use super::collector::Collector;
use super::reader::SseEvent;

/// The form in which a provider streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Dialect {
    /// Chat completions of OpenAI and compatible servers: Groq, Cerebras, OpenRouter, `vLLM`,
    /// llama.cpp, LM Studio, Azure, Mistral, `DeepSeek`.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// OpenAI's responses.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `streamGenerateContent`, as server-sent events or as an array.
    Gemini,
    /// Ollama's own `/api/chat` and `/api/generate`.
    Ollama,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 5] =
        [Self::OpenAiChat, Self::OpenAiResponses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Returns the name used in settings and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Reads one event. `Err` says why it is malformed.
    pub(crate) fn read(self, event: &SseEvent, out: &mut Collector) -> Result<Seen, String> {
        match event.data.trim() {
            "" => return Ok(Seen::Known),
            "[DONE]" => {
                out.end();
                return Ok(Seen::Known);
            }
            _ => {}
        }
        // Servers of every dialect use this event name for errors, some with plain text.
        if event.event == "error" {
            out.error(lenient::provider_error(&event.data));
            return Ok(Seen::Known);
        }
        match self {
            Self::OpenAiChat => chat::read(&event.data, out),
            Self::OpenAiResponses => responses::read(event, out),
            Self::Anthropic => anthropic::read(event, out),
            Self::Gemini => gemini::read(&event.data, out),
            Self::Ollama => ollama::read(&event.data, out),
        }
    }
}

/// Whether the dialect knows an event, even one without anything of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Known,
    Unknown,
}
