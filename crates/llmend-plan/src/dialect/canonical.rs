//! Canonical plan.

use llmend_json::{Kind, Node};

use crate::{
    Plan, Step, Strictness,
    findings::Findings,
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        context::Context,
        list,
        steps::{self, StepFields, StepIds},
        successors::{self, Successors},
    },
};

const VERSION: Names = &["version"];
const OBJECTIVE: Names = &["objective", "goal"];
const CONSTRAINTS: Names = &["constraints"];
const SUCCESS: Names = &["success_criteria"];
const NOTES: Names = &["notes"];
const PLAN: [Names; 6] = [VERSION, OBJECTIVE, CONSTRAINTS, SUCCESS, list::STEPS, NOTES];

/// Reads a plan.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Plan {
    let strictness = context.strictness;
    let findings = &mut context.findings;
    let root = list::unwrap(node, &[list::STEPS], strictness, findings);
    if root.node.kind() == Kind::Array && strictness == Strictness::Lenient {
        let root = root.noted(findings);
        return Plan { steps: of_list(&root, context), ..Plan::default() };
    }
    let Some(object) = Object::new(root, strictness, findings) else { return Plan::default() };
    let mut plan = fields(&object, findings);
    let list = object.list(list::STEPS, Required, "array of objects", findings);
    plan.steps = list.map(|list| of_list(&list, context)).unwrap_or_default();
    plan
}

fn fields(object: &Object<'_>, findings: &mut Findings) -> Plan {
    Plan {
        version: object.text(VERSION, Nullable, findings),
        objective: object.text(OBJECTIVE, Nullable, findings),
        constraints: object.texts(CONSTRAINTS, Nullable, findings),
        success_criteria: object.texts(SUCCESS, Nullable, findings),
        steps: Vec::new(),
        notes: object.text(NOTES, Nullable, findings),
        metadata: object.metadata(&PLAN, findings),
    }
}

fn of_list(list: &Part<'_>, context: &mut Context<'_>) -> Vec<Step> {
    let ids = steps::ids(list, &StepFields::CANONICAL, context.strictness);
    let names = steps::names(list, ids);
    let successors = Successors::find(list, &names, ids, context.strictness);
    let mut steps = steps::read(list, list.items(), context, |it, context, findings| {
        let mut fields = StepFields::CANONICAL;
        if steps::context_is_steps(it.node, &names) {
            fields.depends_on = StepFields::WITH_CONTEXT;
        }
        if successors.states(it) {
            fields.successors = successors::NAMES;
        }
        let mut step = steps::canonical(it, ids, &fields, context, findings);
        successors.add(&mut step, it, findings);
        step
    });
    if ids == StepIds::Numbered {
        steps::resolve_titles(&mut steps);
        steps::report_numbered(
            "no step has an `id`; steps are numbered from 1",
            list,
            &steps,
            context,
        );
    }
    steps
}
