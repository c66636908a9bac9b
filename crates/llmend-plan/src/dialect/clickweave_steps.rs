//! How is a flat list of Clickweave's steps read and written?
//!
//! Steps need no ids: the first is `n1`, counted in the list as the model wrote it, and edges lead
//! from each to the next. Which loop an `EndLoop` ends, and what its edges are, is inferred.

use llmend_json::{Kind, Node, Severity};
use serde::Serialize;

use crate::{
    Edge, Workflow,
    dialect::clickweave::{self, StepShape},
    object::{
        Names, Object,
        Presence::{Nullable, Required},
    },
    places::ItemPlaces,
    read::{
        context::Context,
        list,
        node::LoopId,
        nodes::{self, NodeIds},
    },
    write::Losses,
};

const INTENT: Names = &["objective", "intent"];

/// Reads a workflow.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Workflow> {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = list::unwrap(node, &[list::STEPS], strictness, findings);
    let mut workflow = Workflow::default();
    let list = if root.node.kind() == Kind::Array {
        root.noted(findings)
    } else {
        let object = Object::new(root, strictness, findings)?;
        workflow.objective = object.text(INTENT, Nullable, findings);
        for member in object.unknown(&[INTENT, list::STEPS]) {
            let fate = if member.meant.is_some() { Severity::Error } else { Severity::Warning };
            findings.push(member.finding(fate, "; it is left aside"));
        }
        object.list(list::STEPS, Required, "an array of steps", findings)?
    };
    let (nodes, _) = nodes::read(&list, "nodes", NodeIds::Numbered, LoopId::Inferred, context);
    if nodes.is_empty() {
        context.report_no_steps(list.span(), &list.path, list.node.len());
    }
    // S3-49: what stands in a list follows one upon the other.
    workflow.edges = linear(&nodes);
    let places = context.lists.get("nodes").map(Vec::as_slice).unwrap_or_default();
    let places = places
        .iter()
        .skip(1)
        .map(|item| ItemPlaces { whole: item.whole.clone(), ..ItemPlaces::default() });
    let places: Vec<_> = places.collect();
    context.lists.insert("edges".to_owned(), places);
    workflow.nodes = nodes;
    Some(workflow)
}

/// Edges from each node to the next.
fn linear(nodes: &[crate::Node]) -> Vec<Edge> {
    let pairs = nodes.iter().zip(nodes.iter().skip(1));
    pairs.map(|(from, to)| Edge::new(from.id.as_str(), to.id.as_str())).collect()
}

/// Leaves of the workflow what the dialect carries.
pub(crate) fn keep(workflow: &mut Workflow, losses: &mut Losses) {
    losses.take(&mut workflow.id, "/id");
    losses.take(&mut workflow.name, "/name");
    losses.map(&mut workflow.metadata, "/metadata");
    let line = linear(&workflow.nodes);
    for (at, edge) in workflow.edges.iter().enumerate() {
        if line.get(at) != Some(edge) {
            losses.refuse(&format!("/edges/{at}"), "steps in a list follow one upon the other");
        }
    }
    if workflow.edges.len() < line.len() {
        losses.refuse("/edges", "steps in a list follow one upon the other");
    }
    for (at, node) in workflow.nodes.iter_mut().enumerate() {
        clickweave::keep(node, &format!("/nodes/{at}"), losses);
    }
}

/// The list as Clickweave has it.
#[derive(Serialize)]
pub(crate) struct Shape<'w> {
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<&'w str>,
    steps: Vec<StepShape<'w>>,
}

/// The list as it is written.
pub(crate) fn shape(workflow: &Workflow) -> Shape<'_> {
    Shape {
        intent: workflow.objective.as_deref(),
        steps: workflow.nodes.iter().enumerate().map(step).collect(),
    }
}

/// A step says its id where it is not the one that its place gives it.
fn step((at, node): (usize, &crate::Node)) -> StepShape<'_> {
    if node.id == format!("n{}", at + 1) { StepShape::bare(node) } else { StepShape::with_id(node) }
}
