//! Flat list of Clickweave's steps.
//!
//! Steps need no ids: the first is `n1`, counted in the list as the model wrote it, and an edge leads
//! from each to the next. The loop of an `EndLoop` and its edges are inferred.

use llmend_json::{Kind, Node, Severity};
use serde::Serialize;

use crate::{
    Edge, Workflow,
    dialect::clickweave::{self, ClickweaveStep},
    locations::ItemLocations,
    losses::Losses,
    object::{
        Names, Object,
        Presence::{Nullable, Required},
    },
    read::{
        context::Context,
        list,
        node::LoopId,
        nodes::{self, NodeIds},
    },
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
            findings.push(member.finding(fate, "; ignored"));
        }
        object.list(list::STEPS, Required, "array of steps", findings)?
    };
    let (nodes, _) = nodes::read(&list, "nodes", NodeIds::Numbered, LoopId::Inferred, context);
    if nodes.is_empty() {
        context.report_no_steps(list.span(), &list.path, list.node.len());
    }
    workflow.edges = linear(&nodes);
    let locations = context.lists.get("nodes").map(Vec::as_slice).unwrap_or_default();
    let locations = locations
        .iter()
        .skip(1)
        .map(|item| ItemLocations { whole: item.whole.clone(), ..ItemLocations::default() });
    let locations: Vec<_> = locations.collect();
    context.lists.insert("edges".to_owned(), locations);
    workflow.nodes = nodes;
    Some(workflow)
}

/// Returns an edge from each node to the next.
fn linear(nodes: &[crate::Node]) -> Vec<Edge> {
    let pairs = nodes.iter().zip(nodes.iter().skip(1));
    pairs.map(|(from, to)| Edge::new(from.id.as_str(), to.id.as_str())).collect()
}

/// Restricts a workflow to what the dialect can represent.
pub(crate) fn restrict(workflow: &mut Workflow, losses: &mut Losses) {
    losses.take(&mut workflow.id, "/id");
    losses.take(&mut workflow.name, "/name");
    losses.map(&mut workflow.metadata, "/metadata");
    let line = linear(&workflow.nodes);
    for (at, edge) in workflow.edges.iter().enumerate() {
        if line.get(at) != Some(edge) {
            losses.refuse(
                &format!("/edges/{at}"),
                "a list can only represent steps that follow each other",
            );
        }
    }
    if workflow.edges.len() < line.len() {
        losses.refuse("/edges", "a list can only represent steps that follow each other");
    }
    for (at, node) in workflow.nodes.iter_mut().enumerate() {
        clickweave::restrict(node, &format!("/nodes/{at}"), losses);
    }
}

/// The written form of a workflow.
#[derive(Serialize)]
pub(crate) struct ClickweaveSteps<'w> {
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<&'w str>,
    steps: Vec<ClickweaveStep<'w>>,
}

/// Converts a workflow to its written form.
pub(crate) fn encode(workflow: &Workflow) -> ClickweaveSteps<'_> {
    ClickweaveSteps {
        intent: workflow.objective.as_deref(),
        steps: workflow.nodes.iter().enumerate().map(step).collect(),
    }
}

/// Writes a step, with its id unless that follows from its position.
fn step((at, node): (usize, &crate::Node)) -> ClickweaveStep<'_> {
    if node.id == format!("n{}", at + 1) {
        ClickweaveStep::bare(node)
    } else {
        ClickweaveStep::with_id(node)
    }
}
