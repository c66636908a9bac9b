//! Repair and validation of JSON in texts.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend_endpoints::{RepairRequest, repair as read};

use super::own::{Failed, answer};
use crate::shared::Shared;

/// `POST /v1/repair`.
#[utoipa::path(
    post,
    path = "/v1/repair",
    request_body = RepairRequest,
    responses(
        (status = 200, description = "`json` is the value as text and `value` as JSON, with the report: `status`, `class`, `truncated`, `candidate`, `repairs`, `coercions`, `diagnostics`; `places` has the byte range `[start, end]` of each part in the order of `json`, including keys, at most 200,000", body = Value),
        (status = 422, description = "No value was found, or it does not match the schema", body = Failed),
    )
)]
pub(crate) async fn repair(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "repair", |shared, request: &RepairRequest| {
        read(request, &shared.for_texts(), |text| shared.schemas.get(text))
    })
    .await
}
