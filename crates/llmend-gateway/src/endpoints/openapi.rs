//! `OpenAPI` document.

use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::json;
use utoipa::OpenApi;

use super::own::Failed;
use super::{
    calls, exchange, exchanges, plan, repair, rules, stream, workflow_check, workflow_patch,
};
use crate::http::reply;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "llmend",
        description = "Repairs, validates and checks the output of language models. `/v1/chat/completions`, `/v1/responses` and `/v1/messages` follow the APIs of their providers."
    ),
    paths(
        repair::repair,
        stream::stream,
        calls::calls,
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
