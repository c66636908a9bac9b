//! Reading and checking of plans in texts.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend::plan::Locations;
use llmend::review_plan_with;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::own::{Planning, Rules, answer, format, unread, usable, with_rules};
use crate::error::Failure;
use crate::shared::Shared;

/// A text that contains a plan.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanRequest {
    /// Text written by a model.
    text: String,
    /// Dialect of the plan; detected by default.
    #[serde(default)]
    dialect: Option<String>,
    /// Available tools.
    #[serde(default)]
    catalog: Option<Value>,
    /// Repair policy for the text.
    #[serde(default)]
    policy: Option<String>,
    /// Whether to apply safe fixes.
    #[serde(default)]
    fix: Option<bool>,
    /// Format of a drawing: mermaid, dot, svg, tree.
    #[serde(default)]
    draw: Option<String>,
    /// Rules to enable or disable in addition to the policy.
    #[serde(default)]
    rules: Option<Rules>,
    /// Whether to return the position of each item of the plan in the text.
    #[serde(default)]
    places: Option<bool>,
}

/// `POST /v1/plan`.
#[utoipa::path(
    post,
    path = "/v1/plan",
    request_body = PlanRequest,
    responses(
        (status = 200, description = "`document` in canonical form, with all warnings in `diagnostics`; `places` has the byte range `[start, end]` of each item, or null, by the name of its list", body = Value),
        (status = 422, description = "No plan could be read, or it is invalid", body = super::own::Failed),
    )
)]
pub(crate) async fn plan(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "plan", planned).await
}

fn planned(shared: &Shared, request: &PlanRequest) -> Result<Map<String, Value>, Failure> {
    let PlanRequest { text, dialect, catalog, policy, fix, draw, rules, places } = request;
    let planning = Planning {
        policy: policy.as_deref(),
        dialect: dialect.as_deref(),
        catalog: catalog.as_ref(),
        fix: *fix,
    };
    let drawn = format(draw.as_deref())?;
    let mut options = planning.options(shared)?;
    with_rules(shared, &mut options.text, rules.as_ref())?;
    let review =
        review_plan_with(text, &options).map_err(|error| unread("cannot read a plan", &error))?;
    let mut result = usable(&review, drawn);
    let members = match &mut result {
        Ok(members) => Some(members),
        Err(failure) => failure.more.as_mut(),
    };
    if let Some(members) = members.filter(|_| *places == Some(true)) {
        members.insert("places".to_owned(), lists(&review.reviewed.locations));
    }
    result
}

/// Returns the byte ranges of the items of each list.
fn lists(locations: &Locations) -> Value {
    let lists = locations.lists.iter().map(|(name, items)| {
        let places = items.iter().map(|item| match &item.whole {
            Some(place) => json!([place.span.start, place.span.end]),
            None => Value::Null,
        });
        (name.clone(), places.collect::<Value>())
    });
    lists.collect()
}
