//! A model behind a server.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use secrecy::{ExposeSecret, SecretString};

use crate::client::{HttpOptions, client};
use crate::compatibility::{Refused, RequestPart};
use crate::open_error::OpenError;
use crate::pace::Pace;
use crate::provider::Provider;
use crate::refusals;
use crate::scrub::Scrubber;

/// A model behind a server of a provider's form.
///
/// It remembers what its server rejects, so that one refusal is enough. It needs a tokio runtime
/// with I/O and time.
pub struct HttpModel {
    pub(crate) name: String,
    pub(crate) provider: Provider,
    pub(crate) base_url: Url,
    pub(crate) model: String,
    pub(crate) client: Client,
    pub(crate) headers: HeaderMap,
    pub(crate) scrubber: Scrubber,
    pub(crate) options: HttpOptions,
    pub(crate) pace: Pace,
    refused: Mutex<Refused>,
}

impl HttpModel {
    /// Creates a model that is asked in a provider's form at `base_url`. The key is sent to that
    /// URL, whatever it is: [`open`](crate::open()) binds keys to servers.
    pub fn new(
        name: impl Into<String>,
        provider: Provider,
        base_url: Url,
        model: impl Into<String>,
        key: Option<SecretString>,
        options: HttpOptions,
    ) -> Result<Self, OpenError> {
        let client = client(&base_url, &options).map_err(OpenError::Client)?;
        let headers = headers(provider, key.as_ref(), &options.headers)?;
        let mut scrubber = Scrubber::default();
        if let Some(key) = key {
            scrubber.add(key);
        }
        for (name, value) in &options.headers {
            scrubber.add_header(name, value.expose_secret());
        }
        let name = name.into();
        let mut refused = match &options.refusals {
            Some(file) => refusals::read(file, &name, SystemTime::now())
                .map_err(|error| OpenError::Refusals { file: file.clone(), error })?,
            None => Refused::default(),
        };
        if let Some(most) = options.max_output_tokens {
            refused.limit_output(most);
        }
        let is_own =
            Url::parse(provider.base_url).is_ok_and(|own| own.origin() == base_url.origin());
        if provider.name == "openai" && is_own {
            // OpenAI itself accepts the new name for every model, and the old one only for some.
            refused.add(RequestPart::MaxTokens);
        }
        Ok(Self {
            name,
            provider,
            base_url,
            model: model.into(),
            client,
            headers,
            scrubber,
            options,
            pace: Pace::default(),
            refused: Mutex::new(refused),
        })
    }

    /// Remembers what the server refuses.
    pub(crate) fn learn(&self, lesson: impl Fn(&mut Refused)) {
        lesson(&mut self.refused());
        let Some(file) = &self.options.refusals else { return };
        if let Err(error) = refusals::add(file, &self.name, SystemTime::now(), lesson) {
            tracing::warn!(file = %file.display(), %error, "cannot keep what the server refused");
        }
    }

    pub(crate) fn refused(&self) -> MutexGuard<'_, Refused> {
        // The state is consistent even after a panic: each update is one insertion.
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the headers of every request. The key among them is marked as sensitive, so that no log
/// shows it.
fn headers(
    provider: Provider,
    key: Option<&SecretString>,
    more: &[(String, SecretString)],
) -> Result<HeaderMap, OpenError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in provider.form.headers() {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(key) = key {
        let (name, before) = provider.key_header;
        let value = format!("{before}{}", key.expose_secret());
        let mut value = HeaderValue::from_str(&value).map_err(|_| OpenError::UnusableKey)?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    for (name, value) in more {
        let bad = || OpenError::BadHeader(name.clone());
        let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(known, value);
    }
    Ok(headers)
}

impl fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpModel")
            .field("name", &self.name)
            .field("base_url", &self.base_url.as_str())
            .field("refused", &*self.refused())
            .finish_non_exhaustive()
    }
}
