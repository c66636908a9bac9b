//! Application of patches to workflows.

use llmend::plan::Gaps;
use llmend::{Review, review_patch_with, review_plan_with};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::members::{unread, usable};
use crate::options::{Planning, format};
use crate::workflow_check::text_of;
use crate::{Refusal, Settings};

/// A workflow or a plan, and a patch.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkflowPatchRequest {
    /// Workflow or plan in any dialect, or a text that contains it.
    workflow: Value,
    /// Patch, or a text that contains it.
    patch: Value,
    /// Available tools.
    #[serde(default)]
    catalog: Option<Value>,
    /// Whether to connect the predecessors of a removed node to its successor.
    #[serde(default)]
    bridge: Option<bool>,
    /// Whether to apply safe fixes.
    #[serde(default)]
    fix: Option<bool>,
    /// Format of a drawing: mermaid, dot, svg, tree.
    #[serde(default)]
    draw: Option<String>,
}

/// Applies a patch to a workflow: `POST /v1/workflow/patch`.
pub fn patch_workflow(
    request: &WorkflowPatchRequest,
    settings: &Settings,
) -> Result<Map<String, Value>, Refusal> {
    let WorkflowPatchRequest { workflow, patch, catalog, bridge, fix, draw } = request;
    let planning = Planning { catalog: catalog.as_ref(), fix: *fix, ..Planning::default() };
    let options = planning.options(settings)?;
    let drawn = format(draw.as_deref())?;
    let before = review_plan_with(&text_of(workflow), &options)
        .and_then(Review::into_whole)
        .map_err(|error| unread("cannot read the workflow", &error).about("workflow"))?;
    let gaps = if *bridge == Some(true) { Gaps::Bridge } else { Gaps::Leave };
    let after = review_patch_with(&before, &text_of(patch), gaps, &options)
        .map_err(|error| unread("cannot apply the patch", &error).about("patch"))?;
    usable(&after, drawn)
}
