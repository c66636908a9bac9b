//! How does a program learn what can be asked?

use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::{OpenApi, ToSchema};

use super::{exchange, exchanges, plan, repair, rules, stream, workflow_check, workflow_patch};
use crate::http::reply;

/// A failure of llmend's own endpoints. What there is nevertheless stands beside it: the value that
/// does not fit, the plan that cannot be used.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Failed {
    /// What happened, in one sentence.
    error: String,
    /// Every finding: code, message, path and place.
    details: Vec<Value>,
    /// The status of HTTP.
    status: u16,
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "llmend",
        description = "What language models wrote, repaired, fitted, planned and checked. `/v1/chat/completions`, `/v1/responses` and `/v1/messages` are those of their providers."
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
