//! Providers, their servers and their request forms.
//!
//! One form a file: where a request goes, what it contains, and which header holds the key. Answers
//! are read by [`sse`](crate::sse), streamed or not.

mod anthropic;
mod gemini;
mod ollama;
mod openai;

use std::borrow::Cow;

use llmend_model::{ChatRequest, Message, OutputMode, Role};
use reqwest::Url;
use reqwest::header::HeaderName;

use crate::compatibility::Refused;
use crate::sse::Dialect;

/// A known provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provider {
    /// The name, as in `openai:gpt-4o`.
    pub name: &'static str,
    /// The default base URL, without a final slash.
    pub base_url: &'static str,
    /// The environment variables that may hold the key, the one that takes precedence first. Empty
    /// if no key is needed.
    pub key_names: &'static [&'static str],
    pub(crate) form: Form,
}

/// Every known provider. Local servers have their default addresses.
pub const PROVIDERS: [Provider; 10] = [
    Provider {
        name: "openai",
        base_url: "https://api.openai.com/v1",
        key_names: &["OPENAI_API_KEY"],
        form: Form::OpenAi,
    },
    Provider {
        name: "anthropic",
        base_url: "https://api.anthropic.com/v1",
        key_names: &["ANTHROPIC_API_KEY"],
        form: Form::Anthropic,
    },
    Provider {
        name: "gemini",
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        key_names: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        form: Form::Gemini,
    },
    Provider {
        name: "ollama",
        base_url: "http://127.0.0.1:11434",
        key_names: &[],
        form: Form::Ollama,
    },
    Provider {
        name: "groq",
        base_url: "https://api.groq.com/openai/v1",
        key_names: &["GROQ_API_KEY"],
        form: Form::OpenAi,
    },
    Provider {
        name: "cerebras",
        base_url: "https://api.cerebras.ai/v1",
        key_names: &["CEREBRAS_API_KEY"],
        form: Form::OpenAi,
    },
    Provider {
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        key_names: &["OPENROUTER_API_KEY"],
        form: Form::OpenAi,
    },
    Provider {
        name: "vllm",
        base_url: "http://127.0.0.1:8000/v1",
        key_names: &[],
        form: Form::OpenAi,
    },
    Provider {
        name: "llamacpp",
        base_url: "http://127.0.0.1:8080/v1",
        key_names: &[],
        form: Form::OpenAi,
    },
    Provider {
        name: "lmstudio",
        base_url: "http://127.0.0.1:1234/v1",
        key_names: &[],
        form: Form::OpenAi,
    },
];

impl Provider {
    /// Returns the provider of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        PROVIDERS.into_iter().find(|provider| provider.name == name)
    }
}

/// The request form of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
}

/// How an answer is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Whole,
    Stream,
}

/// The contents of a request, independent of the form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'c> {
    pub(crate) model: &'c str,
    pub(crate) request: &'c ChatRequest,
    /// The messages of the request, with what the mode requires in the prompt.
    pub(crate) messages: &'c [Cow<'c, Message>],
    /// The output mode. `None` if no structured output is requested.
    pub(crate) mode: Option<OutputMode>,
    pub(crate) delivery: Delivery,
    pub(crate) refused: &'c Refused,
    /// The token limit of the answer.
    pub(crate) output_tokens: Option<u32>,
}

impl Form {
    /// Returns the token limit of the answer, as far as the server is known to accept it. Anthropic
    /// requires one.
    pub(crate) fn output_tokens(self, request: &ChatRequest, refused: &Refused) -> Option<u32> {
        let required = (self == Self::Anthropic).then_some(anthropic::DEFAULT_MAX_TOKENS);
        refused.output_tokens(request.max_output_tokens.or(required))
    }

    /// Returns the output modes of the form, best first.
    pub(crate) const fn modes(self) -> &'static [OutputMode] {
        match self {
            Self::OpenAi | Self::Gemini => &OutputMode::BEST_FIRST,
            Self::Anthropic => &[OutputMode::ForcedTool, OutputMode::Prompt],
            // Ollama supports tools, but cannot be forced to call one.
            Self::Ollama => &[OutputMode::JsonSchema, OutputMode::JsonObject, OutputMode::Prompt],
        }
    }

    pub(crate) const fn dialect(self) -> Dialect {
        match self {
            Self::OpenAi => Dialect::OpenAiChat,
            Self::Anthropic => Dialect::Anthropic,
            Self::Gemini => Dialect::Gemini,
            Self::Ollama => Dialect::Ollama,
        }
    }

    /// Returns the URL of a call. `None` if the base URL cannot be extended.
    pub(crate) fn url(self, base: &Url, call: &Call<'_>) -> Option<Url> {
        match self {
            Self::OpenAi => below(base, &["chat", "completions"]),
            Self::Anthropic => below(base, &["messages"]),
            Self::Gemini => gemini::url(base, call),
            Self::Ollama => below(base, &["api", "chat"]),
        }
    }

    /// Returns the header for the key, and the prefix of its value.
    pub(crate) fn key_header(self) -> (HeaderName, &'static str) {
        match self {
            Self::OpenAi | Self::Ollama => (reqwest::header::AUTHORIZATION, "Bearer "),
            Self::Anthropic => (HeaderName::from_static("x-api-key"), ""),
            // A header and not the URL, which others log.
            Self::Gemini => (HeaderName::from_static("x-goog-api-key"), ""),
        }
    }

    /// Returns the headers of every request.
    pub(crate) const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Anthropic => &[("anthropic-version", anthropic::VERSION)],
            Self::OpenAi | Self::Gemini | Self::Ollama => &[],
        }
    }

    /// Writes the body of a call.
    pub(crate) fn body(self, call: &Call<'_>) -> Result<String, serde_json::Error> {
        match self {
            Self::OpenAi => openai::body(call),
            Self::Anthropic => anthropic::body(call),
            Self::Gemini => gemini::body(call),
            Self::Ollama => ollama::body(call),
        }
    }
}

/// Appends segments to a URL, escaped as needed.
fn below(base: &Url, segments: &[&str]) -> Option<Url> {
    let mut url = base.clone();
    url.path_segments_mut().ok()?.pop_if_empty().extend(segments);
    Some(url)
}

/// Returns the text of all system messages, for a provider with a separate field for it.
fn instructions(call: &Call<'_>) -> Option<String> {
    let texts: Vec<_> = call
        .messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(|message| message.content.as_str())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Returns the other messages, in order.
fn conversation<'c>(call: &Call<'c>) -> impl Iterator<Item = &'c Message> {
    call.messages.iter().map(Cow::as_ref).filter(|message| message.role != Role::System)
}
