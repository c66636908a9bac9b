//! Checking of workflows.

use llmend::review_plan_with;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::members::{reviewed, unread};
use crate::options::{Planning, format};
use crate::{Refusal, Settings};

/// A workflow or a plan.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkflowCheckRequest {
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

/// Checks a workflow: `POST /v1/workflow/check`.
pub fn check_workflow(
    request: &WorkflowCheckRequest,
    settings: &Settings,
) -> Result<Map<String, Value>, Refusal> {
    let WorkflowCheckRequest { workflow, dialect, catalog, fix, draw } = request;
    let planning = Planning {
        dialect: dialect.as_deref(),
        catalog: catalog.as_ref(),
        fix: *fix,
        ..Planning::default()
    };
    let drawn = format(draw.as_deref())?;
    let text = text_of(workflow);
    let review = review_plan_with(&text, &planning.options(settings)?)
        .map_err(|error| unread("cannot read a workflow", &error))?;
    Ok(reviewed(&review, drawn))
}

/// Returns a string member as it is, and other JSON as text.
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
