//! Conversion to and from JSON Patch (RFC 6902).
//!
//! Operations refer to the canonical form: `{"op": "remove", "path": "/nodes/2"}`.

use llmend_json::{Diagnostic, Severity};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    Gaps, Patch, PatchError, Plan, PlanPatch, Workflow, apply,
    patch::{
        apply::without_graph,
        diff::diff,
        outcome::{JSON_PATCH, NOT_CARRIED},
        plan_patch::{apply_to_plan, diff_plans},
    },
};

/// Maximum depth of a value, since comparing and patching recurse.
const MAX_DEPTH: usize = 512;

impl Patch {
    /// Converts `operations` on the canonical form of `workflow` to a patch.
    ///
    /// ```
    /// use llmend_plan::{Patch, Workflow};
    /// use serde_json::json;
    ///
    /// let workflow: Workflow = serde_json::from_value(json!({
    ///     "nodes": [{"id": "a", "type": "tool", "tool": "x"}],
    /// }))?;
    /// let operations = json!([{"op": "replace", "path": "/nodes/0/tool", "value": "y"}]);
    /// let patch = Patch::from_json_patch(&workflow, &operations)?;
    /// assert_eq!(patch.update_nodes.len(), 1);
    /// assert_eq!(patch.to_json_patch(&workflow)?, operations);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json_patch(workflow: &Workflow, operations: &Value) -> Result<Self, PatchError> {
        let after = apply_operations(workflow, operations)?;
        if without_graph(workflow) != without_graph(&after) {
            let message = "the operations change more than nodes and edges";
            return Err(patch_error(NOT_CARRIED, "", message));
        }
        check_unique(after.nodes.iter().map(|node| node.id.as_str()), "/nodes")?;
        Ok(diff(workflow, &after))
    }

    /// Converts the patch to operations on the canonical form of `workflow`.
    pub fn to_json_patch(&self, workflow: &Workflow) -> Result<Value, PatchError> {
        let after = apply(workflow, self, Gaps::Leave)?.or(workflow.clone());
        operations(workflow, &after)
    }
}

impl PlanPatch {
    /// Converts `operations` on the canonical form of `plan` to a patch.
    pub fn from_json_patch(plan: &Plan, operations: &Value) -> Result<Self, PatchError> {
        let after = apply_operations(plan, operations)?;
        let without_steps = |plan: &Plan| Plan { steps: Vec::new(), ..plan.clone() };
        if without_steps(plan) != without_steps(&after) {
            let message = "the operations change more than the steps";
            return Err(patch_error(NOT_CARRIED, "", message));
        }
        check_unique(after.steps.iter().map(|step| step.id.as_str()), "/steps")?;
        Ok(diff_plans(plan, &after))
    }

    /// Converts the patch to operations on the canonical form of `plan`.
    pub fn to_json_patch(&self, plan: &Plan) -> Result<Value, PatchError> {
        let after = apply_to_plan(plan, self, Gaps::Leave)?.or(plan.clone());
        operations(plan, &after)
    }
}

/// Applies the operations to the canonical form of `before`.
fn apply_operations<T: Serialize + DeserializeOwned>(
    before: &T,
    operations: &Value,
) -> Result<T, PatchError> {
    check_depth(operations)?;
    let mut value = canonical(before)?;
    let patch = parsed(operations)?;
    let start = value.clone();
    json_patch::patch(&mut value, &patch).map_err(|error| {
        let shown = patch.0.get(error.operation).map(ToString::to_string).unwrap_or_default();
        let message = format!("operation {} failed: {}: {shown}", error.operation, error.kind);
        patch_error(JSON_PATCH, &format!("/{}", error.operation), &message)
    })?;
    // Operations can copy a part into itself and so increase the depth.
    check_depth(&value)?;
    serde_json::from_value(value).map_err(|error| {
        let (path, message) = first_fault::<T>(start, &patch).map_or_else(
            || (String::new(), format!("the result is not in the canonical form: {error}")),
            |(at, error)| {
                (format!("/{at}"), format!("operation {at} leaves the canonical form: {error}"))
            },
        );
        patch_error(JSON_PATCH, &path, &message)
    })
}

/// Parses the operations one by one.
fn parsed(operations: &Value) -> Result<json_patch::Patch, PatchError> {
    let Value::Array(items) = operations else {
        return Err(patch_error(JSON_PATCH, "", "invalid JSON Patch: expected an array"));
    };
    let (mut patch, mut violations) = (Vec::new(), Vec::new());
    for (at, item) in items.iter().enumerate() {
        match serde_json::from_value(item.clone()) {
            Ok(operation) => patch.push(operation),
            Err(error) => {
                let message = format!("operation {at} is invalid: {error}");
                let row = Diagnostic::new(JSON_PATCH, Severity::Error, message);
                violations.push(row.on(format!("/{at}")));
            }
        }
    }
    if violations.is_empty() {
        Ok(json_patch::Patch(patch))
    } else {
        Err(PatchError { violations })
    }
}

/// Returns the operation after which the value is no longer in the canonical form, up to the end.
/// Among many operations, it is not searched for.
fn first_fault<T: DeserializeOwned>(
    mut value: Value,
    patch: &json_patch::Patch,
) -> Option<(usize, serde_json::Error)> {
    const SEARCHED: usize = 64;
    let mut fault = None;
    for (at, operation) in patch.0.iter().enumerate().take(SEARCHED) {
        json_patch::patch(&mut value, std::slice::from_ref(operation)).ok()?;
        match serde_json::from_value::<T>(value.clone()) {
            Ok(_) => fault = None,
            Err(error) => fault = fault.or(Some((at, error))),
        }
    }
    fault.filter(|_| patch.0.len() <= SEARCHED)
}

fn operations<T: Serialize>(before: &T, after: &T) -> Result<Value, PatchError> {
    let (before, after) = (canonical(before)?, canonical(after)?);
    canonical(&json_patch::diff(&before, &after))
}

fn canonical<T: Serialize>(value: &T) -> Result<Value, PatchError> {
    let value = serde_json::to_value(value)
        .map_err(|error| patch_error(JSON_PATCH, "", &error.to_string()))?;
    check_depth(&value)?;
    Ok(value)
}

/// Rejects a value that is nested too deep.
fn check_depth(value: &Value) -> Result<(), PatchError> {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(patch_error(JSON_PATCH, "", &message));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => open.extend(map.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

/// Rejects duplicate ids, since a patch identifies its targets by id.
pub(super) fn check_unique<'i>(
    ids: impl Iterator<Item = &'i str>,
    path: &str,
) -> Result<(), PatchError> {
    let mut seen = std::collections::HashSet::new();
    for id in ids {
        if !seen.insert(id) {
            let message = format!("duplicate id `{}`", crate::graph::names::shown(id));
            return Err(patch_error(JSON_PATCH, path, &message));
        }
    }
    Ok(())
}

fn patch_error(code: &'static str, path: &str, message: &str) -> PatchError {
    PatchError { violations: vec![Diagnostic::new(code, Severity::Error, message).on(path)] }
}
