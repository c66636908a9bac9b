//! Requests that are shown and not sent.

use llmend_model::{ChatError, ChatRequest};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

use crate::call::{ModelCall, Outgoing};
use crate::http::HttpModel;

/// A request as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WireRequest {
    /// The URL of the `POST`.
    pub url: Url,
    /// The headers; those that may hold a secret with `[hidden]` as their value.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl HttpModel {
    /// Returns the request that would be sent first, without sending it.
    pub fn preview(&self, request: &ChatRequest) -> Result<WireRequest, ChatError> {
        let Outgoing { url, body, .. } = ModelCall::new(self, request, None).preview()?;
        let shown = |(name, value): (&HeaderName, &HeaderValue)| {
            let hidden = value.is_sensitive();
            let value = if hidden { "[hidden]" } else { value.to_str().unwrap_or("[binary]") };
            (name.as_str().to_owned(), value.to_owned())
        };
        Ok(WireRequest { url, headers: self.headers.iter().map(shown).collect(), body })
    }
}
