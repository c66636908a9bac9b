//! Application of patches to workflows.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend::plan::Gaps;
use llmend::{Review, review_patch_with, review_plan_with};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::own::{Planning, answer, format, unread, usable};
use super::workflow_check::text_of;
use crate::error::Failure;
use crate::shared::Shared;

/// A workflow or a plan, and a patch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkflowPatchRequest {
    /// Workflow or plan in any dialect, or a text that contains it.
    workflow: Value,
    /// Patch, or a text that contains it.
    patch: Value,
    /// Available tools.
    #[serde(default)]
    catalog: Option<Value>,
    /// Whether to connect the predecessors of a removed node to its successor.
    #[serde(default)]
    bridge: Option<bool>,
    /// Whether to apply safe fixes.
    #[serde(default)]
    fix: Option<bool>,
    /// Format of a drawing: mermaid, dot, svg, tree.
    #[serde(default)]
    draw: Option<String>,
}

/// `POST /v1/workflow/patch`.
#[utoipa::path(
    post,
    path = "/v1/workflow/patch",
    request_body = WorkflowPatchRequest,
    responses(
        (status = 200, description = "`document` is the patched and checked document", body = Value),
        (status = 422, description = "The patch cannot be applied, or the result is invalid; nothing was changed", body = super::own::Failed),
    )
)]
pub(crate) async fn patch(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "workflow_patch", patched).await
}

fn patched(shared: &Shared, request: &WorkflowPatchRequest) -> Result<Map<String, Value>, Failure> {
    let WorkflowPatchRequest { workflow, patch, catalog, bridge, fix, draw } = request;
    let planning = Planning { policy: None, dialect: None, catalog: catalog.as_ref(), fix: *fix };
    let options = planning.options(shared)?;
    let drawn = format(draw.as_deref())?;
    let before = review_plan_with(&text_of(workflow), &options)
        .and_then(Review::into_whole)
        .map_err(|error| unread("cannot read the workflow", &error).about("workflow"))?;
    let gaps = if *bridge == Some(true) { Gaps::Bridge } else { Gaps::Leave };
    let after = review_patch_with(&before, &text_of(patch), gaps, &options)
        .map_err(|error| unread("cannot apply the patch", &error).about("patch"))?;
    usable(&after, drawn)
}
