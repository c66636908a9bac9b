//! API keys and the servers they belong to.
//!
//! Keys come from the environment only, and only this module reads it. A provider's own key is sent
//! only to the provider's own server. Any other server, including one that a setting names, gets a
//! key only if the variable is named for that purpose ([`Keys::named`]).

use std::ffi::OsString;
use std::fmt;

use reqwest::Url;
use secrecy::SecretString;

use crate::provider::{ENDPOINT_PATH, Provider};
use crate::spec::ModelSpec;

/// Returns the value of a variable that is set.
type LookUp<'l> = Box<dyn Fn(&str) -> Option<OsString> + Send + Sync + 'l>;

/// The source of keys.
pub struct Keys<'l> {
    look_up: LookUp<'l>,
    name: Option<String>,
}

/// A missing or unusable key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The provider requires a key.
    #[error("{provider} needs a key: set the variable {name}")]
    Missing {
        /// The name of the provider.
        provider: &'static str,
        /// The first variable that it is read from.
        name: &'static str,
    },
    /// The named variable is not set, or is empty.
    #[error("the key variable {name} is not set")]
    NotSet {
        /// The name of the variable.
        name: String,
    },
    /// The provider's customers have servers of their own, and the variable with its URL is not set.
    #[error("{provider} needs the URL of your server: set the variable {name}, or give a base URL")]
    NoEndpoint {
        /// The name of the provider.
        provider: &'static str,
        /// The name of the variable.
        name: &'static str,
    },
    /// The variable does not hold the URL of a server.
    #[error("the variable {name} does not hold an http:// or https:// URL without a user or query")]
    BadEndpoint {
        /// The name of the variable.
        name: &'static str,
    },
    /// The value of a variable cannot be sent as a key. It is not shown.
    #[error("the key in the variable {name} contains invalid characters")]
    Unusable {
        /// The name of the variable.
        name: String,
    },
}

impl Keys<'static> {
    /// Reads keys from the environment of the process.
    #[must_use]
    pub fn from_env() -> Self {
        Self::new(|name| std::env::var_os(name))
    }
}

impl<'l> Keys<'l> {
    /// Reads keys from `look_up`, which returns the value of a variable that is set.
    pub fn new(look_up: impl Fn(&str) -> Option<OsString> + Send + Sync + 'l) -> Self {
        Self { look_up: Box::new(look_up), name: None }
    }

    /// Takes the key from this variable, for whichever server is asked.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Returns the key for a server, or `None` if none is sent there.
    pub(crate) fn for_server(
        &self,
        provider: &Provider,
        base_url: &Url,
    ) -> Result<Option<SecretString>, KeyError> {
        if let Some(name) = &self.name {
            let key = self.read(name)?.ok_or_else(|| KeyError::NotSet { name: name.clone() })?;
            return Ok(Some(key));
        }
        if !self.is_own_server(provider, base_url) {
            return Ok(None);
        }
        for name in provider.key_names {
            if let Some(key) = self.read(name)? {
                return Ok(Some(key));
            }
        }
        match provider.key_names.first() {
            Some(name) => Err(KeyError::Missing { provider: provider.name, name }),
            None => Ok(None),
        }
    }

    /// Returns the variable whose key is sent to the server of `spec`. `None` if none is sent.
    #[must_use]
    pub fn variable(&self, spec: &ModelSpec) -> Option<&str> {
        let ModelSpec::Remote { provider, base_url, .. } = spec else { return None };
        if let Some(name) = &self.name {
            return Some(name);
        }
        let is_own = base_url.as_ref().is_none_or(|url| self.is_own_server(provider, url));
        let is_set = |name: &&&str| matches!(self.read(name), Ok(Some(_)));
        provider.key_names.iter().find(is_set).copied().filter(|_| is_own)
    }

    /// Returns whether the key is that of a named variable.
    pub(crate) const fn is_named(&self) -> bool {
        self.name.is_some()
    }

    /// Returns the URL of a provider's server, which may be the caller's own.
    pub(crate) fn server(&self, provider: &Provider) -> Result<Url, KeyError> {
        let Some(name) = provider.endpoint_name else {
            return Url::parse(provider.base_url)
                .map_err(|_| KeyError::BadEndpoint { name: provider.name });
        };
        let value = (self.look_up)(name).and_then(|value| value.into_string().ok());
        let value = value.filter(|value| !value.trim().is_empty());
        let value = value.ok_or(KeyError::NoEndpoint { provider: provider.name, name })?;
        let mut url =
            crate::spec::checked_url(value.trim()).map_err(|_| KeyError::BadEndpoint { name })?;
        if url.path() == "/" {
            url.set_path(ENDPOINT_PATH);
        }
        Ok(url)
    }

    /// Returns whether a URL is on the provider's own server: same scheme, host and port.
    pub(crate) fn is_own_server(&self, provider: &Provider, base_url: &Url) -> bool {
        self.server(provider).is_ok_and(|own| own.origin() == base_url.origin())
    }

    /// Returns the value of a variable unless it is empty.
    fn read(&self, name: &str) -> Result<Option<SecretString>, KeyError> {
        let Some(value) = (self.look_up)(name) else { return Ok(None) };
        let unusable = || KeyError::Unusable { name: name.to_owned() };
        let value = value.into_string().map_err(|_| unusable())?;
        // Pasted keys often end with a line end.
        let key = value.trim();
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(unusable());
        }
        Ok((!key.is_empty()).then(|| key.into()))
    }
}

impl fmt::Debug for Keys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use reqwest::Url;
    use secrecy::ExposeSecret;

    use super::Keys;
    use crate::provider::Provider;

    const SET: [(&str, &str); 9] = [
        ("OPENAI_API_KEY", "own-openai\n"),
        ("GOOGLE_API_KEY", "own-google"),
        ("GROQ_API_KEY", ""),
        ("ANTHROPIC_API_KEY", "two words"),
        ("PROXY_KEY", "proxy"),
        ("EMPTY", " "),
        ("OLLAMA_API_KEY", "never asked for"),
        ("AZURE_OPENAI_API_KEY", "own-azure"),
        ("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com/"),
    ];

    fn key(provider: &str, url: &str, name: Option<&str>) -> Result<Option<String>, String> {
        let mut keys = Keys::new(|name| {
            SET.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        });
        if let Some(name) = name {
            keys = keys.named(name);
        }
        let provider = Provider::named(provider).unwrap();
        let url = if url.is_empty() { provider.base_url } else { url };
        keys.for_server(&provider, &Url::parse(url).unwrap())
            .map(|key| key.map(|key| key.expose_secret().to_owned()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_server_of_the_callers_own_is_named_by_a_variable() {
        let azure = Provider::named("azure").unwrap();
        let rows = [
            (Some("https://a.openai.azure.com"), Ok("https://a.openai.azure.com/openai/v1")),
            (Some(" https://a.azure.com/models/ "), Ok("https://a.azure.com/models/")),
            (Some("a.openai.azure.com"), Err("AZURE_OPENAI_ENDPOINT does not hold")),
            (Some("https://me:secret@a.azure.com"), Err("AZURE_OPENAI_ENDPOINT does not hold")),
            (Some(""), Err("set the variable AZURE_OPENAI_ENDPOINT")),
            (None, Err("azure needs the URL of your server")),
        ];
        for (value, expected) in rows {
            let keys =
                Keys::new(|name| value.filter(|_| name == "AZURE_OPENAI_ENDPOINT").map(Into::into));
            match (keys.server(&azure), expected) {
                (Ok(url), Ok(expected)) => assert_eq!(url.as_str(), expected),
                (Err(error), Err(part)) => {
                    let error = error.to_string();
                    assert!(error.contains(part) && !error.contains("secret"), "{error}");
                }
                (found, _) => panic!("{value:?}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_key_goes_to_its_own_server_alone_unless_it_is_named() {
        let own = Ok(Some("own-openai".to_owned()));
        let none = Ok(None);
        let rows = [
            ("openai", "", None, own.clone()),
            ("openai", "https://api.openai.com/v2/other", None, own),
            ("openai", "http://api.openai.com/v1", None, none.clone()),
            ("openai", "https://api.openai.com:8443/v1", None, none.clone()),
            ("openai", "https://api.openai.com.example/v1", None, none.clone()),
            ("openai", "http://127.0.0.1:8080/v1", None, none.clone()),
            ("openai", "http://127.0.0.1:8080/v1", Some("PROXY_KEY"), Ok(Some("proxy".to_owned()))),
            ("openai", "", Some("PROXY_KEY"), Ok(Some("proxy".to_owned()))),
            ("gemini", "", None, Ok(Some("own-google".to_owned()))),
            ("ollama", "", None, none.clone()),
            ("vllm", "", None, none.clone()),
            ("azure", "https://mine.openai.azure.com/x", None, Ok(Some("own-azure".to_owned()))),
            ("azure", "https://other.openai.azure.com/x", None, none),
        ];
        for (provider, url, name, expected) in rows {
            assert_eq!(key(provider, url, name), expected, "{provider} {url} {name:?}");
        }
    }

    #[test]
    fn the_variable_of_a_key_is_known() {
        let keys = || Keys::new(|name| (name == "OPENAI_API_KEY").then(|| "x".into()));
        for (spec, expected) in [
            ("openai:m", Some("OPENAI_API_KEY")),
            ("openai+http://127.0.0.1:8080/v1:m", None),
            ("groq:m", None),
            ("ollama:m", None),
        ] {
            assert_eq!(keys().variable(&spec.parse().unwrap()), expected, "{spec}");
            let named = keys().named("MINE");
            assert_eq!(named.variable(&spec.parse().unwrap()), Some("MINE"), "{spec}");
        }
    }

    #[test]
    fn a_missing_key_is_reported_with_its_name_and_never_with_its_value() {
        let rows = [
            ("groq", None, "groq needs a key: set the variable GROQ_API_KEY"),
            ("openai", Some("NOPE"), "key variable NOPE is not set"),
            ("openai", Some("EMPTY"), "key variable EMPTY is not set"),
            ("anthropic", None, "ANTHROPIC_API_KEY contains invalid characters"),
        ];
        for (provider, name, expected) in rows {
            let error = key(provider, "", name).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains("two words"), "{error}");
        }
    }
}
