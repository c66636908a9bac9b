//! `OpenAPI` document.

use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::{OpenApi, ToSchema};

use super::{exchange, exchanges, plan, repair, rules, stream, workflow_check, workflow_patch};
use crate::http::reply;

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

#[derive(OpenApi)]
#[openapi(
    info(
        title = "llmend",
        description = "Repairs, validates and checks the output of language models. `/v1/chat/completions`, `/v1/responses` and `/v1/messages` follow the APIs of their providers."
    ),
    paths(
        repair::repair,
        stream::stream,
        rules::rules,
        plan::plan,
        workflow_check::check,
        workflow_patch::patch,
        exchanges::list,
        exchange::find
    ),
    components(schemas(Failed))
)]
struct Document;

/// `GET /openapi.json`.
pub(crate) async fn openapi() -> Response {
    let document = serde_json::to_value(Document::openapi()).unwrap_or_else(|_| json!({}));
    reply::json(200, HeaderMap::new(), &document)
}
