//! Requests and responses of llmend's own endpoints.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::response::Response;
use llmend_endpoints::{Refusal, request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::error::{ErrorFormat, Failure};
use crate::http::incoming::{body, room};
use crate::http::reply;
use crate::shared::Shared;
use crate::shared::work;

/// An error of llmend's own endpoints. Partial results are included: the value that does not match, the plan
/// that is invalid.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Failed {
    /// Message.
    error: String,
    /// All findings, with code, message, path and position.
    details: Vec<Value>,
    /// HTTP status.
    status: u16,
}

/// Parses a request, runs `work` on a blocking thread, and responds with its result.
pub(crate) async fn answer<T: DeserializeOwned>(
    shared: Arc<Shared>,
    incoming: Request<Body>,
    endpoint: &'static str,
    work: impl FnOnce(&Shared, &T) -> Result<Map<String, Value>, Refusal> + Send + 'static,
) -> Response {
    let result = async {
        let theirs = Arc::clone(&shared);
        read_and(&shared, incoming, move |asked: &T| work(&theirs, asked)).await
    };
    let response = match result.await {
        Ok(members) => reply::json(200, HeaderMap::new(), &members.into()),
        Err(failure) => reply::failure(&failure, ErrorFormat::Own, HeaderMap::new()),
    };
    shared.metrics.request(endpoint, response.status().as_u16());
    response
}

/// Parses a request and runs `work` on it, on a blocking thread. The whole body counts as schema for the work
/// budget, because its share is unknown.
pub(crate) async fn read_and<T: DeserializeOwned, D: Send + 'static>(
    shared: &Shared,
    incoming: Request<Body>,
    work: impl FnOnce(&T) -> Result<D, Refusal> + Send + 'static,
) -> Result<D, Failure> {
    let (parts, incoming) = incoming.into_parts();
    let body = body(shared, incoming).await?;
    let weight = work::weight(0, body.len());
    let reading = move || work(&request(&body)?).map_err(Failure::from);
    work::run(shared, room(&parts), weight, reading).await?
}
