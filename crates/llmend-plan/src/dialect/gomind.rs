//! Routing plan of `GoMind`.
//!
//! The agent is the step's tool, its instruction the description, and `metadata.parameters` the inputs.
//! Capability and namespace stay in the step's metadata, where the catalog expects the capability.

use llmend_json::Node;
use serde::Serialize;
use serde_json::Value;

use crate::{
    Map, Plan, Step, code,
    findings::Findings,
    locations::below,
    losses::Losses,
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        context::Context,
        list,
        steps::{self, StepFields},
    },
};

const OBJECTIVE: Names = &["objective", "original_request"];
/// Fields that become metadata of the canonical plan.
const EXTRA: [Names; 3] = [&["plan_id"], &["mode"], &["created_at"]];
const NAMESPACE: Names = &["namespace"];
const PARAMETERS: &str = "parameters";

const FIELDS: StepFields = StepFields {
    id: &["id", "step_id"],
    title: &[],
    description: &["description", "instruction"],
    tool: &["tool", "agent_name"],
    inputs: &[],
    depends_on: &["depends_on"],
    expected_output: &[],
    successors: &[],
};

/// Reads a plan.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Plan {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = list::unwrap(node, &[list::STEPS], strictness, findings);
    let Some(object) = Object::new(root, strictness, findings) else { return Plan::default() };
    let mut plan = Plan {
        objective: object.text(OBJECTIVE, Nullable, findings),
        metadata: object.metadata(&[&EXTRA[..], &[OBJECTIVE, list::STEPS]].concat(), findings),
        ..Plan::default()
    };
    for names in EXTRA {
        copy_to_metadata(&object, names, &mut plan.metadata, findings);
    }
    let list = object.list(list::STEPS, Required, "array of objects", findings);
    plan.steps =
        list.map(|list| steps::read(&list, list.items(), context, step)).unwrap_or_default();
    plan
}

/// Copies a string of the object to the metadata.
fn copy_to_metadata(
    object: &Object<'_>,
    names: Names,
    metadata: &mut Map,
    findings: &mut Findings,
) {
    let Some(text) = object.text(names, Nullable, findings) else { return };
    let name = names.first().copied().unwrap_or_default();
    if metadata.get(name).is_some_and(|given| given.as_str() != Some(&text)) {
        let message = format!("metadata has a different `{name}`");
        findings.error(code::UNKNOWN_FIELD, &object.path_of(name), object.span(), message);
    }
    metadata.insert(name.to_owned(), Value::from(text));
}

fn step(it: &Part<'_>, context: &Context<'_>, findings: &mut Findings) -> Step {
    let Some(object) = Object::new(it.clone(), context.strictness, findings) else {
        return Step::default();
    };
    let known = [FIELDS.id, FIELDS.description, FIELDS.tool, FIELDS.depends_on, NAMESPACE];
    let mut step = Step {
        id: object.name(FIELDS.id, Required, findings).unwrap_or_default(),
        description: object.text(FIELDS.description, Nullable, findings),
        tool: object.text(FIELDS.tool, Required, findings),
        depends_on: steps::depends_on(&object, FIELDS.depends_on, findings),
        metadata: object.metadata(&known, findings),
        ..Step::default()
    };
    copy_to_metadata(&object, NAMESPACE, &mut step.metadata, findings);
    let metadata = it.node.get("metadata");
    let given = metadata.and_then(|metadata| metadata.get(PARAMETERS)).map(|node| {
        let path = below(&object.path_of("metadata"), PARAMETERS);
        Part { node, path, canonical: "/inputs".to_owned() }
    });
    if let Some(Value::Object(_)) = step.metadata.get(PARAMETERS)
        && let Some(Value::Object(inputs)) = step.metadata.remove(PARAMETERS)
    {
        step.inputs = inputs;
        if let Some(given) = &given {
            given.note_below(findings);
        }
    }
    if let Some(tool) = &mut step.tool {
        context.admit_type(crate::NodeType::Tool, it, findings);
        let named = object.find(FIELDS.tool).unwrap_or_else(|| it.clone());
        context.admit_tool(tool, &named.path, named.span(), findings);
        context.fit(tool, &step.metadata, &mut step.inputs, "/inputs", findings);
    }
    step
}

/// Restricts a plan to what the dialect can represent.
pub(crate) fn restrict(plan: &mut Plan, losses: &mut Losses) {
    losses.take(&mut plan.version, "/version");
    losses.list(&mut plan.constraints, "/constraints");
    losses.list(&mut plan.success_criteria, "/success_criteria");
    losses.take(&mut plan.notes, "/notes");
    let fields: Vec<&str> = EXTRA.iter().filter_map(|names| names.first().copied()).collect();
    losses.members(&mut plan.metadata, "/metadata", |name, value| {
        fields.contains(&name) && value.is_string()
    });
    for (at, step) in plan.steps.iter_mut().enumerate() {
        losses.need(step.tool.as_ref(), &format!("/steps/{at}/tool"));
        losses.take(&mut step.title, &format!("/steps/{at}/title"));
        losses.take(&mut step.expected_output, &format!("/steps/{at}/expected_output"));
        losses.members(&mut step.metadata, &format!("/steps/{at}/metadata"), |name, value| {
            match name {
                "namespace" => value.is_string(),
                name => name != PARAMETERS,
            }
        });
    }
}

/// The written form of a plan.
#[derive(Serialize)]
pub(crate) struct GoMindPlan<'p> {
    #[serde(skip_serializing_if = "Option::is_none")]
    plan_id: Option<&'p Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original_request: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'p Value>,
    steps: Vec<GoMindStep<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<&'p Value>,
}

#[derive(Serialize)]
struct GoMindStep<'p> {
    step_id: &'p str,
    agent_name: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<&'p str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    depends_on: &'p [String],
    #[serde(skip_serializing_if = "Map::is_empty")]
    metadata: Map,
}

/// Converts a plan to its written form.
pub(crate) fn encode(plan: &Plan) -> GoMindPlan<'_> {
    let steps = plan.steps.iter().map(|step| {
        let mut metadata = step.metadata.clone();
        let namespace = metadata.remove("namespace");
        if !step.inputs.is_empty() {
            metadata.insert(PARAMETERS.to_owned(), Value::Object(step.inputs.clone()));
        }
        GoMindStep {
            step_id: &step.id,
            agent_name: step.tool.as_deref(),
            namespace,
            instruction: step.description.as_deref(),
            depends_on: &step.depends_on,
            metadata,
        }
    });
    GoMindPlan {
        plan_id: plan.metadata.get("plan_id"),
        original_request: plan.objective.as_deref(),
        mode: plan.metadata.get("mode"),
        steps: steps.collect(),
        created_at: plan.metadata.get("created_at"),
    }
}
