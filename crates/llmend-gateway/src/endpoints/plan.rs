//! Reading and checking of plans in texts.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend_endpoints::{PlanRequest, plan as read};

use super::own::{Failed, answer};
use crate::shared::Shared;

/// `POST /v1/plan`.
#[utoipa::path(
    post,
    path = "/v1/plan",
    request_body = PlanRequest,
    responses(
        (status = 200, description = "`document` in canonical form, with all warnings in `diagnostics`; `places` has the byte range `[start, end]` of each item, or null, by the name of its list", body = Value),
        (status = 422, description = "No plan could be read, or it is invalid", body = Failed),
    )
)]
pub(crate) async fn plan(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "plan", |shared, request: &PlanRequest| {
        read(request, &shared.for_texts())
    })
    .await
}
