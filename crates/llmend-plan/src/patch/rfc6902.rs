//! How is a patch said in the operations of RFC 6902?
//!
//! The operations are about the canonical form: `{"op": "remove", "path": "/nodes/2"}`.

use llmend_json::{Diagnostic, Severity};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    Gaps, NotApplied, Patch, Plan, PlanPatch, Workflow, apply,
    patch::{
        apply::head,
        diff::diff,
        of_plan::{apply_to_plan, diff_plans},
        outcome::{JSON_PATCH, NOT_CARRIED},
    },
};

/// Most levels of a value: what compares and changes it recurses.
const MOST_DEPTH: usize = 512;

impl Patch {
    /// The patch that does what `operations` do to the canonical form of `workflow`.
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
    pub fn from_json_patch(workflow: &Workflow, operations: &Value) -> Result<Self, NotApplied> {
        let after = changed(workflow, operations)?;
        if head(workflow) != head(&after) {
            let message = "the operations change what stands beside nodes and edges";
            return Err(not_applied(NOT_CARRIED, "", message));
        }
        unique(after.nodes.iter().map(|node| node.id.as_str()), "/nodes")?;
        Ok(diff(workflow, &after))
    }

    /// The operations that do to the canonical form of `workflow` what the patch does.
    pub fn to_json_patch(&self, workflow: &Workflow) -> Result<Value, NotApplied> {
        let after = apply(workflow, self, Gaps::Leave)?.or(workflow.clone());
        operations(workflow, &after)
    }
}

impl PlanPatch {
    /// The patch that does what `operations` do to the canonical form of `plan`.
    pub fn from_json_patch(plan: &Plan, operations: &Value) -> Result<Self, NotApplied> {
        let after = changed(plan, operations)?;
        let beside = |plan: &Plan| Plan { steps: Vec::new(), ..plan.clone() };
        if beside(plan) != beside(&after) {
            let message = "the operations change what stands beside the steps";
            return Err(not_applied(NOT_CARRIED, "", message));
        }
        unique(after.steps.iter().map(|step| step.id.as_str()), "/steps")?;
        Ok(diff_plans(plan, &after))
    }

    /// The operations that do to the canonical form of `plan` what the patch does.
    pub fn to_json_patch(&self, plan: &Plan) -> Result<Value, NotApplied> {
        let after = apply_to_plan(plan, self, Gaps::Leave)?.or(plan.clone());
        operations(plan, &after)
    }
}

/// What the operations make of the canonical form of `before`.
fn changed<T: Serialize + DeserializeOwned>(
    before: &T,
    operations: &Value,
) -> Result<T, NotApplied> {
    shallow(operations)?;
    let mut value = canonical(before)?;
    let patch: json_patch::Patch = serde_json::from_value(operations.clone()).map_err(|error| {
        not_applied(JSON_PATCH, "", &format!("these are no operations: {error}"))
    })?;
    json_patch::patch(&mut value, &patch).map_err(|error| {
        let message = format!("the operation cannot be carried out: {}", error.kind);
        not_applied(JSON_PATCH, &format!("/{}", error.operation), &message)
    })?;
    // Copies of parts within parts may have made it deep.
    shallow(&value)?;
    serde_json::from_value(value).map_err(|error| {
        not_applied(
            JSON_PATCH,
            "",
            &format!("what comes of it is not in the canonical form: {error}"),
        )
    })
}

fn operations<T: Serialize>(before: &T, after: &T) -> Result<Value, NotApplied> {
    let (before, after) = (canonical(before)?, canonical(after)?);
    canonical(&json_patch::diff(&before, &after))
}

fn canonical<T: Serialize>(value: &T) -> Result<Value, NotApplied> {
    let value = serde_json::to_value(value)
        .map_err(|error| not_applied(JSON_PATCH, "", &error.to_string()))?;
    shallow(&value)?;
    Ok(value)
}

/// Refuses a value that is nested deeply.
fn shallow(value: &Value) -> Result<(), NotApplied> {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > MOST_DEPTH {
            let message = format!("it is nested more than {MOST_DEPTH} levels deep");
            return Err(not_applied(JSON_PATCH, "", &message));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => open.extend(map.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

/// Refuses ids that stand twice: which of both is meant, a patch by ids cannot say.
fn unique<'i>(ids: impl Iterator<Item = &'i str>, path: &str) -> Result<(), NotApplied> {
    let mut seen = std::collections::HashSet::new();
    for id in ids {
        if !seen.insert(id) {
            let message = format!(
                "after the operations, `{}` stands there twice",
                crate::graph::names::shown(id)
            );
            return Err(not_applied(JSON_PATCH, path, &message));
        }
    }
    Ok(())
}

fn not_applied(code: &'static str, path: &str, message: &str) -> NotApplied {
    NotApplied { violations: vec![Diagnostic::new(code, Severity::Error, message).on(path)] }
}
