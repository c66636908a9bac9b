//! Canonical workflow.
//!
//! It is written by serde.

use llmend_json::Node;

use crate::{
    Workflow,
    locations::ItemLocations,
    object::{
        Names, Object,
        Presence::{Nullable, Required},
    },
    read::{
        context::Context,
        edges,
        gap::{self, LocatedEdge},
        list,
        node::LoopId,
        nodes::{self, NodeIds},
    },
};

const ID: Names = &["id"];
const NAME: Names = &["name", "title"];
const OBJECTIVE: Names = &["objective", "intent", "goal"];
pub(super) const NODES: Names = &["nodes", "steps"];
const EDGES: Names = &["edges", "connections"];
const WORKFLOW: [Names; 5] = [ID, NAME, OBJECTIVE, NODES, EDGES];

/// Reads a workflow.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Workflow> {
    graph(node, LoopId::Inferred, context, |edges, _, _| edges)
}

/// Reads nodes and edges, in any dialect that has them; `adjust` may change the edges.
pub(super) fn graph(
    node: Node<'_>,
    loop_id: LoopId,
    context: &mut Context<'_>,
    adjust: impl Fn(Vec<LocatedEdge>, &[crate::Node], &mut Context<'_>) -> Vec<LocatedEdge>,
) -> Option<Workflow> {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = list::unwrap(node, &[NODES], strictness, findings);
    let object = Object::new(root, strictness, findings)?;
    let mut workflow = Workflow {
        id: object.name(ID, Nullable, findings),
        name: object.text(NAME, Nullable, findings),
        objective: object.text(OBJECTIVE, Nullable, findings),
        metadata: object.metadata(&WORKFLOW, findings),
        ..Workflow::default()
    };
    let given = object.list(NODES, Required, "array of nodes", findings);
    let edges = object.list(EDGES, Nullable, "array of edges", findings);
    let given = given?;
    let (nodes, left_out) = nodes::read(&given, "nodes", NodeIds::Given, loop_id, context);
    if nodes.is_empty() {
        context.report_no_steps(given.span(), &given.path, given.node.len());
    }
    let edges = edges.map(|edges| edges::read(&edges, context)).unwrap_or_default();
    let edges = adjust(edges, &nodes, context);
    let edges = gap::in_workflow(&nodes, &left_out, edges, context);
    let (edges, locations): (Vec<_>, Vec<ItemLocations>) = edges.into_iter().unzip();
    context.lists.insert("edges".to_owned(), locations);
    (workflow.nodes, workflow.edges) = (nodes, edges);
    Some(workflow)
}
