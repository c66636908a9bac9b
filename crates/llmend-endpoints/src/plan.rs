//! Reading and checking of plans in texts.

use llmend::plan::Locations;
use llmend::review_plan_with;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::members::{unread, usable};
use crate::options::{Planning, Rules, format};
use crate::{Refusal, Settings};

/// A text that contains a plan.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PlanRequest {
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

/// Reads the plan in a text and checks it: `POST /v1/plan`.
pub fn plan(request: &PlanRequest, settings: &Settings) -> Result<Map<String, Value>, Refusal> {
    let PlanRequest { text, dialect, catalog, policy, fix, draw, rules, places } = request;
    let planning = Planning {
        policy: policy.as_deref(),
        rules: rules.as_ref(),
        dialect: dialect.as_deref(),
        catalog: catalog.as_ref(),
        fix: *fix,
    };
    let drawn = format(draw.as_deref())?;
    let options = planning.options(settings)?;
    let review =
        review_plan_with(text, &options).map_err(|error| unread("cannot read a plan", &error))?;
    let mut result = usable(&review, drawn);
    let members = match &mut result {
        Ok(members) => members,
        Err(refusal) => &mut refusal.more,
    };
    if *places == Some(true) {
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
