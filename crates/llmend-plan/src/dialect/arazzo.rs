//! Arazzo descriptions.
//!
//! A step becomes a tool node whose tool is the operation, or the workflow, that it calls; its parameters
//! and its request body are the arguments. Steps follow each other in their order, unless actions on
//! success lead elsewhere or `dependsOn` says what they wait for. What happens on failure is kept as
//! metadata.

use std::collections::{HashMap, HashSet};

use llmend_json::{Kind, Node};

use crate::{
    Map, NodeKind, Workflow, code,
    findings::{Findings, shown},
    locations::{Location, below},
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        assembly::{Assembly, Successor, metadata, place, report},
        context::{Context, Fate, ListItem},
        list, steps,
    },
};

mod actions;

use actions::After;

const VERSION: Names = &["arazzo"];
const INFO: Names = &["info"];
const WORKFLOWS: Names = &["workflows"];
const ROOT: [Names; 3] = [VERSION, INFO, WORKFLOWS];
const ROOT_KEPT: &[Names] = &[&["sourceDescriptions"], &["components"]];

const WORKFLOW_ID: Names = &["workflowId"];
const SUMMARY: Names = &["summary"];
const DESCRIPTION: Names = &["description"];
const DEPENDS: Names = &["dependsOn"];
const STEPS: Names = &["steps"];
const WORKFLOW: [Names; 5] = [WORKFLOW_ID, SUMMARY, DESCRIPTION, DEPENDS, STEPS];
const WORKFLOW_KEPT: &[Names] =
    &[&["inputs"], &["outputs"], &["parameters"], &["successActions"], &["failureActions"]];

const STEP_ID: Names = &["stepId"];
const CALLS: [Names; 4] = [&["operationId"], &["operationPath"], &["workflowId"], &["channelPath"]];
const PARAMETERS: Names = &["parameters"];
const BODY: Names = &["requestBody"];
const SUCCESS: Names = &["onSuccess"];
const CRITERIA: Names = &["successCriteria"];
const FIELDS: [Names; 6] = [STEP_ID, DESCRIPTION, DEPENDS, PARAMETERS, BODY, CRITERIA];
const KEPT: &[Names] = &[&["onFailure"], &["onSuccess"], &["outputs"], &["timeout"], &["action"]];

/// Returns whether a value is an Arazzo description.
pub(super) fn fits(node: Node<'_>) -> bool {
    let workflows = node.get("workflows").filter(|it| it.kind() == Kind::Array);
    let stepped = |it: Node<'_>| {
        it.get("steps")
            .into_iter()
            .flat_map(Node::items)
            .take(4)
            .any(|it| it.get("stepId").is_some())
    };
    let named = |it: Node<'_>| it.get("workflowId").is_some() && stepped(it);
    workflows.is_some_and(|list| node.get("arazzo").is_some() || list.items().take(4).any(named))
}

/// Names of the list of workflows, with which a wrapped description is found.
pub(super) const MARKS: Names = WORKFLOWS;

/// A step that was read.
struct Step {
    node: Option<crate::Node>,
    after: After,
    waits_for: Vec<Successor>,
}

/// A workflow of the description.
struct Sequence<'v> {
    object: Object<'v>,
    id: Option<String>,
    steps: Vec<Part<'v>>,
}

/// Reads a workflow.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Workflow> {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = list::unwrap(node, &[MARKS], strictness, findings);
    let whole = place(&root);
    let object = Object::new(root, strictness, findings)?;
    let mut kept = metadata(&object, &ROOT, &[ROOT_KEPT, &[VERSION, INFO]].concat(), findings);
    let list = object.list(WORKFLOWS, Required, "array of workflows", findings)?;
    let sequences: Vec<Sequence<'_>> =
        list.items().filter_map(|it| sequence(it, context)).collect();
    let mut flow = Workflow::default();
    if let [only] = sequences.as_slice() {
        let findings = &mut context.findings;
        flow.id.clone_from(&only.id);
        flow.name = only.object.text(SUMMARY, Nullable, findings);
        flow.objective = only.object.text(DESCRIPTION, Nullable, findings);
        kept.extend(metadata(&only.object, &WORKFLOW, WORKFLOW_KEPT, findings));
    } else {
        several(&sequences, &mut kept, context);
    }
    let ids = Ids::new(&sequences);
    let mut assembly = Assembly::default();
    for it in &sequences {
        steps_of(it, &ids, &mut assembly, context);
    }
    for it in &sequences {
        waits(it, &ids, &mut assembly, context);
    }
    let read = assembly.finish(&whole, context);
    Some(Workflow { nodes: read.nodes, edges: read.edges, metadata: kept, ..flow })
}

fn sequence<'v>(it: Part<'v>, context: &mut Context<'_>) -> Option<Sequence<'v>> {
    let it = Part::item(it.node, it.path);
    let findings = &mut context.findings;
    let object = Object::new(it, context.strictness, findings)?;
    let id = object.text(WORKFLOW_ID, Nullable, findings);
    let list = object.list(STEPS, Required, "array of steps", findings)?;
    if !context.has_room(&list) {
        return None;
    }
    let steps = list.items().map(|it| Part::item(it.node, it.path)).collect();
    Some(Sequence { object, id, steps })
}

/// Keeps the fields of several workflows, which become one.
fn several(sequences: &[Sequence<'_>], kept: &mut Map, context: &mut Context<'_>) {
    let mut all = Vec::new();
    for it in sequences {
        let fields = [WORKFLOW_KEPT, &[WORKFLOW_ID, SUMMARY, DESCRIPTION, DEPENDS]].concat();
        all.push(serde_json::Value::Object(metadata(
            &it.object,
            &[STEPS],
            &fields,
            &mut context.findings,
        )));
    }
    if let Some(second) = sequences.get(1) {
        let message = format!("{} workflows are read as one", sequences.len());
        let it = Part::item(second.object.node(), second.object.path().to_owned());
        report(context, code::NOT_IN_FLOW, llmend_json::Severity::Warning, &place(&it), message);
        kept.insert("workflows".to_owned(), all.into());
    }
}

/// The ids of the nodes.
struct Ids<'v> {
    /// Ids of steps that several workflows have.
    repeated: HashSet<&'v str>,
    all: HashSet<&'v str>,
    /// The first and the last step of each workflow.
    ends: HashMap<&'v str, (&'v str, &'v str)>,
}

fn step_id(node: Node<'_>) -> Option<&str> {
    node.get("stepId")?.str()
}

impl<'v> Ids<'v> {
    fn new(sequences: &'v [Sequence<'v>]) -> Self {
        let (mut all, mut repeated, mut ends) = (HashSet::new(), HashSet::new(), HashMap::new());
        for it in sequences {
            let mut own = HashSet::new();
            let ids = || it.steps.iter().filter_map(|step| step_id(step.node));
            for id in ids() {
                if own.insert(id) && !all.insert(id) {
                    repeated.insert(id);
                }
            }
            if let (Some(name), Some(first), Some(last)) =
                (it.id.as_deref(), ids().next(), ids().next_back())
            {
                ends.insert(name, (first, last));
            }
        }
        Self { repeated, all, ends }
    }

    /// Returns the id of the node of a step: with the id of the workflow if another has such a step.
    fn node(&self, workflow: Option<&str>, step: &str) -> String {
        match workflow.filter(|_| self.repeated.contains(step)) {
            Some(workflow) => format!("{workflow}.{step}"),
            None => step.to_owned(),
        }
    }
}

/// Reads the steps of a workflow, with the edges between them.
fn steps_of(
    sequence: &Sequence<'_>,
    ids: &Ids<'_>,
    assembly: &mut Assembly,
    context: &mut Context<'_>,
) {
    let workflow = sequence.id.as_deref();
    let mut read = Vec::new();
    for it in &sequence.steps {
        let id = ids.node(workflow, step_id(it.node).unwrap_or_default());
        let item = context.item(
            |_: &Step| steps::label(&it.path, &id),
            |context, findings| step(it, &id, context, findings),
        );
        let ListItem { value: Step { node, after, waits_for }, fate, locations } = item;
        assembly.item(&id, ListItem { value: node, fate, locations }, context);
        // An edge is located at the id, so that what is wrong with a step is not wrong with its edges.
        let named = it.node.get("stepId").map(|node| Part {
            node,
            path: below(&it.path, "stepId"),
            ..it.clone()
        });
        read.push((id, after, waits_for, place(named.as_ref().unwrap_or(it)), fate));
    }
    // The id after each step; omitted steps stay in the order, so that they can be bridged.
    let next: Vec<Option<String>> = read
        .iter()
        .skip(1)
        .map(|(id, _, waits_for, ..)| Some(id.clone()).filter(|_| waits_for.is_empty()))
        .chain([None])
        .collect();
    for ((id, after, waits_for, place, fate), next) in read.into_iter().zip(next) {
        for arrow in waits_for {
            let from = ids.node(workflow, &arrow.to);
            assembly.edge(&from, &id, None, &arrow.place, context);
        }
        if fate == Fate::Kept {
            let to = |step: &str| ids.node(workflow, step);
            actions::connect(
                &id,
                after,
                next.as_deref(),
                &place,
                (&to, &ids.all),
                assembly,
                context,
            );
        } else if let Some(next) = next {
            assembly.edge(&id, &next, None, &place, context);
        }
    }
}

fn step(it: &Part<'_>, id: &str, context: &Context<'_>, findings: &mut Findings) -> Step {
    let mut step = Step { node: None, after: After::default(), waits_for: Vec::new() };
    let Some(object) = Object::new(it.clone(), context.strictness, findings) else { return step };
    let given = object.text(STEP_ID, Required, findings);
    let called = CALLS.iter().find_map(|names| object.find(names));
    let Some(called) = called else {
        let message = "expected `operationId`, `operationPath` or `workflowId`";
        findings.error(code::MISSING_FIELD, &object.path_of("operationId"), it.span(), message);
        return step;
    };
    let Some(mut tool) = called.text(findings) else { return step };
    let mut arguments = arguments(&object, findings);
    let mut extra = metadata(&object, &[&FIELDS, CALLS.as_slice()].concat(), KEPT, findings);
    let expected_outcome = criteria(&object, &mut extra, findings);
    context.admit_tool(&mut tool, &called.path, called.span(), findings);
    context.fit(&tool, &extra, &mut arguments, "/arguments", findings);
    step.after = actions::read(&object, findings);
    for it in object.find(DEPENDS).iter().flat_map(Part::items) {
        let Some(name) = it.text(findings) else { continue };
        let inner = name.strip_prefix("$steps.").unwrap_or(&name);
        step.waits_for.push(Successor { to: inner.to_owned(), output: None, place: place(&it) });
    }
    let node = crate::Node {
        description: object.text(DESCRIPTION, Nullable, findings),
        expected_outcome,
        retries: actions::retries(it.node),
        metadata: extra,
        ..crate::Node::new(id, NodeKind::Tool { tool, arguments })
    };
    context.admit_type(node.node_type(), it, findings);
    step.node = given.map(|_| node);
    step
}

/// Reads the parameters and the request body.
fn arguments(object: &Object<'_>, findings: &mut Findings) -> Map {
    let mut all = Map::new();
    for it in object.find(PARAMETERS).iter().flat_map(Part::items) {
        let name = it.node.get("name").or_else(|| it.node.get("reference")).and_then(Node::str);
        let value = it.node.get("value").unwrap_or(it.node);
        let Some(name) = name.filter(|name| !all.contains_key(*name)) else {
            let message = "expected a parameter with a `name` of its own and a `value`";
            findings.error(code::WRONG_TYPE, &it.path, it.span(), message);
            continue;
        };
        all.insert(name.to_owned(), crate::object::carried(value, &it.path, findings));
    }
    if let Some(body) = object.find(BODY) {
        all.insert(
            "requestBody".to_owned(),
            Part { canonical: "/arguments/requestBody".to_owned(), ..body }.carried(findings),
        );
    }
    all
}

/// Returns the criteria of success as text, if they are plain conditions; others become metadata.
fn criteria(object: &Object<'_>, extra: &mut Map, findings: &mut Findings) -> Option<String> {
    let it = object.find(CRITERIA)?;
    let all: Option<Vec<&str>> =
        it.node.items().map(|it| it.get("condition")?.str().filter(|_| it.len() == 1)).collect();
    if let Some(all) = all.filter(|all| !all.is_empty()) {
        return Some(all.join(" and "));
    }
    extra.insert("successCriteria".to_owned(), it.carried(findings));
    None
}

/// Adds the edges between workflows that depend on each other.
fn waits(
    sequence: &Sequence<'_>,
    ids: &Ids<'_>,
    assembly: &mut Assembly,
    context: &mut Context<'_>,
) {
    let first = sequence.id.as_deref().and_then(|id| ids.ends.get(id)).map(|(first, _)| *first);
    for it in sequence.object.find(DEPENDS).iter().flat_map(Part::items) {
        let name = it.node.str().unwrap_or_default();
        let named = name.strip_prefix("$workflows.").unwrap_or(name);
        let last = ids.ends.get(named).map(|(_, last)| *last);
        let location: Location = place(&it);
        if let (Some(last), Some(first)) = (last, first) {
            let from = ids.node(Some(named), last);
            let to = ids.node(sequence.id.as_deref(), first);
            assembly.edge(&from, &to, None, &location, context);
        } else {
            let message = format!("the workflow waits for `{}`, which is not here", shown(name));
            report(context, code::NOT_IN_FLOW, llmend_json::Severity::Warning, &location, message);
        }
    }
}
