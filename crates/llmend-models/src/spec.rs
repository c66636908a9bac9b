//! Names of models, such as `openai:gpt-4o`.
//!
//! | text | model |
//! |---|---|
//! | `openai:gpt-4o` | a model of a provider ([`PROVIDERS`]), on its own server |
//! | `ollama:llama3:8b` | the model's name is everything after the first colon |
//! | `openai+http://127.0.0.1:8080/v1:name` | the provider's form, on another server |
//! | `replay:trip.jsonl` | a record |
//!
//! After a URL, the name starts behind the first colon that is not part of the host and its port.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use reqwest::Url;

use crate::provider::{PROVIDERS, Provider};

/// The provider of recorded models.
const REPLAY: &str = "replay";

/// A parsed model name, which [`open`](crate::open()) opens.
///
/// ```
/// use llmend_models::ModelSpec;
///
/// let spec: ModelSpec = "openai+http://127.0.0.1:8080/v1:qwen3:8b".parse()?;
/// let ModelSpec::Remote { provider, model, .. } = &spec else { unreachable!() };
/// assert_eq!((provider.name, model.as_str()), ("openai", "qwen3:8b"));
/// assert_eq!(spec.to_string(), "openai+http://127.0.0.1:8080/v1:qwen3:8b");
///
/// let error = "opnai:gpt-4o".parse::<ModelSpec>().unwrap_err();
/// assert!(error.to_string().contains("did you mean openai?"));
/// # Ok::<(), llmend_models::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelSpec {
    /// A model behind a server.
    Remote {
        /// The provider whose form is used.
        provider: Provider,
        /// The server, if not the provider's own: `http` or `https`, with a host, and without user,
        /// query or fragment.
        base_url: Option<Url>,
        /// The name of the model, never empty.
        model: String,
    },
    /// A record of exchanges with a model.
    Replay {
        /// The file.
        file: PathBuf,
    },
}

/// The reason why a text does not name a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The provider is missing.
    #[error("missing provider in {text:?}: write {}", example(.text))]
    NoProvider {
        /// The text.
        text: String,
    },
    /// The provider is unknown.
    #[error("unknown provider {name:?}; {}", suggestion(.nearest.as_deref()))]
    UnknownProvider {
        /// The name.
        name: String,
        /// The known provider that was probably meant.
        nearest: Option<String>,
    },
    /// The name of the model or the file is missing.
    #[error("{provider}: {} is missing: write {provider}:NAME", if .provider == REPLAY { "the file" } else { "the model" })]
    NoModel {
        /// The provider.
        provider: String,
    },
    /// The URL cannot be used.
    #[error("the URL {url:?} {problem}")]
    BadUrl {
        /// The URL, without the user and password that it may contain.
        url: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

fn example(text: &str) -> String {
    // Other tools separate by a slash.
    let slash = text.split_once('/').filter(|(name, _)| Provider::named(name).is_some());
    match slash {
        Some((name, model)) => format!("{name}:{model}"),
        None => "PROVIDER:MODEL, such as openai:gpt-4o or ollama:llama3".to_owned(),
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("did you mean {name}?"),
        None => format!("known providers: {}", names().collect::<Vec<_>>().join(", ")),
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().map(|provider| provider.name).chain([REPLAY])
}

impl ModelSpec {
    /// Builds a name from its parts, as separate settings give them.
    pub fn of_parts(
        provider: &str,
        base_url: Option<&str>,
        model: &str,
    ) -> Result<Self, SpecError> {
        let no_model = || SpecError::NoModel { provider: provider.to_owned() };
        let model = model.trim();
        if provider == REPLAY {
            if base_url.is_some() {
                let url = base_url.unwrap_or_default().to_owned();
                return Err(SpecError::BadUrl { url, problem: "cannot be combined with a record" });
            }
            let file = (!model.is_empty()).then(|| PathBuf::from(model)).ok_or_else(no_model)?;
            return Ok(Self::Replay { file });
        }
        let known = Provider::named(provider).ok_or_else(|| SpecError::UnknownProvider {
            name: provider.to_owned(),
            nearest: llmend_json::nearest(provider, names()).map(str::to_owned),
        })?;
        let base_url = base_url.map(checked_url).transpose()?;
        if model.is_empty() {
            return Err(no_model());
        }
        Ok(Self::Remote { provider: known, base_url, model: model.to_owned() })
    }
}

impl FromStr for ModelSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let text = text.trim();
        let no_provider = || SpecError::NoProvider { text: text.to_owned() };
        let end = text.find([':', '+']).filter(|&end| end > 0).ok_or_else(no_provider)?;
        let (provider, rest) = text.split_at(end);
        if let Some(model) = rest.strip_prefix(':') {
            return Self::of_parts(provider, None, model);
        }
        let (url, model) = split_url(rest.trim_start_matches('+'));
        Self::of_parts(provider, Some(url), model)
    }
}

/// Splits a URL from the model name behind it.
fn split_url(text: &str) -> (&str, &str) {
    let start = text.find("://").map_or(0, |at| at + "://".len());
    let before_path = text[start..].find('/').map_or(text.len(), |at| start + at);
    // A text before an `@` is not a model name, but possibly a password: it is left in the URL,
    // which is then rejected.
    let host = text[start..before_path].rfind('@').map_or(start, |at| start + at + 1);
    // In `[::1]`, colons are part of the host.
    let end = if text[host..].starts_with('[') {
        text[host..].find(']').map(|at| at + 1)
    } else {
        text[host..].find([':', '/'])
    };
    let host_end = end.map_or(text.len(), |at| host + at);
    let behind_host = &text[host_end..];
    let digits = behind_host
        .strip_prefix(':')
        .map_or(0, |port| port.bytes().take_while(u8::is_ascii_digit).count());
    let behind_digits = &behind_host[if digits > 0 { digits + 1 } else { 0 }..];
    // All digits, but not a port: the name of the model continues.
    let is_port = behind_digits.is_empty() || behind_digits.starts_with([':', '/']);
    let path = if is_port { text.len() - behind_digits.len() } else { host_end };
    match text[path..].find(':') {
        Some(colon) => (&text[..path + colon], &text[path + colon + 1..]),
        None => (text, ""),
    }
}

/// Parses a URL that can be requested and shown.
pub(crate) fn checked_url(text: &str) -> Result<Url, SpecError> {
    let bad = |url: &str, problem| SpecError::BadUrl { url: url.to_owned(), problem };
    let url = Url::parse(text).map_err(|_| bad(&without_user(text), "is invalid"))?;
    let shown = without_user(text);
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad(&shown, "must start with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad(&shown, "contains a user or password; keys come from the environment"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        let shown = shown.split(['?', '#']).next().unwrap_or_default();
        return Err(bad(shown, "has a query or a fragment"));
    }
    Ok(url)
}

/// Removes everything before an `@` in the host of a URL.
fn without_user(text: &str) -> String {
    let start = text.find("://").map_or(0, |at| at + "://".len());
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |at| start + at);
    match text[start..end].rfind('@') {
        Some(at) => format!("{}…{}", &text[..start], &text[start + at..]),
        None => text.to_owned(),
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remote { provider, base_url: None, model } => {
                write!(f, "{}:{model}", provider.name)
            }
            Self::Remote { provider, base_url: Some(url), model } => {
                write!(f, "{}+{}:{model}", provider.name, url.as_str().trim_end_matches('/'))
            }
            Self::Replay { file } => write!(f, "{REPLAY}:{}", file.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ModelSpec;

    fn read(text: &str) -> (String, String, String) {
        match text.parse().unwrap() {
            ModelSpec::Remote { provider, base_url, model } => {
                let url = base_url.map_or(String::new(), |url| url.to_string());
                (provider.name.to_owned(), url, model)
            }
            ModelSpec::Replay { file } => {
                ("replay".to_owned(), String::new(), file.display().to_string())
            }
        }
    }

    #[test]
    fn a_text_names_a_model() {
        // S2-29: any provider, any compatible server, local ones too.
        let rows = [
            ("openai:gpt-4o", ["openai", "", "gpt-4o"]),
            ("ollama:llama3:8b", ["ollama", "", "llama3:8b"]),
            ("openrouter:meta/llama-3:free", ["openrouter", "", "meta/llama-3:free"]),
            (" gemini:g ", ["gemini", "", "g"]),
            ("replay:a/b.jsonl", ["replay", "", "a/b.jsonl"]),
            ("replay:C:\\a.jsonl", ["replay", "", "C:\\a.jsonl"]),
            (
                "openai+http://127.0.0.1:8080/v1:name",
                ["openai", "http://127.0.0.1:8080/v1", "name"],
            ),
            ("openai+http://127.0.0.1:8080:name", ["openai", "http://127.0.0.1:8080/", "name"]),
            ("openai+http://host/v1:a:b/c", ["openai", "http://host/v1", "a:b/c"]),
            ("openai+http://host:name", ["openai", "http://host/", "name"]),
            ("openai+http://host:8b-model", ["openai", "http://host/", "8b-model"]),
            ("openai+http://[::1]:80/v1:m", ["openai", "http://[::1]/v1", "m"]),
            ("openai+http://[::1]:m", ["openai", "http://[::1]/", "m"]),
            ("ollama+https://host:m+n", ["ollama", "https://host/", "m+n"]),
        ];
        for (text, [provider, url, model]) in rows {
            let expected = (provider.to_owned(), url.to_owned(), model.to_owned());
            assert_eq!(read(text), expected, "{text}");
            // The shown text parses to the same name.
            let spec: ModelSpec = text.parse().unwrap();
            assert_eq!(spec.to_string().parse(), Ok(spec), "{text}");
        }
    }

    #[test]
    fn a_text_that_names_none_says_what_to_write() {
        let rows = [
            ("gpt-4o", "write PROVIDER:MODEL, such as openai:gpt-4o"),
            ("ollama/llama3", "write ollama:llama3"),
            ("", "missing provider"),
            (":gpt", "missing provider"),
            ("opnai:gpt-4o", "did you mean openai?"),
            ("Anthropic:x", "did you mean anthropic?"),
            ("olama+http://h:m", "did you mean ollama?"),
            ("reply:a.jsonl", "did you mean replay?"),
            ("mystery:m", "known providers: openai, openai-responses, anthropic, gemini, ollama"),
            ("openai:", "openai: the model is missing: write openai:NAME"),
            ("replay:", "replay: the file is missing"),
            ("openai+http://host/v1", "the model is missing"),
            ("openai+http://host:8080", "the model is missing"),
            ("openai+ftp://host:m", "http:// or https://"),
            ("openai+:m", "is invalid"),
            ("openai+http://user:planted-secret@host/v1:m", "keys come from the environment"),
            ("openai+http://planted-secret@host:m", "keys come from the environment"),
            ("openai+http://host/v1?key=planted-secret:m", "has a query"),
            ("replay+http://host:m", "cannot be combined with a record"),
        ];
        for (text, expected) in rows {
            let error = text.parse::<ModelSpec>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
            assert!(!error.contains("planted-secret"), "{text}: {error}");
        }
    }

    #[test]
    fn parts_say_the_same_as_a_text() {
        let parts = ModelSpec::of_parts("openai", Some("http://127.0.0.1:8080/v1"), "m");
        assert_eq!(parts, "openai+http://127.0.0.1:8080/v1:m".parse());
    }
}
