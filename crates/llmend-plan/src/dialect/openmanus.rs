//! How is the plan of `OpenManus` read? Strictly: its models forbid what they do not know.

use llmend_json::{Kind, Node, Severity};

use crate::{
    Plan, Step,
    object::{
        Findings, Object,
        Presence::{Nullable, Optional, Required},
    },
};

const PLAN: &[&str] =
    &["version", "objective", "constraints", "success_criteria", "steps", "notes"];
const PLAN_REQUIRED: &[&str] = &["version", "objective", "steps"];
const STEP: &[&str] =
    &["id", "title", "description", "depends_on", "tool", "inputs", "expected_output"];
const STEP_REQUIRED: &[&str] = &["id", "title", "description", "tool", "expected_output"];

/// Whether every field that is required is there, in the plan and in each step, and none that
/// only the canonical plan has.
pub(super) fn fits(node: Node<'_>) -> bool {
    let has = |node: Node<'_>, names: &[&str]| {
        names.iter().all(|name| node.get(name).is_some()) && node.get("metadata").is_none()
    };
    let steps = node.get("steps").filter(|steps| steps.kind() == Kind::Array);
    has(node, PLAN_REQUIRED)
        && steps.is_some_and(|steps| steps.items().all(|step| has(step, STEP_REQUIRED)))
}

/// Reads a plan.
pub(super) fn read(node: Node<'_>, findings: &mut Findings) -> Plan {
    let Some(object) = Object::new(node, String::new(), findings) else { return Plan::default() };
    let plan = Plan {
        version: object.text("version", Required, findings),
        objective: object.text("objective", Required, findings),
        constraints: object.texts("constraints", Optional, findings),
        success_criteria: object.texts("success_criteria", Optional, findings),
        steps: object
            .items("steps", Required, "an array of objects", findings)
            .into_iter()
            .flatten()
            .map(|(path, item)| step(item, path, findings))
            .collect(),
        notes: object.text("notes", Nullable, findings),
        ..Plan::default()
    };
    forbid_unknown(&object, PLAN, findings);
    plan
}

fn step(node: Node<'_>, path: String, findings: &mut Findings) -> Step {
    let Some(object) = Object::new(node, path, findings) else { return Step::default() };
    let step = Step {
        id: object.text("id", Required, findings).unwrap_or_default(),
        title: object.text("title", Required, findings),
        description: object.text("description", Required, findings),
        tool: object.text("tool", Required, findings),
        inputs: object.map("inputs", Optional, findings),
        depends_on: object.texts("depends_on", Optional, findings),
        expected_output: object.text("expected_output", Required, findings),
        ..Step::default()
    };
    forbid_unknown(&object, STEP, findings);
    step
}

fn forbid_unknown(object: &Object<'_>, known: &'static [&'static str], findings: &mut Findings) {
    for member in object.unknown(known) {
        findings.push(member.finding(Severity::Error, ", and others are forbidden"));
    }
}
