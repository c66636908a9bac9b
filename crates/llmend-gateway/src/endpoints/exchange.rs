//! Details of a recorded exchange.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

use super::exchanges::{summary_json, unread};
use crate::error::{ErrorFormat, Failure};
use crate::http::reply;
use crate::shared::Shared;

/// `GET /v1/exchanges/{id}`.
#[utoipa::path(
    get,
    path = "/v1/exchanges/{id}",
    params(("id" = u64, Path, description = "Id of the exchange")),
    responses(
        (status = 200, description = "The exchange as in the list, with its `parts`: each with `path`, `kind` (content or call), `tool`, `text` (written by the model), `json` (sent to the client, or null), `schema`, `policy`, `notation` (of a call that was read in a text, or null), `class`, `repairs`, `coercions`, `diagnostics`, `first` (written by the model before a retry, or null) and `clipped` (whether something was truncated)", body = Value),
        (status = 404, description = "No such exchange is recorded", body = super::own::Failed),
        (status = 503, description = "The journal cannot be read", body = super::own::Failed),
    )
)]
pub(crate) async fn find(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Response {
    let response = match found(&shared, &id).await {
        Ok(exchange) => reply::json(200, HeaderMap::new(), &exchange),
        Err(failure) => reply::failure(&failure, ErrorFormat::Own, HeaderMap::new()),
    };
    shared.metrics.request("exchanges", response.status().as_u16());
    response
}

async fn found(shared: &Shared, id: &str) -> Result<Value, Failure> {
    let entry = match id.parse() {
        Ok(id) => shared.recorder.find(id).await.map_err(|why| unread(&why))?,
        Err(_) => None,
    };
    let Some(entry) = entry else {
        let message = match shared.recorder.store_name() {
            "off" => "recording is off",
            _ => "no such exchange is recorded, or it was removed",
        };
        return Err(Failure::new(404, "invalid_request_error", "unknown_exchange", message));
    };
    let mut exchange = summary_json(&entry.summary, &shared.settings.models);
    let parts: Value = serde_json::from_str(&entry.parts).unwrap_or_else(|_| json!([]));
    exchange.insert("parts".to_owned(), parts);
    Ok(exchange.into())
}
