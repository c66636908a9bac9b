//! What does a patch make of a workflow?

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
use crate::http::shared::Shared;

/// A workflow or a plan, and what is to change.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// The workflow or plan, in any dialect; a string is read as a text that holds it.
    workflow: Value,
    /// The patch; a string is read as a text that holds it.
    patch: Value,
    /// The tools that there are.
    #[serde(default)]
    catalog: Option<Value>,
    /// Whether to join those before a removed node to the one after it.
    #[serde(default)]
    bridge: Option<bool>,
    /// Whether to put right what safely can be.
    #[serde(default)]
    fix: Option<bool>,
    /// A form in which it is to be drawn: mermaid, dot, svg, tree.
    #[serde(default)]
    draw: Option<String>,
}

/// `POST /v1/workflow/patch`.
#[utoipa::path(
    post,
    path = "/v1/workflow/patch",
    request_body = Asked,
    responses(
        (status = 200, description = "`document` is the whole of the result, which was checked", body = Value),
        (status = 422, description = "The patch cannot be applied, or what comes of it cannot be used; nothing was changed", body = super::openapi::Failed),
    )
)]
pub(crate) async fn patch(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "workflow_patch", patched).await
}

fn patched(shared: &Shared, asked: &Asked) -> Result<Map<String, Value>, Failure> {
    let Asked { workflow, patch, catalog, bridge, fix, draw } = asked;
    let planning = Planning { policy: None, dialect: None, catalog: catalog.as_ref(), fix: *fix };
    let options = planning.options(shared)?;
    let drawn = format(draw.as_deref())?;
    let before = review_plan_with(&text_of(workflow), &options)
        .and_then(Review::into_whole)
        .map_err(|error| unread("the workflow cannot be read", &error).about("workflow"))?;
    let gaps = if *bridge == Some(true) { Gaps::Bridge } else { Gaps::Leave };
    let after = review_patch_with(&before, &text_of(patch), gaps, &options)
        .map_err(|error| unread("the patch cannot be applied", &error).about("patch"))?;
    usable(&after, drawn)
}
