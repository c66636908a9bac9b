//! How is the canonical plan read?

use llmend_json::{Diagnostic, Node, Severity};

use crate::{
    Map, Plan, Step, code,
    object::{
        Findings, Object,
        Presence::{Nullable, Required},
        carried,
    },
};

const PLAN: &[&str] =
    &["version", "objective", "constraints", "success_criteria", "steps", "notes", "metadata"];
const STEP: &[&str] =
    &["id", "title", "description", "tool", "inputs", "depends_on", "expected_output", "metadata"];

/// Reads a plan.
pub(super) fn read(node: Node<'_>, findings: &mut Findings) -> Plan {
    let Some(object) = Object::new(node, String::new(), findings) else { return Plan::default() };
    Plan {
        version: object.text("version", Nullable, findings),
        objective: object.text("objective", Nullable, findings),
        constraints: object.texts("constraints", Nullable, findings),
        success_criteria: object.texts("success_criteria", Nullable, findings),
        steps: steps(&object, findings),
        notes: object.text("notes", Nullable, findings),
        metadata: metadata(&object, PLAN, findings),
    }
}

fn steps(object: &Object<'_>, findings: &mut Findings) -> Vec<Step> {
    let Some(items) = object.items("steps", Required, "an array of objects", findings) else {
        return Vec::new();
    };
    let steps: Vec<Step> = items.map(|(path, item)| step(item, path, findings)).collect();
    if steps.is_empty() {
        findings.push(
            Diagnostic::new(code::EMPTY, Severity::Error, "the plan has no steps")
                .at(object.span())
                .on(object.path_of("steps")),
        );
    }
    steps
}

fn step(node: Node<'_>, path: String, findings: &mut Findings) -> Step {
    let Some(object) = Object::new(node, path, findings) else { return Step::default() };
    Step {
        id: object.text("id", Required, findings).unwrap_or_default(),
        title: object.text("title", Nullable, findings),
        description: object.text("description", Nullable, findings),
        tool: object.text("tool", Nullable, findings),
        inputs: object.map("inputs", Nullable, findings),
        depends_on: object.texts("depends_on", Nullable, findings),
        expected_output: object.text("expected_output", Nullable, findings),
        metadata: metadata(&object, STEP, findings),
    }
}

/// The metadata that the object gives, and the members that are no field.
fn metadata(object: &Object<'_>, known: &'static [&'static str], findings: &mut Findings) -> Map {
    let given = object.map("metadata", Nullable, findings);
    let mut kept = Map::new();
    for member in object.unknown(known) {
        if member.meant.is_some() {
            findings.push(member.finding(Severity::Error, ""));
        } else if given.contains_key(member.name) {
            findings.push(
                member.finding(Severity::Error, ", and the metadata has one of that name already"),
            );
        } else {
            findings.push(member.finding(Severity::Warning, "; it is kept as metadata"));
            kept.insert(member.name.to_owned(), carried(member.value, &member.path, findings));
        }
    }
    kept.extend(given);
    kept
}
