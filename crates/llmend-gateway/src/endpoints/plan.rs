//! Which plan or workflow does a text hold, and is it sound?

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend::plan::Places;
use llmend::review_plan_with;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::own::{Planning, Rules, answer, format, unread, usable, with_rules};
use crate::error::Failure;
use crate::http::shared::Shared;

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
    /// Rules that are allowed or forbidden, whatever the policy says.
    #[serde(default)]
    rules: Option<Rules>,
    /// Whether to tell where each item of the plan stands in the text.
    #[serde(default)]
    places: Option<bool>,
}

/// `POST /v1/plan`.
#[utoipa::path(
    post,
    path = "/v1/plan",
    request_body = Asked,
    responses(
        (status = 200, description = "`document` in the canonical form, with every warning in `diagnostics`; `places` are `[start, end]` of each item of a list of it, by the name of the list, or null", body = Value),
        (status = 422, description = "Nothing could be read, or it cannot be used", body = super::openapi::Failed),
    )
)]
pub(crate) async fn plan(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "plan", planned).await
}

fn planned(shared: &Shared, asked: &Asked) -> Result<Map<String, Value>, Failure> {
    let Asked { text, dialect, catalog, policy, fix, draw, rules, places } = asked;
    let planning = Planning {
        policy: policy.as_deref(),
        dialect: dialect.as_deref(),
        catalog: catalog.as_ref(),
        fix: *fix,
    };
    let drawn = format(draw.as_deref())?;
    let mut options = planning.options(shared)?;
    with_rules(shared, &mut options.text, rules.as_ref())?;
    let review = review_plan_with(text, &options)
        .map_err(|error| unread("nothing could be read", &error))?;
    let mut told = usable(&review, drawn);
    let members = match &mut told {
        Ok(members) => Some(members),
        Err(failure) => failure.more.as_mut(),
    };
    if let Some(members) = members.filter(|_| *places == Some(true)) {
        members.insert("places".to_owned(), lists(&review.reviewed.places));
    }
    told
}

/// Where the items of each list stand.
fn lists(places: &Places) -> Value {
    let lists = places.lists.iter().map(|(name, items)| {
        let places = items.iter().map(|item| match &item.whole {
            Some(place) => json!([place.span.start, place.span.end]),
            None => Value::Null,
        });
        (name.clone(), places.collect::<Value>())
    });
    lists.collect()
}
