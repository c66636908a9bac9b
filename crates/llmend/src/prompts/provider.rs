//! Notes on the models of each provider.

use serde::Serialize;

/// How the models of a provider respond to requests for JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProviderNote {
    /// The provider, as in `openai:gpt-4o`.
    pub provider: &'static str,
    /// The request parameters that make it write JSON, in the provider's words. `None` if there are
    /// none.
    pub json_mode: Option<&'static str>,
    /// What its models tend to do.
    pub tendency: &'static str,
    /// The line added to the instructions because of that, with the slot `first` for the first
    /// character of the JSON. Empty for none.
    pub line: &'static str,
}

/// The notes, one row a provider.
pub const PROVIDERS: &[ProviderNote] = &[
    ProviderNote {
        provider: "openai",
        json_mode: Some("response_format: json_schema, json_object"),
        tendency: "Code fences without the JSON mode; with json_object, white space without end \
                   unless the word JSON stands in the prompt.",
        line: "",
    },
    ProviderNote {
        provider: "openai-responses",
        json_mode: Some("text.format: json_schema, json_object"),
        tendency: "Like openai.",
        line: "",
    },
    ProviderNote {
        provider: "anthropic",
        json_mode: Some("output_config.format: json_schema (newer models, closed schemas)"),
        tendency: "A sentence before the object and remarks after it, mostly after a question.",
        line: "The first character of your answer is <<first>>.",
    },
    ProviderNote {
        provider: "gemini",
        json_mode: Some("generationConfig: responseMimeType application/json, responseJsonSchema"),
        tendency: "Code fences without JSON mode, and Markdown emphasis inside strings.",
        line: "Do not wrap the answer in a code fence.",
    },
    ProviderNote {
        provider: "ollama",
        json_mode: Some("format: json, or a schema"),
        tendency: "Small models: single quotes, Python literals, comments, cut-off answers.",
        line: "Use double quotes, and write true, false and null in small letters.",
    },
    ProviderNote {
        provider: "azure",
        json_mode: Some("response_format: json_schema, json_object"),
        tendency: "Like openai; a content filter of its own.",
        line: "",
    },
    ProviderNote {
        provider: "mistral",
        json_mode: Some("response_format: json_schema, json_object"),
        tendency: "Code fences without JSON mode.",
        line: "Do not wrap the answer in a code fence.",
    },
    ProviderNote {
        provider: "deepseek",
        json_mode: Some("response_format: json_object"),
        tendency: "In JSON mode sometimes nothing at all; code fences without it.",
        line: "",
    },
    ProviderNote {
        provider: "groq",
        json_mode: Some("response_format: json_schema (some models), json_object"),
        tendency: "Emphasis and arithmetic inside values; in JSON mode the server refuses an answer \
                   that is not valid, with the text in the error (json_validate_failed).",
        line: "",
    },
    ProviderNote {
        provider: "cerebras",
        json_mode: Some("response_format: json_schema, json_object"),
        tendency: "Like the open model behind it.",
        line: "",
    },
    ProviderNote {
        provider: "openrouter",
        json_mode: Some("response_format: json_schema, json_object (by model)"),
        tendency: "Like the model behind it; what the mode enforces depends on who runs it.",
        line: "",
    },
    ProviderNote {
        provider: "vllm",
        json_mode: Some("response_format: json_schema, json_object (guided decoding)"),
        tendency: "As the model that is behind it; a guided answer is cut off where the limit of \
                   tokens is low.",
        line: "",
    },
    ProviderNote {
        provider: "llamacpp",
        json_mode: Some("response_format: json_schema, json_object (a grammar)"),
        tendency: "Small models: single quotes, Python literals, endless repetition.",
        line: "Use double quotes, and write true, false and null in small letters.",
    },
    ProviderNote {
        provider: "lmstudio",
        json_mode: Some("response_format: json_schema"),
        tendency: "Like llamacpp.",
        line: "Use double quotes, and write true, false and null in small letters.",
    },
];

/// Returns the note on the provider of a model: the name up to the first `:` or `+`. `None` for an
/// unknown provider and for a record.
///
/// ```
/// let note = llmend::prompts::provider("anthropic:claude-sonnet-4-5").unwrap();
/// assert!(note.json_mode.is_some());
/// assert!(llmend::prompts::provider("replay:trip.jsonl").is_none());
/// ```
#[must_use]
pub fn provider(model: &str) -> Option<&'static ProviderNote> {
    let name = model.split([':', '+']).next()?;
    PROVIDERS.iter().find(|note| note.provider == name)
}
