//! Routes from models to upstreams.

use serde::Deserialize;

use super::{Policy, PolicyConfig};

/// A route as configured.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteConfig {
    /// Pattern of the model's name. `*` matches any text, including none.
    pub model: String,
    /// Name of an upstream.
    pub upstream: String,
    /// Overrides of the gateway's policy.
    #[serde(default)]
    pub policy: PolicyConfig,
}

/// A validated route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// Pattern of the model's name.
    pub(crate) model: String,
    /// Index into the upstreams of the settings.
    pub(crate) upstream: usize,
    pub(crate) policy: Policy,
}

impl Route {
    /// Whether the route is for `model`.
    pub(crate) fn matches(&self, model: &str) -> bool {
        matches(&self.model, model)
    }
}

/// Whether `text` matches `pattern`, in which each `*` matches any text. Linear in the text for each star,
/// because the first occurrence of the part after a star is as good as any other.
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
    fn a_star_matches_any_text() {
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
