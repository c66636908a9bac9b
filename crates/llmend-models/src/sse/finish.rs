//! Reasons why an answer ended.

use serde::Serialize;

/// The reason why an answer ended, by OpenAI's `finish_reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The model finished, or reached a stop sequence. Gemini, Ollama and OpenAI's responses report
    /// tool calls so too.
    Stop,
    /// The token limit was reached: the answer is cut off.
    Length,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// A filter of the provider, or the model itself, refused to continue.
    ContentFilter,
    /// Any other reason, or none. The provider's own word says more.
    Other,
}

/// The words of the providers, in lower case. Unknown ones are [`FinishReason::Other`].
const WORDS: [(&str, FinishReason); 30] = [
    // OpenAI: chat completions, then responses.
    ("stop", FinishReason::Stop),
    ("length", FinishReason::Length),
    ("tool_calls", FinishReason::ToolCalls),
    ("function_call", FinishReason::ToolCalls),
    ("content_filter", FinishReason::ContentFilter),
    ("completed", FinishReason::Stop),
    ("max_output_tokens", FinishReason::Length),
    // Compatible servers: Mistral, text-generation-inference, and others.
    ("model_length", FinishReason::Length),
    ("eos", FinishReason::Stop),
    ("eos_token", FinishReason::Stop),
    ("stop_sequence", FinishReason::Stop),
    // Anthropic.
    ("end_turn", FinishReason::Stop),
    ("max_tokens", FinishReason::Length),
    ("model_context_window_exceeded", FinishReason::Length),
    ("tool_use", FinishReason::ToolCalls),
    ("refusal", FinishReason::ContentFilter),
    // Gemini: `FinishReason` and `BlockReason`. `STOP` and `MAX_TOKENS` are above.
    ("safety", FinishReason::ContentFilter),
    ("recitation", FinishReason::ContentFilter),
    ("language", FinishReason::ContentFilter),
    ("blocklist", FinishReason::ContentFilter),
    ("prohibited_content", FinishReason::ContentFilter),
    ("spii", FinishReason::ContentFilter),
    ("image_safety", FinishReason::ContentFilter),
    ("image_prohibited_content", FinishReason::ContentFilter),
    ("image_recitation", FinishReason::ContentFilter),
    ("model_armor", FinishReason::ContentFilter),
    // Known words that are none of these.
    ("pause_turn", FinishReason::Other),
    ("malformed_function_call", FinishReason::Other),
    ("error", FinishReason::Other),
    ("load", FinishReason::Other),
];

impl FinishReason {
    /// Returns the meaning of a provider's `word`.
    ///
    /// ```
    /// use llmend_models::sse::FinishReason;
    /// assert_eq!(FinishReason::from_word("MAX_TOKENS"), FinishReason::Length);
    /// assert_eq!(FinishReason::from_word("never heard of"), FinishReason::Other);
    /// ```
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        let known = WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
        known.map_or(Self::Other, |(_, reason)| *reason)
    }
}
