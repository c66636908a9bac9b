//! Which providers are known, where are they, and which keys are theirs?
//!
//! One provider's form a file: where a request goes, what it says, and in which header its key stands.
//! What comes back is read by [`sse`](crate::sse), whole answers and streams alike.

mod anthropic;
mod gemini;
mod ollama;
mod openai;

use std::borrow::Cow;

use llmend_model::{ChatRequest, Message, OutputMode, Role};
use reqwest::Url;
use reqwest::header::HeaderName;

use crate::learnt::Refused;
use crate::sse::Dialect;

/// A provider that can be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provider {
    /// Its name, as in `openai:gpt-4o`.
    pub name: &'static str,
    /// Where it is, unless another place is given. Without a slash at the end.
    pub base_url: &'static str,
    /// The variables of the environment that may hold its key, the one that counts first. Empty where it
    /// wants none.
    pub key_names: &'static [&'static str],
    pub(crate) form: Form,
}

/// Every provider that is known. Those on this machine are where they are by default.
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
    /// The provider of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        PROVIDERS.into_iter().find(|provider| provider.name == name)
    }
}

/// The form in which a provider is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
}

/// How an answer is to be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Whole,
    Stream,
}

/// What one request says, in nobody's form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'c> {
    pub(crate) model: &'c str,
    pub(crate) request: &'c ChatRequest,
    /// The messages of the request, with what has to stand in the prompt because of the mode.
    pub(crate) messages: &'c [Cow<'c, Message>],
    /// How structured output is asked for. `None` if it is not.
    pub(crate) mode: Option<OutputMode>,
    pub(crate) delivery: Delivery,
    pub(crate) refused: &'c Refused,
}

impl Form {
    /// The ways in which structured output can be asked for, the best first.
    pub(crate) const fn modes(self) -> &'static [OutputMode] {
        match self {
            Self::OpenAi | Self::Gemini => &OutputMode::BEST_FIRST,
            Self::Anthropic => &[OutputMode::ForcedTool, OutputMode::Prompt],
            // Ollama takes tools, and cannot be told to use one.
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

    /// Where a call goes. `None` if nothing can be added to the URL.
    pub(crate) fn url(self, base: &Url, call: &Call<'_>) -> Option<Url> {
        match self {
            Self::OpenAi => below(base, &["chat", "completions"]),
            Self::Anthropic => below(base, &["messages"]),
            Self::Gemini => gemini::url(base, call),
            Self::Ollama => below(base, &["api", "chat"]),
        }
    }

    /// The header for the key, and what stands before the key in it.
    pub(crate) fn key_header(self) -> (HeaderName, &'static str) {
        match self {
            Self::OpenAi | Self::Ollama => (reqwest::header::AUTHORIZATION, "Bearer "),
            Self::Anthropic => (HeaderName::from_static("x-api-key"), ""),
            // In a header, and not in the URL, which ends in the logs of others.
            Self::Gemini => (HeaderName::from_static("x-goog-api-key"), ""),
        }
    }

    /// Headers that every request has.
    pub(crate) const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Anthropic => &[("anthropic-version", anthropic::VERSION)],
            Self::OpenAi | Self::Gemini | Self::Ollama => &[],
        }
    }

    /// The body of a call. `Err` says why it cannot be written.
    pub(crate) fn body(self, call: &Call<'_>) -> Result<String, serde_json::Error> {
        match self {
            Self::OpenAi => openai::body(call),
            Self::Anthropic => anthropic::body(call),
            Self::Gemini => gemini::body(call),
            Self::Ollama => ollama::body(call),
        }
    }
}

/// A URL with further segments, which are escaped where they have to be.
fn below(base: &Url, segments: &[&str]) -> Option<Url> {
    let mut url = base.clone();
    url.path_segments_mut().ok()?.pop_if_empty().extend(segments);
    Some(url)
}

/// The text of all system messages, where a provider has a place of its own for it.
fn instructions(call: &Call<'_>) -> Option<String> {
    let texts: Vec<_> = call
        .messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(|message| message.content.as_str())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// The other messages, in order.
fn conversation<'c>(call: &Call<'c>) -> impl Iterator<Item = &'c Message> {
    call.messages.iter().map(Cow::as_ref).filter(|message| message.role != Role::System)
}
