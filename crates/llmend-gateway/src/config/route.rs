//! Which model is to be had where?

use serde::Deserialize;

use super::{Policy, PolicyConfig};

/// Where a model is to be had, and how its answers are treated.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteConfig {
    /// The model that a request names. A `*` stands for any text, also for none.
    pub model: String,
    /// The name of an upstream.
    pub upstream: String,
    /// How its answers are treated.
    #[serde(default)]
    pub policy: PolicyConfig,
}

/// A route with all that holds for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The pattern of the model's name.
    pub model: String,
    /// Which upstream, as an index into [`Settings::upstreams`](super::Settings).
    pub upstream: usize,
    /// How answers are treated.
    pub policy: Policy,
}

impl Route {
    /// Whether the route is for `model`.
    pub(crate) fn takes(&self, model: &str) -> bool {
        matches(&self.model, model)
    }
}

/// Whether `text` is what `pattern` describes, in which each `*` stands for any text. Linear in the
/// text for each star: the first place where the part behind a star fits is as good as any.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = text.get(at + part.len()..).unwrap_or_default();
    }
    text.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text() {
        let rows = [
            ("gpt-4", "gpt-4", true),
            ("gpt-4", "gpt-4o", false),
            ("gpt-*", "gpt-4o", true),
            ("gpt-*", "gpt-", true),
            ("gpt-*", "o3", false),
            ("*", "", true),
            ("*/llama*", "meta/llama-3", true),
            ("*/llama*", "llama-3", false),
            ("a*b*c", "abc", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*ab*ab", "ab", false),
            ("*ab*ab", "abab", true),
            ("", "", true),
            ("", "a", false),
        ];
        for (pattern, text, expected) in rows {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
