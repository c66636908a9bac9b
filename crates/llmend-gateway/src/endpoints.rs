//! What can be asked of the gateway? One endpoint a file.

pub(crate) mod chat;
pub(crate) mod exchange;
pub(crate) mod exchanges;
pub(crate) mod health;
pub(crate) mod messages;
pub(crate) mod models;
pub(crate) mod openapi;
pub(crate) mod own;
pub(crate) mod page;
pub(crate) mod passthrough;
pub(crate) mod plan;
pub(crate) mod repair;
pub(crate) mod responses;
pub(crate) mod rules;
pub(crate) mod stream;
pub(crate) mod workflow_check;
pub(crate) mod workflow_patch;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use http_body_util::{BodyExt, Limited};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::error::Failure;
use crate::http::shared::Shared;
use crate::protocol::request::{Looked, Report, Wishes};

/// A place among the requests that are answered at once. It is given back when the last byte is sent.
#[derive(Clone, Debug)]
pub(crate) struct Room(pub(crate) Arc<OwnedSemaphorePermit>);

/// What one request is called, in headers and logs.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(pub(crate) String);

/// What a request carries besides what it says.
pub(crate) fn room(parts: &Parts) -> Option<Arc<OwnedSemaphorePermit>> {
    parts.extensions.get::<Room>().map(|room| Arc::clone(&room.0))
}

pub(crate) fn request_id(parts: &Parts) -> String {
    parts.extensions.get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default()
}

/// Reads the body of a request, up to the limit.
pub(crate) async fn body(shared: &Shared, body: Body) -> Result<bytes::Bytes, Failure> {
    let limit = shared.settings.limits.body_bytes;
    let reading = Limited::new(body, limit).collect();
    let wait: Duration = shared.settings.timers.client();
    match timeout(wait, reading).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            let message = format!("the body has more than {limit} bytes, which is the limit");
            Err(Failure::new(413, "invalid_request_error", "limit/bytes", message))
        }
        Ok(Err(_)) => Err(Failure::request("bad_body", "the body cannot be read")),
        Err(_) => {
            let message = format!("the body did not come within {} ms", wait.as_millis());
            Err(Failure::new(408, "invalid_request_error", "timeout", message))
        }
    }
}

/// The body as text.
pub(crate) fn text(body: &[u8]) -> Result<&str, Failure> {
    str::from_utf8(body).map_err(|error| {
        let message = format!("the body is no UTF-8 from byte {} on", error.valid_up_to());
        Failure::request("input/utf8", message)
    })
}

/// What the headers of a request ask of the gateway.
pub(crate) fn wishes(headers: &HeaderMap) -> Result<Wishes, Failure> {
    let text = |name: &str| match headers.get(name).map(|value| value.to_str()) {
        None => Ok(None),
        Some(Ok(text)) => Ok(Some(text)),
        Some(Err(_)) => {
            let message = format!("the header {name} holds more than ASCII: escape it as `\\u`");
            Err(Failure::request("bad_header", message).about(name))
        }
    };
    let switch = |name: &str| match text(name)?.map(|text| text.trim().to_ascii_lowercase()) {
        None => Ok(None),
        Some(word) if matches!(word.as_str(), "1" | "true" | "yes" | "on") => Ok(Some(true)),
        Some(word) if matches!(word.as_str(), "0" | "false" | "no" | "off") => Ok(Some(false)),
        Some(_) => {
            let message = format!("the header {name} says neither yes nor no");
            Err(Failure::request("bad_header", message).about(name))
        }
    };
    let report = switch("x-llmend-report")?;
    let repair = switch("x-llmend-repair")?;
    Ok(Wishes {
        schema: text("x-llmend-schema")?.map(str::to_owned),
        report: if report == Some(true) { Report::Field } else { Report::Headers },
        repair: repair.map(|at| if at { Looked::At } else { Looked::Past }),
    })
}
