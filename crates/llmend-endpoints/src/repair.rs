//! Repair and validation of JSON in texts.

use llmend::json::parse_with;
use llmend::{CoerceMode, FitOptions, Options, Policy, Schema, fit_with, repair_with};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::members::{places, report};
use crate::options::Rules;
use crate::{Refusal, Settings};

/// A text to repair.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RepairRequest {
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

/// Repairs the JSON in a text and validates it: `POST /v1/repair`. `compile` returns the schema in a JSON text, or why it
/// cannot be used.
pub fn repair(
    request: &RepairRequest,
    settings: &Settings,
    compile: impl FnOnce(&str) -> Result<Schema, String>,
) -> Result<Map<String, Value>, Refusal> {
    let options = settings.text(request.policy.as_deref(), request.rules.as_ref())?;
    let text = &request.text;
    let Some(schema) = &request.schema else {
        return read(text, &options, request);
    };
    let schema = compile(&schema.to_string())
        .map_err(|why| Refusal::request("schema/unusable", why).about("schema"))?;
    let is_strict = request.policy.as_deref() == Some(Policy::Strict.as_str());
    let coerce = if is_strict { CoerceMode::Off } else { CoerceMode::On(settings.schema()) };
    let fitted = fit_with(text, &schema, &FitOptions { text: options, coerce })
        .map_err(|error| Refusal::text("cannot read a value", error.diagnostics()))?;
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
    let mut refusal = Refusal::text("the value does not match the schema", fitted.diagnostics());
    refusal.more = members;
    Err(refusal)
}

/// Reads a value without a schema.
fn read(
    text: &str,
    options: &Options,
    request: &RepairRequest,
) -> Result<Map<String, Value>, Refusal> {
    let no_value =
        |error: &llmend::json::Error| Refusal::text("cannot read a value", vec![error.into()]);
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
