//! Reading requests.
//!
//! Small requests with small schemas are read at once. Large ones, and large new schemas, are read
//! where nothing else waits.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use crate::config::Deployment;
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::protocol::request::{
    self, Bounds, Head, HeaderOptions, Inspection, OutputRequest, ReportTarget,
};
use crate::shared::Shared;
use crate::shared::work;
use crate::splice::without_mark;
use axum::body::{Body, HttpBody};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use http_body_util::{BodyExt, Limited};
use std::time::Duration;
use tokio::time::timeout;

/// A request as it arrived.
#[derive(Clone)]
pub(crate) struct Incoming {
    pub(crate) shared: Arc<Shared>,
    pub(crate) protocol: Protocol,
    pub(crate) header_options: HeaderOptions,
    pub(crate) body: Bytes,
    /// What its path says, if a route maps it.
    pub(crate) deployment: Option<Deployment>,
    pub(crate) room: Option<Arc<OwnedSemaphorePermit>>,
}

/// What is asked for, and the request to forward.
type Read = (OutputRequest, Bytes);

/// A request whose destination is known, and that may have been read.
pub(crate) struct InspectedRequest {
    pub(crate) head: Head,
    incoming: Incoming,
    /// The remaining work.
    weight: usize,
    read: Option<Result<Read, Failure>>,
}

impl Incoming {
    /// Reads what decides where the request goes.
    pub(crate) async fn inspect(self) -> Result<InspectedRequest, Failure> {
        let (shared, room) = (Arc::clone(&self.shared), self.room.clone());
        work::run(&shared, room, self.body.len(), move || self.inspect_now()).await?
    }

    fn inspect_now(self) -> Result<InspectedRequest, Failure> {
        let Self { shared, protocol, header_options, body, deployment, .. } = &self;
        let (text, _) = without_mark(text(body)?);
        let value = request::parse(text, &shared.settings.limits)?;
        let model = deployment.as_ref().map(|deployment| deployment.model.as_str());
        let head = request::head(value.root(), model)?;
        let schemas = request::new_schemas(
            *protocol,
            &value,
            header_options,
            &shared.schemas,
            &shared.offered,
        );
        let weight = work::weight(text.len(), schemas);
        // A large request is inspected where nothing else waits already.
        let is_now = weight <= work::AT_ONCE || text.len() > work::AT_ONCE;
        let read = is_now.then(|| self.read(text, &value, &head));
        drop(value);
        Ok(InspectedRequest { head, incoming: self, weight, read })
    }

    fn read(
        &self,
        text: &str,
        value: &llmend::json::Value<'_>,
        head: &Head,
    ) -> Result<Read, Failure> {
        let Self { shared, protocol, header_options, body, .. } = self;
        let policy = shared.target_of(self.deployment.as_ref(), &head.model)?.policy;
        let limits = &shared.settings.limits;
        let (schemas, offered) = (&shared.schemas, &shared.offered);
        let notation = policy.emulate_tools.notation(&head.model);
        let output_limit = shared.settings.models.output_limit(&head.model);
        let bounds = Bounds { policy: &policy, limits, schemas, offered, notation, output_limit };
        let (request, on) = request::read(*protocol, text, value, header_options, bounds)?;
        let on = match on {
            Cow::Borrowed(_) => body.clone(),
            Cow::Owned(on) => Bytes::from(on),
        };
        Ok((request, on))
    }
}

impl InspectedRequest {
    /// Returns what is asked for, and the request to forward.
    pub(crate) async fn read(self) -> Result<Read, Failure> {
        let Self { head, incoming, weight, read } = self;
        if let Some(read) = read {
            return read;
        }
        let (shared, room) = (Arc::clone(&incoming.shared), incoming.room.clone());
        let reading = move || {
            let (text, _) = without_mark(text(&incoming.body)?);
            let value = request::parse(text, &incoming.shared.settings.limits)?;
            incoming.read(text, &value, &head)
        };
        work::run(&shared, room, weight, reading).await?
    }
}

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
    let too_large = || {
        let message = format!("the body is larger than the limit of {limit} bytes");
        Failure::new(413, "invalid_request_error", "limit/bytes", message)
    };
    // The length was announced, so nothing has to be read.
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    let reading = Limited::new(body, limit).collect();
    let wait: Duration = shared.settings.timers.client();
    match timeout(wait, reading).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(too_large()),
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
pub(crate) fn header_options(headers: &HeaderMap) -> Result<HeaderOptions, Failure> {
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
