//! Which JSON does a text hold, and does it fit a schema?

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend::json::parse_with;
use llmend::{Coercing, FitOptions, Options, Policy, fit_with, repair_with};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::own::{Rules, answer, places, refused, report, text_options, with_rules};
use crate::error::Failure;
use crate::http::shared::Shared;

/// A text to be repaired.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// What a model wrote.
    text: String,
    /// A JSON Schema that the value has to fit.
    #[serde(default)]
    schema: Option<Value>,
    /// What may be done to the text: strict, extract, conservative, standard, lenient.
    #[serde(default)]
    policy: Option<String>,
    /// Rules that are allowed or forbidden, whatever the policy says: `{"trailing-comma": false}`.
    #[serde(default)]
    rules: Option<Rules>,
    /// Whether to tell where each part of the value stands in the text.
    #[serde(default)]
    places: Option<bool>,
}

/// `POST /v1/repair`.
#[utoipa::path(
    post,
    path = "/v1/repair",
    request_body = Asked,
    responses(
        (status = 200, description = "`json` is the value as text and `value` as JSON, with what was done: `status`, `class`, `truncated`, `candidate`, `repairs`, `coercions`, `diagnostics`; `places` are `[start, end]` of each part in the order of `json`, keys included, of 200,000 at most", body = Value),
        (status = 422, description = "No value, or none that fits", body = super::openapi::Failed),
    )
)]
pub(crate) async fn repair(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "repair", repaired).await
}

fn repaired(shared: &Shared, asked: &Asked) -> Result<Map<String, Value>, Failure> {
    let mut options = text_options(shared, asked.policy.as_deref())?;
    with_rules(shared, &mut options, asked.rules.as_ref())?;
    let text = &asked.text;
    let Some(schema) = &asked.schema else {
        return read(text, &options, asked);
    };
    let schema = shared
        .schemas
        .get(&schema.to_string())
        .map_err(|why| Failure::request("schema/unusable", why).about("schema"))?;
    let is_strict = asked.policy.as_deref() == Some(Policy::Strict.as_str());
    let limits = shared.settings.limits;
    let coercing = if is_strict {
        Coercing::Off
    } else {
        Coercing::On(llmend::schema::Options {
            max_work: limits.repair_work,
            max_work_in_all: Some(limits.repair_work_in_all),
            ..llmend::schema::Options::default()
        })
    };
    let fitted = fit_with(text, &schema, &FitOptions { text: options, coercing })
        .map_err(|error| refused("no value could be had", error.diagnostics()))?;
    let mut members = report(&fitted.report, fitted.class());
    members.insert("coercions".to_owned(), json!(fitted.coercions));
    members.insert("violations".to_owned(), json!(fitted.violations));
    members.insert("diagnostics".to_owned(), json!(fitted.diagnostics()));
    let mut members = valued(members, &fitted.json(text));
    if asked.places == Some(true) {
        members.insert("places".to_owned(), places(&fitted.value));
    }
    if fitted.violations.is_empty() {
        return Ok(members);
    }
    let mut failure = refused("the value does not fit the schema", fitted.diagnostics());
    failure.more = Some(members);
    Err(failure)
}

/// What the text says, without a schema.
fn read(text: &str, options: &Options, asked: &Asked) -> Result<Map<String, Value>, Failure> {
    let no_value =
        |error: &llmend::json::Error| refused("no value could be had", vec![error.into()]);
    if asked.places != Some(true) {
        let repaired = repair_with(text, options).map_err(|error| no_value(&error))?;
        let mut members = report(&repaired.report, repaired.report.class);
        members.insert("diagnostics".to_owned(), json!(repaired.report.diagnostics));
        return Ok(valued(members, &repaired.text));
    }
    let parsed = parse_with(text, options).map_err(|error| no_value(&error))?;
    let mut members = report(&parsed.report, parsed.report.class);
    members.insert("diagnostics".to_owned(), json!(parsed.report.diagnostics));
    members.insert("places".to_owned(), places(&parsed.value));
    Ok(valued(members, &parsed.report.output(text)))
}

/// With the value: its text, in which numbers have all of their digits, and as JSON.
fn valued(mut members: Map<String, Value>, text: &str) -> Map<String, Value> {
    let value: Option<Value> = serde_json::from_str(text).ok();
    members.insert("json".to_owned(), json!(text));
    members.insert("value".to_owned(), json!(value));
    members
}
