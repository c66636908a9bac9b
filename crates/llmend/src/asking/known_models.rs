//! List prices and token limits of common models.

use super::Price;

/// The month of the prices and limits.
pub const KNOWN_MODELS_DATE: &str = "2025-11";

/// A model in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownModel {
    /// The provider, as in `openai:gpt-4o`.
    pub provider: &'static str,
    /// The name, or its beginning before a date.
    pub name: &'static str,
    /// The list price in US dollars, without discounts.
    pub price: Price,
    /// The most output tokens of one answer.
    pub output_limit: u32,
}

/// Generates the rows: provider, name, the prices of a million input and output tokens in
/// thousandths of a dollar, and the limit of output tokens.
macro_rules! models {
    ($($provider:literal $name:literal $input:literal $output:literal $limit:literal;)*) => {
        /// The known models. The longest beginning of a name counts.
        pub const KNOWN_MODELS: &[KnownModel] = &[$(KnownModel {
            provider: $provider,
            name: $name,
            price: Price { input: $input * 1_000, output: $output * 1_000 },
            output_limit: $limit,
        }),*];
    };
}

models! {
    "openai" "gpt-4o" 2_500 10_000 16_384;
    "openai" "gpt-4o-mini" 150 600 16_384;
    "openai" "gpt-4.1" 2_000 8_000 32_768;
    "openai" "gpt-4.1-mini" 400 1_600 32_768;
    "openai" "gpt-4.1-nano" 100 400 32_768;
    "openai" "gpt-5" 1_250 10_000 128_000;
    "openai" "gpt-5-mini" 250 2_000 128_000;
    "openai" "gpt-5-nano" 50 400 128_000;
    "openai" "o3" 2_000 8_000 100_000;
    "openai" "o3-mini" 1_100 4_400 100_000;
    "openai" "o4-mini" 1_100 4_400 100_000;
    "anthropic" "claude-3-5-haiku" 800 4_000 8_192;
    "anthropic" "claude-haiku-4-5" 1_000 5_000 64_000;
    "anthropic" "claude-3-7-sonnet" 3_000 15_000 64_000;
    "anthropic" "claude-sonnet-4" 3_000 15_000 64_000;
    "anthropic" "claude-opus-4" 15_000 75_000 32_000;
    "anthropic" "claude-opus-4-5" 5_000 25_000 64_000;
    "gemini" "gemini-2.0-flash" 100 400 8_192;
    "gemini" "gemini-2.5-flash" 300 2_500 65_536;
    "gemini" "gemini-2.5-flash-lite" 100 400 65_536;
    "gemini" "gemini-2.5-pro" 1_250 10_000 65_536;
}

impl KnownModel {
    /// Returns the model of this name at its own provider, as of [`KNOWN_MODELS_DATE`]. `None` if it
    /// is not in the list: a name with another ending than a date or `latest` may be another model.
    ///
    /// ```
    /// use llmend::asking::KnownModel;
    ///
    /// let model = KnownModel::named("openai", "gpt-4o-mini-2024-07-18").unwrap();
    /// assert_eq!((model.price.input, model.price.output), (150_000, 600_000));
    /// assert_eq!(model.output_limit, 16_384);
    /// assert_eq!(KnownModel::named("openai", "gpt-4o-realtime"), None);
    /// assert_eq!(KnownModel::named("ollama", "gpt-4o"), None);
    /// ```
    #[must_use]
    pub fn named(provider: &str, model: &str) -> Option<Self> {
        // The same models, in another form of request.
        let provider = provider.strip_suffix("-responses").unwrap_or(provider);
        let is_same = |known: &&Self| {
            let Some(rest) = model.strip_prefix(known.name) else { return false };
            let is_date = rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            let is_version = (rest.is_empty() || rest.starts_with('-')) && is_date;
            known.provider == provider && (is_version || rest == "-latest")
        };
        let found = KNOWN_MODELS.iter().filter(is_same);
        found.max_by_key(|known| known.name.len()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN_MODELS, KnownModel};

    #[test]
    fn the_longest_name_counts() {
        let input =
            |provider, model| KnownModel::named(provider, model).map(|known| known.price.input);
        for (provider, model, expected) in [
            ("openai", "gpt-5", Some(1_250_000)),
            ("openai-responses", "gpt-5", Some(1_250_000)),
            ("openai", "gpt-5-2025-08-07", Some(1_250_000)),
            ("openai", "gpt-5-nano", Some(50_000)),
            ("openai", "gpt-50", None),
            ("anthropic", "claude-sonnet-4-5", Some(3_000_000)),
            ("anthropic", "claude-opus-4-1-20250805", Some(15_000_000)),
            ("anthropic", "claude-opus-4-5", Some(5_000_000)),
            ("anthropic", "claude-3-5-haiku-latest", Some(800_000)),
            ("gemini", "gemini-2.5-flash-image", None),
            ("openai", "", None),
        ] {
            assert_eq!(input(provider, model), expected, "{provider} {model}");
        }
        for known in KNOWN_MODELS {
            assert!(known.price.input < known.price.output && known.output_limit > 1_000);
        }
    }
}
