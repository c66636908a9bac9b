//! Observation of the requests of calls.

use std::{fmt, sync::Arc};

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestEvent {
    /// It is about to be sent.
    Sent,
    /// It did not reach the server.
    Unreached,
}

/// The function that observes each request, those of retries among them; by default it does nothing.
#[derive(Clone)]
pub struct OnRequest(Arc<dyn Fn(RequestEvent) + Send + Sync>);

impl OnRequest {
    /// Creates an observer.
    pub fn new(observe: impl Fn(RequestEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(observe))
    }

    pub(crate) fn tell(&self, event: RequestEvent) {
        (self.0)(event);
    }
}

impl Default for OnRequest {
    fn default() -> Self {
        Self::new(|_| ())
    }
}

impl fmt::Debug for OnRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnRequest")
    }
}
