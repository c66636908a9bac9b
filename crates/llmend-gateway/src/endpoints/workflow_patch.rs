//! Application of patches to workflows.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend_endpoints::{WorkflowPatchRequest, patch_workflow};

use super::own::{Failed, answer};
use crate::shared::Shared;

/// `POST /v1/workflow/patch`.
#[utoipa::path(
    post,
    path = "/v1/workflow/patch",
    request_body = WorkflowPatchRequest,
    responses(
        (status = 200, description = "`document` is the patched and checked document", body = Value),
        (status = 422, description = "The patch cannot be applied, or the result is invalid; nothing was changed", body = Failed),
    )
)]
pub(crate) async fn patch(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "workflow_patch", |shared, request: &WorkflowPatchRequest| {
        patch_workflow(request, &shared.for_texts())
    })
    .await
}
