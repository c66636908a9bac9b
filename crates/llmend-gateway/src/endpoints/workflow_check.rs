//! What is wrong with a workflow?

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend::review_plan_with;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::own::{Planning, answer, format, reviewed, unread};
use crate::error::Failure;
use crate::http::shared::Shared;

/// A workflow or a plan.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// The workflow or plan, in any dialect; a string is read as a text that holds it.
    workflow: Value,
    /// How it is written; found out if it is not said.
    #[serde(default)]
    dialect: Option<String>,
    /// The tools that there are.
    #[serde(default)]
    catalog: Option<Value>,
    /// Whether to put right what safely can be.
    #[serde(default)]
    fix: Option<bool>,
    /// A form in which it is to be drawn: mermaid, dot, svg, tree.
    #[serde(default)]
    draw: Option<String>,
}

/// `POST /v1/workflow/check`.
#[utoipa::path(
    post,
    path = "/v1/workflow/check",
    request_body = Asked,
    responses(
        (status = 200, description = "`valid` says whether it can be used, `diagnostics` everything that was found", body = Value),
        (status = 422, description = "Nothing could be read", body = super::openapi::Failed),
    )
)]
pub(crate) async fn check(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "workflow_check", checked).await
}

fn checked(shared: &Shared, asked: &Asked) -> Result<Map<String, Value>, Failure> {
    let Asked { workflow, dialect, catalog, fix, draw } = asked;
    let planning = Planning {
        policy: None,
        dialect: dialect.as_deref(),
        catalog: catalog.as_ref(),
        fix: *fix,
    };
    let drawn = format(draw.as_deref())?;
    let text = text_of(workflow);
    let review = review_plan_with(&text, &planning.options(shared)?)
        .map_err(|error| unread("nothing could be read", &error))?;
    Ok(reviewed(&review, drawn))
}

/// A member that is a text, or JSON in its place.
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
