//! Which plan or workflow does a text hold, and is it sound?

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend::review_plan_with;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::own::{Planning, answer, format, unread, usable};
use crate::failure::Failure;
use crate::shared::Shared;

/// A text that holds a plan.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// What a model wrote.
    text: String,
    /// How it is written; found out if it is not said.
    #[serde(default)]
    dialect: Option<String>,
    /// The tools that there are.
    #[serde(default)]
    catalog: Option<Value>,
    /// What may be done to the text.
    #[serde(default)]
    policy: Option<String>,
    /// Whether to put right what safely can be.
    #[serde(default)]
    fix: Option<bool>,
    /// A form in which it is to be drawn: mermaid, dot, svg, tree.
    #[serde(default)]
    draw: Option<String>,
}

/// `POST /v1/plan`.
#[utoipa::path(
    post,
    path = "/v1/plan",
    request_body = Asked,
    responses(
        (status = 200, description = "`document` in the canonical form, with every warning in `diagnostics`", body = Value),
        (status = 422, description = "Nothing could be read, or it cannot be used", body = super::openapi::Failed),
    )
)]
pub(crate) async fn plan(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "plan", planned).await
}

fn planned(shared: &Shared, asked: &Asked) -> Result<Map<String, Value>, Failure> {
    let Asked { text, dialect, catalog, policy, fix, draw } = asked;
    let planning = Planning {
        policy: policy.as_deref(),
        dialect: dialect.as_deref(),
        catalog: catalog.as_ref(),
        fix: *fix,
    };
    let drawn = format(draw.as_deref())?;
    let review = review_plan_with(text, &planning.options(shared)?)
        .map_err(|error| unread("nothing could be read", &error))?;
    usable(&review, drawn)
}
