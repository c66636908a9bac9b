//! Providers, their servers and their request forms.
//!
//! One form a file: where a request goes, what it contains, and which header holds the key. Answers
//! are read by [`sse`](crate::sse), streamed or not.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod responses;

use std::borrow::Cow;

use llmend_model::{ChatRequest, Message, OutputMode, Role};
use reqwest::Url;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::client::PromptCache;
use crate::compatibility::Refused;
use crate::shape::RequestedShape;
use crate::sse::Dialect;
use crate::subset::{self, Subset};

/// A known provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provider {
    /// The name, as in `openai:gpt-4o`.
    pub name: &'static str,
    /// The default base URL, without a final slash. Empty if there is none.
    pub base_url: &'static str,
    /// The environment variable that holds the URL of the caller's own server at the provider.
    pub endpoint_name: Option<&'static str>,
    /// The environment variables that may hold the key, the one that takes precedence first. Empty
    /// if no key is needed.
    pub key_names: &'static [&'static str],
    pub(crate) form: Form,
    /// The schemas that the server enforces, all of objects. `None` if it takes any schema.
    pub(crate) subset: Option<&'static Subset>,
    /// The header for the key, and the prefix of its value.
    pub(crate) key_header: (&'static str, &'static str),
}

/// The path below the server of [`Provider::endpoint_name`], if its URL has none.
pub(crate) const ENDPOINT_PATH: &str = "openai/v1";

const BEARER: (&str, &str) = ("authorization", "Bearer ");

/// Every known provider. Local servers have their default addresses.
pub const PROVIDERS: [Provider; 14] = [
    Provider {
        name: "openai",
        base_url: "https://api.openai.com/v1",
        endpoint_name: None,
        key_names: &["OPENAI_API_KEY"],
        form: Form::OpenAi,
        subset: Some(&subset::OPENAI),
        key_header: BEARER,
    },
    Provider {
        name: "openai-responses",
        base_url: "https://api.openai.com/v1",
        endpoint_name: None,
        key_names: &["OPENAI_API_KEY"],
        form: Form::Responses,
        subset: Some(&subset::OPENAI),
        key_header: BEARER,
    },
    Provider {
        name: "anthropic",
        base_url: "https://api.anthropic.com/v1",
        endpoint_name: None,
        key_names: &["ANTHROPIC_API_KEY"],
        form: Form::Anthropic,
        subset: Some(&subset::ANTHROPIC),
        key_header: ("x-api-key", ""),
    },
    Provider {
        name: "gemini",
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        endpoint_name: None,
        key_names: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        form: Form::Gemini,
        subset: None,
        // A header and not the URL, which others log.
        key_header: ("x-goog-api-key", ""),
    },
    Provider {
        name: "ollama",
        base_url: "http://127.0.0.1:11434",
        endpoint_name: None,
        key_names: &[],
        form: Form::Ollama,
        subset: None,
        key_header: BEARER,
    },
    Provider {
        name: "azure",
        base_url: "",
        endpoint_name: Some("AZURE_OPENAI_ENDPOINT"),
        key_names: &["AZURE_OPENAI_API_KEY"],
        form: Form::OpenAi,
        subset: Some(&subset::OPENAI),
        key_header: ("api-key", ""),
    },
    Provider {
        name: "mistral",
        base_url: "https://api.mistral.ai/v1",
        endpoint_name: None,
        key_names: &["MISTRAL_API_KEY"],
        form: Form::OpenAi,
        subset: Some(&subset::OPENAI),
        key_header: BEARER,
    },
    Provider {
        name: "deepseek",
        base_url: "https://api.deepseek.com/v1",
        endpoint_name: None,
        key_names: &["DEEPSEEK_API_KEY"],
        form: Form::OpenAi,
        subset: Some(&subset::OPENAI),
        key_header: BEARER,
    },
    Provider {
        name: "groq",
        base_url: "https://api.groq.com/openai/v1",
        endpoint_name: None,
        key_names: &["GROQ_API_KEY"],
        form: Form::OpenAi,
        subset: Some(&subset::OPENAI),
        key_header: BEARER,
    },
    Provider {
        name: "cerebras",
        base_url: "https://api.cerebras.ai/v1",
        endpoint_name: None,
        key_names: &["CEREBRAS_API_KEY"],
        form: Form::OpenAi,
        subset: Some(&subset::CEREBRAS),
        key_header: BEARER,
    },
    Provider {
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        endpoint_name: None,
        key_names: &["OPENROUTER_API_KEY"],
        form: Form::OpenAi,
        subset: Some(&subset::OPENAI),
        key_header: BEARER,
    },
    Provider {
        name: "vllm",
        base_url: "http://127.0.0.1:8000/v1",
        endpoint_name: None,
        key_names: &[],
        form: Form::OpenAi,
        subset: None,
        key_header: BEARER,
    },
    Provider {
        name: "llamacpp",
        base_url: "http://127.0.0.1:8080/v1",
        endpoint_name: None,
        key_names: &[],
        form: Form::OpenAi,
        subset: None,
        key_header: BEARER,
    },
    Provider {
        name: "lmstudio",
        base_url: "http://127.0.0.1:1234/v1",
        endpoint_name: None,
        key_names: &[],
        form: Form::OpenAi,
        subset: None,
        key_header: BEARER,
    },
];

impl Provider {
    /// Returns whether the key is sent in this header.
    #[must_use]
    pub fn sends_key_in(&self, header: &str) -> bool {
        self.key_header.0.eq_ignore_ascii_case(header)
    }

    /// Returns the provider of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        PROVIDERS.into_iter().find(|provider| provider.name == name)
    }

    /// Returns whether the provider accepts this schema in a mode. Another mode is used if not.
    pub(crate) fn takes(&self, mode: OutputMode, shape: &RequestedShape<'_>) -> bool {
        match (self.form, mode, self.subset) {
            // All others take a schema that they do not enforce, too.
            (Form::Anthropic, OutputMode::JsonSchema, Some(subset)) => {
                subset.enforceable(shape.schema()).is_some()
            }
            _ => true,
        }
    }
}

/// The request form of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    OpenAi,
    Responses,
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
    /// The requested shape, wrapped in an object if the server requires one.
    pub(crate) shape: &'c RequestedShape<'c>,
    /// The schemas that the server enforces.
    pub(crate) subset: Option<&'static Subset>,
    pub(crate) prompt_cache: PromptCache,
    /// The length of the context that a local server is to provide.
    pub(crate) context_tokens: Option<u32>,
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
            Self::OpenAi | Self::Responses | Self::Gemini => &OutputMode::BEST_FIRST,
            Self::Anthropic => {
                &[OutputMode::JsonSchema, OutputMode::ForcedTool, OutputMode::Prompt]
            }
            // Ollama supports tools, but cannot be forced to call one.
            Self::Ollama => &[OutputMode::JsonSchema, OutputMode::JsonObject, OutputMode::Prompt],
        }
    }

    pub(crate) const fn dialect(self) -> Dialect {
        match self {
            Self::OpenAi => Dialect::OpenAiChat,
            Self::Responses => Dialect::OpenAiResponses,
            Self::Anthropic => Dialect::Anthropic,
            Self::Gemini => Dialect::Gemini,
            Self::Ollama => Dialect::Ollama,
        }
    }

    /// Returns the URL of a call. `None` if the base URL cannot be extended.
    pub(crate) fn url(self, base: &Url, call: &Call<'_>) -> Option<Url> {
        match self {
            Self::OpenAi => below(base, &["chat", "completions"]),
            Self::Responses => below(base, &["responses"]),
            Self::Anthropic => below(base, &["messages"]),
            Self::Gemini => gemini::url(base, call),
            Self::Ollama => below(base, &["api", "chat"]),
        }
    }

    /// Returns the headers of every request.
    pub(crate) const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Anthropic => &[("anthropic-version", anthropic::VERSION)],
            _ => &[],
        }
    }

    /// Writes the body of a call.
    pub(crate) fn body(self, call: &Call<'_>) -> Result<String, serde_json::Error> {
        match self {
            Self::OpenAi => openai::body(call),
            Self::Responses => responses::body(call),
            Self::Anthropic => anthropic::body(call),
            Self::Gemini => gemini::body(call),
            Self::Ollama => ollama::body(call),
        }
    }
}

/// Returns the schema as the server enforces it, or else as it is, and whether it is enforced.
fn schema<'c>(call: &Call<'c>) -> (Cow<'c, RawValue>, bool) {
    let asked = call.shape.schema();
    match call.subset.map(|subset| subset.enforceable(asked)) {
        None => (Cow::Borrowed(asked), true),
        Some(Some(schema)) => (Cow::Owned(schema), true),
        Some(None) => (Cow::Borrowed(asked), false),
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

/// A message as providers take it.
#[derive(Serialize)]
struct Turn<'c> {
    role: Role,
    content: &'c str,
}

impl<'c> From<&'c Message> for Turn<'c> {
    fn from(message: &'c Message) -> Self {
        Self { role: message.role, content: &message.content }
    }
}

/// Returns the other messages, in order.
fn conversation<'c>(call: &Call<'c>) -> impl Iterator<Item = &'c Message> {
    call.messages.iter().map(Cow::as_ref).filter(|message| message.role != Role::System)
}
