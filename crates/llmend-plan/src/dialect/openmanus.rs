//! Plan of `OpenManus`, read strictly: its models forbid unknown fields.

use llmend_json::{Kind, Node};
use serde::Serialize;

use crate::{
    Map, NodeType, Plan, Step,
    findings::Findings,
    losses::Losses,
    object::{
        Names, Object, Part,
        Presence::{Nullable, Optional, Required},
    },
    read::{
        context::Context,
        steps::{self, StepFields},
    },
};

const VERSION: Names = &["version"];
const OBJECTIVE: Names = &["objective"];
const CONSTRAINTS: Names = &["constraints"];
const SUCCESS: Names = &["success_criteria"];
const STEPS: Names = &["steps"];
const NOTES: Names = &["notes"];
const PLAN: [Names; 6] = [VERSION, OBJECTIVE, CONSTRAINTS, SUCCESS, STEPS, NOTES];
const PLAN_REQUIRED: &[&str] = &["version", "objective", "steps"];
const STEP_REQUIRED: &[&str] = &["id", "title", "description", "tool", "expected_output"];

/// Returns whether the plan and each step have all required fields, and none has metadata.
pub(super) fn fits(node: Node<'_>) -> bool {
    let has = |node: Node<'_>, names: &[&str]| {
        names.iter().all(|name| node.get(name).is_some()) && node.get("metadata").is_none()
    };
    let steps = node.get("steps").filter(|steps| steps.kind() == Kind::Array);
    has(node, PLAN_REQUIRED)
        && steps.is_some_and(|steps| steps.items().all(|step| has(step, STEP_REQUIRED)))
}

/// Reads a plan.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Plan {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = Part::item(node, String::new());
    let Some(object) = Object::new(root, strictness, findings) else { return Plan::default() };
    let plan = Plan {
        version: object.text(VERSION, Required, findings),
        objective: object.text(OBJECTIVE, Required, findings),
        constraints: object.texts(CONSTRAINTS, Optional, findings),
        success_criteria: object.texts(SUCCESS, Optional, findings),
        notes: object.text(NOTES, Nullable, findings),
        ..Plan::default()
    };
    object.forbid_unknown(&PLAN, findings);
    let list = object.list(STEPS, Required, "array of objects", findings);
    let steps = list.map(|list| steps::read(&list, list.items(), context, step));
    Plan { steps: steps.unwrap_or_default(), ..plan }
}

fn step(it: &Part<'_>, context: &Context<'_>, findings: &mut Findings) -> Step {
    let fields = StepFields::CANONICAL;
    let Some(object) = Object::new(it.clone(), context.strictness, findings) else {
        return Step::default();
    };
    let mut step = Step {
        id: object.text(fields.id, Required, findings).unwrap_or_default(),
        title: object.text(fields.title, Required, findings),
        description: object.text(fields.description, Required, findings),
        tool: object.text(fields.tool, Required, findings),
        inputs: object.map(fields.inputs, Optional, findings),
        depends_on: object.texts(fields.depends_on, Optional, findings),
        expected_output: object.text(fields.expected_output, Required, findings),
        ..Step::default()
    };
    object.forbid_unknown(&fields.all(), findings);
    if step.tool.is_some() {
        steps::admit(&mut step, &object, &fields, it, context, findings);
    } else {
        context.admit_type(NodeType::Tool, it, findings);
    }
    step
}

/// Restricts a plan to what the dialect can represent.
pub(crate) fn restrict(plan: &mut Plan, losses: &mut Losses) {
    losses.need(plan.version.as_ref(), "/version");
    losses.need(plan.objective.as_ref(), "/objective");
    losses.map(&mut plan.metadata, "/metadata");
    for (at, step) in plan.steps.iter_mut().enumerate() {
        losses.need(step.title.as_ref(), &format!("/steps/{at}/title"));
        losses.need(step.description.as_ref(), &format!("/steps/{at}/description"));
        losses.need(step.tool.as_ref(), &format!("/steps/{at}/tool"));
        losses.need(step.expected_output.as_ref(), &format!("/steps/{at}/expected_output"));
        losses.map(&mut step.metadata, &format!("/steps/{at}/metadata"));
    }
}

/// The written form of a plan, with every field.
#[derive(Serialize)]
pub(crate) struct OpenManusPlan<'p> {
    version: Option<&'p str>,
    objective: Option<&'p str>,
    constraints: &'p [String],
    success_criteria: &'p [String],
    steps: Vec<OpenManusStep<'p>>,
    notes: Option<&'p str>,
}

#[derive(Serialize)]
struct OpenManusStep<'p> {
    id: &'p str,
    title: Option<&'p str>,
    description: Option<&'p str>,
    depends_on: &'p [String],
    tool: Option<&'p str>,
    inputs: &'p Map,
    expected_output: Option<&'p str>,
}

/// Converts a plan to its written form.
pub(crate) fn encode(plan: &Plan) -> OpenManusPlan<'_> {
    let steps = plan.steps.iter().map(|step| OpenManusStep {
        id: &step.id,
        title: step.title.as_deref(),
        description: step.description.as_deref(),
        depends_on: &step.depends_on,
        tool: step.tool.as_deref(),
        inputs: &step.inputs,
        expected_output: step.expected_output.as_deref(),
    });
    OpenManusPlan {
        version: plan.version.as_deref(),
        objective: plan.objective.as_deref(),
        constraints: &plan.constraints,
        success_criteria: &plan.success_criteria,
        steps: steps.collect(),
        notes: plan.notes.as_deref(),
    }
}
