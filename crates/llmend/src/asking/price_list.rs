//! List prices of common models.

use super::Price;

/// The month of the prices.
pub const PRICE_LIST_DATE: &str = "2025-11";

/// Beginnings of the names of models at their providers, and the prices of a million input and output
/// tokens in thousandths of a US dollar, without discounts. The longest beginning counts.
const PRICES: &[(&str, &str, u64, u64)] = &[
    ("openai", "gpt-4o", 2_500, 10_000),
    ("openai", "gpt-4o-mini", 150, 600),
    ("openai", "gpt-4.1", 2_000, 8_000),
    ("openai", "gpt-4.1-mini", 400, 1_600),
    ("openai", "gpt-4.1-nano", 100, 400),
    ("openai", "gpt-5", 1_250, 10_000),
    ("openai", "gpt-5-mini", 250, 2_000),
    ("openai", "gpt-5-nano", 50, 400),
    ("openai", "o3", 2_000, 8_000),
    ("openai", "o3-mini", 1_100, 4_400),
    ("openai", "o4-mini", 1_100, 4_400),
    ("anthropic", "claude-3-5-haiku", 800, 4_000),
    ("anthropic", "claude-haiku-4-5", 1_000, 5_000),
    ("anthropic", "claude-3-7-sonnet", 3_000, 15_000),
    ("anthropic", "claude-sonnet-4", 3_000, 15_000),
    ("anthropic", "claude-opus-4", 15_000, 75_000),
    ("anthropic", "claude-opus-4-5", 5_000, 25_000),
    ("gemini", "gemini-2.0-flash", 100, 400),
    ("gemini", "gemini-2.5-flash", 300, 2_500),
    ("gemini", "gemini-2.5-flash-lite", 100, 400),
    ("gemini", "gemini-2.5-pro", 1_250, 10_000),
];

impl Price {
    /// Returns the list price of a model at its own provider, as of [`PRICE_LIST_DATE`], in US
    /// dollars. `None` if it is not in the list: a name with another ending than a date or `latest`
    /// may be another model.
    ///
    /// ```
    /// use llmend::asking::Price;
    ///
    /// let price = Price::listed("openai", "gpt-4o-mini-2024-07-18").unwrap();
    /// assert_eq!((price.input, price.output), (150_000, 600_000));
    /// assert_eq!(Price::listed("openai", "gpt-4o-realtime"), None);
    /// assert_eq!(Price::listed("ollama", "gpt-4o"), None);
    /// ```
    #[must_use]
    pub fn listed(provider: &str, model: &str) -> Option<Self> {
        let is_same = |name: &str| {
            let rest = model.strip_prefix(name)?;
            let is_date = rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            let is_version = (rest.is_empty() || rest.starts_with('-')) && is_date;
            (is_version || rest == "-latest").then_some(name.len())
        };
        let rows = PRICES.iter().filter(|(own, ..)| *own == provider);
        let rows = rows.filter_map(|(_, name, input, output)| {
            Some((is_same(name)?, Self { input: input * 1_000, output: output * 1_000 }))
        });
        rows.max_by_key(|(length, _)| *length).map(|(_, price)| price)
    }
}

#[cfg(test)]
mod tests {
    use super::{PRICES, Price};

    #[test]
    fn the_longest_name_counts() {
        let input = |provider, model| Price::listed(provider, model).map(|price| price.input);
        for (provider, model, expected) in [
            ("openai", "gpt-5", Some(1_250_000)),
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
        assert!(PRICES.iter().all(|(.., input, output)| input < output));
    }
}
