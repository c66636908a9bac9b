//! Upstream settings.

use std::fmt;

use llmend_models::{SecretString, Url};
use serde::Deserialize;

/// An upstream as configured.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpstreamConfig {
    /// Base URL, up to and including `/v1`. It must not contain a user, a query or a fragment.
    pub base_url: String,
    /// Environment variable that contains its API key. Without it the client's own key is forwarded, or none
    /// if the gateway has client keys, which are never forwarded.
    #[serde(default)]
    pub api_key_env: Option<String>,
    /// Additional paths below `/v1` that are forwarded with the upstream's key, such as `/embeddings`. `*`
    /// matches any text. Other paths are forwarded with the client's own key only.
    #[serde(default)]
    pub passthrough: Vec<String>,
}

/// A validated upstream with its key.
#[derive(Clone)]
pub(crate) struct UpstreamSettings {
    pub(crate) name: String,
    /// Base URL, which ends with a slash.
    pub(crate) base_url: Url,
    pub(crate) key: Option<SecretString>,
    /// Patterns of additional paths that are forwarded with that key.
    pub(crate) passthrough: Vec<String>,
}

impl fmt::Debug for UpstreamSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamSettings")
            .field("name", &self.name)
            .field("base_url", &self.base_url.as_str())
            .finish_non_exhaustive()
    }
}

/// Validates the base URL of an upstream and appends a slash. The error is a message.
pub(crate) fn base_url(text: &str) -> Result<Url, String> {
    let mut url = Url::parse(text).map_err(|error| format!("invalid URL `{text}`: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("expected an `http` or `https` URL, found `{text}`"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "the URL must not contain a user: name an environment variable in `api_key_env`"
                .to_owned(),
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("`{text}` must not contain a query or a fragment"));
    }
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::base_url;

    #[test]
    fn a_base_url_ends_with_a_slash_and_contains_no_secret() {
        let rows = [
            ("http://127.0.0.1:8080/v1", Ok("http://127.0.0.1:8080/v1/")),
            ("https://api.example", Ok("https://api.example/")),
            ("https://api.example/v1/", Ok("https://api.example/v1/")),
            ("https://me:secret@api.example/v1", Err("user")),
            ("https://api.example/v1?key=secret", Err("query")),
            ("file:///etc/passwd", Err("expected an `http`")),
            ("api.example", Err("invalid URL")),
        ];
        for (text, expected) in rows {
            match (base_url(text), expected) {
                (Ok(url), Ok(expected)) => assert_eq!(url.as_str(), expected),
                (Err(message), Err(part)) => assert!(message.contains(part), "{text}: {message}"),
                (result, _) => panic!("{text}: {result:?}"),
            }
        }
    }
}
