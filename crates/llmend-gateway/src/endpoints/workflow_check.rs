//! Checking of workflows.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend::review_plan_with;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::own::{Planning, answer, format, reviewed, unread};
use crate::error::Failure;
use crate::shared::Shared;

/// A workflow or a plan.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkflowCheckRequest {
    /// Workflow or plan in any dialect, or a text that contains it.
    workflow: Value,
    /// Dialect; detected by default.
    #[serde(default)]
    dialect: Option<String>,
    /// Available tools.
    #[serde(default)]
    catalog: Option<Value>,
    /// Whether to apply safe fixes.
    #[serde(default)]
    fix: Option<bool>,
    /// Format of a drawing: mermaid, dot, svg, tree.
    #[serde(default)]
    draw: Option<String>,
}

/// `POST /v1/workflow/check`.
#[utoipa::path(
    post,
    path = "/v1/workflow/check",
    request_body = WorkflowCheckRequest,
    responses(
        (status = 200, description = "`valid` is whether there are no errors, `diagnostics` has all findings", body = Value),
        (status = 422, description = "No workflow could be read", body = super::own::Failed),
    )
)]
pub(crate) async fn check(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "workflow_check", checked).await
}

fn checked(shared: &Shared, request: &WorkflowCheckRequest) -> Result<Map<String, Value>, Failure> {
    let WorkflowCheckRequest { workflow, dialect, catalog, fix, draw } = request;
    let planning = Planning {
        policy: None,
        dialect: dialect.as_deref(),
        catalog: catalog.as_ref(),
        fix: *fix,
    };
    let drawn = format(draw.as_deref())?;
    let text = text_of(workflow);
    let review = review_plan_with(&text, &planning.options(shared)?)
        .map_err(|error| unread("cannot read a workflow", &error))?;
    Ok(reviewed(&review, drawn))
}

/// Returns a string member as it is, and other JSON as text.
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
