//! Checking of workflows.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend_endpoints::{WorkflowCheckRequest, check_workflow};

use super::own::{Failed, answer};
use crate::shared::Shared;

/// `POST /v1/workflow/check`.
#[utoipa::path(
    post,
    path = "/v1/workflow/check",
    request_body = WorkflowCheckRequest,
    responses(
        (status = 200, description = "`valid` is whether there are no errors, `diagnostics` has all findings", body = Value),
        (status = 422, description = "No workflow could be read", body = Failed),
    )
)]
pub(crate) async fn check(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "workflow_check", |shared, request: &WorkflowCheckRequest| {
        check_workflow(request, &shared.for_texts())
    })
    .await
}
