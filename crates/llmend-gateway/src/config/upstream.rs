//! Whom does the gateway ask, and with whose key?

use std::fmt;

use llmend_models::{SecretString, Url};
use serde::Deserialize;

/// A server that is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpstreamConfig {
    /// Where it is, up to and with `/v1`. A user, a query or a fragment in it is refused.
    pub base_url: String,
    /// The variable of the environment that holds its key. Without one, the key of whoever asks is
    /// passed on; where the gateway has keys of its own, which go nowhere, none is sent.
    #[serde(default)]
    pub api_key_env: Option<String>,
    /// Further paths below `/v1` that may be asked with the upstream's key, such as `/embeddings`. A `*`
    /// stands for any text. Without this, they are asked with the client's own key alone.
    #[serde(default)]
    pub passthrough: Vec<String>,
}

/// A server with its key.
#[derive(Clone)]
pub struct UpstreamSettings {
    /// What the configuration calls it.
    pub name: String,
    /// Where it is, with a slash at its end.
    pub base_url: Url,
    /// Its key.
    pub key: Option<SecretString>,
    /// Patterns of further paths that may be asked with that key.
    pub passthrough: Vec<String>,
}

impl fmt::Debug for UpstreamSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamSettings")
            .field("name", &self.name)
            .field("base_url", &self.base_url.as_str())
            .finish_non_exhaustive()
    }
}

/// Where an upstream is, or why that cannot be.
pub(crate) fn base_url(text: &str) -> Result<Url, String> {
    let mut url = Url::parse(text).map_err(|error| format!("`{text}` is no URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{text}` is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "a URL with a user in it is refused: name a variable in `api_key_env`".to_owned()
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("`{text}` has a query or a fragment"));
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
    fn a_base_url_ends_with_a_slash_and_holds_no_secret() {
        let rows = [
            ("http://127.0.0.1:8080/v1", Ok("http://127.0.0.1:8080/v1/")),
            ("https://api.example", Ok("https://api.example/")),
            ("https://api.example/v1/", Ok("https://api.example/v1/")),
            ("https://me:secret@api.example/v1", Err("user")),
            ("https://api.example/v1?key=secret", Err("query")),
            ("file:///etc/passwd", Err("neither http")),
            ("api.example", Err("no URL")),
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
