//! The gateway's own responses.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::Value;

use crate::error::{ErrorFormat, Failure, Retry};

/// The headers that the gateway sets.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const REPAIR: HeaderName = HeaderName::from_static("x-llmend-repair");
pub(crate) const ATTEMPTS: HeaderName = HeaderName::from_static("x-llmend-attempts");
pub(crate) const OVERHEAD: HeaderName = HeaderName::from_static("x-llmend-overhead-ms");
pub(crate) const SCHEMA: HeaderName = HeaderName::from_static("x-llmend-schema");
pub(crate) const OUTPUT_LIMIT: HeaderName = HeaderName::from_static("x-llmend-output-limit");
pub(crate) const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Makes a response with a body.
pub(crate) fn response(status: u16, headers: HeaderMap, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    *response.headers_mut() = headers;
    response
}

/// Makes a response of JSON.
pub(crate) fn json(status: u16, mut headers: HeaderMap, body: &Value) -> Response {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response(status, headers, body.to_string())
}

/// Makes an event stream that proxies should not buffer.
pub(crate) fn events(mut headers: HeaderMap, body: Body) -> Response {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response(200, headers, body)
}

/// Makes a response for a failure.
pub(crate) fn failure(failure: &Failure, format: ErrorFormat, mut headers: HeaderMap) -> Response {
    match failure.retry {
        Retry::Unspecified => {}
        Retry::Never => {
            headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
        }
        Retry::After(seconds) => {
            headers.insert(RETRY_AFTER, seconds.into());
        }
    }
    if failure.attempts > 1 {
        headers.insert(ATTEMPTS, failure.attempts.into());
    }
    let body = match format {
        ErrorFormat::OpenAi => failure.openai(),
        ErrorFormat::Anthropic => failure.anthropic(),
        ErrorFormat::Own => failure.own(),
    };
    json(failure.status, headers, &body)
}

/// Makes the value of a header. Invalid characters are replaced.
pub(crate) fn value(text: &str) -> HeaderValue {
    let text: String =
        text.chars().map(|c| if c.is_ascii() && !c.is_ascii_control() { c } else { '?' }).collect();
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""))
}
