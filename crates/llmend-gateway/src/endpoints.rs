//! Endpoints of the gateway, one per file.

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
use crate::protocol::request::{Inspection, ReportTarget, HeaderOptions};

/// Permit of a concurrent request, released when the last byte is sent.
#[derive(Clone, Debug)]
pub(crate) struct Room(pub(crate) Arc<OwnedSemaphorePermit>);

/// Id of a request, in headers and logs.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(pub(crate) String);

/// Returns the permit of a request.
pub(crate) fn room(parts: &Parts) -> Option<Arc<OwnedSemaphorePermit>> {
    parts.extensions.get::<Room>().map(|room| Arc::clone(&room.0))
}

/// Returns the id of a request.
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
            let message = format!("the body is larger than the limit of {limit} bytes");
            Err(Failure::new(413, "invalid_request_error", "limit/bytes", message))
        }
        Ok(Err(_)) => Err(Failure::request("bad_body", "cannot read the body")),
        Err(_) => {
            let message = format!("the body was not received within {} ms", wait.as_millis());
            Err(Failure::new(408, "invalid_request_error", "timeout", message))
        }
    }
}

/// Decodes the body as UTF-8.
pub(crate) fn text(body: &[u8]) -> Result<&str, Failure> {
    str::from_utf8(body).map_err(|error| {
        let message = format!("invalid UTF-8 at byte {} of the body", error.valid_up_to());
        Failure::request("input/utf8", message)
    })
}

/// Parses the `x-llmend-*` headers of a request.
pub(crate) fn wishes(headers: &HeaderMap) -> Result<HeaderOptions, Failure> {
    let text = |name: &str| match headers.get(name).map(|value| value.to_str()) {
        None => Ok(None),
        Some(Ok(text)) => Ok(Some(text)),
        Some(Err(_)) => {
            let message = format!("non-ASCII character in the header {name}: escape it as `\\u`");
            Err(Failure::request("bad_header", message).about(name))
        }
    };
    let switch = |name: &str| match text(name)?.map(|text| text.trim().to_ascii_lowercase()) {
        None => Ok(None),
        Some(word) if matches!(word.as_str(), "1" | "true" | "yes" | "on") => Ok(Some(true)),
        Some(word) if matches!(word.as_str(), "0" | "false" | "no" | "off") => Ok(Some(false)),
        Some(_) => {
            let message = format!("expected `true` or `false` in the header {name}");
            Err(Failure::request("bad_header", message).about(name))
        }
    };
    let report = switch("x-llmend-report")?;
    let repair = switch("x-llmend-repair")?;
    Ok(HeaderOptions {
        schema: text("x-llmend-schema")?.map(str::to_owned),
        report: if report == Some(true) { ReportTarget::Field } else { ReportTarget::Headers },
        repair: repair.map(|at| if at { Inspection::On } else { Inspection::Off }),
    })
}
