//! The HTTP client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Url, redirect};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use secrecy::SecretString;

use crate::reason::reason;
use crate::request_event::OnRequest;
use crate::retry::{RetryPolicy, Sleep};

/// Limits of a model over HTTP, and its retries.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpOptions {
    /// The policy of transport retries.
    pub retry: RetryPolicy,
    /// The time limit for establishing a connection. Ten seconds by default.
    pub connect_timeout: Duration,
    /// The time limit for a server that sends nothing, before or within an answer. One minute by
    /// default; a large model on a small machine may read for longer before it writes.
    pub idle_timeout: Duration,
    /// The maximum size of a response in bytes. 64 MiB by default.
    pub max_response_bytes: usize,
    /// The function that waits before a retry.
    pub sleep: Sleep,
    /// What observes each request as it is sent.
    pub on_request: OnRequest,
    /// Further headers of every request.
    pub headers: Vec<(String, SecretString)>,
    /// The length of the context in tokens that Ollama is to provide (`num_ctx`). `None` is its own
    /// default.
    pub context_tokens: Option<u32>,
    /// The most output tokens that the server is known to accept. It learns a lower limit from a
    /// refusal.
    pub max_output_tokens: Option<u32>,
    /// Whether the instructions are marked for the provider's prompt cache.
    pub prompt_cache: PromptCache,
    /// The file that keeps what servers refuse. It is created if it does not exist, and never replaces a
    /// file of another kind. `None` keeps it as long as the model is open.
    pub refusals: Option<PathBuf>,
}

/// Whether requests mark their instructions for the provider's prompt cache. Only Anthropic needs a
/// mark, and charges more for what is written to the cache and less for what is read from it; the
/// others cache without one, or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptCache {
    /// They do not.
    #[default]
    Unmarked,
    /// They do.
    Marked,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            retry: RetryPolicy::default(),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(1),
            max_response_bytes: 64 << 20,
            sleep: Sleep::default(),
            on_request: OnRequest::default(),
            headers: Vec::new(),
            context_tokens: None,
            max_output_tokens: None,
            prompt_cache: PromptCache::default(),
            refusals: None,
        }
    }
}

/// Creates a client for one server, or returns why that is not possible. It follows no redirect,
/// which would carry a key elsewhere. It uses the proxy that the environment names (`HTTPS_PROXY`,
/// `NO_PROXY`), but not for this machine.
pub fn client(base_url: &Url, options: &HttpOptions) -> Result<Client, String> {
    let mut builder = Client::builder()
        .user_agent(concat!("llmend/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .connect_timeout(options.connect_timeout)
        .read_timeout(options.idle_timeout)
        .tls_backend_preconfigured(tls_config(base_url)?);
    if is_loopback(base_url) {
        // A proxy would look for the server on its own machine.
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| reason(&error))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Returns the TLS settings for a server, or why there are none. Loads the system's certificates if
/// needed: a container that only talks to its own machine may have none.
pub fn tls_config(base_url: &Url) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| reason(&error))?;
    if base_url.scheme() == "http" {
        let roots = rustls::RootCertStore::empty();
        return Ok(builder.with_root_certificates(roots).with_no_client_auth());
    }
    let builder = builder
        .with_platform_verifier()
        .map_err(|error| format!("cannot read the system's certificates: {}", reason(&error)))?;
    Ok(builder.with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::is_loopback;

    #[test]
    fn this_machine_is_distinguished_from_others() {
        let rows = [
            ("http://127.0.0.1:8080/v1", true),
            ("http://127.3.2.1", true),
            ("http://[::1]:80", true),
            ("http://localhost:11434", true),
            ("https://api.openai.com", false),
            ("http://10.0.0.1", false),
            ("http://localhost.example", false),
        ];
        for (url, expected) in rows {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
