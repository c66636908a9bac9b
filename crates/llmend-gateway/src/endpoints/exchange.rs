//! What was said in one exchange, and what was made of it?

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

use super::exchanges::{told, unread};
use crate::error::Failure;
use crate::http::reply;
use crate::http::shared::Shared;

/// `GET /v1/exchanges/{id}`.
#[utoipa::path(
    get,
    path = "/v1/exchanges/{id}",
    params(("id" = u64, Path, description = "The id of an exchange")),
    responses(
        (status = 200, description = "The exchange as in the list, and its `parts`: each with `path`, `kind` (content or call), `tool`, `text` (what the model wrote), `json` (what was sent on, or null), `schema`, `policy`, `class`, `repairs`, `coercions`, `diagnostics`, `first` (what the model wrote before it was asked again, or null) and `clipped` (whether something is left out for its size)", body = Value),
        (status = 404, description = "It is not kept", body = super::openapi::Failed),
        (status = 503, description = "The journal cannot be read", body = super::openapi::Failed),
    )
)]
pub(crate) async fn find(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Response {
    let response = match found(&shared, &id).await {
        Ok(exchange) => reply::json(200, HeaderMap::new(), &exchange),
        Err(failure) => reply::failure(&failure, reply::Dialect::Own, HeaderMap::new()),
    };
    shared.metrics.request("exchanges", response.status().as_u16());
    response
}

async fn found(shared: &Shared, id: &str) -> Result<Value, Failure> {
    let kept = match id.parse() {
        Ok(id) => shared.recorder.find(id).await.map_err(|why| unread(&why))?,
        Err(_) => None,
    };
    let Some(kept) = kept else {
        let message = match shared.recorder.word() {
            "off" => "nothing is recorded here",
            _ => "there is no such exchange here, or none any more",
        };
        return Err(Failure::new(404, "invalid_request_error", "unknown_exchange", message));
    };
    let mut exchange = told(&kept.summary);
    let parts: Value = serde_json::from_str(&kept.parts).unwrap_or_else(|_| json!([]));
    exchange.insert("parts".to_owned(), parts);
    Ok(exchange.into())
}
