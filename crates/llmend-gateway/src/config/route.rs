//! Routes from models to upstreams.

use serde::Deserialize;

use super::path::inspected_path;
use super::{Policy, PolicyConfig};

/// A route as configured.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteConfig {
    /// Pattern of the model's name. `*` matches any text, including none.
    #[serde(default = "any")]
    pub model: String,
    /// Pattern of a path that servers have besides the usual ones, with `protocol`. What `*` stands for is the
    /// model of requests that name none.
    #[serde(default)]
    pub path: Option<String>,
    /// The protocol of requests to that path.
    #[serde(default)]
    pub protocol: Option<PathProtocol>,
    /// Name of an upstream.
    pub upstream: String,
    /// Overrides of the gateway's policy.
    #[serde(default)]
    pub policy: PolicyConfig,
}

fn any() -> String {
    "*".to_owned()
}

/// The protocol of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathProtocol {
    /// That of `/v1/chat/completions`.
    Chat,
    /// That of `/v1/responses`.
    Responses,
    /// That of `/v1/messages`.
    Messages,
}

/// A validated route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// Pattern of the model's name.
    pub(crate) model: String,
    /// Pattern of its path, and the protocol, if it is not for the usual paths.
    pub(crate) path: Option<(String, PathProtocol)>,
    /// Index into the upstreams of the settings.
    pub(crate) upstream: usize,
    pub(crate) policy: Policy,
}

impl Route {
    /// Whether the route is for `model`.
    pub(crate) fn matches(&self, model: &str) -> bool {
        self.path.is_none() && matches(&self.model, model)
    }

    /// Returns the protocol of a path, and the part of the path that stands for the model.
    pub(crate) fn mapped<'p>(&self, path: &'p str) -> Option<(PathProtocol, &'p str)> {
        let (pattern, protocol) = self.path.as_ref()?;
        let (head, tail) = pattern.split_once('*').unwrap_or((pattern, ""));
        let model = path.strip_prefix(head)?.strip_suffix(tail)?;
        let is_segment = !model.contains('/') && model.is_empty() != pattern.contains('*');
        (is_segment && matches(&self.model, model)).then_some((*protocol, model))
    }

    /// Whether a path without capitals may be taken for its own, whatever the model in it is.
    pub(crate) fn is_at(&self, path: &str) -> bool {
        self.path.as_ref().is_some_and(|(pattern, _)| matches(&pattern.to_lowercase(), path))
    }
}

/// Returns the pattern of a path below `/v1`, or why no request would match it.
pub(crate) fn path_pattern(path: &str) -> Result<String, &'static str> {
    let path = path.trim_end_matches('/');
    let below = path.strip_prefix("/v1").filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let below = below.unwrap_or(path);
    match () {
        () if !below.starts_with('/') => Err("expected a path that begins with `/`"),
        () if below.matches('*').count() > 1 => Err("expected at most one `*` in the path"),
        () if below.contains("//") => Err("expected a path without `//`"),
        () if inspected_path(below).is_some() => {
            Err("the protocol of this path is known: leave out `path` and `protocol`")
        }
        () => Ok(below.to_owned()),
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
    use super::{PathProtocol, Route, matches, path_pattern};
    use crate::config::Policy;

    #[test]
    fn a_path_may_name_the_model() {
        let route = |model: &str| Route {
            model: model.to_owned(),
            path: Some(("/openai/deployments/*/chat/completions".to_owned(), PathProtocol::Chat)),
            upstream: 0,
            policy: Policy::default(),
        };
        let path = "/openai/deployments/m-1/chat/completions";
        assert_eq!(route("*").mapped(path), Some((PathProtocol::Chat, "m-1")));
        assert_eq!(route("m-*").mapped(path), Some((PathProtocol::Chat, "m-1")));
        assert_eq!(route("n").mapped(path), None);
        assert_eq!(route("*").mapped("/openai/deployments/m/n/chat/completions"), None);
        assert_eq!(route("*").mapped("/openai/deployments/m/embeddings"), None);
        assert_eq!(route("*").mapped("/openai/deployments//chat/completions"), None);
        assert!(route("m-*").is_at("/openai/deployments/x/chat/completions"));
        assert!(!route("*").is_at("/openai/deployments/x/embeddings"));
        // It is for no other path.
        assert!(!route("*").matches("m-1"));
    }

    #[test]
    fn a_pattern_that_no_request_matches_is_refused() {
        for (path, expected) in [
            (
                "/openai/deployments/*/chat/completions",
                Ok("/openai/deployments/*/chat/completions"),
            ),
            ("/v1/openai/*/chat", Ok("/openai/*/chat")),
            ("/v1/x/", Ok("/x")),
            ("/v1x/*", Ok("/v1x/*")),
            ("openai/*", Err("begins with `/`")),
            ("/v1", Err("begins with `/`")),
            ("", Err("begins with `/`")),
            ("/openai/*/*/chat", Err("at most one `*`")),
            ("/openai//chat", Err("without `//`")),
            ("/v1/chat/completions", Err("leave out `path`")),
            ("/messages/", Err("leave out `path`")),
        ] {
            let found = path_pattern(path);
            match (&found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{path}"),
                (Err(why), Err(part)) => assert!(why.contains(part), "{path}: {why}"),
                _ => panic!("{path}: {found:?}"),
            }
        }
    }

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
