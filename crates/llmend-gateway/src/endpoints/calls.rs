//! Reading of the tool calls in a text.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend_endpoints::{CallsRequest, calls as read};

use super::own::{Failed, answer};
use crate::shared::Shared;

/// `POST /v1/calls`.
#[utoipa::path(
    post,
    path = "/v1/calls",
    request_body = CallsRequest,
    responses(
        (status = 200, description = "`calls`, `text`, `reasoning`, `truncated`, `class`, `refused` and `diagnostics`. Each call has `name`, `arguments` as JSON and `json` as text, its location, `notation`, `repairs`, `coercions` and `violations`, the `parameters` of its tool (null for an unknown one), and `places` as `/v1/repair`. `chunks` has for each chunk `end`, the number of received bytes, and `events`, what it adds", body = Value),
        (status = 400, description = "The tools cannot be used, or the chunk size", body = Failed),
        (status = 422, description = "A call cannot be used: its arguments do not match, it is cut off, or it is none", body = Failed),
    )
)]
pub(crate) async fn calls(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "calls", |shared, request: &CallsRequest| {
        read(request, &shared.for_texts())
    })
    .await
}
