//! Repair and validation of JSON in texts.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use llmend::json::parse_with;
use llmend::{CoerceMode, FitOptions, Options, Policy, fit_with, repair_with};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::own::{
    Rules, answer, places, refused, report, schema_options, text_options, with_rules,
};
use crate::error::Failure;
use crate::shared::Shared;

/// A text to repair.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RepairRequest {
    /// Text written by a model.
    text: String,
    /// JSON Schema for the value.
    #[serde(default)]
    schema: Option<Value>,
    /// Repair policy: strict, extract, conservative, standard, lenient.
    #[serde(default)]
    policy: Option<String>,
    /// Rules to enable or disable in addition to the policy: `{"trailing-comma": false}`.
    #[serde(default)]
    rules: Option<Rules>,
    /// Whether to return the position of each part of the value in the text.
    #[serde(default)]
    places: Option<bool>,
}

/// `POST /v1/repair`.
#[utoipa::path(
    post,
    path = "/v1/repair",
    request_body = RepairRequest,
    responses(
        (status = 200, description = "`json` is the value as text and `value` as JSON, with the report: `status`, `class`, `truncated`, `candidate`, `repairs`, `coercions`, `diagnostics`; `places` has the byte range `[start, end]` of each part in the order of `json`, including keys, at most 200,000", body = Value),
        (status = 422, description = "No value was found, or it does not match the schema", body = super::own::Failed),
    )
)]
pub(crate) async fn repair(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, "repair", repaired).await
}

fn repaired(shared: &Shared, request: &RepairRequest) -> Result<Map<String, Value>, Failure> {
    let mut options = text_options(shared, request.policy.as_deref())?;
    with_rules(shared, &mut options, request.rules.as_ref())?;
    let text = &request.text;
    let Some(schema) = &request.schema else {
        return read(text, &options, request);
    };
    let schema = shared
        .schemas
        .get(&schema.to_string())
        .map_err(|why| Failure::request("schema/unusable", why).about("schema"))?;
    let is_strict = request.policy.as_deref() == Some(Policy::Strict.as_str());
    let coerce = if is_strict { CoerceMode::Off } else { CoerceMode::On(schema_options(shared)) };
    let fitted = fit_with(text, &schema, &FitOptions { text: options, coerce })
        .map_err(|error| refused("cannot read a value", error.diagnostics()))?;
    let mut members = report(&fitted.report, fitted.class());
    members.insert("coercions".to_owned(), json!(fitted.coercions));
    members.insert("violations".to_owned(), json!(fitted.violations));
    members.insert("diagnostics".to_owned(), json!(fitted.diagnostics()));
    let mut members = with_value(members, &fitted.json(text));
    if request.places == Some(true) {
        members.insert("places".to_owned(), places(&fitted.value, 0));
    }
    if fitted.violations.is_empty() {
        return Ok(members);
    }
    let mut failure = refused("the value does not match the schema", fitted.diagnostics());
    failure.more = Some(members);
    Err(failure)
}

/// Reads a value without a schema.
fn read(
    text: &str,
    options: &Options,
    request: &RepairRequest,
) -> Result<Map<String, Value>, Failure> {
    let no_value = |error: &llmend::json::Error| refused("cannot read a value", vec![error.into()]);
    if request.places != Some(true) {
        let repaired = repair_with(text, options).map_err(|error| no_value(&error))?;
        let mut members = report(&repaired.report, repaired.report.class);
        members.insert("diagnostics".to_owned(), json!(repaired.report.diagnostics));
        return Ok(with_value(members, &repaired.text));
    }
    let parsed = parse_with(text, options).map_err(|error| no_value(&error))?;
    let mut members = report(&parsed.report, parsed.report.class);
    members.insert("diagnostics".to_owned(), json!(parsed.report.diagnostics));
    members.insert("places".to_owned(), places(&parsed.value, 0));
    Ok(with_value(members, &parsed.report.output(text)))
}

/// Adds the value as text, in which numbers keep all digits, and as JSON.
fn with_value(mut members: Map<String, Value>, text: &str) -> Map<String, Value> {
    let value: Option<Value> = serde_json::from_str(text).ok();
    members.insert("json".to_owned(), json!(text));
    members.insert("value".to_owned(), json!(value));
    members
}
